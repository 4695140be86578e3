// SPDX-License-Identifier: Apache-2.0

package hierarchy

import (
	"errors"
	"fmt"
	"slices"
)

// edited makes a hierarchy of changed copies of all rows.
func (h *Hierarchy) edited(change func(row []string) []string) (*Hierarchy, error) {
	rows := make([][]string, len(h.rows))
	for i, row := range h.rows {
		rows[i] = change(slices.Clone(row))
	}
	return New(rows)
}

// inner refuses levels that are those of the values or of the one label for all.
func (h *Hierarchy) inner(level int) error {
	if level < 1 || level >= h.Levels()-1 {
		return fmt.Errorf("level %d is not between the values and the label for all: add a level first", level)
	}
	return nil
}

// Grouped puts values under a label of a level, 1 for the one right above them. A
// label that is there takes them in, with what is above it; above a new one is what
// is above the first of the values. It fails when a label below would stand under
// two: then its other values have to come along.
func (h *Hierarchy) Grouped(values []string, level int, label string) (*Hierarchy, error) {
	if err := h.inner(level); err != nil {
		return nil, err
	}
	if label == "" || len(values) == 0 {
		return nil, errors.New("a group needs a label, and values to put under it")
	}
	take := map[string]bool{}
	for _, value := range values {
		if _, known := h.index[value]; !known {
			return nil, errors.New("a value is not in the hierarchy")
		}
		take[value] = true
	}
	above := h.rows[h.index[values[0]]][level+1:]
	for _, row := range h.rows {
		if row[level] == label && !take[row[0]] {
			above = row[level+1:]
			break
		}
	}
	grouped, err := h.edited(func(row []string) []string {
		if take[row[0]] {
			row[level] = label
			copy(row[level+1:], above)
		}
		return row
	})
	if problem := (*Problem)(nil); errors.As(err, &problem) {
		return nil, fmt.Errorf("a label would be below two others: move all values below it, too (%w)", err)
	}
	return grouped, err
}

// Renamed gives a label of a level another name; one that is there becomes one
// with it, which fails when different labels are above them.
func (h *Hierarchy) Renamed(level int, label, name string) (*Hierarchy, error) {
	if level < 1 || level >= h.Levels() || name == "" {
		return nil, errors.New("only labels can be renamed, and only to another label")
	}
	there := false
	renamed, err := h.edited(func(row []string) []string {
		if row[level] == label {
			row[level], there = name, true
		}
		return row
	})
	if !there {
		return nil, errors.New("the level has no such label")
	}
	return renamed, err
}

// WithLevel adds a level above another, with the same labels: 0 for one above the
// values.
func (h *Hierarchy) WithLevel(above int) (*Hierarchy, error) {
	if above < 0 || above > h.Levels()-2 {
		return nil, errors.New("unknown level")
	}
	if h.Levels() == maxLevels {
		return nil, fmt.Errorf("a hierarchy has %d levels at most", maxLevels)
	}
	return h.edited(func(row []string) []string { return slices.Insert(row, above+1, row[above]) })
}

// WithoutLevel takes a level out.
func (h *Hierarchy) WithoutLevel(level int) (*Hierarchy, error) {
	if err := h.inner(level); err != nil {
		return nil, err
	}
	return h.edited(func(row []string) []string { return slices.Delete(row, level, level+1) })
}

// With adds the values that are not there yet, each by itself up to the label for
// all.
func (h *Hierarchy) With(values []string) (*Hierarchy, error) {
	rows, seen := slices.Clone(h.rows), map[string]bool{}
	for _, value := range values {
		if _, known := h.index[value]; !known && !seen[value] {
			seen[value] = true
			row := slices.Repeat([]string{value}, h.Levels())
			row[len(row)-1] = h.rows[0][len(row)-1]
			rows = append(rows, row)
		}
	}
	return New(rows)
}

// Flat is the hierarchy of different values, at least one, with one label above all.
func Flat(values []string) (*Hierarchy, error) {
	rows := make([][]string, len(values))
	for i, value := range values {
		rows[i] = []string{value, Top}
	}
	return New(rows)
}

// Codes makes a hierarchy of codes, of which each level cuts one more character off
// the end: 53710, 5371*, 537*. Shorter codes stay until they are as long as what is
// left of the others.
func Codes(values []string) (*Hierarchy, error) {
	longest := 0
	for _, value := range values {
		longest = max(longest, len([]rune(value)))
	}
	if longest > maxLevels-1 {
		return nil, fmt.Errorf("codes of more than %d characters cannot be shortened level by level", maxLevels-1)
	}
	rows := make([][]string, len(values))
	for i, value := range values {
		runes := []rune(value)
		rows[i] = []string{value}
		for keep := longest - 1; keep > 0; keep-- {
			if len(runes) > keep {
				rows[i] = append(rows[i], string(runes[:keep])+Top)
			} else {
				rows[i] = append(rows[i], value)
			}
		}
		rows[i] = append(rows[i], Top)
	}
	return New(rows)
}
