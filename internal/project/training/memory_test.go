// SPDX-License-Identifier: Apache-2.0

package training_test

import (
	"slices"
	"strings"
	"testing"

	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/project/projecttest"
	"hide/internal/testsize"
)

// TestATrainingThatExceedsItsMemoryFailsAlone: edits go on while it trains and afterwards,
// the page says why there is no model, and with more memory there is one.
func TestATrainingThatExceedsItsMemoryFailsAlone(t *testing.T) {
	testsize.Slow(t)
	b := projecttest.New(t)
	b.WorkMemory = 4 << 20
	b.Reopen()
	id := b.NewProject(projecttest.Institution("a", 10), true)
	b.MustImport(id, projecttest.Plain("Rose walks on Monday."), false)
	const open = 11 // after 10 finished ones
	n, edits := b.MustNote(projecttest.Broker, id, open), 0
	b.Wait("the training to fail", func() bool {
		label := []annotate.Label{"PATIENT", "DATE"}[edits%2]
		n = b.MustEdit(projecttest.Broker, id, open, n.Layer.Revision, projecttest.Tag(0, 4, label))
		edits++
		st, err := b.Training(t.Context(), projecttest.Broker, id)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Contains(st.Error, "memory")
	})
	if now := b.MustNote(projecttest.Broker, id, open); now.Layer.Revision != edits {
		t.Errorf("%d of %d edits are there", now.Layer.Revision, edits)
	}
	rows, err := b.Audit(t.Context(), projecttest.Broker, id, 0, 1000)
	if err != nil || !slices.ContainsFunc(rows, func(r project.AuditRow) bool { return r.Action == "fail training" && r.Detail == "" }) {
		t.Errorf("the failure is not on record: %v", err)
	}
	b.WorkMemory = 0
	b.Reopen()
	if err := b.Train(t.Context(), projecttest.Broker, id); err != nil {
		t.Fatal(err)
	}
	b.Trained(id)
}
