// SPDX-License-Identifier: Apache-2.0

package audit_test

import (
	"slices"
	"strings"
	"testing"

	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/project/audit"
	"hide/internal/project/projecttest"
	"hide/internal/project/release"
	"hide/internal/store"
	"hide/internal/testsize"
)

func (b *bench) openFound(id project.ID, bundle int) audit.OpenFindings {
	b.T.Helper()
	open, err := b.OpenFindings(b.T.Context(), projecttest.Broker, id, bundle)
	if err != nil {
		b.T.Fatal(err)
	}
	return open
}

const open2 = "2 identifiers marked in an audit are not fully redacted and would be published"

func TestWhatAnAuditFoundIsNotPublishedWithoutAWord(t *testing.T) {
	testsize.Slow(t)
	b := newBench(t)
	id, bundle := b.OpenNotes()
	ctx := t.Context()
	b.StoreAudit(id, bundle, nil)
	if open := b.openFound(id, bundle); open != (audit.OpenFindings{}) || open.Words() != "" {
		t.Errorf("%+v of an audit that nobody read", open)
	}
	b.StoreAudit(id, bundle, projecttest.Visible(0, 1, 5))
	if open := b.openFound(id, bundle); open != (audit.OpenFindings{Found: 2, Audit: 2}) {
		t.Errorf("%+v, want the two of audit 2", open)
	}
	if words := b.MustWarnings(id, bundle); !strings.Contains(words, "\n"+open2+".") {
		t.Errorf("the warnings are %q", words)
	}
	for _, known := range []int{0, 1} {
		err := b.StartPublish(ctx, projecttest.Broker, id, release.Publish, bundle, release.Despite{Found: known})
		projecttest.WantKind(t, err, project.Invalid)
		if !strings.Contains(err.Error(), open2) {
			t.Errorf("with %d known: %v", known, err)
		}
	}
	if err := b.StartPublish(ctx, projecttest.Broker, id, release.Publish, bundle, release.Despite{Found: 3}); project.KindOf(err) != project.Invalid || !strings.Contains(err.Error(), "2 identifiers marked in an audit are still open, not 3") {
		t.Errorf("with more known than are open: %v", err)
	}
	f := b.findings(id)
	if _, err := b.AddAuditFindings(ctx, projecttest.Annotator, id, 0, chosen(f, "HOSPITAL")[:1]); err != nil {
		t.Fatal(err)
	}
	if open := b.openFound(id, bundle); open != (audit.OpenFindings{Found: 1, Audit: 2}) {
		t.Errorf("%+v when one is in its note", open)
	}
	if err := b.StartPublish(ctx, projecttest.Broker, id, release.Publish, bundle, release.Despite{Found: 1}); err != nil {
		t.Fatal(err)
	}
	b.Wait("publishing", func() bool { s, _ := b.Publishing(ctx, projecttest.Broker, id); return !s.Running })
	rows, err := b.Audit(ctx, projecttest.Broker, id, 0, 1000)
	if err != nil || !slices.ContainsFunc(rows, func(r project.AuditRow) bool {
		return r.Action == "publish found" && strings.HasPrefix(r.Detail, "1 identifier marked")
	}) {
		t.Errorf("not in the audit trail (%v)", err)
	}
	if _, err := b.AddAuditFindings(ctx, projecttest.Annotator, id, 0, chosen(f, "HOSPITAL")); err != nil {
		t.Fatal(err)
	}
	if open := b.openFound(id, bundle); open.Found != 0 {
		t.Errorf("%+v when all are in their notes", open)
	}
	if words := b.MustWarnings(id, bundle); strings.Contains(words, "not wholly redacted") {
		t.Errorf("the warnings are %q", words)
	}
}

func TestTheSameFindingOfTwoAuditsIsOne(t *testing.T) {
	b := newBench(t)
	id, bundle := b.OpenNotes()
	b.StoreAudit(id, bundle, projecttest.Visible(0))
	b.StoreAudit(id, bundle, projecttest.Visible(0, 3))
	if open := b.openFound(id, bundle); open.Found != 2 || open.Elsewhere {
		t.Errorf("%+v, want the one of both audits and the other of the second", open)
	}
}

// Another bundle may find what was marked, which nobody has looked for.
func TestFindingsOfAnotherBundleMayBeFoundByThisOne(t *testing.T) {
	b := newBench(t)
	id, bundle := b.OpenNotes()
	b.StoreAudit(id, bundle, projecttest.Visible(0))
	other, err := b.Choose(t.Context(), projecttest.Broker, id, 1, 10)
	if err != nil {
		t.Fatal(err)
	}
	open := b.openFound(id, other.Number)
	if other.Number == 1 || open != (audit.OpenFindings{Found: 1, Audit: 1, Elsewhere: true}) || !strings.HasSuffix(open.Words(), "unless the bundle itself finds them.") {
		t.Errorf("bundle %d: %+v, %q", other.Number, open, open.Words())
	}
	if _, err := b.OpenFindings(t.Context(), projecttest.Annotator, id, bundle); project.KindOf(err) != project.Forbidden {
		t.Errorf("an annotator sees figures: %v", err)
	}
}

// Where places were not kept, what was found is open until somebody edits notes.
func TestFindingsWithoutPlacesAreOpenUntilNotesChange(t *testing.T) {
	b := newBench(t)
	id, bundle := b.OpenNotes()
	a := b.StoreAudit(id, bundle, projecttest.Visible(0))
	err := b.Update(id, project.EventBy(projecttest.Broker, "test", id.Object()), func(tx *store.Tx) error {
		return tx.Delete(audit.BucketPlaces, audit.TextKey(a.Number, 1))
	})
	if err != nil {
		t.Fatal(err)
	}
	if open := b.openFound(id, bundle); open.Found != 1 {
		t.Errorf("%+v, want the one", open)
	}
	b.MustEdit(projecttest.Annotator, id, a.Notes[0].Document, 0, annotate.Edit{Verb: annotate.VerbTag, Spans: []annotate.Span{{Start: 0, End: 7, Label: "PATIENT"}}})
	if open := b.openFound(id, bundle); open.Found != 0 {
		t.Errorf("%+v after an edit", open)
	}
}

func TestAReleaseKeepsItsWarningsAndItsAudit(t *testing.T) {
	b := newBench(t)
	id, bundle := b.OpenNotes()
	b.StoreAudit(id, bundle, projecttest.Visible(0))
	if err := b.StartPublish(t.Context(), projecttest.Broker, id, release.Publish, bundle, release.Despite{Found: 1}); err != nil {
		t.Fatal(err)
	}
	b.Wait("publishing", func() bool { s, _ := b.Publishing(t.Context(), projecttest.Broker, id); return !s.Running })
	b.Reopen()
	r, err := b.Release(t.Context(), projecttest.Broker, id, 1)
	if err != nil || r.Audit == nil || r.Audit.Found != 1 || !slices.Contains(r.Warnings, audit.Words(*r.Audit)) {
		t.Fatalf("%+v, %v", r, err)
	}
	said := strings.Join(r.Warnings, "\n")
	for _, want := range []string{"Only 10 finished notes", "1 identifier marked in an audit", "6 of 16 notes are not finished"} {
		if !strings.Contains(said, want) {
			t.Errorf("no %q in %q", want, said)
		}
	}
	kept := r.Warnings
	err = b.Update(id, project.EventBy(projecttest.Broker, "test", id.Object()), func(tx *store.Tx) error { // as releases were recorded before
		r.Warnings, r.Audit, r.By = nil, nil, projecttest.Broker.ID
		return store.PutJSON(tx, "releases", store.Key(1), r)
	})
	if err != nil {
		t.Fatal(err)
	}
	if r, err := b.Release(t.Context(), projecttest.Broker, id, 1); err != nil || !slices.Equal(r.Warnings, kept) {
		t.Errorf("its manifest has %q, %v; want %q", r.Warnings, err, kept)
	}
}
