// SPDX-License-Identifier: Apache-2.0

package sanitize

import (
	"testing"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/greedy"
	"hide/web/webtest"
)

func TestCostsAreTypedBesideLossesAndReadInTheSummary(t *testing.T) {
	r := webtest.MadeRun()
	r.Params.LossByLabel = map[annotate.Label]float64{"DATE": 0.5}
	r.Params.CostByKind = greedy.Prices{greedy.Punctuation: 0.2, greedy.Number: 2, greedy.CommonWord: 0.5}
	for i := range r.Choices {
		o := &r.Choices[i].Outcome
		for k, kind := range greedy.WordKinds() {
			gone := o.FalsePositives.Value / 4
			o.ByKind = append(o.ByKind, greedy.OverRedacted{Kind: kind, Words: 3000 + 100*k, Redacted: greedy.Estimate{Value: gone, Low: gone / 2, High: 2 * gone, AtMost: 2 * gone}})
		}
	}
	v := openBrowser(t, account.Broker, newFakeSanitize(r))
	v.Open(v.Base + "/p/p1/sanitize?lc=10")
	v.Eval(`document.querySelectorAll(".start, .start details").forEach(d => { d.open = d.matches(".start, .advanced") || !!d.querySelector(".option-cell") })`, nil)
	v.Focus(`[name="cost:punctuation"]`)
	v.Eval(`document.activeElement.select()`, nil)
	v.Press("2")
	var typed string
	v.Eval(`document.querySelector('[name="cost:punctuation"]').value`, &typed)
	if typed != "2" {
		t.Errorf("typed, the cost of a sign is %q", typed)
	}
	v.Axe()
	v.Shots("sanitize-costs")
}
