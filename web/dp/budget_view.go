// SPDX-License-Identifier: Apache-2.0

package dp

import (
	"fmt"
	"maps"
	"math"
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

// budgetPieces are the debits, side by side.
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
	return fmt.Sprintf("%v of %v is spent, in %s; %v is left.", b.Spent, b.Limit, ui.Count(len(b.Debits), "release", "releases"), b.Left)
}

// debitWords say what a debit paid for; the ledger writes it as "cube, identity, 12 cells".
func debitWords(what string) string {
	kind, rest, _ := strings.Cut(what, ", ")
	method, cells, _ := strings.Cut(rest, ", ")
	if kind != "cube" {
		return ui.Sentence(what)
	}
	return "Counts: " + strings.ToLower(methodWords(cube.Method(method))) + ", " + cells
}

// debitRow is a debit with the release that it paid for.
type debitRow struct {
	ledger.Debit
	Release *release.Release // nil if none was made
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

// scaleWords: "±4.2 on each of 14 cells, then ±6.3 on each of 5 blocks (Laplace)".
func scaleWords(r release.Release) string {
	if phases := r.Strong.Phases; r.Kind == release.KindSequences && len(phases) > 0 {
		return fmt.Sprintf("±%s at each of %d lengths (Laplace)", words.Amount(phases[len(phases)-1].Scale), len(phases))
	}
	var parts []string
	for _, p := range r.Strong.Phases {
		parts = append(parts, fmt.Sprintf("±%s on each of %s %s", words.Amount(p.Scale), ui.Number(p.Counts), p.Name))
	}
	return strings.Join(parts, ", then ") + " (Laplace)"
}

// baselineWords are the expected errors of other methods.
func baselineWords(e publishdp.ExpectedError) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(e.Baselines)) {
		if name != publishdp.AtMost {
			parts = append(parts, name+" ±"+words.Amount(e.Baselines[name]))
		}
	}
	if len(parts) == 0 {
		return "–"
	}
	return strings.Join(parts, "; ")
}

// cellWords writes a number of cells, which may be very large.
func cellWords(n float64) string {
	if n < 1e15 {
		return words.Amount(n)
	}
	return strconv.FormatFloat(n, 'g', 3, 64)
}

// spending is the ε that a form asks to spend, 0 if it is not an amount.
func spending(epsilon string) ledger.Micro {
	m, err := ledger.ParseEpsilon(epsilon)
	if err != nil {
		return 0
	}
	return m
}

// factorWords is e^ε, the factor by which a conclusion can become more or less likely.
func factorWords(e ledger.Micro) string {
	factor := math.Exp(e.Float())
	if factor >= 1000 {
		return words.Amount(factor)
	}
	return strconv.FormatFloat(factor, 'g', 3, 64)
}

func slopeWords(x float64) string { return strconv.FormatFloat(x, 'g', 4, 64) }
