// SPDX-License-Identifier: Apache-2.0

package release_test

import (
	"context"
	"encoding/csv"
	"iter"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/project/links"
	"hide/internal/project/projecttest"
	"hide/internal/project/release"
	"hide/internal/publish"
	"hide/internal/publish/policy"
	"hide/internal/publish/table"
)

// keys are those of one person in [projecttest.TwelveKeys].
var keys = []string{"k0", "k1", "k2", "k3", "k4", "k5", "k6", "k7", "k8", "k9", "k10", "k11"}

func twelve(t *testing.T) (*bench, project.ID) {
	b := newBench(t)
	return b, b.FinishedProject(projecttest.TwelveKeys())
}

// rows are the lines of a released table, without its header.
func (b *bench) rows(id project.ID, r release.Release) int {
	b.T.Helper()
	f, err := os.Open(filepath.Join(b.Folder, "releases", string(id), r.Name, "table.csv"))
	if err != nil {
		b.T.Fatal(err)
	}
	defer f.Close()
	all, err := csv.NewReader(f).ReadAll()
	if err != nil {
		b.T.Fatal(err)
	}
	return len(all) - 1
}

func TestRecordsThatLookLikeOnePersonWarn(t *testing.T) {
	b, id := twelve(t)
	c, err := b.All.Counted(t.Context(), projecttest.Broker, id)
	if err != nil {
		t.Fatal(err)
	}
	a := c.Agreement
	if a.Of != 30 || a.Records != 12 || a.Groups != 1 || len(a.Examples) != 1 || a.Examples[0][0] != 1 {
		t.Errorf("%+v", a)
	}
	if strings.Contains(a.Words(), "1961") || strings.Contains(a.Words(), "30307") {
		t.Errorf("a value is told: %s", a.Words())
	}
	if l := c.Linkage; l.Linked || l.Records != 30 || l.Patients != 30 || l.Duplicates != nil {
		t.Errorf("before linkage: %+v", l)
	}
	b.Link(id, links.Figures{Records: 30, Patients: 19, Links: 11, Review: 2}, keys...)
	c, err = b.All.Counted(t.Context(), projecttest.Broker, id)
	if err != nil || c.Agreement.Records != 0 || !c.Linkage.Linked || c.Linkage.Records != 30 || c.Linkage.Patients != 19 || c.Waiting != 2 {
		t.Errorf("after linkage: %+v, %v", c, err)
	}
	more := projecttest.TwelveKeys()[:1]
	more[0].Name, more[0].Patient = "late", "k99"
	b.MustImport(id, more, true)
	if c, err = b.All.Counted(t.Context(), projecttest.Broker, id); err != nil || c.Agreement.Records != 13 {
		t.Errorf("after another import: %+v, %v", c.Agreement, err)
	}
}

// TestATableCountsLinkedRecordsOnce publishes the twelve keys of one person unlinked, and linked.
func TestATableCountsLinkedRecordsOnce(t *testing.T) {
	b, id := twelve(t)
	set := release.TableSettings{K: 5}
	projecttest.WantUnlinked(b.Bench, b.StartPublishTable(t.Context(), projecttest.Broker, id, release.Publish, set, 30))
	set.Unlinked = true
	if err := b.StartPublishTable(t.Context(), projecttest.Broker, id, release.Publish, set, 30); err != nil {
		t.Fatal(err)
	}
	r, st := b.Published(id)
	if st.Error != "" {
		t.Fatal(st.Error)
	}
	if l := b.MustLinkage(id, r); l.Linked || !l.Unlinked || l.Agreeing != 12 || l.Patients != 30 || l.Classes != nil || b.rows(id, r) != 30 {
		t.Errorf("unlinked: %+v, %d rows", l, b.rows(id, r))
	}
	// Half a pair is missed of two rows, and half a pair more of all.
	near := links.Near{A: annotate.Document{Patient: "k12"}.Record(), B: annotate.Document{Patient: "k13"}.Record(), Probability: .5}
	b.Link(id, links.Figures{Records: 30, Patients: 19, Links: 11, Missed: 1, Precision: .99, Recall: .92, Near: []links.Near{near}}, keys...)
	set.Unlinked = false
	if err := b.StartPublishTable(t.Context(), projecttest.Broker, id, release.Publish, set, 19); err != nil {
		t.Fatal(err)
	}
	if r, st = b.Published(id); st.Error != "" {
		t.Fatal(st.Error)
	}
	l := b.MustLinkage(id, r)
	if !l.Linked || l.Unlinked || l.Records != 30 || l.Patients != 19 || b.rows(id, r) != 19 || l.LinkageError == nil || l.Recall != .92 {
		t.Errorf("linked: %+v, %d rows", l, b.rows(id, r))
	}
	c := l.Classes
	if c == nil || c.K != 5 || c.People >= float64(r.Table.Report.After.Rows) || c.People < 1 || math.Abs(c.Risk*c.People-1) > 1e-9 || c.BelowK <= 0 || c.BelowK >= 1 || math.Abs(*l.Duplicates-1) > 1e-9 {
		t.Errorf("risk: %+v, %v duplicates", c, *l.Duplicates)
	}
	if said := strings.Join(r.LinkageWords(), " "); !strings.Contains(said, "30 records are counted as 19 patients") || !strings.Contains(said, "fewer than 5 people") {
		t.Error(said)
	}
}

// TestNotesWithATableCountLinkedRecordsOnce does the same with notes and their fields.
func TestNotesWithATableCountLinkedRecordsOnce(t *testing.T) {
	b, id := twelve(t)
	choice := release.JointChoice{K: 2, Lambda: 1}
	projecttest.WantUnlinked(b.Bench, b.StartPublishJoint(t.Context(), projecttest.Broker, id, release.Publish, choice, 30, 0))
	b.Link(id, links.Figures{Records: 30, Patients: 19, Missed: .1, Precision: 1, Recall: 1}, keys...)
	if err := b.StartPublishJoint(t.Context(), projecttest.Broker, id, release.Publish, choice, 30, 0); err != nil {
		t.Fatal(err)
	}
	r, st := b.Published(id)
	if st.Error != "" {
		t.Fatal(st.Error)
	}
	if l := b.MustLinkage(id, r); l.Patients != 19 || l.Records != 30 || l.Classes == nil || r.Joint.Report.Persons != 19 {
		t.Errorf("%+v, %d persons", l, r.Joint.Report.Persons)
	}
}

// TestALinkDuringATextReleaseRefusesIt links records while the notes are read: some of them would
// be of the patients before, others of those after.
func TestALinkDuringATextReleaseRefusesIt(t *testing.T) {
	b, id := twelve(t)
	safeHarbor, err := policy.Find("safe-harbor")
	if err != nil {
		t.Fatal(err)
	}
	ws := b.MustWorkspace(id)
	publishText := func(meanwhile func()) string {
		d := release.Drafted{Draft: 1, Policy: safeHarbor.Resolve(ws.Labels().Labels(), nil), Docs: ws.All(), Despite: release.Despite{Unlinked: true}}
		d.Signed = &publish.Signed{Text: safeHarbor.Basis.Needs().Statement, By: "Bea Broker"}
		d.Inputs = func(ctx context.Context, _ map[annotate.DocumentID]string) iter.Seq2[publish.Input, error] {
			meanwhile()
			return func(yield func(publish.Input, error) bool) {
				for n, err := range ws.Documents(ctx, d.Docs) {
					if !yield(publish.Input{Document: n.ID, Name: n.Name, Text: n.Text, Group: n.Person(), Replacements: []publish.Replacement{}}, err) || err != nil {
						return
					}
				}
			}
		}
		if err := b.StartDrafted(t.Context(), projecttest.Broker, id, release.Publish, d); err != nil {
			t.Fatal(err)
		}
		_, st := b.Published(id)
		return st.Error
	}
	if failed := publishText(func() {}); failed != "" {
		t.Errorf("nothing was linked: %s", failed)
	}
	if failed := publishText(func() { b.Link(id, links.Figures{}, keys...) }); !strings.Contains(failed, "records were linked or separated while the release was made; check the new figures") {
		t.Errorf("linked meanwhile: %q", failed)
	}
	if all, err := filepath.Glob(filepath.Join(b.Folder, "releases", string(id), "*")); err != nil || len(all) != 1 {
		t.Errorf("%d folders of releases are left, %v", len(all), err)
	}
}

// TestACandidateIsOutOfDateAfterLinkage freezes a table, and links records.
func TestACandidateIsOutOfDateAfterLinkage(t *testing.T) {
	b, id := twelve(t)
	c := b.Froze(id, func() error {
		return b.StartPublishTable(t.Context(), projecttest.Broker, id, release.Freeze, release.TableSettings{K: 5, Unlinked: true}, 30)
	})
	if c.Linkage == nil || !c.Linkage.Unlinked {
		t.Errorf("the candidate says %+v", c.Linkage)
	}
	b.Link(id, links.Figures{}, keys...)
	if why, err := b.CandidateStale(t.Context(), projecttest.Broker, id, c.Number); err != nil || !strings.Contains(why, "linked") {
		t.Errorf("%q, %v", why, err)
	}
}

// TestThePreviewOfATableKnowsMissedLinks looks at the class risk before publishing.
func TestThePreviewOfATableKnowsMissedLinks(t *testing.T) {
	b, id := twelve(t)
	preview := func() release.TableChoice {
		if err := b.StartTablePreview(t.Context(), projecttest.Broker, id, withKs(release.TableSettings{Diversity: table.Diversity{}}, 5)); err != nil {
			t.Fatal(err)
		}
		return b.previewed(id).Choices[0]
	}
	if c := preview(); c.Missed != nil {
		t.Errorf("before linkage: %+v", c.Missed)
	}
	b.Link(id, links.Figures{Records: 30, Patients: 19, Missed: 2}, keys...)
	if c := preview(); c.Missed == nil || c.Missed.People >= float64(c.Least) || c.Missed.BelowK == 0 {
		t.Errorf("after linkage: %+v", c.Missed)
	}
}

// TestAPopulationHasEverybodyOnce publishes a table in which k counts people of a population:
// a missed link makes no class smaller.
func TestAPopulationHasEverybodyOnce(t *testing.T) {
	b := newBench(t)
	id := b.FinishedProject(projecttest.Cohort(12))
	if err := b.setPopulation(projecttest.Broker, id, strings.NewReader(village(12, 3)), ""); err != nil {
		t.Fatal(err)
	}
	b.Link(id, links.Figures{Records: 12, Patients: 12, Missed: 2})
	for _, counts := range []bool{false, true} {
		set := release.TableSettings{K: 3, Among: true, Map: counts}
		if err := b.StartPublishTable(t.Context(), projecttest.Broker, id, release.Publish, set, 12); err != nil {
			t.Fatal(err)
		}
		r, st := b.Published(id)
		if st.Error != "" {
			t.Fatal(st.Error)
		}
		if l := b.MustLinkage(id, r); l.Duplicates == nil || (l.Classes == nil) != counts {
			t.Errorf("k counts people of the population %v: %+v", counts, l.Classes)
		}
	}
}
