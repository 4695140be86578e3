// SPDX-License-Identifier: Apache-2.0

package web

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"hide/internal/account"
)

// TestErrorPagesWithinAProjectKeepItsNavigation: package site has the same test for the
// real pages.
func TestErrorPagesWithinAProjectKeepItsNavigation(t *testing.T) {
	s := newTestServer(t, newTestFeature())
	for _, c := range []struct {
		role   account.Role
		path   string
		status int
		inside bool
	}{
		{account.Broker, "/p/p1/missing", http.StatusNotFound, true},
		{account.Broker, "/p/p1/nowhere/at/all", http.StatusNotFound, true},
		{account.Annotator, "/p/p1/form", http.StatusForbidden, true},
		{account.Broker, "/p/p9/missing", http.StatusNotFound, false},
		{account.Broker, "/nowhere", http.StatusNotFound, false},
		{"", "/p/p1/nowhere", http.StatusNotFound, false},
	} {
		w := get(s, c.role, c.path)
		body := w.Body.String()
		if w.Code != c.status {
			t.Errorf("%s: status %d, want %d", c.path, w.Code, c.status)
		}
		for _, part := range []string{`<nav aria-label="Project">`, "Discharge letters", "Overview of the project"} {
			if strings.Contains(body, part) != c.inside {
				t.Errorf("%s as %q: %q is there: %v", c.path, c.role, part, !c.inside)
			}
		}
	}
	w := post(s, account.Broker, "/p/p1/form", nil)
	if w.Code != http.StatusNotFound || !strings.Contains(w.Body.String(), `<nav aria-label="Project">`) {
		t.Errorf("a refused form: status %d, or no navigation", w.Code)
	}
}

// TestAnAnswerThatFailsHalfwayDoesNotLookWhole: the client must see an error.
func TestAnAnswerThatFailsHalfwayDoesNotLookWhole(t *testing.T) {
	s := newTestServer(t, newTestFeature())
	running := httptest.NewServer(s.Handler())
	defer running.Close()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, running.URL+"/p/p1/half", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Host = strings.TrimPrefix(testOrigin, "http://")
	r.AddCookie(&http.Cookie{Name: s.cookie, Value: string(account.Broker)})
	answer, err := running.Client().Do(r)
	if err != nil {
		return // cut before the header arrived
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		t.Fatalf("status %d", answer.StatusCode)
	}
	if _, err := io.Copy(io.Discard, answer.Body); err == nil {
		t.Error("half a file arrives without an error")
	}
}
