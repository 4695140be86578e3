// SPDX-License-Identifier: Apache-2.0

package web

import (
	"net/http"
	"strings"
	"testing"

	"hide/internal/account"
	"hide/internal/greedy"
	"hide/internal/project/sanitize"
)

func TestStartAsksForWordsThatGiveAway(t *testing.T) {
	f := newFakeSanitize()
	v := sanitizeValues()
	post(newTestServer(t, f), account.Broker, "/p/p1/sanitize", v)
	v.Set("near", "redact")
	v.Set("near-window", " 7 ")
	v.Set("near-support", "2")
	v.Set("near-lift", "1.5")
	post(newTestServer(t, f), account.Broker, "/p/p1/sanitize", v)
	v.Set("near", "list")
	post(newTestServer(t, f), account.Broker, "/p/p1/sanitize", v)
	if len(f.started) != 3 || f.started[0].Context != nil {
		t.Fatalf("started %+v", f.started)
	}
	want := greedy.Context{Window: 7, MinSupport: 2, MinLift: 1.5, Redact: true}
	if got := f.started[1].Context; got == nil || *got != want {
		t.Errorf("asked for %+v, want %+v", got, want)
	}
	if got := f.started[2].Context; got == nil || got.Redact {
		t.Errorf("listed alone they are %+v", got)
	}
	for field, bad := range map[string]string{"near-window": "0", "near-support": "many", "near-lift": "-1"} {
		one := sanitizeValues()
		one.Set("near", "list")
		for name, usual := range map[string]string{"near-window": "5", "near-support": "3", "near-lift": "5"} {
			one.Set(name, usual)
		}
		one.Set(field, bad)
		w := post(newTestServer(t, f), account.Broker, "/p/p1/sanitize", one)
		if body := w.Body.String(); w.Code != http.StatusUnprocessableEntity || !strings.Contains(body, "need three numbers") || !strings.Contains(body, `<option value="list" selected`) || !strings.Contains(body, `value="`+bad+`"`) {
			t.Errorf("%s of %s: status %d", field, bad, w.Code)
		}
	}
}

func TestStartAsksForTheDimension(t *testing.T) {
	f := newFakeSanitize()
	for _, c := range []struct {
		mode, text string
		want       float64
		code       int
	}{
		{"paper", "", 0, http.StatusSeeOther}, {"paper", " 300,001 ", 300001, http.StatusSeeOther}, {"default", "12", 0, http.StatusSeeOther},
		{"paper", "0.5", 0, http.StatusUnprocessableEntity}, {"paper", "some", 0, http.StatusUnprocessableEntity}, {"paper", "0", 0, http.StatusUnprocessableEntity},
	} {
		v, before := sanitizeValues(), len(f.started)
		v.Set("mode", c.mode)
		v.Set("vc", c.text)
		w := post(newTestServer(t, f), account.Broker, "/p/p1/sanitize", v)
		if w.Code != c.code {
			t.Errorf("%q in mode %s: status %d", c.text, c.mode, w.Code)
		}
		if c.code == http.StatusSeeOther && (len(f.started) == before || f.started[before].VC != c.want) {
			t.Errorf("%q in mode %s: started %+v", c.text, c.mode, f.started[before:])
		}
	}
}

func TestWordsThatGiveAwayAreForReadersOfNotes(t *testing.T) {
	r := madeRun()
	r.Params.Context, r.ContextFound = &greedy.Context{Redact: true}, 2
	r.Context = []greedy.Association{{Word: "mayor", Identifier: "weiss", Label: "DOCTOR", Support: 6, Confidence: 1, Lift: 17}}
	body := get(newTestServer(t, newFakeSanitize(r)), account.Broker, "/p/p1/sanitize").Body.String()
	for _, want := range []string{"2 pairs of a word and a name were found", "counted and redacted like names", "Shown are 1.", `<th scope="row">mayor</th><td>weiss</td><td>DOCTOR</td><td>6</td><td>100.0 %</td><td>17</td>`,
		"<dt>Words beside names</dt><dd>treat them as sensitive: within 5 words, in 3 notes at least, 5 times as often as by chance</dd>", "words that give somebody away are sensitive"} {
		if !strings.Contains(body, want) {
			t.Errorf("no %q", want)
		}
	}
	r.Context = nil // as the service gives it to who may not read notes
	body = get(newTestServer(t, newFakeSanitize(r)), account.Reviewer, "/p/p1/sanitize").Body.String()
	if strings.Contains(body, "mayor</th>") || !strings.Contains(body, "The words themselves are shown only to people who may read the notes") {
		t.Error("a reviewer sees the words, or not why there are none")
	}
	r.ContextFound = 0
	if words := nearFound(r); !strings.Contains(words, "None was found") {
		t.Errorf("of none it says %q", words)
	}
	if got := rendered(t, nearFigure(&sanitize.Run{})); got != "" {
		t.Errorf("a run that was not asked shows %q", got)
	}
}

func TestWhatMayBeAskedOfARunIsAccessible(t *testing.T) {
	r := madeRun()
	r.Params.Context, r.Params.VC, r.ContextFound = &greedy.Context{Redact: true}, 300001, 1
	r.Context = []greedy.Association{{Word: "mayor", Identifier: "weiss", Label: "DOCTOR", Support: 6, Confidence: 1, Lift: 17}}
	v := visitAs(t, newFakeSanitize(r), account.Broker)
	v.Open(v.base + "/p/p1/sanitize")
	v.Eval(`for (const d of document.querySelectorAll(".start, .start details, .asked, .near-words details")) d.open = true`, nil)
	v.Axe()
	v.Shots("sanitize-asked")
}
