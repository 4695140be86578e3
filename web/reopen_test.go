// SPDX-License-Identifier: Apache-2.0

package web

import (
	"net/http"
	"testing"

	"hide/internal/account"
)

// TestAnAddressThatTakesFormsOnlyLeadsToItsPage: a reload of a preview from the address
// bar is no dead end.
func TestAnAddressThatTakesFormsOnlyLeadsToItsPage(t *testing.T) {
	s := newTestServer(t, newFakeProjects())
	for from, to := range map[string]string{
		"/p/p1/publish/table/preview": "/p/p1/publish/table",
		"/p/p1/publish/joint/preview": "/p/p1/publish/joint",
		"/p/p1/publish/budget/raise":  "/p/p1/publish",
		"/p/p1/notes/1/edit":          "/p/p1/notes/1",
		"/p/p1/audits/1/findings":     "/p/p1/audits",
		"/people/u-1/role":            "/people",
		"/sign-out":                   "/",
	} {
		w := get(s, account.Admin, from)
		if got := w.Header().Get("Location"); w.Code != http.StatusSeeOther || got != to {
			t.Errorf("%s: status %d to %q, want %q", from, w.Code, got, to)
		}
	}
}
