// SPDX-License-Identifier: Apache-2.0

package site

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"hide/internal/account"
	"hide/web/webtest"
)

// TestTheAPIIsServed by the whole site, beside its pages.
func TestTheAPIIsServed(t *testing.T) {
	i := webtest.Install(t, webtest.Invented(1))
	s, err := New(Config{Accounts: i.Accounts, Projects: i.Projects, PublicOrigin: webtest.Origin})
	if err != nil {
		t.Fatal(err)
	}
	ask := func(path, token string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(http.MethodGet, webtest.Origin+path, nil)
		if token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, r)
		return w
	}
	if w := ask("/api/v1/openapi.yaml", ""); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "openapi: 3.1") {
		t.Errorf("the document: status %d", w.Code)
	}
	if w := ask("/api/v1/projects", i.Token(i.Admin, account.ScopeRedact)); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "Ward 7") {
		t.Errorf("the projects: status %d, %s", w.Code, w.Body)
	}
	if w := ask("/api/v1/me", ""); w.Code != http.StatusUnauthorized {
		t.Errorf("without a token: status %d", w.Code)
	}
}
