// SPDX-License-Identifier: Apache-2.0

package draft_test

import (
	"slices"
	"testing"

	"hide/internal/project/draft"
	"hide/internal/project/projecttest"
	"hide/internal/publish/policy"
	"hide/internal/publish/transform"
)

func TestAKeptRepeatThatIsMarkedLaterGoes(t *testing.T) {
	d := newDesk(t)
	s := draft.Settings{Policy: named(t, "placeholders")}
	d.prepare(s)
	repeat := d.rows(draft.Filter{By: transform.ByRepeat})
	if len(repeat) != 1 || repeat[0].Words != "Carla Dupont" {
		t.Fatalf("repeats: %v", repeat)
	}
	d.decide(draft.Which{Places: []transform.Place{repeat[0].Place}}, transform.Choice{Action: policy.Keep})
	d.prepare(s)
	if rows := d.rows(draft.Filter{By: transform.ByRepeat, Action: policy.Keep, Chosen: true}); len(rows) != 1 {
		t.Errorf("the next draft forgot the decision: %v", rows)
	}
	n := d.MustNote(projecttest.Annotator, d.id, 3)
	d.MustEdit(projecttest.Annotator, d.id, 3, n.Layer.Revision, projecttest.Tag(int(repeat[0].Runes.Start), int(repeat[0].Runes.End), "PATIENT"))
	d.Finish(projecttest.Annotator, d.id, 3)
	d.prepare(s)
	marked := func() draft.Row {
		t.Helper()
		rows := slices.DeleteFunc(d.rows(draft.Filter{Note: 3}), func(r draft.Row) bool { return r.Place != repeat[0].Place })
		if len(rows) != 1 {
			t.Fatalf("the place has %d rows", len(rows))
		}
		return rows[0]
	}
	if r := marked(); r.Decision.Replacement != "[PATIENT]" || r.Decision.Chosen {
		t.Errorf("the marked words become %q", r.Decision.Replacement)
	}
	d.decide(draft.Which{Places: []transform.Place{repeat[0].Place}}, transform.Choice{Action: policy.Keep})
	if r := marked(); r.Decision.Action != policy.Keep || !r.Decision.Chosen {
		t.Errorf("a decision about the marked words gives %v", r.Decision)
	}
}
