// SPDX-License-Identifier: Apache-2.0

package project_test

import (
	"reflect"
	"testing"

	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/project/projecttest"
	"hide/internal/testsize"
)

// TestNotesOfEarlierVersionsAreCounted: few of them while a person waits, many in the
// background.
func TestNotesOfEarlierVersionsAreCounted(t *testing.T) {
	testsize.Slow(t)
	for _, n := range []int{20, 520} {
		b := newBench(t)
		id := b.FinishedProject(projecttest.Notes(n))
		table := func() project.Labels {
			t.Helper()
			labels, err := b.LabelTable(t.Context(), projecttest.Broker, id)
			if err != nil {
				t.Fatal(err)
			}
			return labels
		}
		want := table()
		if patient, _ := want.Find("PATIENT"); patient.Spans == 0 || want.Counted != n {
			t.Fatalf("%d of %d notes are counted, with %d patients", want.Counted, n, patient.Spans)
		}
		if err := b.StoreAsEarlier(id); err != nil {
			t.Fatal(err)
		}
		b.Reopen()
		b.Wait("all notes are counted", func() bool { return table().Counted == n })
		if got := table(); !reflect.DeepEqual(got, want) {
			t.Errorf("%d notes: %+v, want %+v", n, got, want)
		}
		used, err := b.MustWorkspace(id).LabelsInUse(t.Context())
		if err != nil || !used["PATIENT"] || used[annotate.Label("PHONE")] {
			t.Errorf("labels in use: %v, %v", used, err)
		}
	}
}
