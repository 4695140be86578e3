// SPDX-License-Identifier: Apache-2.0

package web

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"hide/internal/project"
	"hide/internal/project/dp"
	"hide/internal/project/release"
	"hide/internal/publish/cube"
	publishdp "hide/internal/publish/dp"
	"hide/internal/publish/ledger"
)

// problemWords are an error's message and what to do about it, as sentences.
func problemWords(err error) string {
	var e *project.Error
	if errors.As(err, &e) && e.Hint != "" {
		return sentence(e.Message) + " " + sentence(e.Hint)
	}
	return sentence(err.Error())
}

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
	return fmt.Sprintf("Of %v, %v is spent in %s and %v is left.", b.Limit, b.Spent, count(len(b.Debits), "release", "releases"), b.Left)
}

// debitWords say what was paid for, of what the ledger calls "cube, identity, 12 cells".
func debitWords(what string) string {
	kind, rest, _ := strings.Cut(what, ", ")
	method, cells, _ := strings.Cut(rest, ", ")
	if kind != "cube" {
		return sentence(what)
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
		return fmt.Sprintf("±%s in the mean at each of %d lengths (Laplace)", formatCount(phases[len(phases)-1].Scale), len(phases))
	}
	var words []string
	for _, p := range r.Strong.Phases {
		words = append(words, fmt.Sprintf("±%s in the mean on %s %s", formatCount(p.Scale), number(p.Counts), p.Name))
	}
	return strings.Join(words, ", then ") + " (Laplace)"
}

// errorWords: how far each dimension's counts are off, those of each length, or those
// of an answer.
func errorWords(r release.Release) string {
	all := r.Strong.Errors
	switch {
	case len(all) == 0:
		return ""
	case r.Kind == release.KindSequences:
		return fmt.Sprintf("±%s patients at each length", formatCount(all[0].Release)) // which share ε evenly
	case r.Strong.Asked != nil:
		return fmt.Sprintf("±%s patients, at most ±%s 95 times of 100", formatCount(all[0].Release), formatCount(r.Strong.Asked.Within))
	}
	var words []string
	for _, name := range r.Strong.Dimensions {
		for _, e := range all {
			switch e.Question { // those that no table has are not measured
			case publishdp.SliceOf(name):
				words = append(words, "±"+formatCount(e.Release)+" patients by "+name)
			case publishdp.SliceOf(name) + publishdp.NoiseAlone:
				words = append(words, fmt.Sprintf("±%s patients by %s from noise alone, up to ±%s if they are all in one category", formatCount(e.Release), name, formatCount(e.Baselines[publishdp.UniformMost])))
			}
		}
	}
	return strings.Join(words, ", ")
}

// baselineWords are what other ways would have been off by.
func baselineWords(e publishdp.ExpectedError) string {
	var words []string
	for _, name := range slices.Sorted(maps.Keys(e.Baselines)) {
		if name != publishdp.AtMost {
			words = append(words, name+" ±"+formatCount(e.Baselines[name]))
		}
	}
	if len(words) == 0 {
		return "–"
	}
	return strings.Join(words, "; ")
}

func epsilonWords(m ledger.Micro) string { return "ε " + m.String() }

// cellWords writes a number of cells, which may be very large.
func cellWords(n float64) string {
	if n < 1e15 {
		return formatCount(n)
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
