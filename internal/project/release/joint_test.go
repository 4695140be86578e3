// SPDX-License-Identifier: Apache-2.0

package release_test

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/greedy"
	"hide/internal/project"
	"hide/internal/project/audit"
	"hide/internal/project/dp"
	"hide/internal/project/projecttest"
	"hide/internal/project/release"
	"hide/internal/project/sanitize"
	"hide/internal/publish/idview"
	"hide/internal/publish/joint"
	"hide/internal/publish/table"
	"hide/internal/store"
	"hide/internal/testsize"
)

var jointTried = release.JointSettings{Ks: []int{25, 6, 2}, Lambdas: []float64{0, .5, 1}, Known: true}

// jointPreviewed waits for the preview to end.
func (b *bench) jointPreviewed(id project.ID, set release.JointSettings) release.JointPreview {
	b.T.Helper()
	if err := b.StartJointPreview(b.T.Context(), projecttest.Broker, id, set); err != nil {
		b.T.Fatal(err)
	}
	var p release.JointPreview
	b.Wait("the preview", func() bool {
		var err error
		if p, err = b.JointPreview(b.T.Context(), projecttest.Broker, id, 0); err != nil {
			b.T.Fatal(err)
		}
		return len(p.Settings.Ks) > 0 && !p.Running
	})
	return p
}

const open2 = "2 identifiers marked in an audit are not fully redacted and would be published"

func TestAJointPreviewWeighsTwoLosses(t *testing.T) {
	b := newBench(t)
	id := b.FinishedProject(projecttest.Cohort(24))
	b.role(id, idview.Attribute{Key: idview.Key{Source: idview.Field, Name: "diagnosis"}, Role: table.Quasi, Kind: table.Nominal})
	p := b.jointPreviewed(id, jointTried)
	field := func(name string) bool { return slices.Contains(p.Fields, release.JointField{name, table.Quasi}) }
	if p.Error != "" || !field("sex") || !field("diagnosis") || p.People != 24 || p.Notes != 48 || p.Unfinished != 0 || p.Terms == 0 {
		t.Fatalf("%+v", p)
	}
	if len(p.Points) != 2*(1+3) || p.Done != 8 || p.All != 8 {
		t.Fatalf("%d points, %d of %d; want GDF and three lambdas for k of 2 and 6", len(p.Points), p.Done, p.All)
	}
	for _, one := range p.Points {
		if one.Published || one.Classes.Least < one.K || one.Relational < 0 || one.Relational > 1 || one.Textual < 0 || one.Textual > 1 {
			t.Errorf("%+v", one)
		}
		risk := joint.Exposure{Leak: .1, Found: .5, Threshold: .5}.Of(one.Alike)
		if want := 1 - (1-1/float64(one.Classes.Least))*.95*.95; math.Abs(risk.Max-want) > 1e-12 || risk.Persons != nil {
			t.Errorf("k %d: the greatest risk is %g, want %g", one.K, risk.Max, want)
		}
	}
	if again := b.jointPreviewed(id, jointTried); len(again.Points) != len(p.Points) || again.Points[3].Total != p.Points[3].Total {
		t.Error("the same preview is another")
	}
	b.role(id, idview.Attribute{Key: idview.Key{Source: idview.Field, Name: "sex"}, Role: table.Direct})
	if p, err := b.JointPreview(t.Context(), projecttest.Broker, id, 0); err != nil || !p.Changed {
		t.Errorf("roles have changed and the preview does not say so: %v", err)
	}
}

func TestAJointPreviewThatCannotBeIsRefused(t *testing.T) {
	b := newBench(t)
	id := b.FinishedProject(projecttest.Cohort(3))
	good := release.JointSettings{Ks: []int{2}, Lambdas: []float64{.5}}
	for name, spoil := range map[string]func(*release.JointSettings){
		"no k":             func(s *release.JointSettings) { s.Ks = nil },
		"a k of one":       func(s *release.JointSettings) { s.Ks = []int{1} },
		"no lambda":        func(s *release.JointSettings) { s.Lambdas = nil },
		"lambda above one": func(s *release.JointSettings) { s.Lambdas = []float64{1.1} },
		"lambda of none":   func(s *release.JointSettings) { s.Lambdas = []float64{math.NaN()} },
		"a cut of none":    func(s *release.JointSettings) { s.Cut = "best" },
		"many k":           func(s *release.JointSettings) { s.Ks = []int{2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14} },
	} {
		set := good
		spoil(&set)
		projecttest.WantKind(t, b.StartJointPreview(t.Context(), projecttest.Broker, id, set), project.Invalid)
		if p, err := b.JointPreview(t.Context(), projecttest.Broker, id, 0); err != nil || p.All != 0 {
			t.Errorf("%s: a refused preview has begun: %v", name, err)
		}
	}
	if p := b.jointPreviewed(id, release.JointSettings{Ks: []int{4}, Lambdas: []float64{.5}}); !strings.Contains(p.Error, "only 3 patients") {
		t.Errorf("k above the patients: %q", p.Error)
	}
	other := newBench(t)
	if p := other.jointPreviewed(other.NewProject(projecttest.Cohort(3), false), good); !strings.Contains(p.Error, "is finished") {
		t.Errorf("no finished notes: %q", p.Error)
	}
	for _, by := range []account.User{projecttest.Annotator, projecttest.Reviewer} {
		projecttest.WantKind(t, b.StartJointPreview(t.Context(), by, id, good), project.Forbidden)
		projecttest.WantKind(t, b.CancelJointPreview(t.Context(), by, id), project.Forbidden)
		projecttest.WantKind(t, b.StartPublishJoint(t.Context(), by, id, release.Publish, release.JointChoice{K: 2}, 6, 0), project.Forbidden)
		_, err := b.JointPreview(t.Context(), by, id, 0)
		projecttest.WantKind(t, err, project.Forbidden)
	}
}

// Finished notes leave as people marked them, so that what an audit found in one of
// them counts, whatever bundle the audit was of; what it found in others does not.
func TestNotesWithFieldsAreNotReleasedWithWhatAnAuditFoundWithoutAWord(t *testing.T) {
	testsize.Slow(t)
	b := newBench(t)
	id, bundle := b.OpenNotes()
	a := b.StoreAudit(id, bundle, projecttest.Visible(0, 1, 5))
	open := func() audit.OpenFindings {
		t.Helper()
		open, err := b.OpenInFinished(t.Context(), projecttest.Broker, id)
		if err != nil {
			t.Fatal(err)
		}
		return open
	}
	if open := open(); open != (audit.OpenFindings{}) {
		t.Errorf("%+v while the audited notes are unfinished and stay", open)
	}
	b.Finish(projecttest.Annotator, id, a.Notes[0].Document)
	if open := open(); open != (audit.OpenFindings{Found: 2, Audit: a.Number}) {
		t.Errorf("%+v, want the two of the note that is finished", open)
	}
	choice := release.JointChoice{K: 2, Lambda: .5, Found: 1, Threshold: .5}
	for _, known := range []int{0, 1} {
		err := b.StartPublishJoint(t.Context(), projecttest.Broker, id, release.Publish, choice, 11, known)
		projecttest.WantKind(t, err, project.Invalid)
		if !strings.Contains(err.Error(), open2) {
			t.Errorf("with %d known: %v", known, err)
		}
	}
	if err := b.StartPublishJoint(t.Context(), projecttest.Broker, id, release.Publish, choice, 11, 2); err != nil {
		t.Fatal(err)
	}
	r, st := b.Published(id)
	if st.Error != "" || r.Joint == nil || !slices.Contains(r.Joint.Warnings, open2+".") {
		t.Fatalf("%+v, %+v", r, st)
	}
	rows, err := b.Audit(t.Context(), projecttest.Broker, id, 0, 1000)
	if err != nil || !slices.ContainsFunc(rows, func(r project.AuditRow) bool {
		return r.Action == "publish found" && strings.HasPrefix(r.Detail, open2)
	}) {
		t.Errorf("not in the audit trail (%v)", err)
	}
	if _, err := b.OpenInFinished(t.Context(), projecttest.Annotator, id); project.KindOf(err) != project.Forbidden {
		t.Errorf("an annotator sees figures: %v", err)
	}
}

func TestNotesAreReleasedWithTheirFieldsVerifiedAndHandedOut(t *testing.T) {
	b := newBench(t)
	id := b.FinishedProject(projecttest.Cohort(24))
	if err := b.OpenBudget(t.Context(), projecttest.Broker, id, dp.BudgetOpening{Limit: 1_000_000}); err != nil {
		t.Fatal(err)
	}
	choice := release.JointChoice{K: 3, Lambda: .5, Known: true, Found: 1, Threshold: .5}
	if err := b.StartPublishJoint(t.Context(), projecttest.Broker, id, release.Publish, choice, 48, 0); err != nil {
		t.Fatal(err)
	}
	r, st := b.Published(id)
	if st.Error != "" || r.Kind != release.KindJoint || !r.Verified || r.Joint == nil || r.Documents != 48 {
		t.Fatalf("%+v, %+v", r, st)
	}
	report := r.Joint.Report
	if report.Persons != 24 || report.Classes.Least < 3 || r.Joint.Compared == 0 || report.Risk.Persons != nil || len(report.Risk.Groups) == 0 {
		t.Errorf("%+v", r.Joint)
	}
	var out bytes.Buffer
	if err := b.WriteRelease(t.Context(), projecttest.Reviewer, id, r.Number, &out); err != nil {
		t.Fatal(err)
	}
	z, err := zip.NewReader(bytes.NewReader(out.Bytes()), int64(out.Len()))
	if err != nil {
		t.Fatal(err)
	}
	all := projecttest.ReadAll(t, z)
	for _, secret := range []string{"Abel", "Bell", "c-00", `"p1"`, "[PATIENT]1"} {
		if strings.Contains(all, secret) {
			t.Errorf("the release holds %q", secret)
		}
	}
	for _, want := range []string{"sex", "diagnosis", "[PATIENT]", `"kind": "joint"`, joint.Statement} {
		if !strings.Contains(all, want) {
			t.Errorf("the release lacks %q", want)
		}
	}
	budget, err := b.Budget(t.Context(), projecttest.Broker, id)
	if err != nil || len(budget.Weak) != 1 || budget.Weak[0].Number != r.Number {
		t.Errorf("the budget does not list it: %+v, %v", budget.Weak, err)
	}
	var mapping bytes.Buffer
	if err := b.WriteMapping(t.Context(), projecttest.Broker, id, r.Number, &mapping); err != nil || !strings.Contains(mapping.String(), "hide joint mapping 1") {
		t.Errorf("its mapping: %v", err)
	}
	path := filepath.Join(b.Folder, "releases", string(id), r.Name, "rows.jsonl")
	raw, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, bytes.Replace(raw, []byte("[PATIENT]"), []byte("Abel"), 1), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	projecttest.WantKind(t, b.WriteRelease(t.Context(), projecttest.Broker, id, r.Number, io.Discard), project.Invalid)
}

func TestNotesThatCannotBeReleasedWithTheirFieldsAreNot(t *testing.T) {
	b := newBench(t)
	id := b.FinishedProject(projecttest.Cohort(4))
	for _, bad := range []release.JointChoice{{K: 1}, {K: 2, Lambda: 2}, {K: 2, Strategy: "best"}, {K: 2, Cut: "best"}, {K: 2, Found: 2}, {K: 2, Threshold: math.NaN()}} {
		projecttest.WantKind(t, b.StartPublishJoint(t.Context(), projecttest.Broker, id, release.Publish, bad, 8, 0), project.Invalid)
	}
	projecttest.WantKind(t, b.StartPublishJoint(t.Context(), projecttest.Broker, id, release.Publish, release.JointChoice{K: 2}, 7, 0), project.Stale)
	if err := b.StartPublishJoint(t.Context(), projecttest.Broker, id, release.Publish, release.JointChoice{K: 5}, 8, 0); err != nil {
		t.Fatal(err)
	}
	r, st := b.Published(id)
	if r.Number != 0 || !strings.Contains(st.Error, "k is larger than the number of persons") {
		t.Errorf("%+v, %q", r, st.Error)
	}
}

// TestAPreviewThatWaitsForAnotherCanBeLeft: one that was cancelled may look at that
// late; the caller for the next need not stay.
func TestAPreviewThatWaitsForAnotherCanBeLeft(t *testing.T) {
	b := newBench(t)
	id := b.FinishedProject(projecttest.Cohort(3))
	ws, err := b.Workspace(id)
	if err != nil {
		t.Fatal(err)
	}
	busy := make(chan struct{})
	defer close(busy)
	b.Occupy(ws, busy)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := b.StartJointPreview(ctx, projecttest.Broker, id, release.JointSettings{Ks: []int{2}, Lambdas: []float64{.5}}); !errors.Is(err, context.Canceled) {
		t.Errorf("of notes with fields: %v", err)
	}
	if err := b.StartTablePreview(ctx, projecttest.Broker, id, []release.TableSettings{{K: 2}}); !errors.Is(err, context.Canceled) {
		t.Errorf("of a table: %v", err)
	}
}

// TestLeftOutFieldsGoFromTheNotes: what tells patients apart is looked for in their
// notes; what many share is a word like any other.
func TestLeftOutFieldsGoFromTheNotes(t *testing.T) {
	fields := []idview.Attribute{{Key: idview.Key{Source: idview.Field, Name: "mrn"}, Role: table.Direct}, {Key: idview.Key{Source: idview.Field, Name: "ward date"}, Role: table.Quasi, Kind: table.Date}}
	c, err := release.JointConfig(fields, []annotate.Label{"DATE", "CITY"})
	if err != nil {
		t.Fatal(err)
	}
	if got := c.Attributes[release.JointFirst+1].Entities; !slices.Equal(got, []annotate.Label{"DATE"}) {
		t.Errorf("a date may be said by %v", got)
	}
	row := func(patient, mrn, text string) joint.Row {
		return joint.Row{Values: []string{"patient\x00" + patient, patient, mrn, "2020-01-02", ""}, Texts: []joint.Text{{Text: text}}}
	}
	rows := []joint.Row{row("p-9", "77123", "No. 77123 of p-9, on January 2, 2020."), row("p-8", "5", "None.")}
	if n, err := joint.FindKnown(t.Context(), c, rows); err != nil || n != 3 {
		t.Errorf("%d places are found, want number, patient and date: %v", n, rows[0].Texts[0].Terms)
	}
}

// TestWhatIsLookedForIsDecidedByValue: names are shared too; a value that many have
// is a word like any other, unless somebody decided that the field names people.
func TestWhatIsLookedForIsDecidedByValue(t *testing.T) {
	field := func(name string) idview.Key { return idview.Key{Source: idview.Field, Name: name} }
	for _, n := range []int{24, 10_000} {
		p := idview.NewPeople()
		for i := range n {
			p.Add(annotate.Document{Patient: strconv.Itoa(i), Attributes: map[string]string{
				"last_name": "Weiss-" + strconv.Itoa(i%(n*12/25)), "clinic": []string{"Surgery", "ICU", "surgery"}[i%3], "alias": []string{"Ann", ""}[min(i, 1)],
			}}, nil, false)
		}
		b := newBench(t)
		id := b.FinishedProject(projecttest.Cohort(3))
		ws, err := b.Workspace(id)
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]int{"last_name": 0, "clinic": 2, "alias": 0}
		for range 2 {
			fields, ordinary, err := b.JointFields(ws, p)
			if err != nil || len(fields) != 3 {
				t.Fatalf("%d people: %d fields, %v", n, len(fields), err)
			}
			for i, f := range fields {
				if f.Role != table.Direct || len(ordinary[i]) != want[f.Name] {
					t.Errorf("%d people: %s is %s, and %d of its values are not looked for; want %d", n, f.Name, f.Role, len(ordinary[i]), want[f.Name])
				}
			}
			b.role(id, idview.Attribute{Key: field("clinic"), Role: table.Direct})
			want["clinic"] = 0
		}
	}
}

// TestASharedNameThatNobodyMarkedGoes: two of each surname, in notes without a mark.
func TestASharedNameThatNobodyMarkedGoes(t *testing.T) {
	docs := make([]annotate.Annotated, 24)
	for i := range docs {
		docs[i].Document = annotate.Document{Name: strconv.Itoa(i), Patient: "p" + strconv.Itoa(i), Text: fmt.Sprintf("Mrs Weiss%c came to surgery.", 'a'+i/2),
			Attributes: map[string]string{"last_name": fmt.Sprintf("Weiss%c", 'a'+i/2), "clinic": "Surgery"}}
	}
	b := newBench(t)
	id := b.FinishedProject(docs)
	ws, err := b.Workspace(id)
	if err != nil {
		t.Fatal(err)
	}
	rows, found, err := b.JointRows(t.Context(), ws, true, false)
	if err != nil || found != 24 {
		t.Fatalf("%v; want the name of each note, and nothing else", err)
	}
	for _, row := range rows {
		if text := row.Texts[0]; len(text.Terms) != 1 || !strings.HasPrefix(text.Terms[0].Surface(text.Text), "Weiss") {
			t.Errorf("%v in a note", text.Terms)
		}
	}
}

func TestTheNewestRunSaysWhatNotesLeak(t *testing.T) {
	b := newBench(t)
	id := b.FinishedProject(projecttest.Cohort(6))
	outcome := func(leaks float64) greedy.Outcome {
		return greedy.Outcome{Documents: 10, DocumentsWithLeak: greedy.Estimate{Value: leaks, Low: leaks / 2, High: 20}}
	}
	held := outcome(9)
	held.HeldOut = &greedy.Outcome{Documents: 4, DocumentsWithLeak: greedy.Estimate{Value: 1}}
	for _, c := range []struct {
		run  sanitize.Run
		want *release.TextLeak
	}{
		{sanitize.Run{Number: 1}, nil},
		{sanitize.Run{Number: 2, Choices: []sanitize.Result{{LC: 1, Done: true, Outcome: outcome(2)}, {LC: 10, Done: true, Outcome: outcome(1)}, {LC: 20, Outcome: outcome(5)}}}, &release.TextLeak{0, 2, 1, .2, .1, 1, 10}},
		{sanitize.Run{Number: 3, Choices: []sanitize.Result{{LC: 1, Done: true, Outcome: outcome(2)}, {LC: 10, Done: true, Outcome: outcome(1)}}}, &release.TextLeak{0, 3, 1, .2, .1, 1, 10}},
		{sanitize.Run{Number: 4}, &release.TextLeak{0, 3, 1, .2, .1, 1, 10}}, // it has found nothing yet
		{sanitize.Run{Number: 5, Choices: []sanitize.Result{{LC: 1, Done: true, Outcome: held}}}, &release.TextLeak{0, 5, 1, .25, 0, 0, 4}},
	} {
		ev := project.EventBy(projecttest.Broker, "test", id.Object("runs", c.run.Number), "")
		if err := b.Update(id, ev, func(tx *store.Tx) error { return store.PutJSON(tx, "runs", store.Key(uint64(c.run.Number)), c.run) }); err != nil {
			t.Fatal(err)
		}
		p, err := b.JointPreview(t.Context(), projecttest.Broker, id, 0)
		if err != nil || (p.Leak == nil) != (c.want == nil) || p.Leak != nil && *p.Leak != *c.want {
			t.Errorf("run %d: %+v, %v; want %+v", c.run.Number, p.Leak, err, c.want)
		}
	}
	for n, info := range []sanitize.Bundle{{Number: 1, Run: 2, LC: 10}, {Number: 2, Run: 5, LC: 1}, {Number: 3, Run: 77, LC: 1}} {
		ev := project.EventBy(projecttest.Broker, "test", id.Object("bundles", n+1), "")
		if err := b.Update(id, ev, func(tx *store.Tx) error { return store.PutJSON(tx, "bundles", store.Key(uint64(n+1)), info) }); err != nil {
			t.Fatal(err)
		}
	}
	for bundle, want := range map[int]*release.TextLeak{1: {1, 2, 10, .1, .05, 1, 10}, 2: {2, 5, 1, .25, 0, 0, 4}, 3: nil, 0: nil} {
		p, err := b.JointPreview(t.Context(), projecttest.Broker, id, bundle)
		if err != nil || (p.Leak == nil) != (want == nil) || want != nil && *p.Leak != *want {
			t.Errorf("bundle %d: %+v, %v; want %+v", bundle, p.Leak, err, want)
		}
	}
	if _, err := b.JointPreview(t.Context(), projecttest.Broker, id, 4); project.KindOf(err) != project.NotFound {
		t.Errorf("a bundle that does not exist: %v", err)
	}
}

func TestWordsThatNobodyMarkedElsewhereAreCountedBeforehand(t *testing.T) {
	row := func(person, marked, rest string) joint.Row {
		text := marked + rest
		return joint.Row{Values: []string{person}, Texts: []joint.Text{{Text: text, Terms: []annotate.Span{{Start: 0, End: annotate.ByteOff(len(marked)), Label: "CITY"}}}}}
	}
	for _, c := range []struct {
		rows []joint.Row
		want int
	}{
		{[]joint.Row{row("a", "New York", " saw him."), row("a", "Bonn", ", then New York.")}, 1},
		{[]joint.Row{row("a", "New York", " saw him."), row("b", "Bonn", ", then New York.")}, 0}, // another patient
		{[]joint.Row{row("a", "York", " is in Yorkshire")}, 0},
		{[]joint.Row{row("a", "York", " is (York)")}, 1},
		{[]joint.Row{row("a", "-", " is -")}, 0},
	} {
		if got, err := release.Elsewhere(t.Context(), c.rows); err != nil || got != c.want {
			t.Errorf("%q: %d, want %d", c.rows[0].Texts[0].Text, got, c.want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := release.Elsewhere(ctx, []joint.Row{row("a", "York", " is (York)")}); !errors.Is(err, context.Canceled) {
		t.Errorf("nobody waits for it: %v", err)
	}
}
