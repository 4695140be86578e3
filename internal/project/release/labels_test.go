// SPDX-License-Identifier: Apache-2.0

package release_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/project/projecttest"
	"hide/internal/project/release"
	"hide/internal/project/sanitize"
	"hide/internal/publish/idview"
	"hide/internal/publish/table"
	"hide/internal/testsize"
)

func (b *bench) relabel(id project.ID, change func(version int) error) {
	b.T.Helper()
	t, err := b.LabelTable(b.T.Context(), projecttest.Broker, id)
	if err == nil {
		err = change(t.Version)
	}
	if err != nil {
		b.T.Fatal(err)
	}
}

func (b *bench) renames(id project.ID, from, to annotate.Label) {
	b.T.Helper()
	b.relabel(id, func(v int) error { return b.RenameLabel(b.T.Context(), projecttest.Broker, id, v, from, to) })
}

func (b *bench) merges(id project.ID, from, into annotate.Label) {
	b.T.Helper()
	b.relabel(id, func(v int) error {
		return b.MergeLabel(b.T.Context(), projecttest.Broker, id, v, from, into, string(from))
	})
}

// mustPublish publishes all notes, knowing what stays readable, and returns their texts.
func (b *bench) mustPublish(id project.ID, bundle int) string {
	b.T.Helper()
	ctx := b.T.Context()
	before, _ := b.Published(id)
	if err := b.StartPublish(ctx, projecttest.Broker, id, release.Publish, bundle, release.Despite{Readable: b.mustReadable(id, bundle), Uncertified: "a test"}); err != nil {
		b.T.Fatal(err)
	}
	r, st := b.Published(id)
	if st.Error != "" || r.Number == before.Number {
		b.T.Fatalf("nothing was published: %s", st.Error)
	}
	var file bytes.Buffer
	if err := b.WriteRelease(ctx, projecttest.Broker, id, r.Number, &file); err != nil {
		b.T.Fatal(err)
	}
	z, err := zip.NewReader(bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil {
		b.T.Fatal(err)
	}
	return projecttest.ReadAll(b.T, z)
}

// wantGone checks that no marked text with one of these labels stands in a release.
func wantGone(t *testing.T, released string, docs []annotate.Annotated, labels ...annotate.Label) {
	t.Helper()
	for _, d := range docs {
		for _, s := range d.Spans {
			if slices.Contains(labels, s.Label) && strings.Contains(released, s.Surface(d.Text)) {
				t.Fatalf("text marked %s is published", s.Label)
			}
		}
	}
}

func (b *bench) mustChoose(id project.ID) sanitize.Bundle {
	b.T.Helper()
	info, err := b.Choose(b.T.Context(), projecttest.Broker, id, 1, 10)
	if err != nil {
		b.T.Fatal(err)
	}
	return info
}

// distinct are notes in which every marked text stands once.
func distinct(n int) []annotate.Annotated {
	docs := projecttest.Notes(n)
	for i := range docs {
		var m projecttest.Markup
		mark := string(rune('a' + i))
		m.Text("Mr. ").Span("Patiname"+mark, "PATIENT").Text(" saw Dr. ").Span("Docname"+mark, "DOCTOR")
		m.Text(" on ").Span(fmt.Sprintf("%d/4/2019", i+1), "DATE").Text(" and rests at home.\n")
		docs[i].Text, docs[i].Spans = m.String(), m.Spans
	}
	return docs
}

// Nothing that a person marked as sensitive is published because a label was renamed, merged
// or retired after the run.
func TestChangedLabelsNeverPublishWhatWasRedacted(t *testing.T) {
	testsize.Slow(t)
	b, docs := newBench(t), distinct(8)
	id := b.FinishedProject(docs)
	b.Ran(id, sanitize.Params{LC: []float64{10}, Folds: 2, Learners: []string{"bayes"}, First: "none", Labels: []annotate.Label{"PATIENT"}})
	old := b.mustChoose(id)
	b.renames(id, "PATIENT", "PERSON")
	b.renames(id, "DOCTOR", "CLINICIAN")
	b.relabel(id, func(v int) error { return b.RetireLabel(t.Context(), projecttest.Broker, id, v, "PERSON") })
	if readable := b.mustReadable(id, old.Number); !slices.Equal(readable, []annotate.Label{"CLINICIAN", "DATE"}) {
		t.Fatalf("readable %v", readable)
	}
	if said := b.MustWarnings(id, old.Number); !strings.Contains(said, "PATIENT for PERSON") {
		t.Errorf("nothing says that the old model writes old names: %s", said)
	}
	text := b.mustPublish(id, old.Number)
	wantGone(t, text, docs, "PATIENT")
	if !strings.Contains(text, "[PATIENT]") || strings.Contains(text, "[PERSON]") {
		t.Error("the old model does not write the names that it was audited with")
	}
	text = b.mustPublish(id, b.mustChoose(id).Number)
	wantGone(t, text, docs, "PATIENT")
	if strings.Contains(text, "[PATIENT]") || !strings.Contains(text, "[PERSON]") {
		t.Error("a model chosen after the rename does not write the new name")
	}

	// Merged, a redacted and an excluded label are undecided, in both directions of the merge.
	b.merges(id, "PERSON", "CLINICIAN")
	for number := 1; number <= 2; number++ {
		err := b.StartPublish(t.Context(), projecttest.Broker, id, release.Publish, number, release.Despite{Readable: b.mustReadable(id, number), Uncertified: "a test"})
		projecttest.WantKind(t, err, project.Invalid)
		if err == nil || !strings.Contains(err.Error(), "CLINICIAN") {
			t.Errorf("bundle %d: %v", number, err)
		}
		if slices.Contains(b.mustReadable(id, number), "CLINICIAN") {
			t.Errorf("bundle %d would publish what it redacted before the merge", number)
		}
	}
	b.relabel(id, func(v int) error { return b.RetireLabel(t.Context(), projecttest.Broker, id, v, "CLINICIAN") })
	text = b.mustPublish(id, b.mustChoose(id).Number)
	wantGone(t, text, docs, "PATIENT", "DOCTOR")
}

// A role decided for a label follows its new name. After a merge only a decision to leave it
// out stays.
func TestRolesFollowRenamedLabels(t *testing.T) {
	b := newBench(t)
	id := b.FinishedProject(projecttest.Cohort(6))
	decide := func(label string, role table.Role) {
		t.Helper()
		d := release.Decision{Attribute: idview.Attribute{Key: idview.Key{Source: idview.Label, Name: label}, Role: role, Kind: table.Nominal, Take: idview.Most}}
		if err := b.SetIdentifiers(t.Context(), projecttest.Broker, id, []release.Decision{d}); err != nil {
			t.Fatal(err)
		}
	}
	role := func(label string) (table.Role, bool) {
		t.Helper()
		for _, a := range b.MustIdentifiers(id).Attributes {
			if a.Key == (idview.Key{Source: idview.Label, Name: label}) {
				return a.Role, a.Decided
			}
		}
		t.Fatalf("there is no attribute %s", label)
		return "", false
	}
	decide("DATE", table.Direct)
	decide("CITY", table.Insensitive)
	b.renames(id, "DATE", "ZIP2")
	b.renames(id, "CITY", "TOWN")
	if r, decided := role("ZIP2"); r != table.Direct || !decided {
		t.Errorf("the renamed label is %s, decided %v", r, decided)
	}
	if r, decided := role("TOWN"); r != table.Insensitive || !decided {
		t.Errorf("the renamed label is %s, decided %v", r, decided)
	}
	b.merges(id, "AGE", "TOWN") // nobody has decided to publish ages as they are
	if r, decided := role("TOWN"); r == table.Insensitive || decided {
		t.Errorf("the merged label is %s, decided %v", r, decided)
	}
	b.merges(id, "ZIP2", "TOWN")
	if r, decided := role("TOWN"); r != table.Direct || !decided {
		t.Errorf("merged with a label to be left out it is %s, decided %v", r, decided)
	}
}
