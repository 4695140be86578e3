// SPDX-License-Identifier: Apache-2.0

package sanitize

import (
	"context"
	"strings"
	"unicode"

	"hide/internal/greedy/audit"
	"hide/internal/project"
)

// Missed describes the identifiers that a bundle's run missed in notes that its models were
// not trained on, without any of their words: label, shape, and the words beside them if
// common says so. It is empty if the run missed nothing, or its figures are deleted.
func (s *Service) Missed(ctx context.Context, ws *project.Workspace, bundle int, common func(word string) bool) ([]audit.Miss, error) {
	info, err := s.StoredBundle(ws.ID, bundle)
	if err != nil {
		return nil, err
	}
	run, err := s.StoredRun(ws, info.Run)
	if project.KindOf(err) == project.NotFound {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	beside := func(word string) string {
		if word == "" || !common(word) {
			return ""
		}
		return strings.ToLower(word)
	}
	var out []audit.Miss
	for _, c := range run.Choices {
		if c.LC != info.LC {
			continue
		}
		for _, leak := range c.Leaks {
			before, after := wordsIn(leak.Before), wordsIn(leak.After)
			miss := audit.Miss{Label: leak.Label, Shape: audit.ShapeOf(leak.Text)}
			if len(before) > 0 && strings.HasSuffix(strings.TrimRightFunc(leak.Before, unicode.IsSpace), before[len(before)-1]) {
				miss.Before = beside(before[len(before)-1])
			}
			if len(after) > 0 && strings.HasPrefix(strings.TrimLeftFunc(leak.After, unicode.IsSpace), after[0]) {
				miss.After = beside(after[0])
			}
			out = append(out, miss)
		}
	}
	return out, nil
}

// wordsIn are the words of a text, without punctuation.
func wordsIn(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}
