// SPDX-License-Identifier: Apache-2.0

package dp

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/project/dp"
	"hide/internal/publish/ledger"
	"hide/web/ui"
)

func (h *Handlers) budgetRoutes() []ui.Route {
	return []ui.Route{
		ui.Post("/p/:project/publish/budget", account.Sanitize, h.budgetOpen),
		ui.Post("/p/:project/publish/budget/raise", account.Sanitize, h.budgetRaise),
		ui.Post("/p/:project/publish/budget/part", account.Sanitize, h.budgetSeparate),
	}
}

// budgetForm is the content of a form that opens or changes a budget.
type budgetForm struct {
	limit, reason string
	despite       string // why it is opened although a backup was restored
	problem       string // why it was refused
	same          bool   // it was refused because the same patients have another budget
	confirmed     bool   // the box was ticked; not after a refusal that names that other budget
}

// amendFirst reports whether the budget must be changed before anything can be published.
func (v budgetView) amendFirst() bool { return len(v.Budget.Shared) > 0 || v.budget.problem != "" }

// budgetOpen sets the budget.
func (h *Handlers) budgetOpen(c ui.Context) error {
	return h.budgetAct(c, func(ctx context.Context, u account.User, id project.ID, f budgetForm) error {
		limit, err := f.amount()
		if err != nil {
			return err
		}
		return h.projects.OpenBudget(ctx, u, id, dp.BudgetOpening{Limit: limit, Apart: f.reason, Despite: f.despite})
	})
}

// budgetRaise lifts a limit, with a reason.
func (h *Handlers) budgetRaise(c ui.Context) error {
	return h.budgetAct(c, func(ctx context.Context, u account.User, id project.ID, f budgetForm) error {
		limit, err := f.amount()
		if err != nil {
			return err
		}
		return h.projects.RaiseBudget(ctx, u, id, limit, f.reason)
	})
}

// budgetSeparate declares why patients with the numbers of others are not the same.
func (h *Handlers) budgetSeparate(c ui.Context) error {
	return h.budgetAct(c, func(ctx context.Context, u account.User, id project.ID, f budgetForm) error {
		return h.projects.SeparateBudget(ctx, u, id, f.reason)
	})
}

func (f budgetForm) amount() (ledger.Micro, error) {
	limit, err := ledger.ParseEpsilon(f.limit)
	if err != nil {
		return 0, &project.Error{Kind: project.Invalid, Message: err.Error(), Hint: "write it as 1 or 0.5"}
	}
	return limit, nil
}

// budgetAct changes the budget as the form says, if it is confirmed, and goes back to the
// page of the form.
func (h *Handlers) budgetAct(c ui.Context, act func(context.Context, account.User, project.ID, budgetForm) error) error {
	ctx, u, id := c.Request().Context(), ui.User(c), ui.ProjectID(c)
	f := budgetForm{limit: strings.TrimSpace(c.FormValue("limit")), reason: strings.TrimSpace(c.FormValue("reason")), despite: strings.TrimSpace(c.FormValue("despite"))}
	err := error(&project.Error{Kind: project.Invalid, Message: "tick the box to confirm"})
	if c.FormValue("confirm") != "" {
		err = act(ctx, u, id, f)
	}
	from := c.FormValue("from")
	if from != "sequences" && from != "questions" {
		from = "counts"
	}
	if err == nil && !hasOtherEntries(c) {
		return ui.Back(c, string(ui.ProjectURL(id, "/publish/"+from))+"#budget")
	}
	if err == nil {
		return h.showBudget(c, http.StatusOK, from, budgetForm{})
	}
	if project.KindOf(err) != project.Invalid {
		return err
	}
	f.problem = ui.Problem(err)
	same := (*ledger.SameUnitsError)(nil)
	found := errors.As(err, &same)
	f.same = found || f.reason != ""
	f.confirmed = c.FormValue("confirm") != "" && !found
	return h.showBudget(c, http.StatusUnprocessableEntity, from, f)
}

// hasOtherEntries reports whether a form of the budget brought along the entries of the
// other form of its page.
func hasOtherEntries(c ui.Context) bool {
	return c.FormValue("source")+c.FormValue("dimensions")+c.FormValue("alphabet")+c.FormValue("question") != ""
}

// showBudget shows a page again with the entries of both its forms.
func (h *Handlers) showBudget(c ui.Context, status int, page string, f budgetForm) error {
	ctx, u, id := c.Request().Context(), ui.User(c), ui.ProjectID(c)
	values, err := c.FormParams()
	if err != nil {
		return err
	}
	switch page {
	case "sequences":
		v, err := h.sequencesView(ctx, u, id)
		if err != nil {
			return err
		}
		if v.budget = f; hasOtherEntries(c) {
			v.form = readSequencesForm(values)
		}
		return h.showSequences(c, status, v)
	case "questions":
		v, err := h.queriesView(ctx, u, id)
		if err != nil {
			return err
		}
		if v.budget = f; hasOtherEntries(c) {
			v.form = readQueryForm(values)
		}
		return h.showQueries(c, status, v)
	}
	v, err := h.countsView(ctx, u, id)
	if err != nil {
		return err
	}
	if v.budget = f; hasOtherEntries(c) {
		v.form = readCountsForm(values)
	}
	return h.showCounts(c, status, v)
}
