// SPDX-License-Identifier: Apache-2.0

package draft_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/project/draft"
	"hide/internal/project/projecttest"
	"hide/internal/project/release"
	"hide/internal/publish/policy"
	"hide/internal/publish/transform"
	"hide/internal/store"
)

// surrogates are settings with invented values and shifted dates.
func surrogates(t *testing.T) draft.Settings {
	t.Helper()
	return draft.Settings{Policy: named(t, "surrogates")}
}

// replacements are what stands in the place of words of the notes.
func (d *desk) replacements() map[string]string {
	d.t.Helper()
	out := map[string]string{}
	for _, r := range d.rows(draft.Filter{}) {
		out[r.Name+" "+r.Words] = r.Decision.Replacement
	}
	return out
}

func TestALaterReleaseHasTheSameSurrogatesAndNumbers(t *testing.T) {
	d := newDesk(t)
	d.prepare(surrogates(t))
	d.settle()
	first := d.replacements()
	r := d.publish(release.Publish, draft.Answers{})
	if r.Hidden["PATIENT"] == 0 || r.Redacted["PATIENT"] > 1 {
		t.Errorf("hidden %v, visible %v", r.Hidden, r.Redacted)
	}
	was, err := d.NumbersOf(d.id, r.Number)
	d.must(err)
	keys, err := d.SurrogateKeys(t.Context(), projecttest.Reviewer, d.id)
	if err != nil || len(keys) != 1 || keys[0].Release != r.Number || keys[0].Patients != 2 {
		t.Errorf("keys: %+v, %v", keys, err)
	}

	other := d.prepare(surrogates(t))
	if got := d.replacements(); got["a-1 12/25/2018"] == first["a-1 12/25/2018"] && got["a-1 Alan Abel"] == first["a-1 Alan Abel"] {
		t.Errorf("draft %s without the key has the same surrogates", other.Version)
	}
	var m projecttest.Markup
	m.Text("Mr. ").Span("Alan Abel", "PATIENT").Text(" again.\n")
	d.MustImport(d.id, []annotate.Annotated{{Document: annotate.Document{Name: "a-3", Patient: "pa", Text: m.String()}, Spans: m.Spans}}, true)
	s := surrogates(t)
	s.Like = r.Number
	d.prepare(s)
	d.settle()
	again := d.replacements()
	for words, text := range first {
		if again[words] != text {
			t.Errorf("in the later release %d bytes of words differ", len(words))
		}
	}
	if again["a-3 Alan Abel"] != first["a-1 Alan Abel"] {
		t.Error("a new note names the patient in another way")
	}
	later := d.publish(release.Publish, draft.Answers{})
	is, err := d.NumbersOf(d.id, later.Number)
	d.must(err)
	for doc, number := range was {
		if is[doc] != number {
			t.Errorf("note %d has number %s, then %s", doc, number, is[doc])
		}
	}
	if later.Like != r.Name || len(is) != 4 || is[4] != "000004" {
		t.Errorf("like %q, numbers %v", later.Like, is)
	}
	keys, err = d.SurrogateKeys(t.Context(), projecttest.Reviewer, d.id)
	if err != nil || len(keys) != 2 || len(keys[0].Shared) != 1 || keys[0].Shared[0] != r.Number {
		t.Errorf("keys: %+v, %v", keys, err)
	}
}

// The draft that a release was made of has a copy of the key, and loses it.
// A release that is being written has read the key already and stores it at its end.
// Candidates that are like a release, or that were frozen of its draft, have copies of its key.
// All addresses that surrogates can have are real ones of structured data, though no note has
// them.
func TestSurrogatesAreNoRealValueOfStructuredData(t *testing.T) {
	note := visitFrom("n", "p")
	note.Identities = allAddresses()
	b := projecttest.New(t)
	d := &desk{b, t, b.FinishedProject([]annotate.Annotated{note})}
	d.prepare(surrogates(t))
	exhausted := func() {
		t.Helper()
		if rows := d.rows(draft.Filter{}); len(rows) != 1 || rows[0].Decision.Problem != transform.Exhausted {
			t.Errorf("the address becomes %q, problem %q", rows[0].Decision.Replacement, rows[0].Decision.Problem)
		}
	}
	exhausted()
	d.Reopen()
	place := d.rows(draft.Filter{})[0].Place
	d.decide(draft.Which{Places: []transform.Place{place}}, transform.Choice{Action: policy.Surrogate})
	exhausted()
}

// TestSurrogatesAreNoRealValueOfALinkedRecord does the same with what is known of a linked record
// that the draft does not have.
func TestSurrogatesAreNoRealValueOfALinkedRecord(t *testing.T) {
	b := projecttest.New(t)
	d := &desk{b, t, b.FinishedProject([]annotate.Annotated{visitFrom("n", "p"), visitFrom("other", "q")})}
	ws, p, q := b.MustWorkspace(d.id), annotate.Document{Patient: "p"}.Record(), annotate.Document{Patient: "q"}.Record()
	var l *project.Links
	err := b.Update(d.id, project.EventBy(projecttest.Broker, "link", d.id.Object()), func(tx *store.Tx) (err error) {
		l, err = ws.PutLinks(tx, map[string]string{p: p, q: p}, map[string][]annotate.Identity{p: allAddresses()})
		return err
	})
	d.must(err)
	ws.TakeLinks(l)
	like := surrogates(t)
	like.Subset = draft.Subset{Cohort: []string{"n"}}
	d.prepare(like)
	if rows := d.rows(draft.Filter{}); len(rows) != 1 || rows[0].Decision.Problem != transform.Exhausted {
		t.Errorf("the address becomes %q, problem %q", rows[0].Decision.Replacement, rows[0].Decision.Problem)
	}
}

// visitFrom is a note with an address.
func visitFrom(name, patient string) annotate.Annotated {
	var m projecttest.Markup
	m.Text("Seen from ").Span("10.1.2.3", "IPADDR").Text(".\n")
	return annotate.Annotated{Document: annotate.Document{Name: name, Patient: patient, Text: m.String()}, Spans: m.Spans}
}

// allAddresses are those that surrogates can have.
func allAddresses() (all []annotate.Identity) {
	for _, net := range []string{"192.0.2.", "198.51.100.", "203.0.113."} {
		for host := range 256 {
			all = append(all, annotate.Identity{Of: annotate.OfPatient, Label: "IPADDR", Value: net + strconv.Itoa(host)})
		}
	}
	return all
}

func TestDraftsAreForPeopleWhoPublishAndReadNotes(t *testing.T) {
	d := newDesk(t)
	d.prepare(draft.Settings{Policy: named(t, "safe-harbor")})
	ctx := t.Context()
	calls := map[string]func(account.User) error{
		"prepare": func(by account.User) error {
			return d.PrepareDraft(ctx, by, d.id, draft.Settings{Policy: named(t, "safe-harbor")})
		},
		"cancel": func(by account.User) error { return d.CancelPreparing(ctx, by, d.id) },
		"rows":   func(by account.User) error { _, _, err := d.DraftRows(ctx, by, d.id, draft.Filter{}, 0, 1); return err },
		"people": func(by account.User) error { _, err := d.DraftPeople(ctx, by, d.id, "pa"); return err },
		"decide": func(by account.User) error {
			_, err := d.Decide(ctx, by, d.id, draft.Which{}, transform.Choice{})
			return err
		},
		"undo":    func(by account.User) error { _, err := d.UndoDecision(ctx, by, d.id); return err },
		"table":   func(by account.User) error { return d.WriteDraftTable(ctx, by, d.id, new(bytes.Buffer)) },
		"read":    func(by account.User) error { _, err := d.DecideTable(ctx, by, d.id, strings.NewReader("")); return err },
		"publish": func(by account.User) error { return d.PublishDraft(ctx, by, d.id, release.Publish, draft.Answers{}) },
		"discard": func(by account.User) error { return d.DiscardDraft(ctx, by, d.id) },
		"destroy": func(by account.User) error { return d.DestroySurrogateKey(ctx, by, d.id, 1) },
	}
	for name, call := range calls {
		for _, by := range []account.User{projecttest.Annotator, projecttest.Reviewer} {
			if err := call(by); project.KindOf(err) != project.Forbidden {
				t.Errorf("%s by a %s: %v", name, by.Role, err)
			}
		}
	}
	for name, call := range map[string]func(account.User) error{
		"draft": func(by account.User) error { _, err := d.Draft(ctx, by, d.id); return err },
		"state": func(by account.User) error { _, err := d.Preparing(ctx, by, d.id); return err },
		"keys":  func(by account.User) error { _, err := d.SurrogateKeys(ctx, by, d.id); return err },
	} {
		if err := call(projecttest.Reviewer); err != nil {
			t.Errorf("%s by a reviewer: %v", name, err)
		}
		if err := call(projecttest.Annotator); project.KindOf(err) != project.Forbidden {
			t.Errorf("%s by an annotator: %v", name, err)
		}
	}
	d.must(d.DiscardDraft(ctx, projecttest.Broker, d.id))
	_, err := d.Draft(ctx, projecttest.Broker, d.id)
	projecttest.WantKind(t, err, project.NotFound)
}

// identifiers are words of the notes that no audit row and no unencrypted byte may hold.
var identifiers = regexp.MustCompile("Abel|Brandt|Castro|Dupont|7000037")

func TestNothingOfTheNotesLeavesTheStore(t *testing.T) {
	d := newDesk(t)
	d.prepare(surrogates(t))
	d.settle()
	d.decide(draft.Which{Filter: draft.Filter{Label: "DOCTOR"}, Total: 3}, transform.Choice{Action: policy.Surrogate, Text: "Quint Zell"})
	d.publish(release.Publish, draft.Answers{})
	rows, err := d.Audit(t.Context(), projecttest.Broker, d.id, 0, 1000)
	d.must(err)
	actions := map[string]bool{}
	for _, r := range rows {
		actions[r.Action] = true
		if identifiers.MatchString(r.Action + r.Object + r.Detail) {
			t.Errorf("an audit row of %q holds words of a note", r.Action)
		}
	}
	for _, want := range []string{"prepare draft", "draft prepared", "decide draft", "read", "release"} {
		if !actions[want] {
			t.Errorf("there is no audit row %q", want)
		}
	}
	d.Shut()
	raw, err := os.ReadFile(filepath.Join(d.Folder, "hide.db"))
	d.must(err)
	if identifiers.Match(raw) {
		t.Error("words of the notes are unencrypted in the store")
	}
	d.Open()
}

func TestADraftSurvivesAndAnInterruptedOneLeavesTheOther(t *testing.T) {
	d := newDesk(t)
	before := d.prepare(surrogates(t))
	words := d.replacements()
	d.Reopen()
	if now := d.now(); now.Version != before.Version || now.Places != before.Places {
		t.Errorf("after a restart: %+v", now)
	}
	place := d.rows(draft.Filter{Label: "DATE", Note: 1})[0].Place
	d.decide(draft.Which{Places: []transform.Place{place}}, transform.Choice{Action: policy.Placeholder})
	for name, text := range d.replacements() {
		if text != words[name] && name != "a-1 12/25/2018" {
			t.Error("planning after a restart gives other surrogates")
		}
	}
	d.must(d.PrepareDraft(t.Context(), projecttest.Broker, d.id, surrogates(t)))
	d.must(d.CancelPreparing(t.Context(), projecttest.Broker, d.id))
	d.Wait("the end", func() bool {
		st, err := d.Preparing(t.Context(), projecttest.Broker, d.id)
		d.must(err)
		return !st.Running
	})
	st, err := d.Preparing(t.Context(), projecttest.Broker, d.id)
	d.must(err)
	if now := d.now(); st.Error != "" && (now.Chosen != 1 || !strings.HasPrefix(now.Version, "1.")) {
		t.Errorf("after a cancelled preparation: %+v", now)
	}
	d.settle()
}

// A draft finds what people marked, what is known and what the model finds, people first.
func TestADraftWithAModel(t *testing.T) {
	b := projecttest.New(t)
	id, bundle := b.OpenNotes()
	d := &desk{b, t, id}
	now := d.prepare(draft.Settings{Policy: named(t, "safe-harbor"), Bundle: bundle})
	if now.Notes != 16 || len(d.rows(draft.Filter{By: transform.ByModel})) == 0 || len(d.rows(draft.Filter{By: transform.ByPerson})) == 0 {
		t.Errorf("%+v", now)
	}
	d.settle()
	err := d.PublishDraft(t.Context(), projecttest.Broker, id, release.Publish, signed)
	if refused, ok := err.(*project.Error); !ok || refused.Obstacle != project.NotCertified {
		t.Errorf("without a certificate: %v", err)
	}
	r := d.publish(release.Publish, draft.Answers{Statement: "Bea", Uncertified: "a test"})
	if r.Bundle != bundle || len(r.Warnings) == 0 || r.Documents != 16 {
		t.Errorf("%+v", r)
	}
	var out bytes.Buffer
	lost, err := d.ReleaseLosses(t.Context(), projecttest.Reviewer, id, r.Number, "text")
	if err != nil || len(lost) == 0 {
		t.Errorf("losses of text: %v, %v", lost, err)
	}
	d.must(d.WriteReleaseAs(t.Context(), projecttest.Reviewer, id, r.Number, "jsonl", &out))
	if n := strings.Count(out.String(), "\n"); n != 16 || !strings.Contains(out.String(), `"[PATIENT 1]`) && !strings.Contains(out.String(), `[PATIENT 1]`) {
		t.Errorf("%d notes in the file", n)
	}
	projecttest.WantKind(t, d.WriteReleaseAs(t.Context(), projecttest.Reviewer, id, r.Number, "nothing", &out), project.Invalid)
}

// A candidate of some notes with invented values is read, repaired and published.
func TestACandidateOfADraftIsRepairedAndPublished(t *testing.T) {
	d := newDesk(t)
	s := surrogates(t)
	s.Subset.Cohort = []string{"pa"}
	d.prepare(s)
	d.settle()
	c := d.Froze(d.id, func() error {
		return d.PublishDraft(t.Context(), projecttest.Broker, d.id, release.Freeze, draft.Answers{})
	})
	text, err := d.CandidateText(t.Context(), projecttest.Reviewer, d.id, c.Number)
	d.must(err)
	at, note := -1, 0
	for note = range text.Len() {
		n, err := text.Note(t.Context(), note)
		d.must(err)
		if at = strings.Index(n.Text, "came back"); at >= 0 {
			break
		}
	}
	child := d.Froze(d.id, func() error {
		mark := release.Mark{Note: note, Start: annotate.RuneOff(at), End: annotate.RuneOff(at + 9), Label: "DATE"}
		return d.StartRepair(t.Context(), projecttest.Broker, d.id, c.Number, release.Findings{Review: 1, Found: []release.Found{{Candidate: c.Number, Marks: []release.Mark{mark}}}})
	})
	if child.Documents != 2 || child.Subset != c.Subset || child.Draft != c.Draft {
		t.Errorf("%+v", child)
	}
	d.must(d.SetRule(t.Context(), projecttest.Broker, d.id, project.Rule{}))
	d.MustImport(d.id, projecttest.Plain("Nothing here."), true)
	if why, err := d.CandidateStale(t.Context(), projecttest.Broker, d.id, child.Number); err != nil || why != "" {
		t.Errorf("a new note makes it stale: %q, %v", why, err)
	}
	d.must(d.StartPublishCandidate(t.Context(), projecttest.Broker, d.id, child.Number, nil, release.Despite{Uncertified: "a test"}))
	r, st := d.Published(d.id)
	if st.Error != "" || r.Number != child.Number {
		t.Fatalf("%+v", st)
	}
	if got := d.texts(r)["a-2"]; !strings.Contains(got, "[DATE]") || strings.Contains(got, "came back") {
		t.Errorf("%q", got)
	}
	if keys, err := d.SurrogateKeys(t.Context(), projecttest.Broker, d.id); err != nil || len(keys) != 1 || keys[0].Release != r.Number {
		t.Errorf("keys: %+v, %v", keys, err)
	}
}
