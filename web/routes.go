// SPDX-License-Identifier: Apache-2.0

package web

import (
	"net/http"
	"slices"

	"github.com/labstack/echo/v4"

	"hide/internal/account"
)

// Who may use a route, besides the permissions of [account.Role].
const (
	anyone   account.Permission = "anyone"
	signedIn account.Permission = "signed in"
)

// route is one method and path, with the permission that its handler needs. The
// services check again; this check makes sure that none is forgotten, and that a
// refused person learns nothing about what exists.
type route struct {
	method, path string
	needs        account.Permission
	handle       echo.HandlerFunc
}

// routes lists everything the server answers, except files. Each group stands
// beside its handlers.
func (s *Server) routes() []route {
	return slices.Concat(
		s.accountRoutes(),    // signing in and out, people, audit
		s.backupRoutes(),     // a backup while people work
		s.projectRoutes(),    // projects and their home pages, the live connection
		s.noteRoutes(),       // the queue, notes, edits, training
		s.modelRoutes(),      // what the model is made of, and how good it is
		s.errorRoutes(),      // what the model gets wrong
		s.settingsRoutes(),   // how a project learns and what people see
		s.curvesRoutes(),     // what sampling trades between precision and recall
		s.dictionaryRoutes(), // lists that models look words up in
		s.importRoutes(),     // import, export
		s.sanitizeRoutes(),   // runs, charts, the choice of L/C
		s.sampleRoutes(),     // audits of what would be published
		s.publishRoutes(),    // bundles, publishing, releases
		s.tableRoutes(),      // tables, the roles of their attributes
		s.jointRoutes(),      // notes with their fields
		s.countsRoutes(),     // counts and their budget
		s.budgetRoutes(),     // how much may ever be spent
		s.sequencesRoutes(),  // sequences, from the same budget
		s.questionsRoutes(),  // questions, from the same budget
	)
}

// liveParts lists the fragments that pages may watch, by name. See [livePart].
func (s *Server) liveParts() map[string]livePart {
	return byName(slices.Concat(
		s.homeParts(),      // steps
		s.noteParts(),      // the model, the queue, the newest state of a note
		s.modelParts(),     // whether there is a newer model
		s.errorParts(),     // whether there is a newer check
		s.curvesParts(),    // the measuring of sampling, what it found
		s.sanitizeParts(),  // progress and results of a run
		s.sampleParts(),    // the drawing of a sample, what has been read of it
		s.publishParts(),   // publishing and the releases
		s.tableParts(),     // what several k would give
		s.releasedParts(),  // what was published of a kind
		s.jointParts(),     // what several k and lambda would
		s.countsParts(),    // the budget
		s.questionsParts(), // answers
	))
}

// permit wraps the route's handler so that only people with its permission
// reach it.
func (s *Server) permit(r route) echo.HandlerFunc {
	return func(c echo.Context) error {
		v := visitFrom(c.Request().Context())
		if allowed(v, r.needs) {
			return r.handle(c)
		}
		if !v.signedIn() {
			return s.askToSignIn(c)
		}
		return forbidden(v.user.Role, r.needs)
	}
}

// askToSignIn sends a browser to the sign-in page, and back afterwards; a script
// gets a fragment that says so. Whoever follows a link from another site comes
// without the strict cookie and may well be signed in: the browser is made to ask
// once more, this time from a page of ours.
func (s *Server) askToSignIn(c echo.Context) error {
	r := c.Request()
	if isFragment(r) || r.Method != http.MethodGet || c.IsWebSocket() {
		return errSignedOut
	}
	if r.Header.Get("Sec-Fetch-Site") == "cross-site" && ownPath.MatchString(r.URL.Path) {
		return s.fragment(c, onceMore(r.URL.Path))
	}
	return c.Redirect(http.StatusSeeOther, signInURL(r.URL.Path))
}
