// SPDX-License-Identifier: Apache-2.0

package dp

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"hide/internal/project/dp"
	"hide/internal/project/release"
	"hide/internal/publish/cube"
	publishdp "hide/internal/publish/dp"
	"hide/internal/publish/ledger"
	"hide/internal/words"
	"hide/web/ui"
)

// budgetPiece is a debit in the drawing of a budget.
type budgetPiece struct{ X, Width float64 }

const budgetWidth, budgetHeight = 600, 34

// budgetPieces are what was spent, side by side.
func budgetPieces(b dp.Budget) []budgetPiece {
	var pieces []budgetPiece
	x := 0.0
	for _, d := range b.Debits {
		w := budgetWidth * d.Micro.Float() / b.Limit.Float()
		w = min(w, budgetWidth-x)
		pieces = append(pieces, budgetPiece{x, max(w-1, 0)})
		x += w
	}
	return pieces
}

func budgetDesc(b dp.Budget) string {
	return fmt.Sprintf("Of %v, %v is spent in %s and %v is left.", b.Limit, b.Spent, ui.Count(len(b.Debits), "release", "releases"), b.Left)
}

// debitWords say what was paid for, of what the ledger calls "cube, identity, 12 cells".
func debitWords(what string) string {
	kind, rest, _ := strings.Cut(what, ", ")
	method, cells, _ := strings.Cut(rest, ", ")
	if kind != "cube" {
		return ui.Sentence(what)
	}
	return "Counts: " + strings.ToLower(methodWords(cube.Method(method))) + ", " + cells
}

// debitRow is one debit with the release that it paid for.
type debitRow struct {
	ledger.Debit
	Release *release.Release // nil when there never was one
}

func (v countsView) debits() []debitRow {
	rows := make([]debitRow, len(v.Budget.Debits))
	for i, d := range v.Budget.Debits {
		rows[i].Debit = d
		for j, r := range v.Releases {
			if r.Strong != nil && r.Strong.Entry == d.Entry {
				rows[i].Release = &v.Releases[j]
			}
		}
	}
	return rows
}

// scaleWords: "±4.2 in the mean on 14 cells, then ±6.3 in the mean on 5 blocks (Laplace)".
func scaleWords(r release.Release) string {
	if phases := r.Strong.Phases; r.Kind == release.KindSequences && len(phases) > 0 {
		return fmt.Sprintf("±%s in the mean at each of %d lengths (Laplace)", words.Amount(phases[len(phases)-1].Scale), len(phases))
	}
	var said []string
	for _, p := range r.Strong.Phases {
		said = append(said, fmt.Sprintf("±%s in the mean on %s %s", words.Amount(p.Scale), ui.Number(p.Counts), p.Name))
	}
	return strings.Join(said, ", then ") + " (Laplace)"
}

// baselineWords are what other ways would have been off by.
func baselineWords(e publishdp.ExpectedError) string {
	var said []string
	for _, name := range slices.Sorted(maps.Keys(e.Baselines)) {
		if name != publishdp.AtMost {
			said = append(said, name+" ±"+words.Amount(e.Baselines[name]))
		}
	}
	if len(said) == 0 {
		return "–"
	}
	return strings.Join(said, "; ")
}

// cellWords writes a number of cells, which may be very large.
func cellWords(n float64) string {
	if n < 1e15 {
		return words.Amount(n)
	}
	return strconv.FormatFloat(n, 'g', 3, 64)
}

// spending is what a form asks to spend, 0 when that is no amount.
func spending(epsilon string) ledger.Micro {
	m, err := ledger.ParseEpsilon(epsilon)
	if err != nil {
		return 0
	}
	return m
}

func slopeWords(x float64) string { return strconv.FormatFloat(x, 'g', 4, 64) }
