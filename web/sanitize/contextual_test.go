// SPDX-License-Identifier: Apache-2.0

package sanitize

import (
	"net/http"
	"strings"
	"testing"

	"hide/internal/account"
	"hide/internal/greedy"
	"hide/internal/project/sanitize"
	"hide/web/webtest"
)

func TestStartAsksForContextualIdentifiers(t *testing.T) {
	f := newFakeSanitize()
	v := sanitizeValues()
	newServer(t, f).Post(account.Broker, "/p/p1/sanitize", v)
	v.Set("context", "redact")
	newServer(t, f).Post(account.Broker, "/p/p1/sanitize", v)
	v.Set("context", "list")
	newServer(t, f).Post(account.Broker, "/p/p1/sanitize", v)
	if len(f.started) != 3 || f.started[0].Context != nil {
		t.Fatalf("started %+v", f.started)
	}
	want := greedy.Context{Redact: true}.WithDefaults()
	if got := f.started[1].Context; got == nil || *got != want {
		t.Errorf("asked for %+v, want %+v", got, want)
	}
	if got := f.started[2].Context; got == nil || got.Redact {
		t.Errorf("listed alone they are %+v", got)
	}
	v.Set("context", "hide")
	if w := newServer(t, f).Post(account.Broker, "/p/p1/sanitize", v); w.Code != http.StatusUnprocessableEntity || len(f.started) != 3 {
		t.Errorf("status %d", w.Code)
	}
}

func TestWordsThatGiveAwayAreForReadersOfNotes(t *testing.T) {
	r := webtest.MadeRun()
	r.Params.Context, r.ContextFound = &greedy.Context{Redact: true}, 2
	r.Context = []greedy.Association{{Word: "mayor", Identifier: "weiss", Label: "DOCTOR", Support: 6, Confidence: 1, Lift: 17}}
	body := newServer(t, newFakeSanitize(r)).Get(account.Broker, "/p/p1/sanitize").Body.String()
	for _, want := range []string{"2 pairs of a word and an identifier were found", "counted and redacted like identifiers", "The list shows the strongest 1 pair.", `<th scope="row">mayor</th><td>weiss</td><td>DOCTOR</td><td>6</td><td>100.0 %</td><td>17</td>`,
		"<dt>Contextual identifiers</dt><dd>treat them as sensitive, with the label CONTEXT</dd>", "contextual identifiers are sensitive"} {
		if !strings.Contains(body, want) {
			t.Errorf("no %q", want)
		}
	}
	r.Context = nil // as the service gives it to who may not read notes
	body = newServer(t, newFakeSanitize(r)).Get(account.Reviewer, "/p/p1/sanitize").Body.String()
	if strings.Contains(body, "mayor</th>") || !strings.Contains(body, "The words themselves are shown only to people who may read the notes") {
		t.Error("a reviewer sees the words, or not why there are none")
	}
	r.ContextFound = 0
	if words := contextFound(r); !strings.Contains(words, "No contextual identifier was found") {
		t.Errorf("of none it says %q", words)
	}
	if got := webtest.Rendered(t, contextFigure(&sanitize.Run{})); got != "" {
		t.Errorf("a run that was not asked shows %q", got)
	}
}

func TestWhatMayBeAskedOfARunIsAccessible(t *testing.T) {
	r := webtest.MadeRun()
	r.Params.Context, r.Params.VC, r.ContextFound = &greedy.Context{Redact: true}, 300001, 1
	r.Context = []greedy.Association{{Word: "mayor", Identifier: "weiss", Label: "DOCTOR", Support: 6, Confidence: 1, Lift: 17}}
	v := openBrowser(t, account.Broker, newFakeSanitize(r))
	v.Open(v.Base + "/p/p1/sanitize")
	v.Eval(`for (const d of document.querySelectorAll(".start, .start details, .asked, .near-words details")) d.open = true`, nil)
	v.Axe()
	v.Shots("sanitize-asked")
}
