// SPDX-License-Identifier: Apache-2.0

package project

import (
	"errors"
	"slices"
	"testing"

	"hide/internal/annotate"
)

// narrow is a project of finished notes with a bundle of a run that counts PATIENT alone.
func (b *bench) narrow() (ID, BundleInfo) {
	b.t.Helper()
	id := b.finished(notes(8))
	b.ran(id, SanitizeParams{LC: []float64{10}, Folds: 2, Labels: []annotate.Label{"PATIENT"}})
	info, err := b.Choose(b.t.Context(), broker, id, 1, 10)
	if err != nil {
		b.t.Fatal(err)
	}
	return id, info
}

func (b *bench) mustReadable(id ID, bundle int) []annotate.Label {
	b.t.Helper()
	labels, err := b.Readable(b.t.Context(), broker, id, bundle)
	if err != nil {
		b.t.Fatal(err)
	}
	return labels
}

func TestLabelsThatStayReadableAreNamedBeforeARelease(t *testing.T) {
	b := newBench(t)
	id, info := b.narrow()
	ctx := t.Context()
	readable := b.mustReadable(id, info.Number)
	if !slices.Contains(readable, "DOCTOR") || slices.Contains(readable, "PATIENT") || !slices.IsSorted(readable) || len(readable) >= len(info.Excluded) {
		t.Fatalf("readable %v of the excluded %v", readable, info.Excluded)
	}
	for name, known := range map[string][]annotate.Label{"none": nil, "one too few": readable[1:], "one too many": append([]annotate.Label{"PATIENT"}, readable...)} {
		err := b.StartPublish(ctx, broker, id, info.Number, Despite{Readable: known})
		wantKind(t, err, Invalid)
		if refused := (*Error)(nil); !errors.As(err, &refused) || refused.Obstacle != StaysReadable {
			t.Errorf("%s: %v", name, err)
		}
	}
	if all, err := b.Releases(ctx, broker, id); err != nil || len(all) != 0 {
		t.Fatalf("%d releases, %v; want none", len(all), err)
	}
	slices.Reverse(readable)
	if err := b.StartPublish(ctx, broker, id, info.Number, Despite{Readable: readable}); err != nil {
		t.Fatal(err)
	}
	b.wait("publishing", func() bool { s, _ := b.Publishing(ctx, broker, id); return !s.Running })
	slices.Reverse(readable)
	if said := b.detailsOf(id, "publish readable"); !slices.Equal(said, []string{Joined(readable)}) {
		t.Errorf("the audit trail has %q", said)
	}
}

// A note that nobody has finished is published like the others.
func TestLabelsOfUnfinishedNotesStayReadableToo(t *testing.T) {
	b := newBench(t)
	id, info := b.narrow()
	before := b.mustReadable(id, info.Number)
	var m markup
	m.text("Call ").span("+44 20", "PHONE").text(" after noon.\n")
	if slices.Contains(before, "PHONE") {
		t.Fatal("the notes have telephone numbers: the test shows nothing")
	}
	b.mustImport(id, []annotate.Annotated{{Document: annotate.Document{Name: "open", Text: m.String()}, Spans: m.spans}}, false)
	if after := b.mustReadable(id, info.Number); !slices.Contains(after, "PHONE") || len(after) != len(before)+1 {
		t.Errorf("readable %v, before %v", after, before)
	}
}

func TestNoLabelIsNamedWhereNoneStaysReadable(t *testing.T) {
	b := newBench(t)
	id := b.finished(notes(8))
	b.ran(id, SanitizeParams{LC: []float64{10}, Folds: 2})
	if _, err := b.Choose(t.Context(), broker, id, 1, 10); err != nil {
		t.Fatal(err)
	}
	if readable := b.mustReadable(id, 1); len(readable) != 0 {
		t.Fatalf("readable %v", readable)
	}
	wantKind(t, b.StartPublish(t.Context(), broker, id, 1, Despite{Readable: []annotate.Label{"DOCTOR"}}), Invalid)
	if err := b.StartPublish(t.Context(), broker, id, 1, Despite{}); err != nil {
		t.Error(err)
	}
}
