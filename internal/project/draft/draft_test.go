// SPDX-License-Identifier: Apache-2.0

package draft_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/project/draft"
	"hide/internal/project/projecttest"
	"hide/internal/project/release"
	"hide/internal/publish/policy"
	"hide/internal/publish/transform"
)

// desk is a bench with a project whose drafts are tested.
type desk struct {
	*projecttest.Bench
	t  *testing.T
	id project.ID
}

// notes are three finished notes of two patients. In the third a name stands unmarked again.
func notes() []annotate.Annotated {
	var a, b, c projecttest.Markup
	a.Text("Mr. ").Span("Alan Abel", "PATIENT").Text(" was seen on ").Span("12/25/2018", "DATE").Text(" by Dr. ").Span("Nora Brandt", "DOCTOR").Text(". MRN ").Span("7000037", "MEDICALRECORD").Text(".\n")
	b.Text("Mr. ").Span("Abel", "PATIENT").Text(" came back on ").Span("13/32/2018", "DATE").Text(". Dr. ").Span("Castro", "DOCTOR").Text(" called Dr. ").Span("Brandt", "DOCTOR").Text(".\n")
	c.Text("Mrs. ").Span("Carla Dupont", "PATIENT").Text(" aged ").Span("93", "AGE").Text(" fell on ").Span("1/13/2019", "DATE").Text(". Her file is that of Carla Dupont.\n")
	docs := []annotate.Annotated{{Spans: a.Spans}, {Spans: b.Spans}, {Spans: c.Spans}}
	for i, m := range []*projecttest.Markup{&a, &b, &c} {
		docs[i].Document = annotate.Document{Name: []string{"a-1", "a-2", "c-1"}[i], Patient: []string{"pa", "pa", "pc"}[i], Text: m.String()}
	}
	return docs
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	b := projecttest.New(t)
	return &desk{b, t, b.FinishedProject(notes())}
}

func named(t *testing.T, name string) policy.Policy {
	t.Helper()
	p, err := policy.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func (d *desk) must(err error) {
	d.t.Helper()
	if err != nil {
		d.t.Fatal(project.ErrorWords(err))
	}
}

// prepare prepares a draft and waits for it.
func (d *desk) prepare(s draft.Settings) draft.Draft {
	d.t.Helper()
	d.must(d.PrepareDraft(d.t.Context(), projecttest.Broker, d.id, s))
	var st draft.Status
	d.Wait("the draft", func() bool {
		var err error
		st, err = d.Preparing(d.t.Context(), projecttest.Broker, d.id)
		d.must(err)
		return !st.Running
	})
	if st.Error != "" {
		d.t.Fatal(st.Error)
	}
	return d.now()
}

func (d *desk) now() draft.Draft {
	d.t.Helper()
	now, err := d.Draft(d.t.Context(), projecttest.Broker, d.id)
	d.must(err)
	return now
}

func (d *desk) rows(f draft.Filter) []draft.Row {
	d.t.Helper()
	rows, total, err := d.DraftRows(d.t.Context(), projecttest.Broker, d.id, f, 0, 500)
	d.must(err)
	if len(rows) != total {
		d.t.Fatalf("%d rows of %d", len(rows), total)
	}
	return rows
}

func (d *desk) decide(w draft.Which, c transform.Choice) draft.Changed {
	d.t.Helper()
	changed, err := d.Decide(d.t.Context(), projecttest.Broker, d.id, w, c)
	d.must(err)
	return changed
}

// settle decides about everything that blocks a release.
func (d *desk) settle() {
	d.t.Helper()
	for _, r := range d.rows(draft.Filter{Problems: true}) {
		d.decide(draft.Which{Places: []transform.Place{r.Place}}, transform.Choice{Action: policy.Placeholder})
	}
	if n := d.now().Problems; n > 0 {
		d.t.Fatalf("%d places have a problem still: %v", n, d.rows(draft.Filter{Problems: true}))
	}
}

func (d *desk) publish(ending release.Ending, a draft.Answers) release.Release {
	d.t.Helper()
	d.must(d.PublishDraft(d.t.Context(), projecttest.Broker, d.id, ending, a))
	r, st := d.Published(d.id)
	if st.Error != "" {
		d.t.Fatal(st.Error)
	}
	return r
}

// texts are the released notes by their names in the project.
func (d *desk) texts(r release.Release) map[string]string {
	d.t.Helper()
	ids, err := d.NumbersOf(d.id, r.Number)
	d.must(err)
	out := map[string]string{}
	for doc, id := range ids {
		st, err := d.MustWorkspace(d.id).Find(doc)
		d.must(err)
		text, err := os.ReadFile(filepath.Join(d.Dir(d.id, r.Name), "notes", id+".txt"))
		d.must(err)
		out[st.Name] = string(text)
	}
	return out
}

var signed = draft.Answers{Statement: "Bea Broker"}

func TestADraftListsEveryPlaceAndBlocksWhatIsUndecided(t *testing.T) {
	d := newDesk(t)
	now := d.prepare(draft.Settings{Policy: named(t, "safe-harbor")})
	if now.Notes != 3 || now.Patients != 2 || now.Places != 12 || now.Stale != "" || now.Published != "" {
		t.Errorf("%+v", now)
	}
	problems := d.rows(draft.Filter{Problems: true})
	found := map[string]transform.Problem{}
	for _, r := range problems {
		found[r.Words] = r.Decision.Problem
	}
	if len(problems) != 2 || found["13/32/2018"] != transform.DateImpossible || found["Carla Dupont"] != transform.SameWordsUnmarked {
		t.Errorf("problems: %v", found)
	}
	err := d.PublishDraft(t.Context(), projecttest.Broker, d.id, release.Publish, signed)
	if err == nil || !strings.Contains(err.Error(), "2 places") || !strings.Contains(err.Error(), "1 DATE, 1 PATIENT") || strings.Contains(err.Error(), "Dupont") {
		t.Errorf("publishing: %v", err)
	}
	row := d.rows(draft.Filter{Words: "aLAN ab"})
	if len(row) != 1 || row[0].Name != "a-1" || row[0].Patient != "pa" || row[0].Before != "Mr. " || row[0].Words != "Alan Abel" || !strings.HasPrefix(row[0].After, " was seen on 12/25") || row[0].Decision.Replacement != "[PATIENT 1]" {
		t.Errorf("%#v", row)
	}
	for name, f := range map[string]draft.Filter{
		"label": {Label: "DOCTOR"}, "action": {Action: policy.Generalize}, "source": {By: transform.ByRepeat},
		"patient": {Patient: "pc"}, "note": {Note: 2}, "problem": {Problem: transform.DateImpossible}, "chosen": {Chosen: true},
	} {
		want := map[string]int{"label": 3, "action": 4, "source": 1, "patient": 4, "note": 4, "problem": 1, "chosen": 0}[name]
		if got := d.rows(f); len(got) != want {
			t.Errorf("%s: %d rows, want %d", name, len(got), want)
		}
	}
}

func TestRowsComeInPagesThatMeet(t *testing.T) {
	d := newDesk(t)
	d.prepare(draft.Settings{Policy: named(t, "safe-harbor")})
	all := d.rows(draft.Filter{})
	var paged []draft.Row
	for from := 0; from < len(all)+3; from += 5 {
		rows, total, err := d.DraftRows(t.Context(), projecttest.Broker, d.id, draft.Filter{}, from, 5)
		d.must(err)
		if total != len(all) || len(rows) > 5 {
			t.Errorf("from %d: %d rows of %d", from, len(rows), total)
		}
		paged = append(paged, rows...)
	}
	if !slices.EqualFunc(all, paged, func(a, b draft.Row) bool { return a.Place == b.Place && a.Words == b.Words }) {
		t.Error("pages differ from the whole")
	}
}

func TestBulkDecisionsConfirmTheirNumberAndCanBeUndone(t *testing.T) {
	d := newDesk(t)
	before := d.prepare(draft.Settings{Policy: named(t, "safe-harbor")})
	which := draft.Which{Filter: draft.Filter{Label: "DOCTOR"}, Total: 2, Seen: before.Version}
	_, err := d.Decide(t.Context(), projecttest.Broker, d.id, which, transform.Choice{Action: policy.Placeholder})
	projecttest.WantKind(t, err, project.Stale)
	which.Total = 3
	changed := d.decide(which, transform.Choice{Action: policy.Placeholder})
	if changed.Places != 3 || changed.Patients != 1 || changed.Problems != 2 || changed.Version == before.Version {
		t.Errorf("%+v", changed)
	}
	for _, r := range d.rows(draft.Filter{Label: "DOCTOR"}) {
		if r.Decision.Replacement != "[DOCTOR]" || !r.Decision.Chosen {
			t.Errorf("%v is replaced by %s", r, r.Decision.Replacement)
		}
	}
	_, err = d.Decide(t.Context(), projecttest.Broker, d.id, which, transform.Choice{Action: policy.Keep})
	projecttest.WantKind(t, err, project.Stale) // of an older version
	d.decide(draft.Which{Filter: draft.Filter{Label: "DOCTOR"}, Total: 3}, transform.Choice{Action: policy.Keep})
	_, err = d.UndoDecision(t.Context(), projecttest.Broker, d.id)
	d.must(err)
	if rows := d.rows(draft.Filter{Action: policy.Placeholder, Label: "DOCTOR"}); len(rows) != 3 {
		t.Errorf("after undo %d doctors have a placeholder", len(rows))
	}
	d.Reopen()
	_, err = d.UndoDecision(t.Context(), projecttest.Broker, d.id)
	d.must(err)
	if rows := d.rows(draft.Filter{Chosen: true}); len(rows) != 0 {
		t.Errorf("after undoing all, people decided about %v", rows)
	}
	_, err = d.UndoDecision(t.Context(), projecttest.Broker, d.id)
	projecttest.WantKind(t, err, project.Invalid)
}

func TestChoicesThatBreakTheBasisAreRefused(t *testing.T) {
	d := newDesk(t)
	before := d.prepare(draft.Settings{Policy: named(t, "safe-harbor")})
	for label, c := range map[annotate.Label]transform.Choice{
		"PATIENT": {Action: policy.Keep}, "DATE": {Action: policy.ShiftDate}, "MEDICALRECORD": {Action: policy.Generalize},
	} {
		rows := d.rows(draft.Filter{Label: label, By: transform.ByPerson})
		_, err := d.Decide(t.Context(), projecttest.Broker, d.id, draft.Which{Places: []transform.Place{rows[0].Place}}, c)
		if project.KindOf(err) != project.Invalid || !strings.Contains(err.Error(), string(label)) {
			t.Errorf("%s %s: %v", label, c.Action, err)
		}
	}
	_, err := d.Decide(t.Context(), projecttest.Broker, d.id, draft.Which{Places: []transform.Place{{Note: 1, Start: 0, End: 2}}}, transform.Choice{Action: policy.Placeholder})
	projecttest.WantKind(t, err, project.Stale) // no such place
	if now := d.now(); now.Version != before.Version || now.Chosen != 0 {
		t.Error("a refused choice changed the draft")
	}
}

func TestADraftIsPublishedAndVerified(t *testing.T) {
	d := newDesk(t)
	now := d.prepare(draft.Settings{Policy: named(t, "safe-harbor")})
	d.settle()
	if now.Attack == nil || len(now.Attack.Words()) == 0 || now.Attack.Notes != 3 {
		t.Errorf("the attacker said %+v", now.Attack)
	}
	err := d.PublishDraft(t.Context(), projecttest.Broker, d.id, release.Publish, draft.Answers{})
	if err == nil || !strings.Contains(err.Error(), "not signed") {
		t.Errorf("without a signature: %v", err)
	}
	r := d.publish(release.Publish, signed)
	if r.Documents != 3 || !r.Verified || r.Policy == nil || r.Policy.Basis != policy.SafeHarbor || r.Signed == nil || r.Signed.By != "Bea Broker" || r.Attack == nil || r.Subset != "all notes" {
		t.Errorf("%+v", r)
	}
	texts := d.texts(r)
	if got := texts["a-2"]; got != "Mr. [PATIENT 1] came back on [DATE]. Dr. [DOCTOR 2] called Dr. [DOCTOR 1].\n" {
		t.Errorf("%q", got)
	}
	if got := texts["c-1"]; strings.Contains(got, "Dupont") || !strings.Contains(got, "aged 90+") || !strings.Contains(got, "on 2019.") {
		t.Errorf("%q", got)
	}
	if now := d.now(); now.Published != r.Name {
		t.Errorf("the draft says it became %q", now.Published)
	}
	projecttest.WantKind(t, d.PublishDraft(t.Context(), projecttest.Broker, d.id, release.Publish, signed), project.Stale)
}

func TestWhatABasisNeedsIsAskedFor(t *testing.T) {
	d := newDesk(t)
	d.prepare(draft.Settings{Policy: named(t, "limited-data-set")})
	d.settle()
	needs := policy.LimitedDataSet.Needs()
	err := d.PublishDraft(t.Context(), projecttest.Broker, d.id, release.Publish, draft.Answers{Agreed: needs.Checklist[1:]})
	if err == nil || !strings.Contains(err.Error(), "not confirmed: 1 of 7") {
		t.Errorf("without an item: %v", err)
	}
	r := d.publish(release.Publish, draft.Answers{Agreed: needs.Checklist})
	if len(r.Agreed) != 7 || r.Signed != nil {
		t.Errorf("%+v", r)
	}
	d.prepare(draft.Settings{Policy: named(t, "statistical")})
	d.settle()
	err = d.PublishDraft(t.Context(), projecttest.Broker, d.id, release.Publish, draft.Answers{})
	if refused, ok := err.(*project.Error); !ok || refused.Obstacle != project.NotApproved {
		t.Errorf("expert determination without review: %v", err)
	}
	c := d.Froze(d.id, func() error {
		return d.PublishDraft(t.Context(), projecttest.Broker, d.id, release.Freeze, draft.Answers{})
	})
	err = d.StartPublishCandidate(t.Context(), projecttest.Broker, d.id, c.Number, nil, release.Despite{Uncertified: "because"})
	if refused, ok := err.(*project.Error); !ok || refused.Obstacle != project.NotApproved {
		t.Errorf("an unreviewed candidate: %v", err)
	}
}

func TestADraftIsStaleWhenItsNotesChange(t *testing.T) {
	d := newDesk(t)
	d.prepare(draft.Settings{Policy: named(t, "safe-harbor")})
	d.settle()
	n := d.MustNote(projecttest.Annotator, d.id, 3)
	d.MustEdit(projecttest.Annotator, d.id, 3, n.Layer.Revision, projecttest.Tag(0, 3, "DOCTOR"))
	if now := d.now(); now.Stale == "" {
		t.Error("an edit leaves the draft as it is")
	}
	projecttest.WantKind(t, d.PublishDraft(t.Context(), projecttest.Broker, d.id, release.Publish, signed), project.Stale)
	d.Finish(projecttest.Annotator, d.id, 3)
	now := d.prepare(draft.Settings{Policy: named(t, "safe-harbor")})
	if now.Stale != "" || now.Problems != 0 || now.Chosen != 2 {
		t.Errorf("prepared again: %+v", now)
	}
	d.must(d.DeleteNote(t.Context(), projecttest.Broker, d.id, 3, "c-1"))
	if now := d.now(); now.Stale == "" {
		t.Error("a deleted note leaves the draft as it is")
	}
	if rows := d.rows(draft.Filter{Patient: "pc"}); len(rows) != 0 {
		t.Errorf("rows of a deleted note: %v", rows)
	}
}

func TestTheTableGoesOutAndComesBack(t *testing.T) {
	d := newDesk(t)
	d.prepare(draft.Settings{Policy: named(t, "safe-harbor")})
	var table bytes.Buffer
	d.must(d.WriteDraftTable(t.Context(), projecttest.Broker, d.id, &table))
	changed, err := d.DecideTable(t.Context(), projecttest.Broker, d.id, strings.NewReader(table.String()))
	if err != nil || changed.Places != 0 || d.now().Chosen != 0 {
		t.Errorf("an unchanged table: %+v, %v", changed, err)
	}
	lines := strings.Split(table.String(), "\n")
	for i, line := range lines {
		switch {
		case strings.Contains(line, "date-impossible"):
			lines[i] = strings.Replace(line, ",generalize,year,[DATE],", ",placeholder,,[DATE],", 1)
		case strings.Contains(line, "same-words-unmarked"):
			lines[i] = strings.TrimSuffix(line, ",") + ",yes"
		}
	}
	changed, err = d.DecideTable(t.Context(), projecttest.Broker, d.id, strings.NewReader(strings.Join(lines, "\n")))
	if err != nil || changed.Places != 2 || changed.Problems != 0 {
		t.Errorf("%+v, %v\n%s", changed, err, strings.Join(lines, "\n"))
	}
	for name, text := range map[string]string{
		"no column":  "draft,place,action\np1/draft/1,1:2-3,keep\n",
		"bad place":  "draft,place,action,to,replacement,person,decided\np1/draft/1,nowhere,keep,,,,\n",
		"no draft":   strings.Replace(table.String(), "\np1/draft/1,", "\n,", 1),
		"forbidden":  strings.Replace(table.String(), ",numbered,,[PATIENT 1],1,", ",keep,,,1,", 1),
		"bad person": strings.Replace(table.String(), ",numbered,,[PATIENT 1],1,", ",numbered,,[PATIENT 1],one,", 1),
	} {
		if _, err := d.DecideTable(t.Context(), projecttest.Broker, d.id, strings.NewReader(text)); project.KindOf(err) != project.Invalid {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestPeopleAreJoinedAndSplit(t *testing.T) {
	d := newDesk(t)
	d.prepare(draft.Settings{Policy: named(t, "safe-harbor")})
	people := func() (names []string) {
		all, err := d.DraftPeople(t.Context(), projecttest.Broker, d.id, "pa")
		d.must(err)
		for _, p := range all {
			names = append(names, p.Written+": "+strings.Join(p.Names, ", "))
		}
		return names
	}
	if got := people(); !slices.Contains(got, "[DOCTOR 1]: Nora Brandt, Brandt") || !slices.Contains(got, "[DOCTOR 2]: Castro") {
		t.Errorf("%q", got)
	}
	castro := d.rows(draft.Filter{Words: "Castro"})[0].Place
	d.decide(draft.Which{Places: []transform.Place{castro}}, transform.Choice{Person: 1})
	if got := people(); !slices.Contains(got, "[DOCTOR 1]: Nora Brandt, Castro, Brandt") {
		t.Errorf("joined: %q", got)
	}
	_, err := d.DraftPeople(t.Context(), projecttest.Broker, d.id, "nobody")
	projecttest.WantKind(t, err, project.NotFound)
}

// A person keeps words that nobody marked, because they are no identifier there. Somebody marks
// them later: the policy decides about them then, as about every identifier.
