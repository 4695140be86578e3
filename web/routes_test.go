// SPDX-License-Identifier: Apache-2.0

package web

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"hide/internal/account"
)

// TestRoutesListsTheShellAndItsFeatures: what package site checks is all there is.
func TestRoutesListsTheShellAndItsFeatures(t *testing.T) {
	s := newTestServer(t, newTestFeature())
	var listed []string
	for _, r := range s.Routes() {
		listed = append(listed, r.Method+" "+r.Path)
	}
	for _, r := range s.echo.Routes() {
		if at := r.Method + " " + r.Path; !strings.HasPrefix(r.Path, "/static/") && !strings.HasPrefix(r.Method, "echo_") && !slices.Contains(listed, at) {
			t.Errorf("%s is not listed", at)
		}
	}
	for _, at := range []string{"POST /session", "GET /p/:project/live", "GET /people/:id/role"} {
		if !slices.Contains(listed, at) {
			t.Errorf("%s is not listed", at)
		}
	}
}

// TestAnAddressThatTakesFormsOnlyLeadsToItsPage: a person who reloads a preview from the
// address bar sees a page. Package site has the same test for the real addresses.
func TestAnAddressThatTakesFormsOnlyLeadsToItsPage(t *testing.T) {
	s := newTestServer(t, newTestFeature())
	for from, to := range map[string]string{
		"/p/p1/form/preview":    "/p/p1/form",
		"/p/p1/form/part/raise": "/p/p1/form",
		"/p/p1/notes/1/edit":    "/p/p1/notes/1",
		"/p/p1/file":            "/p/p1",
		"/people/u-1/role":      "/people",
		"/sign-out":             "/",
	} {
		w := get(s, account.Admin, from)
		if got := w.Header().Get("Location"); w.Code != http.StatusSeeOther || got != to {
			t.Errorf("%s: status %d to %q, want %q", from, w.Code, got, to)
		}
	}
}
