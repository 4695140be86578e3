// SPDX-License-Identifier: Apache-2.0

package draft

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/project/draft"
	"hide/internal/publish/policy"
	"hide/internal/publish/transform"
	"hide/web/ui"
)

// rowsShown is how many places a page of the table has.
const rowsShown = 50

// table is the part of the release table that the page shows.
type table struct {
	Filter draft.Filter
	Rows   []draft.Row
	Total  int // places that pass the filter
	From   int // of the first row
	Choice string
	Text   string
}

// filterNames are the fields of the filter in an address.
var filterNames = []string{"label", "action", "by", "open", "chosen", "patient", "words", "from", "policy", "again", "said"}

func readFilter(q url.Values) draft.Filter {
	return draft.Filter{
		Label: annotate.Label(q.Get("label")), Action: policy.Action(q.Get("action")), By: transform.Source(q.Get("by")),
		Problems: q.Get("open") != "", Chosen: q.Get("chosen") != "", Patient: q.Get("patient"), Words: q.Get("words"),
	}
}

// query is the address of a filter, from a row on.
func query(f draft.Filter, from int) string {
	q := url.Values{}
	for name, value := range map[string]string{"label": string(f.Label), "action": string(f.Action), "by": string(f.By), "patient": f.Patient, "words": f.Words} {
		if value != "" {
			q.Set(name, value)
		}
	}
	if f.Problems {
		q.Set("open", "1")
	}
	if f.Chosen {
		q.Set("chosen", "1")
	}
	if from > 0 {
		q.Set("from", strconv.Itoa(from))
	}
	if len(q) == 0 {
		return ""
	}
	return "?" + q.Encode()
}

func (h *Handlers) loadTable(ctx context.Context, u account.User, p project.Overview, d draft.Draft, q url.Values) (t table, err error) {
	t = table{Filter: readFilter(q), From: max(0, number(q, "from"))}
	t.Rows, t.Total, err = h.projects.DraftRows(ctx, u, p.ID, t.Filter, t.From, rowsShown)
	return t, err
}

// placeValue is a place as the value of a field.
func placeValue(p transform.Place) string { return fmt.Sprintf("%d-%d-%d", p.Note, p.Start, p.End) }

// readPlace is the inverse of [placeValue].
func readPlace(value string) (p transform.Place, err error) {
	parts := strings.Split(value, "-")
	if len(parts) != 3 {
		return p, ui.Refuse("A ticked place is not known.", "Load the page again.")
	}
	var n [3]uint64
	for i, part := range parts {
		if n[i], err = strconv.ParseUint(part, 10, 62); err != nil {
			return p, ui.Refuse("A ticked place is not known.", "Load the page again.")
		}
	}
	return transform.Place{Note: annotate.DocumentID(n[0]), Start: annotate.ByteOff(n[1]), End: annotate.ByteOff(n[2])}, nil
}

// asPolicy is the choice that takes a decision back.
const asPolicy = "policy"

// decide changes what becomes of ticked places, or of all that pass the filter.
func (h *Handlers) decide(c ui.Context) error {
	q, err := c.FormParams()
	if err != nil {
		return err
	}
	shown, err := readShown(q)
	if err != nil {
		return err
	}
	which, choice, err := readDecision(q, shown)
	var changed draft.Changed
	if err == nil {
		changed, err = h.projects.Decide(c.Request().Context(), ui.User(c), ui.ProjectID(c), which, choice)
	}
	if err != nil {
		return h.refused(c, err, shown, func(v *view) { v.Table.Choice, v.Table.Text = q.Get("choice"), q.Get("text") })
	}
	return saidBack(c, shown, "changed", changed.Places)
}

func readDecision(q, shown url.Values) (which draft.Which, choice transform.Choice, err error) {
	which.Seen = q.Get("seen")
	if q.Get("do") == "all" {
		which.Filter, which.Total = readFilter(shown), number(q, "total")
	} else {
		for _, value := range q["place"] {
			p, err := readPlace(value)
			if err != nil {
				return which, choice, err
			}
			which.Places = append(which.Places, p)
		}
		if len(which.Places) == 0 {
			return which, choice, ui.Refuse("No place was ticked.", "Tick the places to change.")
		}
	}
	value := q.Get("choice")
	if value == "" {
		return which, choice, ui.Refuse("Nothing was chosen.", "Choose what becomes of these places.")
	}
	if value != asPolicy {
		choice.Action, choice.To = readRule(value)
		choice.Text = strings.TrimSpace(q.Get("text"))
	}
	choice.Person = number(q, "person")
	return which, choice, nil
}

func (h *Handlers) undo(c ui.Context) error {
	q, err := c.FormParams()
	if err != nil {
		return err
	}
	shown, err := readShown(q)
	if err != nil {
		return err
	}
	changed, err := h.projects.UndoDecision(c.Request().Context(), ui.User(c), ui.ProjectID(c))
	if err != nil {
		return h.refused(c, err, shown, func(*view) {})
	}
	return saidBack(c, shown, "undone", changed.Places)
}

// readShown reads what part of the table a form was shown beside.
func readShown(q url.Values) (url.Values, error) {
	shown, err := url.ParseQuery(strings.TrimPrefix(q.Get("shown"), "?"))
	if err != nil {
		return nil, ui.Refuse("The address of the table is not known.", "Load the page again.")
	}
	return shown, nil
}

// saidBack leads back to the table, which says there what was done with how many places.
func saidBack(c ui.Context, shown url.Values, what string, n int) error {
	q := url.Values{}
	for _, name := range filterNames {
		if value := shown.Get(name); value != "" && name != "policy" && name != "again" {
			q.Set(name, value)
		}
	}
	q.Set("said", what+"-"+strconv.Itoa(n))
	return back(c, "?"+q.Encode()+"#table-title")
}

// saidWords is what [saidBack] says.
func saidWords(said string) string {
	what, count, _ := strings.Cut(said, "-")
	n, err := strconv.Atoi(count)
	switch {
	case err != nil || n < 0:
		return ""
	case what == "changed":
		return ui.Count(n, "place was changed.", "places were changed.")
	case what == "undone":
		return "The last change was undone: " + ui.Count(n, "place is as before.", "places are as before.")
	}
	return ""
}

// table sends all rows as CSV. They hold identifiers.
func (h *Handlers) table(c ui.Context) error {
	return ui.Attach(c, "text/csv; charset=utf-8", "release-table.csv", func(w io.Writer) error {
		return h.projects.WriteDraftTable(c.Request().Context(), ui.User(c), ui.ProjectID(c), w)
	})
}

// actionsIn lists the actions of a draft for its filter.
func (v view) actionsIn() []policy.Action {
	var out []policy.Action
	for _, a := range policy.Actions() {
		if slices.ContainsFunc(v.Draft.ByLabel, func(c draft.Count) bool { return c.Action == a }) {
			out = append(out, a)
		}
	}
	return out
}

// labelsIn lists the labels of a draft.
func (v view) labelsIn() []annotate.Label {
	var out []annotate.Label
	for _, c := range v.Draft.ByLabel {
		if !slices.Contains(out, c.Label) {
			out = append(out, c.Label)
		}
	}
	return out
}

// shownLabel is the label of all rows, "" if there are several: then every action is offered.
func (t table) shownLabel() annotate.Label {
	if len(t.Rows) == 0 {
		return ""
	}
	as := t.Rows[0].Decision.As
	for _, r := range t.Rows {
		if r.Decision.As != as {
			return ""
		}
	}
	return as
}

// source names who found a place.
func source(s transform.Source) string {
	switch s {
	case transform.ByPerson:
		return "marked by a person"
	case transform.ByModel:
		return "found by the model"
	case transform.ByKnown:
		return "known identifier"
	}
	return "unmarked, same words"
}
