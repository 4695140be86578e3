// SPDX-License-Identifier: Apache-2.0

package links

import (
	"fmt"
	"slices"
	"strings"

	"hide/internal/project"
)

// ContradictionError is about a decision that earlier ones exclude.
type ContradictionError struct {
	Pair    PairID
	Same    bool
	Earlier []Decision // that exclude it together
}

func (e *ContradictionError) Error() string { return project.ErrorWords(e.Unwrap()) }

// Unwrap is the error for the person who decided.
func (e *ContradictionError) Unwrap() error {
	var words []string
	for _, d := range e.Earlier {
		sign := "are different people"
		if d.Same {
			sign = "are the same person"
		}
		words = append(words, fmt.Sprintf("%d (records %d and %d %s)", d.Number, d.Pair.A, d.Pair.B, sign))
	}
	return &project.Error{
		Kind:    project.Stale,
		Message: fmt.Sprintf("the decision about records %d and %d contradicts earlier ones: %s", e.Pair.A, e.Pair.B, strings.Join(words, ", ")),
		Hint:    "undo one of them, or replace them",
	}
}

// contradicted are the earlier decisions that a new one replaces: what was said of the same two
// records, and what follows from several decisions. Who says that A is B and B is C cannot say
// that A is not C.
func contradicted(all []storedDecision, p PairID, same bool) (out []storedDecision) {
	rest := slices.Clone(all)
	take := func(some ...storedDecision) {
		out, rest = append(out, some...), without(rest, some)
	}
	for _, d := range all {
		if d.pair() == p && d.Same != same {
			take(d)
		}
	}
	if !same {
		for path := pathBetween(rest, p.A, p.B); len(path) > 0; path = pathBetween(rest, p.A, p.B) {
			take(path...)
		}
		return out
	}
	left, right := reach(rest, p.A), reach(rest, p.B)
	for _, d := range rest {
		if !d.Same && (left[d.A] && right[d.B] || left[d.B] && right[d.A]) {
			take(d)
		}
	}
	return out
}

// pathBetween is a shortest chain of decisions that two records are the same, nil for none.
func pathBetween(all []storedDecision, from, to uint64) (path []storedDecision) {
	by := map[uint64]storedDecision{}
	seen := map[uint64]bool{from: true}
	for queue := []uint64{from}; len(queue) > 0; queue = queue[1:] {
		for _, d := range all {
			next, ok := d.other(queue[0])
			if ok && d.Same && !seen[next] {
				seen[next], by[next] = true, d
				queue = append(queue, next)
			}
		}
	}
	if !seen[to] {
		return nil
	}
	for at := to; at != from; {
		d := by[at]
		path = append(path, d)
		at, _ = d.other(at)
	}
	slices.Reverse(path)
	return path
}

// reach are the records that decisions say are the same as one, itself included.
func reach(all []storedDecision, from uint64) map[uint64]bool {
	seen := map[uint64]bool{from: true}
	for queue := []uint64{from}; len(queue) > 0; queue = queue[1:] {
		for _, d := range all {
			if next, ok := d.other(queue[0]); ok && d.Same && !seen[next] {
				seen[next] = true
				queue = append(queue, next)
			}
		}
	}
	return seen
}

// other is the second record of a decision about one.
func (d storedDecision) other(n uint64) (uint64, bool) {
	switch n {
	case d.A:
		return d.B, true
	case d.B:
		return d.A, true
	}
	return 0, false
}
