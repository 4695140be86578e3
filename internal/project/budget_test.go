// SPDX-License-Identifier: Apache-2.0

package project

import (
	"os"
	"testing"

	"hide/internal/publish/ledger"
)

func TestABudgetWhoseHeadIsMissingIsRefusedWithAHint(t *testing.T) {
	b := newBench(t)
	id := b.counted(ledger.One)
	if err := b.StartPublishCube(t.Context(), broker, id, bySex(400_000)); err != nil {
		t.Fatal(err)
	}
	if _, st := b.published(id); st.Error != "" {
		t.Fatal(st.Error)
	}
	if err := os.Remove(b.dir + ".budget"); err != nil {
		t.Fatal(err)
	}
	b.reopen()
	_, err := b.Budget(t.Context(), broker, id)
	wantKind(t, err, Invalid)
	wantKind(t, b.StartPublishCube(t.Context(), broker, id, bySex(100_000)), Invalid)
	if err := b.StartPublishTable(t.Context(), broker, id, TableSettings{K: 3}, 24); err != nil {
		t.Errorf("a table needs no budget: %v", err)
	}
	if _, st := b.published(id); st.Error != "" {
		t.Error(st.Error)
	}
}
