// SPDX-License-Identifier: Apache-2.0

package review

import (
	"context"
	"strings"

	"hide/internal/annotate"
	"hide/internal/greedy/audit"
	"hide/internal/project"
)

// misses describe what planted identifiers have to be like: the identifiers that the models
// of the candidate's run missed in notes that they were not trained on.
func (s *Service) misses(ctx context.Context, ws *workspace, number int) ([]audit.Miss, error) {
	c, err := s.releases.StoredCandidate(ws.ID, number)
	if err != nil {
		return nil, err
	}
	common, err := s.commonWords(ctx, ws.ID, number)
	if err != nil {
		return nil, err
	}
	found, err := s.missed(ctx, ws, c.Model(), common)
	if err == nil && len(found) == 0 {
		found = audit.GenericMisses()
	}
	return found, err
}

// missed are the identifiers that the models of a bundle's run missed, none without a bundle.
func (s *Service) missed(ctx context.Context, ws *workspace, bundle int, common func(string) bool) ([]audit.Miss, error) {
	if bundle == 0 {
		return nil, nil
	}
	found, err := s.sanitize.Missed(ctx, ws.Workspace, bundle, common)
	if project.KindOf(err) == project.NotFound {
		return nil, nil
	}
	return found, err
}

// commonIn is in how many notes a word of a candidate must stand to be common, and
// commonLooked is how many notes are looked at.
const (
	commonIn     = 5
	commonLooked = 500
)

// commonWords tells which words stand in several notes of a candidate: the words around an
// identifier that a plant may be put beside.
func (s *Service) commonWords(ctx context.Context, id project.ID, number int) (func(string) bool, error) {
	text, err := s.releases.TextOf(id, number)
	if err != nil {
		return nil, err
	}
	notes, in := 0, map[string]int{}
	for n, err := range text.All(ctx) {
		if err != nil {
			return nil, err
		}
		seen := map[string]bool{}
		for _, token := range annotate.Tokenize(n.Text) {
			seen[strings.ToLower(n.Text[token.Start:token.End])] = true
		}
		for word := range seen {
			in[word]++
		}
		if notes++; notes == commonLooked {
			break
		}
	}
	return func(word string) bool { return in[strings.ToLower(word)] >= commonIn }, nil
}
