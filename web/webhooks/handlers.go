// SPDX-License-Identifier: Apache-2.0

// Package webhooks shows the webhooks of a project, and lets its brokers add, test and remove
// them.
package webhooks

import (
	"cmp"
	"context"
	"net/http"
	"strconv"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/project/webhooks"
	"hide/web/ui"
)

// Projects is what this page asks. Each method checks the permission of by first.
type Projects interface {
	ui.Projects
	Webhooks(ctx context.Context, by account.User, id project.ID) (webhooks.Webhooks, error)
	AddWebhook(ctx context.Context, by account.User, id project.ID, address string, events []webhooks.Event) (w webhooks.Webhook, secret string, err error)
	RemoveWebhook(ctx context.Context, by account.User, id project.ID, number int) error
	EnableWebhook(ctx context.Context, by account.User, id project.ID, number int) error
	TestWebhook(ctx context.Context, by account.User, id project.ID, number int) (webhooks.Attempt, error)
}

// Handlers answers for this page.
type Handlers struct{ projects Projects }

// New makes the handlers of this page.
func New(projects Projects) *Handlers { return &Handlers{projects} }

// Routes lists the page and its forms.
func (h *Handlers) Routes() []ui.Route {
	return []ui.Route{
		ui.Get("/p/:project/webhooks", account.ManageWork, h.show),
		ui.Post("/p/:project/webhooks", account.ManageWork, h.add),
		ui.Post("/p/:project/webhooks/test", account.ManageWork, h.test),
		ui.Post("/p/:project/webhooks/enable", account.ManageWork, h.enable),
		ui.Post("/p/:project/webhooks/remove", account.ManageWork, h.remove),
	}
}

// Parts: the page has none.
func (h *Handlers) Parts() []ui.LivePart { return nil }

// view is the page. A new secret is shown once, on the page that answers the form.
type view struct {
	project project.Overview
	webhooks.Webhooks
	secret string // of the webhook newest
	newest int
	form   form
	tested *tested // nil mostly
	asks   int     // the webhook to remove, after a question; 0 mostly
}

// form is what was typed into the form for a new webhook, and what is wrong with it.
type form struct {
	url     string
	events  []webhooks.Event
	problem string
	which   string // the field at fault: "url" or "events"
}

// tested is the outcome of a test.
type tested struct {
	number  int
	attempt webhooks.Attempt
}

func (h *Handlers) show(c ui.Context) error { return h.showPage(c, http.StatusOK, view{}) }

func (h *Handlers) showPage(c ui.Context, status int, v view) error {
	var err error
	if v.project, err = ui.Project(c, h.projects); err != nil {
		return err
	}
	if v.Webhooks, err = h.projects.Webhooks(c.Request().Context(), ui.User(c), ui.ProjectID(c)); err != nil {
		return err
	}
	return ui.ShowPageStatus(c, status, ui.Page{Title: "Webhooks · " + v.project.Name, Project: &v.project, Scripts: []string{"js/copy.js"}}, page(v))
}

// add adds a webhook, and shows its secret.
func (h *Handlers) add(c ui.Context) error {
	values, err := c.FormParams()
	if err != nil {
		return err
	}
	f := form{url: c.FormValue("url")}
	for _, e := range values["event"] {
		f.events = append(f.events, webhooks.Event(e))
	}
	w, secret, err := h.projects.AddWebhook(c.Request().Context(), ui.User(c), ui.ProjectID(c), f.url, f.events)
	if refused := ui.Refused(err); refused != nil {
		f.problem, f.which = refused.What+" "+refused.Next, "url"
		if f.url != "" && len(f.events) == 0 {
			f.which = "events"
		}
		return h.showPage(c, http.StatusUnprocessableEntity, view{form: f})
	}
	if err != nil {
		return err
	}
	return h.showPage(c, http.StatusOK, view{secret: secret, newest: w.Number})
}

// test sends a test and shows how that went.
func (h *Handlers) test(c ui.Context) error {
	number := chosen(c)
	attempt, err := h.projects.TestWebhook(c.Request().Context(), ui.User(c), ui.ProjectID(c), number)
	if err != nil {
		return err
	}
	return h.showPage(c, http.StatusOK, view{tested: &tested{number, attempt}})
}

func (h *Handlers) enable(c ui.Context) error {
	return h.back(c, h.projects.EnableWebhook(c.Request().Context(), ui.User(c), ui.ProjectID(c), chosen(c)))
}

// remove asks first.
func (h *Handlers) remove(c ui.Context) error {
	if c.FormValue("sure") != "yes" {
		return h.showPage(c, http.StatusOK, view{asks: cmp.Or(chosen(c), -1)})
	}
	return h.back(c, h.projects.RemoveWebhook(c.Request().Context(), ui.User(c), ui.ProjectID(c), chosen(c)))
}

func (h *Handlers) back(c ui.Context, err error) error {
	if err != nil {
		return err
	}
	return ui.Back(c, string(ui.ProjectURL(ui.ProjectID(c), "/webhooks")))
}

// chosen is the number of the webhook that a form is about; 0 if it is not a number.
func chosen(c ui.Context) int {
	n, _ := strconv.Atoi(c.FormValue("webhook"))
	return n
}
