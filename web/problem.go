// SPDX-License-Identifier: Apache-2.0

package web

import (
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"hide/internal/account"
	"hide/internal/project"
	"hide/web/ui"
)

// Kinds of problems that only the API has. They are the members "kind" of problem documents,
// beside the kinds of errors of a project.
const (
	problemToken    = "token"
	problemScope    = "insufficient_scope"
	problemType     = "urn:hide:problem:" // before a kind, as the type of a problem
	problemMIMEType = "application/problem+json"
)

var (
	errTokenNeeded = &ui.Error{
		Status: http.StatusUnauthorized, Title: "An access token is needed",
		What: "The API takes an access token in the header Authorization, and no cookie.",
		Next: `Send "Authorization: Bearer hide_...". A person makes tokens on the page Your sessions and tokens.`,
		More: map[string]any{"kind": problemToken},
	}
	errTokenInAddress = &ui.Error{
		Status: http.StatusBadRequest, Title: "Access token in the address",
		What: "Addresses are kept in logs and histories, so that a token in one is no longer secret. The request was not carried out.",
		Next: `Revoke this token, and send another one in the header "Authorization: Bearer hide_...".`,
		More: map[string]any{"kind": problemToken},
	}
	errTokenOfProject = &ui.Error{
		Status: http.StatusForbidden, Title: "Not allowed",
		What: "This token is for one project, and the address is about all of them.",
		Next: "Use an address below the project, or a token for all projects.",
		More: map[string]any{"kind": problemToken},
	}
)

func insufficientScope(needs account.Scope) error {
	return &ui.Error{
		Status: http.StatusForbidden, Title: "The token does not have the scope",
		What: "This needs a token with the scope " + string(needs) + ".",
		Next: "Make a token with this scope on the page Your sessions and tokens.",
		More: map[string]any{"kind": problemScope, "scope": string(needs)},
	}
}

// usualRetry is after how many seconds a program may ask again when nothing else is known.
const usualRetry = "10"

// showProblem answers with a problem document (RFC 9457).
func showProblem(c echo.Context, e *ui.Error) error {
	h := c.Response().Header()
	if e.Status == http.StatusUnauthorized || e.More["kind"] == problemScope {
		h.Set("WWW-Authenticate", challenge(e))
	}
	if e.Status == http.StatusServiceUnavailable && h.Get("Retry-After") == "" {
		h.Set("Retry-After", usualRetry)
	}
	if c.Request().Method == http.MethodHead {
		return c.NoContent(e.Status)
	}
	body, err := json.Marshal(problem(e))
	if err != nil {
		return err
	}
	h.Set("Content-Type", problemMIMEType)
	return c.Blob(e.Status, problemMIMEType, append(body, '\n'))
}

// problem are the members of a problem document.
func problem(e *ui.Error) map[string]any {
	p := map[string]any{"type": "about:blank", "title": e.Title, "status": e.Status, "detail": e.What}
	maps.Copy(p, e.More)
	if kind, ok := p["kind"].(string); ok {
		p["type"] = problemType + strings.ReplaceAll(kind, " ", "_")
	}
	if e.Next != "" && e.Next != ui.GoBack {
		p["hint"] = e.Next
	}
	if e.Ref != "" {
		p["reference"] = e.Ref
	}
	return p
}

// challenge is the header that says which token is missing (RFC 6750).
func challenge(e *ui.Error) string {
	switch {
	case e == errTokenNeeded:
		return `Bearer realm="hide"`
	case e.More["kind"] == problemScope:
		return `Bearer realm="hide", error="insufficient_scope", scope="` + e.More["scope"].(string) + `"`
	}
	return `Bearer realm="hide", error="invalid_token"`
}

// explainAPI finds the words for an error of a request to the API, or nil when it knows none.
func explainAPI(c echo.Context, err error) *ui.Error {
	var slow *account.TooManyTriesError
	var conflict *project.ConflictError
	switch {
	case errors.Is(err, account.ErrToken):
		return &ui.Error{Status: http.StatusUnauthorized, Title: "The access token is not valid", What: ui.Sentence(err.Error()), More: map[string]any{"kind": problemToken}}
	case errors.As(err, &slow):
		c.Response().Header().Set("Retry-After", strconv.Itoa(int(slow.Wait.Seconds())))
	case errors.As(err, &conflict):
		e := *ui.Explain(err)
		e.Next = "Read the note again, and repeat the change on its present revision if it is still needed."
		e.More = map[string]any{"kind": string(project.Stale), "revision": conflict.Theirs.Layer.Revision}
		return &e
	}
	if e := ui.Explain(err); e != nil {
		return withKind(e, err)
	}
	return explainAPIRequest(err)
}

// withKind adds what a program can tell errors of a project apart by.
func withKind(e *ui.Error, err error) *ui.Error {
	var own *project.Error
	if e.More != nil || !errors.As(err, &own) {
		return e
	}
	shown := *e
	shown.More = map[string]any{"kind": string(own.Kind)}
	if own.Obstacle != "" {
		shown.More["obstacle"] = string(own.Obstacle)
	}
	return &shown
}

// explainAPIRequest is for errors of echo and net/http.
func explainAPIRequest(err error) *ui.Error {
	var h *echo.HTTPError
	if !errors.As(err, &h) {
		return explainHTTP(err)
	}
	e := &ui.Error{Status: h.Code, Title: http.StatusText(h.Code)}
	switch h.Code {
	case http.StatusNotFound:
		e.What, e.Next = "The API has no such address.", "All addresses are in "+ui.APIBase+"/openapi.yaml."
	case http.StatusMethodNotAllowed:
		e.What, e.Next = "The address does not accept this method.", "The header Allow names the methods that it accepts."
	case http.StatusUnsupportedMediaType:
		e.What, e.Next = "The address does not accept a body of this content type.", "docs/api.md names the content types of each address."
	case http.StatusRequestTimeout:
		e.What, e.Next = "The request took too long to arrive.", "Send it again."
	default:
		return explainHTTP(err)
	}
	return e
}
