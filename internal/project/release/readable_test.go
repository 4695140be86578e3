// SPDX-License-Identifier: Apache-2.0

package release_test

import (
	"errors"
	"slices"
	"testing"

	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/project/projecttest"
	"hide/internal/project/release"
	"hide/internal/project/sanitize"
	"hide/internal/testsize"
)

// narrow is a project of finished notes with a bundle of a run that counts PATIENT alone.
func (b *bench) narrow() (project.ID, sanitize.Bundle) {
	b.T.Helper()
	id := b.FinishedProject(projecttest.Notes(8))
	b.Ran(id, sanitize.Params{LC: []float64{10}, Folds: 2, Labels: []annotate.Label{"PATIENT"}})
	info, err := b.Choose(b.T.Context(), projecttest.Broker, id, 1, 10)
	if err != nil {
		b.T.Fatal(err)
	}
	return id, info
}

func (b *bench) mustReadable(id project.ID, bundle int) []annotate.Label {
	b.T.Helper()
	labels, err := b.Readable(b.T.Context(), projecttest.Broker, id, bundle)
	if err != nil {
		b.T.Fatal(err)
	}
	return labels
}

func TestLabelsThatStayReadableAreNamedBeforeARelease(t *testing.T) {
	testsize.Slow(t)
	b := newBench(t)
	id, info := b.narrow()
	ctx := t.Context()
	readable := b.mustReadable(id, info.Number)
	if !slices.Contains(readable, "DOCTOR") || slices.Contains(readable, "PATIENT") || !slices.IsSorted(readable) || len(readable) >= len(info.Excluded) {
		t.Fatalf("readable %v of the excluded %v", readable, info.Excluded)
	}
	for name, known := range map[string][]annotate.Label{"none": nil, "one too few": readable[1:], "one too many": append([]annotate.Label{"PATIENT"}, readable...)} {
		err := b.StartPublish(ctx, projecttest.Broker, id, release.Publish, info.Number, release.Despite{Readable: known})
		projecttest.WantKind(t, err, project.Invalid)
		if refused := (*project.Error)(nil); !errors.As(err, &refused) || refused.Obstacle != project.StaysReadable {
			t.Errorf("%s: %v", name, err)
		}
	}
	if all, err := b.Releases(ctx, projecttest.Broker, id); err != nil || len(all) != 0 {
		t.Fatalf("%d releases, %v; want none", len(all), err)
	}
	slices.Reverse(readable)
	if err := b.StartPublish(ctx, projecttest.Broker, id, release.Publish, info.Number, release.Despite{Readable: readable}); err != nil {
		t.Fatal(err)
	}
	b.Wait("publishing", func() bool { s, _ := b.Publishing(ctx, projecttest.Broker, id); return !s.Running })
	slices.Reverse(readable)
	if said := b.detailsOf(id, "publish readable"); !slices.Equal(said, []string{project.Joined(readable)}) {
		t.Errorf("the audit trail has %q", said)
	}
}

// A note that nobody has finished is published like the others.
func TestLabelsOfUnfinishedNotesStayReadableToo(t *testing.T) {
	testsize.Slow(t)
	b := newBench(t)
	id, info := b.narrow()
	before := b.mustReadable(id, info.Number)
	var m projecttest.Markup
	m.Text("Call ").Span("+44 20", "PHONE").Text(" after noon.\n")
	if slices.Contains(before, "PHONE") {
		t.Fatal("the notes have telephone numbers: the test shows nothing")
	}
	b.MustImport(id, []annotate.Annotated{{Document: annotate.Document{Name: "open", Text: m.String()}, Spans: m.Spans}}, false)
	if after := b.mustReadable(id, info.Number); !slices.Contains(after, "PHONE") || len(after) != len(before)+1 {
		t.Errorf("readable %v, before %v", after, before)
	}
}

func TestNoLabelIsNamedWhereNoneStaysReadable(t *testing.T) {
	testsize.Slow(t)
	b := newBench(t)
	id := b.FinishedProject(projecttest.Notes(8))
	b.Ran(id, sanitize.Params{LC: []float64{10}, Folds: 2})
	if _, err := b.Choose(t.Context(), projecttest.Broker, id, 1, 10); err != nil {
		t.Fatal(err)
	}
	if readable := b.mustReadable(id, 1); len(readable) != 0 {
		t.Fatalf("readable %v", readable)
	}
	projecttest.WantKind(t, b.StartPublish(t.Context(), projecttest.Broker, id, release.Publish, 1, release.Despite{Readable: []annotate.Label{"DOCTOR"}}), project.Invalid)
	if err := b.StartPublish(t.Context(), projecttest.Broker, id, release.Publish, 1, release.Despite{}); err != nil {
		t.Error(err)
	}
}
