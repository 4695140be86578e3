// SPDX-License-Identifier: Apache-2.0

package review_test

import (
	"testing"

	"hide/internal/project"
	"hide/internal/project/projecttest"
	"hide/internal/project/review"
)

// The broker sees where two readers disagree when all is read; the bound counts what any of
// them found.
func TestTheBrokerSeesWhereTwoReadersDisagree(t *testing.T) {
	b := newBoard(t, project.DefaultRule())
	b.draw(review.Sampling{Random: 3, Readers: 2})
	list := func() []review.Disagreement {
		t.Helper()
		all, err := b.Disagreements(t.Context(), projecttest.Broker, b.id, b.number)
		b.must(err)
		return all
	}
	want := ""
	for i := range 6 {
		who := members[i%2]
		p, err := b.NextPassage(t.Context(), who, b.id, b.number)
		b.must(err)
		var found []review.Selection
		if one := lastWord(*p); p.Position == 0 || p.Position == 1 && i%2 == 1 { // both, the second alone, nobody
			found = []review.Selection{one}
			if p.Position == 1 {
				want = string([]rune(p.Text)[one.Start:one.End])
			}
		}
		if all := list(); len(all) > 0 {
			t.Errorf("before the end it lists %+v", all)
		}
		b.must(b.AnswerPassage(t.Context(), who, b.id, b.number, p.Draw, p.Position, found, 60))
	}
	all := list()
	if len(all) != 1 || all[0].Position != 1 || all[0].Views[1].Reader != members[1].ID || len(all[0].Views[0].Pieces) != 1 {
		t.Fatalf("it lists %+v", all)
	}
	text, marked := "", ""
	for _, piece := range all[0].Views[1].Pieces {
		text += piece.Text
		if piece.Marked {
			marked += piece.Text
		}
	}
	if marked != want || text != all[0].Views[0].Pieces[0].Text {
		t.Errorf("%q is marked in %q, want %q", marked, text, want)
	}
	if p := b.progress(); p.Found != 2 {
		t.Errorf("%d passages count as found, want both", p.Found)
	}
	if _, err := b.Disagreements(t.Context(), members[0], b.id, b.number); err == nil {
		t.Error("a member sees what others found")
	}
}
