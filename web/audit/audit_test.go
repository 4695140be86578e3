// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"hide/internal/account"
	"hide/internal/annotate"
	greedyaudit "hide/internal/greedy/audit"
	"hide/internal/project"
	"hide/internal/project/audit"
	"hide/web/webtest"
)

// fakeSample is an audit of three notes, in which people mark what they will.
type fakeSample struct {
	*fakeSanitize
	mu     sync.Mutex // guards what follows
	text   string     // of every note, with two placeholders
	hasty  int        // answers that came too soon
	audits []audit.Audit
	marks  map[int][]int
	drawn  [][3]int
	added  []audit.LabelledFinding
	passes []annotate.Label // labels on every finding that the bundle lets pass
}

const auditedNote = "Seen by [DOCTOR] on [DATE] at the\n  lake clinic.\nMr. Abel & son <b>came</b> along.\n"

func newFakeSample() *fakeSample {
	f := &fakeSample{fakeSanitize: madePublish(), marks: map[int][]int{}, text: auditedNote}
	f.audits = []audit.Audit{{Number: 4, Bundle: 2, Run: 3, LC: 10, Created: webtest.MadeAt, By: "Some broker", Documents: 264, Notes: make([]audit.Note, 3)}}
	return f
}

func (f *fakeSample) SampleAudits(context.Context, account.User, project.ID) ([]audit.Audit, audit.Drawing, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	a := slices.Clone(f.audits)
	if len(a) > 0 {
		if a[0].Read = len(f.marks); a[0].Read == 3 {
			a[0].Result = new(greedyaudit.Count(264, []int{2, 0}, []int{1}, 1))
		}
	}
	return a, audit.Drawing{}, nil
}

func (f *fakeSample) SampleAuditNote(_ context.Context, _ account.User, _ project.ID, number, index int) (audit.Text, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if index == 0 {
		index = min(len(f.marks)+1, 3)
	}
	if number > 4 || index > 3 {
		return audit.Text{}, &project.Error{Kind: project.NotFound, Message: "there is no such note"}
	}
	text := audit.ReleasedText{Text: f.text, Redactions: []audit.ReleasedAt{{Start: 8, End: 16, Label: "DOCTOR"}, {Start: 20, End: 26, Label: "DATE"}}}
	marks, seen := f.marks[index]
	reading := ""
	if seen {
		reading = readingOf(marks)
	}
	return audit.Text{Audit: cmp.Or(number, 4), Index: index, Notes: 3, Read: len(f.marks), Text: text, Marks: marks, Seen: seen, By: "Some annotator", Reading: reading}, nil
}

func readingOf(marks []int) string { return fmt.Sprint("read", marks) }

// SampleAuditFindings has one finding for every marked token, once all is read.
func (f *fakeSample) SampleAuditFindings(context.Context, account.User, project.ID, int) (audit.Findings, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	out := audit.Findings{Audit: 4, Labels: []annotate.Label{"DOCTOR", "HOSPITAL", "PATIENT"}}
	tokens := annotate.Tokenize(auditedNote)
	for index := 1; index <= 3 && len(f.marks) == 3; index++ {
		for _, m := range f.marks[index] {
			is := func(l audit.LabelledFinding) bool { return l.Index == index && l.From == m }
			out.All = append(out.All, audit.Finding{Index: index, From: m, Added: slices.ContainsFunc(f.added, is), Passing: f.passes, Excerpt: project.Excerpt{
				Document: 7, Start: annotate.RuneOff(tokens[m].Start), End: annotate.RuneOff(tokens[m].End), Label: "PATIENT",
				Text: auditedNote[tokens[m].Start:tokens[m].End], Before: auditedNote[:tokens[m].Start], After: auditedNote[tokens[m].End:],
			}})
		}
	}
	return out, nil
}

func (f *fakeSample) AddAuditFindings(_ context.Context, _ account.User, _ project.ID, number int, chosen []audit.LabelledFinding) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if number != 4 {
		return 0, &project.Error{Kind: project.NotFound, Message: "there is no such audit"}
	}
	f.added = append(f.added, chosen...)
	return len(chosen), nil
}

func (f *fakeSample) MarkSampleAudit(_ context.Context, _ account.User, _ project.ID, _, index int, said audit.Answer) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if there, seen := f.marks[index]; seen && said.Over != readingOf(there) && !slices.Equal(there, said.Marks) {
		return &project.Error{Kind: project.Stale, Message: "somebody was faster"}
	}
	f.marks[index] = said.Marks
	if said.Glanced {
		f.hasty++
	}
	return nil
}

// answers is how many notes were answered, and how often that came too soon.
func (f *fakeSample) answers() (saved, hasty int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.marks), f.hasty
}

func (f *fakeSample) StartSampleAudit(_ context.Context, _ account.User, _ project.ID, bundle, random, picked int) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.drawn = append(f.drawn, [3]int{bundle, random, picked})
	return nil
}

// words are the marked words of a note.
func (f *fakeSample) words(index int) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var out []string
	tokens := annotate.Tokenize(auditedNote)
	for _, m := range f.marks[index] {
		out = append(out, auditedNote[tokens[m].Start:tokens[m].End])
	}
	return strings.Join(out, " ")
}

func TestAuditedNoteIsShownByteForByteAndBlind(t *testing.T) {
	body := get(newServer(t, newFakeSample()), account.Annotator, "/p/p1/audits/4/1").Body.String()
	text := body[strings.Index(body, `class="audit-text"`):]
	text = text[strings.Index(text, ">")+1 : strings.Index(text, "</div>")]
	plain := regexp.MustCompile(`<[^>]*>`).ReplaceAllString(text, "")
	plain = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&").Replace(plain)
	if plain != auditedNote {
		t.Errorf("the note reads %q, want %q", plain, auditedNote)
	}
	for _, told := range []string{"doubtful", "random", "score", "L/C"} {
		if strings.Contains(body, told) {
			t.Errorf("who reads is told of %q", told)
		}
	}
	if n := strings.Count(body, `name="word"`); n != len(annotate.Tokenize(auditedNote))-6 {
		t.Errorf("%d words can be marked, of %d without the placeholders' 6", n, len(annotate.Tokenize(auditedNote)))
	}
}

func TestMarksOfAnAuditArriveAndNoneIsAnAnswer(t *testing.T) {
	f := newFakeSample()
	s := newServer(t, f)
	w := s.Post(account.Annotator, "/p/p1/audits/4/1", url.Values{"word": {"17", "14"}, "save": {"marks"}})
	if w.Code != http.StatusSeeOther || w.Header().Get("Location") != "/p/p1/audits/read?audit=4" || !slices.Equal(f.marks[1], []int{14, 17}) {
		t.Errorf("%d to %q, marks %v", w.Code, w.Header().Get("Location"), f.marks[1])
	}
	s.Post(account.Annotator, "/p/p1/audits/4/2", url.Values{"none": {"yes"}, "seen": {"yes"}})
	if marks, read := f.marks[2]; !read || marks != nil {
		t.Errorf("none left: %v, %v", marks, read)
	}
	if w := s.Get(account.Annotator, "/p/p1/audits/read"); w.Header().Get("Location") != "/p/p1/audits/4/3" {
		t.Errorf("the next note is at %q", w.Header().Get("Location"))
	}
	if w := s.Post(account.Annotator, "/p/p1/audits/4/3", url.Values{"word": {"x"}}); w.Code != http.StatusUnprocessableEntity && w.Code != http.StatusBadRequest {
		t.Errorf("a word without a number: %d", w.Code)
	}
}

// Without a script None left can be pressed beside ticked words.
func TestMarksBesideNoneLeftAreKeptAndAskedAbout(t *testing.T) {
	f := newFakeSample()
	s := newServer(t, f)
	torn := url.Values{"word": {"17", "14"}, "none": {"yes"}, "seen": {"yes"}, "over": {"read[13]"}}
	w := s.Post(account.Annotator, "/p/p1/audits/4/1", torn)
	if w.Code != http.StatusUnprocessableEntity || len(f.marks) != 0 {
		t.Fatalf("status %d to %q, marks %v", w.Code, w.Header().Get("Location"), f.marks)
	}
	page := w.Body.String()
	for _, want := range []string{
		"Nothing was saved: words are ticked below, and None left says that there are none.", `name="word" value="14" checked`, `name="word" value="17" checked`,
		`name="seen" value="yes" checked`, `name="over" value="read[13]"`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q", want)
		}
	}
	if n := strings.Count(page, " checked"); n != 3 {
		t.Errorf("%d boxes are ticked, want the two words, and that the note was read", n)
	}
	delete(torn, "none")
	if w := s.Post(account.Annotator, "/p/p1/audits/4/1", torn); w.Code != http.StatusSeeOther || !slices.Equal(f.marks[1], []int{14, 17}) {
		t.Errorf("saved after that: status %d, marks %v", w.Code, f.marks)
	}
	if body := s.Get(account.Annotator, "/p/p1/audits/4/2").Body.String(); strings.Contains(body, " checked") || strings.Contains(body, "None left says") {
		t.Error("the next note begins with the answer of this one")
	}
}

func TestTwoAnswersForANoteAreShownTogether(t *testing.T) {
	f := newFakeSample()
	s := newServer(t, f)
	form := url.Values{"seen": {"yes"}, "over": {""}}
	form.Set("word", "13")
	if w := s.Post(account.Annotator, "/p/p1/audits/4/1", form); w.Code != http.StatusSeeOther {
		t.Fatalf("%d\n%s", w.Code, w.Body)
	}
	form.Set("word", "15")
	w := s.Post(account.Annotator, "/p/p1/audits/4/1", form)
	page := w.Body.String()
	if w.Code != http.StatusConflict || !strings.Contains(page, "Some annotator has marked 1 word of this note meanwhile. Your answer is not saved yet") ||
		strings.Count(page, " checked") != 2 || !strings.Contains(page, `name="over" value="read[13]"`) || !slices.Equal(f.marks[1], []int{13}) {
		t.Errorf("%d, %v\n%s", w.Code, f.marks, page)
	}
	form["word"], form["over"] = []string{"13", "15"}, []string{"read[13]"}
	if w := s.Post(account.Annotator, "/p/p1/audits/4/1", form); w.Code != http.StatusSeeOther || len(f.marks[1]) != 2 {
		t.Errorf("%d, %v", w.Code, f.marks)
	}
}

func TestAuditPageShowsProgressThenTheCountBesideThePrediction(t *testing.T) {
	f := newFakeSample()
	s := newServer(t, f)
	page := func() string {
		return strings.Join(strings.Fields(s.Get(account.Broker, "/p/p1/audits").Body.String()), " ")
	}
	for _, want := range []string{"Audit 4 of bundle 2, L/C 10", "0 of 3 notes read", "Read the next note", "Draw a sample"} {
		if !strings.Contains(page(), want) {
			t.Errorf("no %q", want)
		}
	}
	f.marks = map[int][]int{1: {14}, 2: nil, 3: nil}
	for _, want := range []string{"people found 3 identifiers", "By the audit", "Predicted by the run", "At most"} {
		if !strings.Contains(page(), want) {
			t.Errorf("no %q when all are read", want)
		}
	}
	s.Post(account.Broker, "/p/p1/audits", url.Values{"bundle": {"2"}, "random": {"25"}, "picked": {"5"}})
	if fmt.Sprint(f.drawn) != "[[2 25 5]]" {
		t.Errorf("drawn %v", f.drawn)
	}
	published := func() string { return s.Get(account.Broker, "/p/p1/publish").Body.String() }
	if body := published(); !strings.Contains(body, `href="/p/p1/audits?bundle=2"`) || !strings.Contains(body, "people found 3 identifiers") || strings.Contains(body, "are expected to stay readable") {
		t.Error("the page that publishes does not give the audit's count for the prediction")
	}
	f.audits[0].Changed = true
	f.runs[0].Random, f.runs[0].Measured = 3, f.runs[0].Documents
	if body := published(); strings.Contains(body, "people found") || !strings.Contains(body, "Audit before you publish.") {
		t.Error("the page that publishes does not ask for an audit")
	}
}

func TestAuditIsReadByKeyboardAlone(t *testing.T) {
	f := newFakeSample()
	v := openBrowser(t, account.Annotator, f)
	v.Open(v.Base + "/p/p1/audits/read")
	v.WaitText("#audit-count", "0 identifiers")
	v.Axe()
	v.Press("ArrowRight", "ArrowRight", "Space") // Seen, by, on
	v.WaitText("#audit-count", "1 identifier marked")
	v.Press("ArrowLeft", "Space")
	v.WaitText("#audit-count", "2 identifiers marked") // by and on have a placeholder between them
	v.Press("n")
	v.WaitText("#audit-count", "2 identifiers marked: press Enter to save")
	v.Shots("audit-note")
	v.canHaveRead()
	v.Press("Enter")
	v.WaitPath("/p/p1/audits/4/2")
	if got := f.words(1); got != "by on" {
		t.Errorf("marked %q", got)
	}
	v.WaitText("#audit-count", "0 identifiers")
	v.canHaveRead()
	v.Press("ArrowDown", "n")
	v.WaitPath("/p/p1/audits/4/3")
	v.WaitText("#audit-count", "0 identifiers")
	v.canHaveRead()
	v.Press("n")
	v.WaitText(".audit-read", "All notes of this audit are read")
	if _, hasty := f.answers(); hasty > 0 {
		t.Errorf("%d answers are said to have come too soon", hasty)
	}
}

// canHaveRead waits until the page takes its note for one that can have been read.
func (v *webtest.Browser) canHaveRead() {
	v.Wait("the note can have been read", `!document.querySelector("#audit-form [name=seen]").disabled`)
}

// Nothing left in a note whose end was never in view is asked about once; who
// insists is heard, and it is kept that she did.
func TestAnAnswerBeforeTheEndIsAskedAboutOnce(t *testing.T) {
	f := newFakeSample()
	f.text = auditedNote + strings.Repeat("\n", 200) + "The end."
	v := openBrowser(t, account.Annotator, f)
	v.Open(v.Base + "/p/p1/audits/read")
	v.WaitText("#audit-count", "0 identifiers")
	v.Press("n")
	v.WaitText("#audit-ask", "The end of this note has not been in view.")
	v.Axe()
	v.Shots("audit-asked")
	if saved, _ := f.answers(); saved > 0 {
		t.Fatal("the first answer was saved")
	}
	v.Press("n")
	v.WaitPath("/p/p1/audits/4/2")
	if _, hasty := f.answers(); hasty != 1 {
		t.Errorf("%d answers are said to have come too soon, want 1", hasty)
	}
	v.WaitText("#audit-count", "0 identifiers")
	v.Eval(`document.querySelector("#audit-end").scrollIntoView(), 0`, nil)
	v.canHaveRead()
	v.Press("n")
	v.WaitPath("/p/p1/audits/4/3")
	if _, hasty := f.answers(); hasty != 1 {
		t.Error("an answer after the end was in view is said to have come too soon")
	}
}

// Without a script the server asks, and a box says that the note was read.
func TestAnUnseenAnswerIsAskedAboutOnceByTheServerToo(t *testing.T) {
	f := newFakeSample()
	s := newServer(t, f)
	w := s.Post(account.Annotator, "/p/p1/audits/4/2", url.Values{"none": {"yes"}})
	if to := w.Header().Get("Location"); to != "/p/p1/audits/4/2?unseen=1" || len(f.marks) != 0 {
		t.Fatalf("to %q, marked %v", to, f.marks)
	}
	body := s.Get(account.Annotator, "/p/p1/audits/4/2?unseen=1").Body.String()
	if !strings.Contains(body, "Nothing was saved: the text has not been in view") || !strings.Contains(body, `name="asked" value="yes">`) {
		t.Error("it is not said why, or it would be asked for ever")
	}
	s.Post(account.Annotator, "/p/p1/audits/4/2", url.Values{"none": {"yes"}, "asked": {"yes"}})
	s.Post(account.Annotator, "/p/p1/audits/4/1", url.Values{"word": {"14"}})
	if len(f.marks) != 2 || f.hasty != 2 {
		t.Errorf("%d answers kept, %d too soon, want 2 of each", len(f.marks), f.hasty)
	}
}

func TestASampleOfThreeIsDrawnOnceItIsSaidWhatItCannotShow(t *testing.T) {
	f := newFakeSample()
	s := newServer(t, f)
	if body := s.Get(account.Broker, "/p/p1/audits").Body.String(); !strings.Contains(body, "after 3 up to") || !strings.Contains(body, "after 100 up to") {
		t.Error("it is not said beforehand what samples show")
	}
	small := url.Values{"bundle": {"1"}, "random": {"3"}, "picked": {"0"}}
	w := s.Post(account.Broker, "/p/p1/audits", small)
	body := w.Body.String()
	if w.Code != http.StatusUnprocessableEntity || len(f.drawn) > 0 || !strings.Contains(body, "3 random notes show little.") || !strings.Contains(body, `name="random" min="1" max="500" value="3"`) {
		t.Fatalf("status %d, drawn %v, and the page does not say what 3 notes show", w.Code, f.drawn)
	}
	small.Set("few", "yes")
	s.Post(account.Broker, "/p/p1/audits", small)
	if fmt.Sprint(f.drawn) != "[[1 3 0]]" {
		t.Errorf("drawn %v", f.drawn)
	}
}

func TestAuditPageIsAccessible(t *testing.T) {
	f := newFakeSample()
	v := openBrowser(t, account.Broker, f)
	v.Open(v.Base + "/p/p1/audits")
	v.Axe()
	v.Shots("audit-begun")
	f.mu.Lock()
	f.marks = map[int][]int{1: {14}, 2: nil, 3: nil}
	f.mu.Unlock()
	v.Reload()
	v.WaitText("#audits", "people found 3 identifiers")
	v.Axe()
	v.Shots("audit-result")
}

func TestWhatWasFoundIsAddedToItsNoteWithOneKey(t *testing.T) {
	f := newFakeSample()
	f.marks = map[int][]int{1: {14, 20}, 2: {11}, 3: nil}
	v := openBrowser(t, account.Broker, f)
	v.Open(v.Base + "/p/p1/audits")
	v.WaitText(".findings", "3 identifiers in 2 notes.")
	v.Axe()
	v.Shots("audit-findings")
	v.Size(1280, 800)
	v.TabTo(`.findings [name="find"][value="1-20"]`)
	v.Press("Space")
	v.TabTo(`.findings [name="label-2-11"]`)
	v.Press("ArrowUp")
	v.TabTo(".findings button.primary")
	v.Press("Enter")
	v.WaitText(".notice.good", "2 identifiers are spans of their notes now.")
	f.mu.Lock()
	if got := fmt.Sprint(f.added); got != "[{1 14 PATIENT} {2 11 HOSPITAL}]" {
		t.Errorf("added %s", got)
	}
	f.mu.Unlock()
	if n := v.Count(".findings .badge.good"); n != 2 {
		t.Errorf("%d of them are said to be in their notes, want 2", n)
	}
	v.Axe()
}

func TestAnnotatorsAddWhatTheyFoundWhenAllIsRead(t *testing.T) {
	f := newFakeSample()
	s := newServer(t, f)
	f.marks = map[int][]int{1: {14}, 2: nil}
	if body := s.Get(account.Annotator, "/p/p1/audits/4/1").Body.String(); strings.Contains(body, "findings") {
		t.Error("who reads is told what was found before the end")
	}
	f.marks[3] = nil
	if body := s.Get(account.Annotator, "/p/p1/audits/4/1").Body.String(); !strings.Contains(body, `name="label-1-14"`) {
		t.Error("nothing is offered at the end")
	}
	w := s.Post(account.Annotator, "/p/p1/audits/4/findings", url.Values{"find": {"1-14"}, "label-1-14": {"DOCTOR"}})
	if w.Code != http.StatusSeeOther || w.Header().Get("Location") != "/p/p1/audits/4/1?added=1" || fmt.Sprint(f.added) != "[{1 14 DOCTOR}]" {
		t.Errorf("%d to %q, added %v", w.Code, w.Header().Get("Location"), f.added)
	}
	for _, wrong := range []url.Values{{}, {"find": {"x"}}, {"find": {"1"}}} {
		if w := s.Post(account.Annotator, "/p/p1/audits/4/findings", wrong); w.Code != http.StatusUnprocessableEntity {
			t.Errorf("%v: status %d", wrong, w.Code)
		}
	}
	body := s.Get(account.Reviewer, "/p/p1/audits").Body.String()
	if strings.Contains(body, "findings") || !strings.Contains(body, "people found") {
		t.Error("a reviewer is shown text of notes, or not the count")
	}
}

// An annotation is not given another label without a word.
func TestAFindingThatIsMarkedButPublishedSaysWhatATickDoes(t *testing.T) {
	f := newFakeSample()
	f.marks = map[int][]int{1: {14}, 2: nil, 3: nil}
	s := newServer(t, f)
	for _, path := range []string{"/p/p1/audits?audit=4", "/p/p1/audits/4/1"} {
		f.passes = nil
		if body := s.Get(account.Broker, path).Body.String(); strings.Contains(body, "publishes as it stands") {
			t.Errorf("%s: it is said of a finding that has no annotation", path)
		}
		f.passes = []annotate.Label{"STATE", "CITY"}
		if body := s.Get(account.Broker, path).Body.String(); !strings.Contains(body, "Marked STATE and CITY in its note, which the bundle of this audit publishes as it stands. Ticked, what is marked there gets the label chosen here instead") {
			t.Errorf("%s: it is not said", path)
		}
	}
	v := openBrowser(t, account.Broker, f)
	v.Open(v.Base + "/p/p1/audits")
	v.WaitText(".findings .passing", "Marked STATE and CITY")
	v.Axe()
	v.Shots("audit-passing")
}

// The field for the reason is where it belongs, and keeps the release back.
func TestPublishingWithoutAnAuditAsksForAReason(t *testing.T) {
	f := newFakeSample()
	f.audits[0].Changed = true
	f.runs[0].Random, f.runs[0].Measured = 3, f.runs[0].Documents
	v := openBrowser(t, account.Broker, f)
	v.Open(v.Base + "/p/p1/publish")
	v.WaitText(".publish-bundle", "Audit before you publish.")
	v.Axe()
	v.Shots("publish-unaudited")
	v.Size(1280, 800)
	v.TabTo(`input[name="confirm"]`)
	v.Press("Space", "Enter")
	v.Wait("the browser asks for the reason", `document.activeElement.id === "unaudited"`)
}

func TestAnnotatorsAreLedToTheNotesOfAnAudit(t *testing.T) {
	f := webtest.NewFrame()
	s := newServer(t, f)
	if body := s.Get(account.Annotator, "/p/p1").Body.String(); strings.Contains(body, "audits/read") {
		t.Error("an audit is offered where there is none")
	}
	f.waiting = 3
	for _, role := range []account.Role{account.Annotator, account.Broker} {
		if body := s.Get(role, "/p/p1").Body.String(); !strings.Contains(body, "3 notes of an audit wait") || !strings.Contains(body, `href="/p/p1/audits/read"`) {
			t.Errorf("%s is not led to the audit", role)
		}
	}
	if body := s.Get(account.Reviewer, "/p/p1").Body.String(); strings.Contains(body, "audits/read") {
		t.Error("a reviewer is led to identified notes")
	}
}

func TestANoteThatIsClickedThroughIsNotRead(t *testing.T) {
	f := newFakeSample()
	s := newServer(t, f)
	w := s.Post(account.Annotator, "/p/p1/audits/4/2", url.Values{})
	if to := w.Header().Get("Location"); w.Code != http.StatusSeeOther || to != "/p/p1/audits/4/2?empty=1" || len(f.marks) != 0 {
		t.Errorf("status %d to %q, marked %v", w.Code, to, f.marks)
	}
	if body := s.Get(account.Annotator, "/p/p1/audits/4/2?empty=1").Body.String(); !strings.Contains(body, "Nothing is marked, so nothing was saved") {
		t.Error("it is not said why")
	}
}

func TestTheEndOfAnAuditLeadsToItsResult(t *testing.T) {
	f := newFakeSample()
	s := newServer(t, f)
	page := func(role account.Role) string { return s.Get(role, "/p/p1/audits/4/3").Body.String() }
	saving := `<button class="primary" name="save"`
	if body := page(account.Broker); strings.Contains(body, "See the result") || !strings.Contains(body, saving) {
		t.Error("a result before all is read, or no way on")
	}
	f.marks = map[int][]int{1: {14}, 2: nil, 3: nil}
	if body := page(account.Broker); !strings.Contains(body, `<a class="button primary" href="/p/p1/audits?audit=4">See the result</a>`) || strings.Contains(body, saving) {
		t.Error("the result is not the primary button")
	}
	if body := page(account.Annotator); strings.Contains(body, "See the result") || !strings.Contains(body, `<a class="button primary" href="/p/p1">Back to the project</a>`) {
		t.Error("an annotator is led to what she may not see, or nowhere")
	}
}

func TestAnEarlierAuditHasItsResult(t *testing.T) {
	f := newFakeSample()
	f.audits = append(f.audits, audit.Audit{
		Number: 1, Bundle: 1, Run: 3, LC: 2, Created: webtest.MadeAt, By: "Some broker", Documents: 100, Notes: make([]audit.Note, 2), Read: 2,
		Result: new(greedyaudit.Count(100, []int{4, 3}, nil, 1)),
	})
	s := newServer(t, f)
	page := func(path string) string {
		return strings.Join(strings.Fields(s.Get(account.Broker, path).Body.String()), " ")
	}
	if body := page("/p/p1/audits"); !strings.Contains(body, "Earlier audits (1)") || !strings.Contains(body, `<a href="/p/p1/audits?audit=1">Audit 1</a>`) || !strings.Contains(body, "Read the next note") {
		t.Error("the newest is not shown with a link to the earlier one")
	}
	body := page("/p/p1/audits?audit=1")
	for _, want := range []string{"Audit 1 of bundle 1, L/C 2", "people found 7 identifiers", "Other audits (1)", `<a href="/p/p1/audits?audit=4">Audit 4</a>`} {
		if !strings.Contains(body, want) {
			t.Errorf("no %q", want)
		}
	}
	if strings.Contains(body, "Audit 4 of bundle 2") || strings.Contains(body, "Read the next note") {
		t.Error("the newest is shown instead")
	}
	for _, none := range []string{"?audit=9", "?audit=x", "?audit=-1"} {
		w := s.Get(account.Broker, "/p/p1/audits"+none)
		if body := w.Body.String(); w.Code != http.StatusNotFound || strings.Contains(body, "Audit 4 of bundle 2") || !strings.Contains(body, "The numbers there are: 1 and 4.") {
			t.Errorf("%s: status %d, without what there is, or with another audit", none, w.Code)
		}
	}
}

// Who goes through an older audit stays in it until all of it is read.
func TestReadingAnEarlierAuditStaysInIt(t *testing.T) {
	s := newServer(t, newFakeSample())
	w := s.Post(account.Annotator, "/p/p1/audits/2/1", url.Values{"word": {"14"}, "save": {"marks"}})
	if to := w.Header().Get("Location"); to != "/p/p1/audits/read?audit=2" {
		t.Fatalf("saving leads to %q", to)
	}
	if to := s.Get(account.Annotator, "/p/p1/audits/read?audit=2").Header().Get("Location"); to != "/p/p1/audits/2/2" {
		t.Errorf("the next note of audit 2 is at %q", to)
	}
	if code := s.Get(account.Annotator, "/p/p1/audits/read?audit=x").Code; code != http.StatusNotFound {
		t.Errorf("an audit without a number: %d", code)
	}
}

// What an audit found stands before the confirmation, and leads to the audit.
func TestFindingsBeforePublishingByKeyboard(t *testing.T) {
	f := newFakeSample()
	f.marks = map[int][]int{1: {14}, 2: nil, 3: nil}
	f.open = audit.OpenFindings{Found: 1, Audit: 4}
	r := greedyaudit.Count(264, []int{2, 0}, []int{1}, 1)
	f.releases[0].Audit, f.releases[0].Warnings = &r, []string{"Only 48 finished notes: a test."}
	v := openBrowser(t, account.Broker, f)
	v.Open(v.Base + "/p/p1/releases/1")
	v.WaitText(".trust", "Only 48 finished notes")
	v.Axe()
	v.Shots("release-warned")
	v.Open(v.Base + "/p/p1/audits/4/3")
	v.Axe()
	v.Shots("audit-end")
	v.Open(v.Base + "/p/p1/publish")
	v.Axe()
	v.Shots("publish-found")
	v.Focus(`.publish-what .notice a`)
	v.Press("Enter")
	v.WaitText("#audit-title", "Audit 4")
}

// The bound that stands beside the form is of as many doubtful notes as the form asks
// for, and of no sample that has all notes.
func TestTheFormOfASampleSaysWhatItCouldTell(t *testing.T) {
	for documents, want := range map[int]string{
		48:  fmt.Sprintf("after 20 random ones up to %d of 48 notes, after 3 up to %d", audit.Shows(48, 20, 10), audit.Shows(48, 3, 10)),
		400: fmt.Sprintf("after 20 random ones up to %d of 400 notes, after 100 up to %d, after 3 up to %d", audit.Shows(400, 20, 10), audit.Shows(400, 100, 10), audit.Shows(400, 3, 10)),
		12:  "",
	} {
		v := samplesView{Project: project.Overview{Documents: documents}, Asked: usualSample()}
		if got := v.showsWords(); got != want {
			t.Errorf("%d notes: %q, want %q", documents, got, want)
		}
	}
}

func TestTheBundleThatIsShownIsTheOneToAudit(t *testing.T) {
	s := newServer(t, newFakeSample())
	if body := s.Get(account.Broker, "/p/p1/publish?bundle=1").Body.String(); !strings.Contains(body, `href="/p/p1/audits?bundle=1">Audit what would be published`) {
		t.Error("the page of a bundle leads to the audit of another")
	}
	for path, want := range map[string]string{"/p/p1/audits?bundle=1": "1", "/p/p1/audits?bundle=2": "2", "/p/p1/audits": "2"} {
		if body := s.Get(account.Broker, path).Body.String(); !strings.Contains(body, `<option value="`+want+`" selected>`) || strings.Count(body, " selected>Bundle") != 1 {
			t.Errorf("%s does not preselect bundle %s", path, want)
		}
	}
	for _, none := range []string{"3", "0", "x"} {
		if w := s.Get(account.Broker, "/p/p1/audits?bundle="+none); w.Code != http.StatusNotFound {
			t.Errorf("bundle %s: status %d", none, w.Code)
		}
	}
}
