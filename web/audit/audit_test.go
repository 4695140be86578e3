// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"hide/internal/account"
	"hide/internal/annotate"
	greedyaudit "hide/internal/greedy/audit"
	"hide/internal/project"
	"hide/internal/project/audit"
	"hide/web/webtest"
)

func TestAuditedNoteIsShownByteForByteAndBlind(t *testing.T) {
	body := newServer(t, newFakeSample()).Get(account.Annotator, "/p/p1/audits/4/1").Body.String()
	text := body[strings.Index(body, `class="audit-text"`):]
	text = text[strings.Index(text, ">")+1 : strings.Index(text, "</div>")]
	plain := regexp.MustCompile(`<[^>]*>`).ReplaceAllString(text, "")
	plain = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&").Replace(plain)
	if plain != auditedNote {
		t.Errorf("the note reads %q, want %q", plain, auditedNote)
	}
	for _, told := range []string{"doubtful", "random", "score", "L/C"} {
		if strings.Contains(body, told) {
			t.Errorf("the reader sees %q", told)
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

// Without a script, "None left" can be pressed while words are ticked.
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
		"Nothing was saved: words are ticked below, but you pressed “None left”.", `name="word" value="14" checked`, `name="word" value="17" checked`,
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
	if body := s.Get(account.Annotator, "/p/p1/audits/4/2").Body.String(); strings.Contains(body, " checked") || strings.Contains(body, "but you pressed") {
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
	for _, want := range []string{"Audit 4 of redaction model 2, L/C 10", "0 of 3 notes read", "Read the next note", "Draw a sample"} {
		if !strings.Contains(page(), want) {
			t.Errorf("no %q", want)
		}
	}
	f.marks = map[int][]int{1: {14}, 2: nil, 3: nil}
	for _, want := range []string{"people found 3 identifiers", "Result of the audit", "Forecast of the run", "Upper bound (95 %)"} {
		if !strings.Contains(page(), want) {
			t.Errorf("no %q when all are read", want)
		}
	}
	s.Post(account.Broker, "/p/p1/audits", url.Values{"bundle": {"2"}, "random": {"25"}, "picked": {"5"}})
	if fmt.Sprint(f.drawn) != "[[2 25 5]]" {
		t.Errorf("drawn %v", f.drawn)
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
	if body := s.Get(account.Broker, "/p/p1/audits").Body.String(); !strings.Contains(body, "after 3, up to") || !strings.Contains(body, "after 100, up to") {
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

func TestAnnotatorsAddWhatTheyFoundWhenAllIsRead(t *testing.T) {
	f := newFakeSample()
	s := newServer(t, f)
	f.marks = map[int][]int{1: {14}, 2: nil}
	if body := s.Get(account.Annotator, "/p/p1/audits/4/1").Body.String(); strings.Contains(body, "findings") {
		t.Error("findings are shown before all notes are read")
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
		t.Error("a reviewer sees text of notes, or not the count")
	}
}

// The page says so before an annotation gets another label.
func TestAFindingThatIsMarkedButPublishedSaysWhatATickDoes(t *testing.T) {
	f := newFakeSample()
	f.marks = map[int][]int{1: {14}, 2: nil, 3: nil}
	s := newServer(t, f)
	for _, path := range []string{"/p/p1/audits?audit=4", "/p/p1/audits/4/1"} {
		f.passes = nil
		if body := s.Get(account.Broker, path).Body.String(); strings.Contains(body, "leaves that readable") {
			t.Errorf("%s: the text stands beside a finding that has no annotation", path)
		}
		f.passes = []annotate.Label{"STATE", "CITY"}
		if body := s.Get(account.Broker, path).Body.String(); !strings.Contains(body, "Marked STATE and CITY in its note, and the redaction model of this audit leaves that readable. If you tick it, the annotation there gets the label chosen here and is redacted.") {
			t.Errorf("%s: it is not said", path)
		}
	}
	v := openBrowser(t, account.Broker, f)
	v.Open(v.Base + "/p/p1/audits")
	v.WaitText(".findings .passing", "Marked STATE and CITY")
	v.Axe()
	v.Shots("audit-passing")
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
		t.Error("an annotator gets a link to a page that she may not see, or none")
	}
}

func TestAnEarlierAuditHasItsResult(t *testing.T) {
	f := newFakeSample()
	f.AuditList = append(f.AuditList, audit.Audit{
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
	for _, want := range []string{"Audit 1 of redaction model 1, L/C 2", "people found 7 identifiers", "Other audits (1)", `<a href="/p/p1/audits?audit=4">Audit 4</a>`} {
		if !strings.Contains(body, want) {
			t.Errorf("no %q", want)
		}
	}
	if strings.Contains(body, "Audit 4 of redaction model 2") || strings.Contains(body, "Read the next note") {
		t.Error("the newest is shown instead")
	}
	for _, none := range []string{"?audit=9", "?audit=x", "?audit=-1"} {
		w := s.Get(account.Broker, "/p/p1/audits"+none)
		if body := w.Body.String(); w.Code != http.StatusNotFound || strings.Contains(body, "Audit 4 of redaction model 2") || !strings.Contains(body, "Known numbers: 1 and 4.") {
			t.Errorf("%s: status %d, without what there is, or with another audit", none, w.Code)
		}
	}
}

// A person who reads an older audit stays in it until all its notes are read.
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

// The bounds beside the form assume its number of doubtful notes, and leave out samples
// that have all notes.
func TestTheFormOfASampleSaysWhatItCouldTell(t *testing.T) {
	for documents, want := range map[int]string{
		48:  fmt.Sprintf("after 20 random notes, up to %d of 48; after 3, up to %d", audit.Shows(48, 20, 10), audit.Shows(48, 3, 10)),
		400: fmt.Sprintf("after 20 random notes, up to %d of 400; after 100, up to %d; after 3, up to %d", audit.Shows(400, 20, 10), audit.Shows(400, 100, 10), audit.Shows(400, 3, 10)),
		12:  "",
	} {
		v := auditsView{Project: project.Overview{Documents: documents}, Form: defaultSample()}
		if got := v.boundWords(); got != want {
			t.Errorf("%d notes: %q, want %q", documents, got, want)
		}
	}
}

func TestTheBundleThatIsShownIsTheOneToAudit(t *testing.T) {
	s := newServer(t, newFakeSample())
	for path, want := range map[string]string{"/p/p1/audits?bundle=1": "1", "/p/p1/audits?bundle=2": "2", "/p/p1/audits": "2"} {
		if body := s.Get(account.Broker, path).Body.String(); !strings.Contains(body, `<option value="`+want+`" selected>`) || strings.Count(body, " selected>Redaction model") != 1 {
			t.Errorf("%s does not preselect bundle %s", path, want)
		}
	}
	for _, none := range []string{"3", "0", "x"} {
		if w := s.Get(account.Broker, "/p/p1/audits?bundle="+none); w.Code != http.StatusNotFound {
			t.Errorf("bundle %s: status %d", none, w.Code)
		}
	}
}
