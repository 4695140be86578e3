// SPDX-License-Identifier: Apache-2.0

package release

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"hide/internal/account"
	"hide/internal/project"
	"hide/web/publishing"
	"hide/web/ui"
)

// Outgoing is what these pages ask about releases that are out. Package review of web has the
// downloads of their evidence.
type Outgoing interface {
	WriteMapping(ctx context.Context, by account.User, id project.ID, number int, w io.Writer) error
	WithdrawRelease(ctx context.Context, by account.User, id project.ID, number int, reason string) error
	SupersedeRelease(ctx context.Context, by account.User, id project.ID, number, newer int, reason string) error
	AddRecipient(ctx context.Context, by account.User, id project.ID, number int, name string) error
	WriteStatus(ctx context.Context, by account.User, id project.ID, w io.Writer) error
	SigningKey(ctx context.Context, by account.User) (public, fingerprint string, err error)
}

// outgoingRoutes are those of [Outgoing].
func (h *Handlers) outgoingRoutes() []ui.Route {
	return []ui.Route{
		ui.Get("/p/:project/releases-status", account.SeeFigures, h.status),
		ui.Post("/p/:project/releases/:number/recipients", account.Sanitize, h.changed(func(c ui.Context, v *releaseView) error {
			return h.out.AddRecipient(c.Request().Context(), ui.User(c), v.Project.ID, v.Release.Number, c.FormValue("name"))
		})),
		ui.Post("/p/:project/releases/:number/withdraw", account.Sanitize, h.changed(h.withdraw)),
	}
}

// status sends the signed status of all releases of a project.
func (h *Handlers) status(c ui.Context) error {
	return ui.Attach(c, "application/json", fmt.Sprintf("releases-of-%s.json", ui.ProjectID(c)), func(w io.Writer) error {
		return h.out.WriteStatus(c.Request().Context(), ui.User(c), ui.ProjectID(c), w)
	})
}

// withdraw withdraws a release, or supersedes it by the one that the form names. What was typed
// must be the name of the release.
func (h *Handlers) withdraw(c ui.Context, v *releaseView) error {
	ctx, u := c.Request().Context(), ui.User(c)
	v.Reason = c.FormValue("reason")
	if strings.TrimSpace(c.FormValue("confirm")) != v.Release.Name {
		return project.Invalidf("type "+v.Release.Name, "the name was not typed as it is. Nothing was changed")
	}
	by := c.FormValue("newer")
	if by == "" {
		return h.out.WithdrawRelease(ctx, u, v.Project.ID, v.Release.Number, v.Reason)
	}
	newer, err := ui.AddressNumber(by)
	if err != nil {
		return err
	}
	return h.out.SupersedeRelease(ctx, u, v.Project.ID, v.Release.Number, newer, v.Reason)
}

// changed answers a form of the page of a release: with the page, and what is wrong on it.
func (h *Handlers) changed(do func(ui.Context, *releaseView) error) func(ui.Context) error {
	return func(c ui.Context) error {
		v, err := h.load(c)
		if err != nil {
			return err
		}
		err = do(c, &v)
		switch kind := project.KindOf(err); {
		case err == nil:
			return ui.Back(c, string(publishing.ReleaseURL(v.Project.ID, v.Release.Number, ""))+"#out")
		case kind == project.Invalid || kind == project.Stale:
			v.Error = ui.Explain(err)
			return h.show(c, http.StatusUnprocessableEntity, v)
		}
		return err
	}
}

func reviewURL(v releaseView, more string) templ.SafeURL {
	return ui.ProjectURL(v.Project.ID, "/reviews/"+strconv.Itoa(v.Release.Review)+more)
}
