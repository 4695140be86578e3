// SPDX-License-Identifier: Apache-2.0

package hierarchy

import (
	"errors"
	"fmt"
	"slices"
)

// edited makes a hierarchy of modified copies of all rows.
func (h *Hierarchy) edited(change func(row []string) []string) (*Hierarchy, error) {
	rows := make([][]string, len(h.rows))
	for i, row := range h.rows {
		rows[i] = change(slices.Clone(row))
	}
	return New(rows)
}

// inner refuses the level of the values and the top level.
func (h *Hierarchy) inner(level int) error {
	if level < 1 || level >= h.Levels()-1 {
		return fmt.Errorf("level %d is not between the values and the label for all: add a level first", level)
	}
	return nil
}

// Grouped puts values under a label of a level, 1 for the level right above them. An
// existing label takes them in, with the labels above it. A new label takes the labels
// above the first value. It fails if a lower label would have two parents: then its other
// values must move too.
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

// Renamed gives a label of a level another name. If that name exists, the two labels are
// merged, which fails if different labels are above them.
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
		return nil, errors.New("the level does not have this label")
	}
	return renamed, err
}

// WithLevel inserts a level above another, with the same labels; 0 inserts one above the
// values.
func (h *Hierarchy) WithLevel(above int) (*Hierarchy, error) {
	if above < 0 || above > h.Levels()-2 {
		return nil, errors.New("unknown level")
	}
	if h.Levels() == maxLevels {
		return nil, fmt.Errorf("a hierarchy can have at most %d levels", maxLevels)
	}
	return h.edited(func(row []string) []string { return slices.Insert(row, above+1, row[above]) })
}

// WithoutLevel removes a level.
func (h *Hierarchy) WithoutLevel(level int) (*Hierarchy, error) {
	if err := h.inner(level); err != nil {
		return nil, err
	}
	return h.edited(func(row []string) []string { return slices.Delete(row, level, level+1) })
}

// With adds the missing values, each with itself as its label on every level up to the
// top.
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

// Flat is the two-level hierarchy of distinct values, at least one, under one label.
func Flat(values []string) (*Hierarchy, error) {
	rows := make([][]string, len(values))
	for i, value := range values {
		rows[i] = []string{value, Top}
	}
	return New(rows)
}

// Codes makes a hierarchy of codes in which each level cuts off one more character:
// 53710, 5371*, 537*. Shorter codes stay unchanged until the others are as short.
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
