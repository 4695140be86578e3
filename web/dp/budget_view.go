// SPDX-License-Identifier: Apache-2.0

package dp

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/project/dp"
	"hide/internal/project/release"
	"hide/internal/publish/cube"
	publishdp "hide/internal/publish/dp"
	"hide/internal/publish/ledger"
	"hide/internal/publish/table"
	"hide/internal/words"
	"hide/web/ui"
)

// budgetView is what the pages of counts, sequences and queries share: the budget that they
// spend, and the attributes that they can count.
type budgetView struct {
	page     string // "counts", "sequences" or "questions": which page shows it
	Project  project.Overview
	Budget   dp.Budget
	Status   release.Status
	Counted  release.Counted
	Releases []release.Release    // with differential privacy, newest first
	Known    []release.Identifier // attributes that are not direct identifiers
	Alone    int                  // notes without a patient number
	budget   budgetForm
}

func (h *Handlers) budgetView(ctx context.Context, u account.User, id project.ID, page string) (budgetView, error) {
	v := budgetView{page: page}
	var err error
	if v.Project, err = h.projects.Project(ctx, u, id); err != nil {
		return v, err
	}
	if v.Budget, err = h.projects.Budget(ctx, u, id); err != nil {
		return v, err
	}
	if v.Status, err = h.projects.Publishing(ctx, u, id); err != nil {
		return v, err
	}
	if v.Counted, err = h.projects.Counted(ctx, u, id); err != nil {
		return v, err
	}
	all, err := h.projects.Identifiers(ctx, u, id)
	if err != nil {
		return v, err
	}
	v.Alone = all.Alone
	for _, a := range all.Attributes {
		if a.Role != table.Direct {
			v.Known = append(v.Known, a)
		}
	}
	releases, err := h.projects.Releases(ctx, u, id)
	for _, r := range ui.NewestFirst(releases, func(r release.Release) int { return r.Number }) {
		if r.Strong != nil {
			v.Releases = append(v.Releases, r)
		}
	}
	return v, err
}

// unanswered reports whether the last request has not been published, so that the form shows
// it again.
func (v budgetView) unanswered() bool { return v.Status.Running || v.Status.Error != "" }

// names are the attributes that can be counted.
func (v budgetView) names() []string {
	all := make([]string, len(v.Known))
	for i, a := range v.Known {
		all[i] = a.Name
	}
	return all
}

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

func (v budgetView) debits() []debitRow {
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
