// SPDX-License-Identifier: Apache-2.0

package tables

import (
	"cmp"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"hide/internal/chart"
	"hide/internal/publish/hierarchy"
	"hide/internal/publish/table"
	"hide/internal/words"
)

// Edits of a hierarchy, one for each button on the page of an attribute. None of them
// saves.
const (
	editEnter   = "enter" // the Enter key: group if a label is entered, else save
	editGroup   = "group"
	editRename  = "rename"
	editLevel   = "level"
	editNoLevel = "no-level"
	editMissing = "missing"
	editStart   = "start"
	editSteps   = "steps"
	editDraw    = "draw"
)

// editOf is the edit that a form asks for, "" to save it.
func editOf(values url.Values) string {
	op := values.Get("op")
	if op != editEnter {
		return op
	}
	if strings.TrimSpace(values.Get("label")) != "" {
		return editGroup
	}
	return ""
}

// edit changes the hierarchy of the form.
func (v *roleView) edit(op string, values url.Values) error {
	h, err := v.edited(op, values)
	if err != nil {
		return err
	}
	var b strings.Builder
	if err := h.Write(&b); err != nil {
		return err
	}
	v.Identifier.Hierarchy = strings.TrimSpace(b.String())
	return nil
}

func (v *roleView) edited(op string, values url.Values) (*hierarchy.Hierarchy, error) {
	switch op {
	case editStart:
		return hierarchy.Flat(v.texts())
	case editSteps:
		return v.steps()
	}
	h, err := hierarchy.Read(strings.NewReader(v.Identifier.Hierarchy))
	if err != nil {
		return nil, err
	}
	level, _ := strconv.Atoi(values.Get("level")) // none is 0
	label := strings.TrimSpace(values.Get("label"))
	ticked := readTicks(values["tick"])
	switch op {
	case editDraw:
		return h, nil
	case editMissing:
		return h.With(v.texts())
	case editLevel:
		return h.WithLevel(level)
	case editNoLevel:
		return h.WithoutLevel(level)
	case editRename:
		if len(ticked) != 1 || ticked[0].level == 0 {
			return nil, errors.New("tick one label to rename, and enter its new name")
		}
		return h.Renamed(ticked[0].level, ticked[0].label, label)
	case editGroup:
		if h.Levels() == 2 {
			if h, err = h.WithLevel(0); err != nil {
				return nil, err
			}
			level = 1
		}
		return h.Grouped(under(h, ticked), level, label)
	}
	return nil, errors.New("the form asks for an unknown edit")
}

// treeTick is a label of a hierarchy that was ticked; level 0 are the values.
type treeTick struct {
	level int
	label string
}

// editFields are the fields of an edit that was refused, so that nobody has to tick fifty
// values again.
type editFields struct {
	ticks []string // as [tickText] writes them
	label string
	level string
}

func readEditFields(values url.Values) editFields {
	return editFields{values["tick"], values.Get("label"), values.Get("level")}
}

// levelChosen reports whether a level is selected: the one that was sent, else the one
// that is proposed.
func (v roleView) levelChosen(level int) bool {
	if v.Edit.level != "" {
		return strconv.Itoa(level) == v.Edit.level
	}
	return level == min(1, v.Hierarchy.Levels()-2)
}

func tickText(level int, label string) string { return strconv.Itoa(level) + ":" + label }

func readTicks(all []string) []treeTick {
	var ticks []treeTick
	for _, text := range all {
		level, label, _ := strings.Cut(text, ":")
		if n, err := strconv.Atoi(level); err == nil && n >= 0 {
			ticks = append(ticks, treeTick{n, label})
		}
	}
	return ticks
}

// under are the values below the ticked labels.
func under(h *hierarchy.Hierarchy, ticked []treeTick) []string {
	var values []string
	for _, value := range h.Values() {
		path, _ := h.Path(value)
		if slices.ContainsFunc(ticked, func(t treeTick) bool { return t.level < len(path) && path[t.level] == t.label }) {
			values = append(values, value)
		}
	}
	return values
}

// texts are the values of the notes.
func (v *roleView) texts() []string {
	all := make([]string, len(v.Values))
	for i, one := range v.Values {
		all[i] = one.Text
	}
	return all
}

// missing is the number of values of the notes that are not in the hierarchy.
func (v roleView) missing() int {
	n := 0
	for _, text := range v.texts() {
		if _, known := v.Hierarchy.Path(text); !known {
			n++
		}
	}
	return n
}

// labels are those between the values and the top, without duplicates.
func (v roleView) labels() []string {
	var labels []string
	var gather func([]*chart.TreeNode)
	gather = func(nodes []*chart.TreeNode) {
		for _, n := range nodes {
			if len(n.Below) > 0 {
				labels = append(labels, n.Label)
				gather(n.Below)
			}
		}
	}
	for _, top := range v.Tree {
		gather(top.Below)
	}
	slices.Sort(labels)
	return slices.Compact(labels)
}

// stepWords describe the hierarchy that can be made automatically for the attribute's
// kind, "" for none.
func (v roleView) stepWords() string {
	return map[table.Kind]string{
		table.Number: "Make intervals that double in width at each level",
		table.Date:   "Make months, years and decades",
		table.Code:   "Remove the last character at each level",
	}[v.Identifier.Kind]
}

// steps makes that hierarchy.
func (v *roleView) steps() (*hierarchy.Hierarchy, error) {
	texts := v.texts()
	if len(texts) == 0 {
		return nil, errors.New("there are no values to make a hierarchy of")
	}
	switch v.Identifier.Kind {
	case table.Code:
		slices.Sort(texts)
		return hierarchy.Codes(texts)
	case table.Date:
		slices.Sort(texts)
		if slices.ContainsFunc(texts, func(text string) bool { return len(text) < len("2006-01-02") || text[4] != '-' }) {
			return nil, errors.New("first save the type of values as dates")
		}
		return hierarchy.Dates(texts), nil
	case table.Number:
		numbers := make([]float64, len(texts))
		byText := map[string]float64{}
		for _, text := range texts {
			n, err := strconv.ParseFloat(text, 64)
			if err != nil || !words.Finite(n) {
				return nil, errors.New("first save the type of values as numbers")
			}
			byText[text] = n
		}
		slices.SortFunc(texts, func(a, b string) int { return cmp.Compare(byText[a], byText[b]) })
		for i, text := range texts {
			numbers[i] = byText[text]
		}
		return hierarchy.Numbers(texts, numbers), nil
	}
	return nil, errors.New("a hierarchy can be made automatically for numbers, dates and codes only")
}
