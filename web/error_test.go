// SPDX-License-Identifier: Apache-2.0

package web

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"hide/internal/account"
	"hide/internal/project/sanitize"
)

func TestErrorPagesWithinAProjectKeepItsNavigation(t *testing.T) {
	s := newTestServer(t, madePublish())
	for _, c := range []struct {
		role   account.Role
		path   string
		status int
		inside bool
	}{
		{account.Broker, "/p/p1/sanitize/99", http.StatusNotFound, true},
		{account.Broker, "/p/p1/nowhere/at/all", http.StatusNotFound, true},
		{account.Broker, "/p/p1/publish?bundle=77", http.StatusNotFound, true},
		{account.Annotator, "/p/p1/publish", http.StatusForbidden, true},
		{account.Broker, "/p/p9/sanitize", http.StatusNotFound, false},
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
	w := post(s, account.Broker, "/p/p1/publish", url.Values{"bundle": {"99"}})
	if w.Code != http.StatusNotFound || !strings.Contains(w.Body.String(), `<nav aria-label="Project">`) {
		t.Errorf("a refused form: status %d, or no navigation", w.Code)
	}
}

func TestUnknownBundleIsNotReplacedByAnother(t *testing.T) {
	f := madePublish()
	f.bundles = append(f.bundles, sanitize.Bundle{Number: 9, Run: 3, LC: 10})
	s := newTestServer(t, f)
	for _, asked := range []string{"77", "0", "-1", "x", "09"} {
		w := get(s, account.Broker, "/p/p1/publish?bundle="+asked)
		body := w.Body.String()
		if w.Code != http.StatusNotFound || strings.Contains(body, "bundle-title") || !strings.Contains(body, "There is no bundle &#34;"+asked) || !strings.Contains(body, "and 9.") {
			t.Errorf("bundle %q: status %d, or another bundle, or not what there is", asked, w.Code)
		}
		if w := post(s, account.Broker, "/p/p1/publish", url.Values{"bundle": {asked}, "documents": {"480"}, "confirm": {"yes"}}); w.Code != http.StatusNotFound || len(f.publish) > 0 {
			t.Errorf("publishing with bundle %q: status %d, published %v", asked, w.Code, f.publish)
		}
	}
	if w := get(s, account.Broker, "/p/p1/publish?bundle=9"); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "Bundle 9: L/C 10") {
		t.Errorf("bundle 9: status %d", w.Code)
	}
}

func TestUnknownBudgetIsSaidAndNotSilentlyReplaced(t *testing.T) {
	s := newTestServer(t, newFakeSanitize(madeRun()))
	const words = "has no figures for the words B that the address asks for. It has 25, 50, 100, 200, 500 and 1,000; shown is 1,000."
	for query, missing := range map[string]bool{"": false, "?b=25": false, "?b=7": true, "?b=words": true, "?lc=50&b=1000": false} {
		if said := strings.Contains(get(s, account.Broker, "/p/p1/sanitize"+query).Body.String(), words); said != missing {
			t.Errorf("%q: said to be missing: %v", query, said)
		}
	}
	r := madeRun()
	for i := range r.Choices {
		c := &r.Choices[i]
		c.Outcome.Attack.Ranked = nil
		for k := range c.Rounds {
			c.Rounds[k].Outcome.Attack.Ranked = nil
		}
	}
	if body := get(newTestServer(t, newFakeSanitize(r)), account.Broker, "/p/p1/sanitize?b=25").Body.String(); strings.Contains(body, "sanitize-no-such-b") {
		t.Error("a link from another run is a mistake where there is nothing to choose")
	}
}

func TestUnknownLCIsSaidAndNotSilentlyReplaced(t *testing.T) {
	s := newTestServer(t, newFakeSanitize(madeRun()))
	for query, missing := range map[string]bool{"": false, "?lc=50": false, "?lc=10": false, "?lc=77": true, "?lc=words": true, "?lc=": true, "?lc=NaN": true} {
		body := strings.Join(strings.Fields(get(s, account.Broker, "/p/p1/sanitize"+query).Body.String()), " ")
		if strings.Contains(body, "has not the L/C that the address asks for. It has 1, ") != missing {
			t.Errorf("%q: said to be missing: %v", query, !missing)
		}
		if missing && !strings.Contains(body, "shown is 10.") {
			t.Errorf("%q: what is shown is not said", query)
		}
	}
}
