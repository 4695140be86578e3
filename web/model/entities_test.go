// SPDX-License-Identifier: Apache-2.0

package model

import (
	"strings"
	"testing"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/project/training"
)

// madeEntities are the figures of quasi-identifiers; there is no direct one.
func madeEntities() *training.Protection {
	return &training.Protection{
		Precision: training.MaskedPrecision{Words: training.Share{Count: 1900, Of: 2000, Share: 0.95}, Weighted: 0.96},
		Quasi: training.Recall{
			Entities: training.Share{Count: 1300, Of: 1500, Share: 1300. / 1500, Interval: &training.Interval{Low: 0.848, High: 0.884}},
			Mentions: training.Share{Count: 1800, Of: 2000, Share: 0.9},
			Labels:   map[annotate.Label]training.Share{"CITY": {Count: 100, Of: 200, Share: 0.5}, "DATE": {Count: 1200, Of: 1300, Share: 1200. / 1300}},
		},
	}
}

func TestIdentifiersAreShownByTypeAndLabel(t *testing.T) {
	f := checkedModel()
	f.card.Check.Entities = nil
	if page := modelText(t, f, account.Reviewer); strings.Contains(page, `id="entities"`) {
		t.Error("identifiers of a check that did not count them")
	}
	f.card.Check.Entities = madeEntities()
	page := modelText(t, f, account.Reviewer)
	wantAll(t, page,
		"1,300 of 1,500 quasi-identifiers are found in every mention.",
		`quasi, CITY</th><td class="number">100 of 200</td><td class="number">50.0 %</td>`,
		`all quasi</th><td class="number">1,300 of 1,500</td><td class="number">86.7 % [84.8–88.4]</td>`,
		`mentions of quasi</th><td class="number">1,800 of 2,000</td>`,
		"1,900 of 2,000 masked words had to be hidden (95.0 %; 96.0 % weighted by information).",
		"Equal words of a patient count as mentions of one identifier here",
	)
	if strings.Contains(page, "all direct") {
		t.Error("there are rows for direct identifiers, which the notes do not have")
	}
	if strings.Index(page, "quasi, DATE") > strings.Index(page, "quasi, CITY") {
		t.Error("the most frequent label is not first")
	}
}
