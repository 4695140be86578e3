// SPDX-License-Identifier: Apache-2.0

package draft_test

import (
	"strings"
	"testing"

	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/project/draft"
	"hide/internal/project/links"
	"hide/internal/project/projecttest"
	"hide/internal/project/release"
)

// twelveKeys is a desk with the notes of one person under twelve keys, and of others.
func twelveKeys(t *testing.T) *desk {
	t.Helper()
	b := projecttest.New(t)
	return &desk{b, t, b.FinishedProject(projecttest.TwelveKeys())}
}

// TestTextOfOnePersonUnderTwelveKeysHasOneShift publishes shifted dates of twelve keys: refused,
// unlinked with a shift for each key, and linked with one.
func TestTextOfOnePersonUnderTwelveKeysHasOneShift(t *testing.T) {
	d := twelveKeys(t)
	d.prepare(surrogates(t))
	d.settle()
	projecttest.WantUnlinked(d.Bench, d.PublishDraft(t.Context(), projecttest.Broker, d.id, release.Publish, draft.Answers{}))
	r := d.publish(release.Publish, draft.Answers{Unlinked: true})
	if l := d.MustLinkage(d.id, r); l.Linked || !l.Unlinked || l.Agreeing != 12 || l.Patients != 30 {
		t.Errorf("unlinked: %+v", l)
	}
	if n := d.now().Patients; n != 30 {
		t.Errorf("%d patients in the draft", n)
	}
	d.Link(d.id, links.Figures{Records: 30, Patients: 19, Missed: 1}, "k0", "k1", "k2", "k3", "k4", "k5", "k6", "k7", "k8", "k9", "k10", "k11")
	if now := d.now(); !strings.Contains(now.Stale, "linked") {
		t.Errorf("the draft says it is stale because %q", now.Stale)
	}
	like := surrogates(t)
	like.Like = r.Number
	d.prepare(like)
	d.settle()
	if n := d.now().Patients; n != 19 {
		t.Errorf("%d patients in the draft after linkage", n)
	}
	if rows := d.rows(draft.Filter{Patient: "k7"}); len(rows) != len(d.rows(draft.Filter{Patient: "k0"})) || len(rows) < 12 {
		t.Errorf("%d rows of the person by one of her keys", len(rows))
	}
	r = d.publish(release.Publish, draft.Answers{})
	if l := d.MustLinkage(d.id, r); !l.Linked || l.Patients != 19 || l.Records != 30 || l.Duplicates == nil || *l.Duplicates != 1 {
		t.Errorf("linked: %+v", l)
	}
	if said := strings.Join(r.LinkageWords(), " "); !strings.Contains(said, "two shifts of dates") {
		t.Error(said)
	}
}

// TestATableOfAnotherDraftIsRefused takes back a table that was written before records were
// linked. Its replacements are of other patients, and nobody chose them.
func TestATableOfAnotherDraftIsRefused(t *testing.T) {
	d := twelveKeys(t)
	write := func() string {
		var table strings.Builder
		d.must(d.WriteDraftTable(t.Context(), projecttest.Broker, d.id, &table))
		return table.String()
	}
	decide := func(table string) (draft.Changed, error) {
		return d.DecideTable(t.Context(), projecttest.Broker, d.id, strings.NewReader(table))
	}
	d.prepare(surrogates(t))
	old := write()
	d.Link(d.id, links.Figures{Records: 30, Patients: 19}, "k0", "k1", "k2", "k3", "k4", "k5", "k6", "k7", "k8", "k9", "k10", "k11")
	d.prepare(surrogates(t))
	_, err := decide(old)
	if said := project.ErrorWords(err); project.KindOf(err) != project.Invalid || !strings.Contains(said, "another draft than p1/draft/2") || !strings.Contains(said, "write the table again") {
		t.Errorf("the table of another draft: %v", err)
	}
	if now := d.now(); now.Chosen != 0 {
		t.Errorf("%d places are chosen", now.Chosen)
	}
	if changed, err := decide(write()); err != nil || changed.Places != 0 {
		t.Errorf("a new table: %+v, %v", changed, err)
	}
}

// TestAPatientLinkedUnderAnotherKeyKeepsTheShift makes a release like an earlier one, in which
// the key that stands for the patient now had no note.
func TestAPatientLinkedUnderAnotherKeyKeepsTheShift(t *testing.T) {
	d := newDesk(t)
	d.prepare(surrogates(t))
	d.settle()
	r := d.publish(release.Publish, draft.Answers{})
	before := dated(d)
	late := notes()[:1]
	late[0].Name, late[0].Patient = "late", "new"
	d.MustImport(d.id, late, true)
	d.Link(d.id, links.Figures{}, "new", "pa")
	like := surrogates(t)
	like.Like, like.Subset = r.Number, draft.Subset{Cohort: []string{"pa"}}
	d.prepare(like)
	d.settle()
	after := dated(d)
	if len(before) == 0 || after["a-1"] != before["a-1"] || after["late"] != before["a-1"] {
		t.Errorf("dates of one day became %v, and %v before", after, before)
	}
}

// dated are the shifted dates of December 25, by note.
func dated(d *desk) map[string]string {
	out := map[string]string{}
	for _, row := range d.rows(draft.Filter{Label: annotate.Label("DATE")}) {
		if row.Words == "12/25/2018" {
			out[row.Name] = row.Decision.Replacement
		}
	}
	return out
}
