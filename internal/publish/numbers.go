// SPDX-License-Identifier: Apache-2.0

package publish

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"hide/internal/publish/release"
)

// fewestDigits is how many digits a released number has at least.
const fewestDigits = 6

// releasedID is n with at least six digits, and as many as the last one needs.
func releasedID(n, last int) string {
	return fmt.Sprintf("%0*d", max(fewestDigits, len(strconv.Itoa(last))), n)
}

// number draws the order of the notes, as places in the order of arrival, and gives their
// numbers. Notes of the release that this one continues keep theirs. The other notes get
// random ones of those above, so that no number is ever given to a second note.
func (w *writer) number() (order []int, ids []string, err error) {
	order = release.Random().Perm(len(w.rows))
	ids = make([]string, len(order))
	if w.meta.Like == "" {
		for i := range ids {
			ids[i] = releasedID(i+1, len(ids))
		}
		return order, ids, nil
	}
	numbers, err := w.continued(order)
	if err != nil {
		return nil, nil, err
	}
	last := slices.Max(append(slices.Clone(numbers), 0))
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(numbers[a], numbers[b]) })
	for i, from := range order {
		ids[i] = cmp.Or(w.rows[from].ID, releasedID(numbers[from], last))
	}
	return order, ids, nil
}

// continued are the numbers of the notes, by their places in the order of arrival.
func (w *writer) continued(order []int) ([]int, error) {
	numbers, seen, last := make([]int, len(w.rows)), map[int]bool{}, w.meta.Last
	for i, row := range w.rows {
		if row.ID == "" {
			continue
		}
		n, err := strconv.Atoi(row.ID)
		if err != nil || n < 1 || len(row.ID) < fewestDigits || strings.Trim(row.ID, "0123456789") != "" {
			return nil, fmt.Errorf("note %d has an impossible number in %s", row.Document, w.meta.Like)
		}
		if seen[n] {
			return nil, errors.New("two notes have the same number in " + w.meta.Like)
		}
		numbers[i], seen[n], last = n, true, max(last, n)
	}
	for _, i := range order {
		if numbers[i] == 0 {
			last++
			numbers[i] = last
		}
	}
	return numbers, nil
}
