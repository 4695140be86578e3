// SPDX-License-Identifier: Apache-2.0

package project

import (
	"slices"
	"strings"
	"testing"

	"hide/internal/annotate"
	"hide/internal/store"
)

func (b *bench) openFound(id ID, bundle int) OpenFindings {
	b.t.Helper()
	open, err := b.OpenFindings(b.t.Context(), broker, id, bundle)
	if err != nil {
		b.t.Fatal(err)
	}
	return open
}

const open2 = "2 identifiers that people marked in an audit are not wholly redacted yet and would be published"

func TestWhatAnAuditFoundIsNotPublishedWithoutAWord(t *testing.T) {
	b := newBench(t)
	id, bundle := b.drawnAudit()
	ctx := t.Context()
	if open := b.openFound(id, bundle); open != (OpenFindings{}) || open.Words() != "" {
		t.Errorf("%+v before anybody has read", open)
	}
	b.readAudit(id, 0, 1, 5)
	if open := b.openFound(id, bundle); open != (OpenFindings{Found: 2, Audit: 1}) {
		t.Errorf("%+v, want the two of audit 1", open)
	}
	if words := b.publishWarnings(id, bundle); !strings.Contains(words, "\n"+open2+".") {
		t.Errorf("the warnings are %q", words)
	}
	for _, known := range []int{0, 1} {
		err := b.StartPublish(ctx, broker, id, bundle, Despite{Found: known})
		wantKind(t, err, Invalid)
		if !strings.Contains(err.Error(), open2) {
			t.Errorf("with %d known: %v", known, err)
		}
	}
	if err := b.StartPublish(ctx, broker, id, bundle, Despite{Found: 3}); KindOf(err) != Invalid || !strings.Contains(err.Error(), "2 identifiers that people marked in an audit are open, not 3") {
		t.Errorf("with more known than are open: %v", err)
	}
	f := b.findings(id)
	if _, err := b.AddAuditFindings(ctx, annotator, id, 0, chosen(f, "HOSPITAL")[:1]); err != nil {
		t.Fatal(err)
	}
	if open := b.openFound(id, bundle); open != (OpenFindings{Found: 1, Audit: 1}) {
		t.Errorf("%+v when one is in its note", open)
	}
	if err := b.StartPublish(ctx, broker, id, bundle, Despite{Found: 1}); err != nil {
		t.Fatal(err)
	}
	b.wait("publishing", func() bool { s, _ := b.Publishing(ctx, broker, id); return !s.Running })
	rows, err := b.Audit(ctx, broker, id, 0, 1000)
	if err != nil || !slices.ContainsFunc(rows, func(r AuditRow) bool {
		return r.Action == "publish found" && strings.HasPrefix(r.Detail, "1 identifier that")
	}) {
		t.Errorf("not in the audit trail (%v)", err)
	}
	if _, err := b.AddAuditFindings(ctx, annotator, id, 0, chosen(f, "HOSPITAL")); err != nil {
		t.Fatal(err)
	}
	if open := b.openFound(id, bundle); open.Found != 0 {
		t.Errorf("%+v when all are in their notes", open)
	}
	if words := b.publishWarnings(id, bundle); strings.Contains(words, "not wholly redacted") {
		t.Errorf("the warnings are %q", words)
	}
}

func TestTheSameFindingOfTwoAuditsIsOne(t *testing.T) {
	b := newBench(t)
	id, bundle := b.drawnAudit()
	first := b.readAudit(id, 0)
	b.draws(id, bundle)
	second := b.newestAudit(id)
	k := 1 + slices.IndexFunc(second.Notes, func(n AuditedNote) bool { return n.Document == first.Notes[0].Document })
	for i := range second.Notes {
		n, err := b.SampleAuditNote(t.Context(), annotator, id, second.Number, i+1)
		if err != nil {
			t.Fatal(err)
		}
		var marks []int
		if k == 0 && i == 0 || i == k-1 {
			marks = visible(n.Text, []int{0})
		}
		if err := b.MarkSampleAudit(t.Context(), annotator, id, second.Number, i+1, AuditAnswer{Marks: marks}); err != nil {
			t.Fatal(err)
		}
	}
	want := 2
	if k > 0 {
		want = 1
	}
	if open := b.openFound(id, bundle); open.Found != want || open.Elsewhere {
		t.Errorf("%+v; the note is number %d of the second audit", open, k)
	}
}

// Another bundle may find what was marked, which nobody has looked for.
func TestFindingsOfAnotherBundleMayBeFoundByThisOne(t *testing.T) {
	b := newBench(t)
	id, _ := b.drawnAudit()
	b.readAudit(id, 0)
	other, err := b.Choose(t.Context(), broker, id, 1, 10)
	if err != nil {
		t.Fatal(err)
	}
	open := b.openFound(id, other.Number)
	if other.Number == 1 || open != (OpenFindings{Found: 1, Audit: 1, Elsewhere: true}) || !strings.HasSuffix(open.Words(), "unless the bundle itself finds what was marked.") {
		t.Errorf("bundle %d: %+v, %q", other.Number, open, open.Words())
	}
	if _, err := b.OpenFindings(t.Context(), annotator, id, 1); KindOf(err) != Forbidden {
		t.Errorf("an annotator sees figures: %v", err)
	}
}

// Where places were not kept, what was found is open until somebody edits notes.
func TestFindingsWithoutPlacesAreOpenUntilNotesChange(t *testing.T) {
	b := newBench(t)
	id, bundle := b.drawnAudit()
	a := b.readAudit(id, 0)
	err := b.Update(id, EventBy(broker, "test", id.Object()), func(tx *store.Tx) error {
		return tx.Delete(bucketAuditPlaces, auditTextKey(a.Number, 1))
	})
	if err != nil {
		t.Fatal(err)
	}
	if open := b.openFound(id, bundle); open.Found != 1 {
		t.Errorf("%+v, want the one", open)
	}
	b.mustEdit(annotator, id, a.Notes[0].Document, 0, annotate.Edit{Verb: annotate.VerbTag, Spans: []annotate.Span{{Start: 0, End: 7, Label: "PATIENT"}}})
	if open := b.openFound(id, bundle); open.Found != 0 {
		t.Errorf("%+v after an edit", open)
	}
}

func TestAReleaseKeepsItsWarningsAndItsAudit(t *testing.T) {
	b := newBench(t)
	id, bundle := b.drawnAudit()
	b.readAudit(id, 0)
	if err := b.StartPublish(t.Context(), broker, id, bundle, Despite{Found: 1}); err != nil {
		t.Fatal(err)
	}
	b.wait("publishing", func() bool { s, _ := b.Publishing(t.Context(), broker, id); return !s.Running })
	b.reopen()
	r, err := b.Release(t.Context(), broker, id, 1)
	if err != nil || r.Audit == nil || r.Audit.Found != 1 || !slices.Contains(r.Warnings, AuditWords(*r.Audit)) {
		t.Fatalf("%+v, %v", r, err)
	}
	said := strings.Join(r.Warnings, "\n")
	for _, want := range []string{"Only 10 finished notes", "1 identifier that people marked", "6 of 16 notes are not finished"} {
		if !strings.Contains(said, want) {
			t.Errorf("no %q in %q", want, said)
		}
	}
	kept := r.Warnings
	err = b.Update(id, EventBy(broker, "test", id.Object()), func(tx *store.Tx) error { // as releases were recorded before
		r.Warnings, r.Audit, r.By = nil, nil, broker.ID
		return store.PutJSON(tx, bucketReleases, store.Key(1), r)
	})
	if err != nil {
		t.Fatal(err)
	}
	if r, err := b.Release(t.Context(), broker, id, 1); err != nil || !slices.Equal(r.Warnings, kept) {
		t.Errorf("its manifest has %q, %v; want %q", r.Warnings, err, kept)
	}
}
