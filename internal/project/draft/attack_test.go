// SPDX-License-Identifier: Apache-2.0

package draft_test

import (
	"testing"

	"hide/internal/annotate"
	"hide/internal/greedy/attack/retrieve"
	"hide/internal/project/draft"
	"hide/internal/project/projecttest"
)

// An attacker who has the table reads the years that Safe Harbor leaves, and only the labels of
// placeholders.
func TestTheAttackerReadsWhatGeneralizedValuesTell(t *testing.T) {
	var docs []annotate.Annotated
	for i, day := range []string{"12/25/1998", "1/13/2009", "2/28/2014", "5/30/2021"} {
		var m projecttest.Markup
		m.Text("Seen on ").Span(day, "DATE").Text(" for a cough.\n")
		name := string(rune('a' + i))
		docs = append(docs, annotate.Annotated{Spans: m.Spans, Document: annotate.Document{Name: name, Patient: "p" + name, Text: m.String(), Attributes: map[string]string{"seen": day[len(day)-4:] + "-01-01"}}})
	}
	b := projecttest.New(t)
	d := &desk{b, t, b.FinishedProject(docs)}
	for name, want := range map[string]float64{"safe-harbor": 1, "placeholders": 0.25} {
		now := d.prepare(draft.Settings{Policy: named(t, name)})
		best, known := now.Attack.Best(retrieve.Table)
		if !known || best.Top1.Share != want {
			t.Errorf("%s: the attacker links %v of the notes, want %v", name, best.Top1.Share, want)
		}
	}
}
