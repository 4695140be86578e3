// SPDX-License-Identifier: Apache-2.0

package links

import (
	"fmt"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/project/links"
	"hide/web/webtest"
)

func shown(t *testing.T, f *fakeLinks, path string, status int) string {
	t.Helper()
	w := newServer(t, f).Get(account.Broker, "/p/p1/links"+path)
	if w.Code != status {
		t.Fatalf("%s: status %d, want %d", path, w.Code, status)
	}
	return w.Body.String()
}

func wants(t *testing.T, body string, all ...string) {
	t.Helper()
	for _, want := range all {
		if !strings.Contains(body, want) {
			t.Errorf("the page has no %s", want)
		}
	}
}

func TestTheLeadSaysWhatToDo(t *testing.T) {
	for _, c := range []struct {
		change func(*fakeLinks)
		want   []string
	}{
		{func(f *fakeLinks) { f.state = links.State{} }, []string{"never linked", `<button class="primary">Link records</button>`, "What linking does"}},
		{func(*fakeLinks) {}, []string{"1,204 records are of 1,130 patients. 3 pairs wait for your decision.", "Records 12 and 15: the same person?"}},
		{func(f *fakeLinks) { f.pairs = nil }, []string{"No pair waits for a decision.", "/p/p1/publish/table"}},
		{func(f *fakeLinks) { f.state.ImportedSince = 2 }, []string{"2 notes were imported or restored after the records were linked.", `<button class="primary">Link again</button>`}},
		{func(f *fakeLinks) {
			f.progress = links.Progress{Running: true, Pass: 2, Doing: "comparing records", Done: 3, Total: 9}
		},
			[]string{"Linking the records, pass 2 of 2: comparing records, 3 of 9.", "Cancel the linkage", `value="0.333"`}},
		{func(f *fakeLinks) { f.progress.Error = "linking failed" }, []string{"Linking failed."}},
	} {
		f := madeLinks()
		c.change(f)
		wants(t, shown(t, f, "", http.StatusOK), c.want...)
	}
}

func TestThePairShowsBothIdentities(t *testing.T) {
	body := shown(t, madeLinks(), "", http.StatusOK)
	wants(t, body, "Rose<mark>mary</mark>", "1961-03-<mark>0</mark>4", "1961-03-<mark>1</mark>4", "key key-12", "not known",
		"one digit differs", "+1.9", "−6.9", "Bridge: without this link", "Probability of one person: 71 %. The records are linked now.")
	if strings.Contains(body, "%!") || strings.Contains(body, "a value of") {
		t.Error("a value is printed as its type prints")
	}
	empty := shown(t, madeLinks(), "?later=3", http.StatusOK)
	wants(t, empty, "You put off 3 pairs.", "Show the first pair again")
}

func TestAContradictionAsks(t *testing.T) {
	f := madeLinks()
	f.against = []links.Decision{{Number: 4, Pair: links.PairID{A: 12, B: 40}, Same: true, By: "Ben Ode"}, {Number: 5, Pair: links.PairID{A: 15, B: 40}, By: "Cy Fall"}}
	s := newServer(t, f)
	form := url.Values{"a": {"12"}, "b": {"15"}, "say": {"same"}, "from": {"queue"}, "later": {"0"}}
	w := s.Post(account.Broker, "/p/p1/links/decide", form)
	if w.Code != http.StatusConflict {
		t.Fatalf("status %d", w.Code)
	}
	wants(t, w.Body.String(), "“Same person” contradicts 2 earlier decisions.", "/p/p1/links/pair?a=12&amp;b=40", "decided by Ben Ode", "Replace 2 earlier decisions", "Records 12 and 15: the same person?")
	form.Set("replace", "1")
	w = s.Post(account.Broker, "/p/p1/links/decide", form)
	if at := w.Header().Get("Location"); w.Code != http.StatusSeeOther || at != "/p/p1/links?did=12-15" {
		t.Errorf("status %d, to %s", w.Code, at)
	}
	if want := []string{"decide 12,15 true false", "decide 12,15 true true"}; !slices.Equal(f.asked, want) {
		t.Errorf("asked %q, want %q", f.asked, want)
	}
}

func TestFormsThatCannotBeFulfilledSayWhy(t *testing.T) {
	for _, c := range []struct {
		path   string
		form   url.Values
		status int
		want   string
	}{
		{"/decide", url.Values{"a": {"3"}, "b": {"9"}}, http.StatusUnprocessableEntity, "No button was pressed."},
		{"/decide", url.Values{"a": {"3"}, "b": {"x"}, "say": {"same"}}, http.StatusUnprocessableEntity, "names no pair of records"},
		{"/undo", url.Values{"number": {"x"}}, http.StatusUnprocessableEntity, "names no decision"},
		{"/undo", url.Values{"number": {"77"}}, http.StatusNotFound, "no decision 77"},
		{"/thresholds", url.Values{"link": {"1"}, "floor": {"0.1"}}, http.StatusUnprocessableEntity, "The threshold for links is not a probability."},
		{"/thresholds", url.Values{"link": {"0.9"}, "floor": {""}}, http.StatusUnprocessableEntity, "The threshold for review is not a probability."},
		{"/thresholds", url.Values{"link": {"0.2"}, "floor": {"0.3"}}, http.StatusUnprocessableEntity, "The threshold for review is too high."},
		{"/thresholds", url.Values{"link": {"NaN"}, "floor": {"0.3"}}, http.StatusUnprocessableEntity, "not a probability"},
	} {
		f := madeLinks()
		w := newServer(t, f).Post(account.Broker, "/p/p1/links"+c.path, c.form)
		if w.Code != c.status || !strings.Contains(w.Body.String(), c.want) {
			t.Errorf("%s %v: status %d, want %d with %q", c.path, c.form, w.Code, c.status, c.want)
		}
		if len(f.asked) > 0 {
			t.Errorf("%s %v: asked %q", c.path, c.form, f.asked)
		}
	}
	for _, c := range []struct {
		kind   project.Kind
		path   string
		form   url.Values
		status int
	}{
		{project.Invalid, "", nil, http.StatusUnprocessableEntity},
		{project.Stale, "/decide", url.Values{"a": {"3"}, "b": {"9"}, "say": {"different"}}, http.StatusConflict},
		{project.Invalid, "/thresholds", url.Values{"link": {"0.6"}, "floor": {"0.45"}}, http.StatusUnprocessableEntity},
	} {
		f := madeLinks()
		f.refuse = &project.Error{Kind: c.kind, Message: "the service refused", Hint: "do something else"}
		w := newServer(t, f).Post(account.Broker, "/p/p1/links"+c.path, c.form)
		if w.Code != c.status {
			t.Errorf("%s: status %d, want %d", c.path, w.Code, c.status)
		}
		wants(t, w.Body.String(), "The service refused. Do something else.", "links-state")
	}
}

func TestDecisionsAreUndoneFromTheirList(t *testing.T) {
	f := madeLinks()
	f.decisions = []links.Decision{{Number: 9, Pair: links.PairID{A: 3, B: 4}, Same: true, By: "Ben Ode"}}
	s := newServer(t, f)
	wants(t, shown(t, f, "/decisions", http.StatusOK), "Records 3 and 4", "Same person", "Ben Ode", "Undo the decision about records 3 and 4")
	if body := shown(t, f, "", http.StatusOK); strings.Contains(body, `id="undo-what"`) {
		t.Error("the key u would undo what another person decided")
	}
	w := s.Post(account.Broker, "/p/p1/links/undo", url.Values{"number": {"9"}, "from": {"decisions"}})
	if at := w.Header().Get("Location"); at != "/p/p1/links/decisions" || len(f.decisions) > 0 {
		t.Errorf("status %d, to %s, left %d", w.Code, at, len(f.decisions))
	}
}

func TestListsArePaged(t *testing.T) {
	f := madeLinks()
	first := shown(t, f, "/patients?words=key", http.StatusOK)
	wants(t, first, "1 to 50 of 120", "from=50&amp;words=key", "conflict", "1964-07-20", "decided by a person")
	wants(t, shown(t, f, "/patients?words=key&from=100", http.StatusOK), "101 to 120 of 120", "Previous 50")
	wants(t, shown(t, f, "/patients?words=nobody", http.StatusOK), "No patient has this key or value.")
	body := shown(t, f, "/clusters", http.StatusOK)
	wants(t, body, "4 patients have several records", "1 bridge", "cluster-link bridge", "The drawing has the first 40 records.", "/p/p1/links/pair?a=5&amp;b=6")
	for range 12 {
		f.clusters = append(f.clusters, madeCluster(3, false))
	}
	wants(t, shown(t, f, "/clusters?from=12", http.StatusOK), "13 to 16 of 16")
}

func TestAPairThatIsGoneIsSaid(t *testing.T) {
	f := madeLinks()
	if part := webtest.LivePart(t, New(f), account.Broker, "links-pair", url.Values{"a": {"3"}, "b": {"99"}}); !strings.Contains(part, "not in the project now") {
		t.Errorf("the part is %s", part)
	}
	shown(t, f, "/pair?a=3&b=99", http.StatusNotFound)
	shown(t, f, "/pair?a=3", http.StatusUnprocessableEntity)
}

// The areas hold all pairs, wherever the thresholds lie.
func TestAreasHoldAllPairs(t *testing.T) {
	bins := drawnBins([]links.Bin{{Low: -64, Pairs: 60}, {Low: -20, Pairs: 30}, {Low: -3, Pairs: 100, Matches: 10}, {Low: -2}, {Low: 0, Pairs: 40, Matches: 30}, {Low: 5, Pairs: 8, Matches: 8}, {Low: 40, Pairs: 2, Matches: 2}})
	for _, c := range []struct {
		floor, link float64
		want        string
	}{
		{-9, 9, "Not linked 90, Not linked, to review 148, Linked 2"},
		{-2.5, .25, "Not linked 140, Not linked, to review 60, Linked, to review 30, Linked 10"},
		{-.25, .75, "Not linked 190, Not linked, to review 10, Not linked 20, Linked 20"},
		{0, 30, "Not linked 240"},
	} {
		var got []string
		matches := 0.0
		for _, a := range areasOf(bins, c.floor, c.link) {
			got = append(got, fmt.Sprintf("%s %v", a.Name, a.Pairs))
			matches += a.Matches
		}
		if strings.Join(got, ", ") != c.want || math.Abs(matches-50) > 1e-9 {
			t.Errorf("%v and %v: %q with %v expected pairs, want %s", c.floor, c.link, got, matches, c.want)
		}
	}
	if got := binWords(bins[0]) + ", " + binWords(bins[1]) + ", " + binWords(bins[4]); got != "less than -15, -3 to -2, 24 and more" {
		t.Errorf("the bins are %s", got)
	}
}

func TestProbabilitiesAreWrittenExactlyNearOne(t *testing.T) {
	for p, want := range map[float64]string{.5: "0.5", .95: "0.95", .999: "0.999", .99995: "0.99995", .05: "0.05", .02: "0.02", 1: "1"} {
		if got := probabilityText(p); got != want {
			t.Errorf("%v is written %s, want %s", p, got, want)
		}
	}
	for w := -20.0; w < 20; w += .7 {
		if got := bits(probability(w)); math.Abs(got-w) > 1e-6 {
			t.Errorf("the weight of the probability of %v is %v", w, got)
		}
	}
}
