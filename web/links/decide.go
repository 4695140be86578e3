// SPDX-License-Identifier: Apache-2.0

package links

import (
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"hide/internal/project/links"
	"hide/web/ui"
)

// The values of the buttons that decide.
const (
	sameValue      = "same"
	differentValue = "different"
)

// decide records the decision of a person about a pair. If it contradicts earlier decisions, the
// page shows them and asks.
func (h *Handlers) decide(c ui.Context) error {
	q, err := c.FormParams()
	if err != nil {
		return err
	}
	pair, err := readPair(q.Get("a"), q.Get("b"))
	if err != nil {
		return err
	}
	same := q.Get("say") == sameValue
	if !same && q.Get("say") != differentValue {
		return ui.Refuse("No button was pressed.", "Press Same person or Different people.")
	}
	err = h.projects.DecideLink(c.Request().Context(), ui.User(c), ui.ProjectID(c), pair, same, q.Get("replace") != "")
	if err == nil {
		return back(c, afterDecision(pair, q))
	}
	var against *links.ContradictionError
	said := ui.Explain(err)
	if !errors.As(err, &against) && (said == nil || said.Status >= http.StatusInternalServerError) {
		return err
	}
	v, loadErr := h.loadAgain(c, pair, q)
	if loadErr != nil {
		return err
	}
	if against != nil {
		v.Conflict = &conflict{Same: same, Earlier: against.Earlier}
		return answer(c, http.StatusConflict, v)
	}
	v.Error = said.What + " " + said.Next
	return answer(c, said.Status, v)
}

// loadAgain loads the page of a form about a pair, with this pair.
func (h *Handlers) loadAgain(c ui.Context, pair links.PairID, q url.Values) (view, error) {
	again := pairQuery(pair)
	again["from"], again["later"] = q["from"], q["later"]
	return h.loadPair(c, again)
}

// afterDecision is where a decision leads: to the next pair of the queue, or back to the pair.
func afterDecision(pair links.PairID, q url.Values) string {
	if q.Get("from") != "queue" {
		return pairPath(pair)
	}
	next := url.Values{"did": {pairText(pair)}}
	if later := number(q.Get("later")); later > 0 {
		next.Set("later", strconv.Itoa(later))
	}
	return "?" + next.Encode()
}

// undo withdraws a decision, and shows its pair again or the list of decisions.
func (h *Handlers) undo(c ui.Context) error {
	n, err := strconv.ParseUint(c.FormValue("number"), 10, 62)
	if err != nil {
		return ui.Refuse("The form names no decision.", "Load the page again.")
	}
	if err := h.projects.UndoLinkDecision(c.Request().Context(), ui.User(c), ui.ProjectID(c), n); err != nil {
		return err
	}
	if c.FormValue("from") == "decisions" {
		return back(c, "/decisions")
	}
	pair, err := readPair(c.FormValue("a"), c.FormValue("b"))
	if err != nil {
		return err
	}
	q := pairQuery(pair)
	q.Set("undone", "1")
	if c.FormValue("from") == "queue" {
		q.Set("from", "queue")
	}
	return back(c, "/pair?"+q.Encode())
}

// pairQuery names a pair in an address.
func pairQuery(p links.PairID) url.Values {
	return url.Values{"a": {strconv.FormatUint(p.A, 10)}, "b": {strconv.FormatUint(p.B, 10)}}
}

func pairPath(p links.PairID) string { return "/pair?" + pairQuery(p).Encode() }

// pairText names a pair in one word: "12-15".
func pairText(p links.PairID) string {
	return strconv.FormatUint(p.A, 10) + "-" + strconv.FormatUint(p.B, 10)
}

// cutPair is the inverse of [pairText].
func cutPair(text string) (a, b string) {
	a, b, _ = strings.Cut(text, "-")
	return a, b
}
