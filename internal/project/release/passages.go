// SPDX-License-Identifier: Apache-2.0

package release

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sort"

	"hide/internal/annotate"
	"hide/internal/greedy/audit"
	"hide/internal/project"
	"hide/internal/project/candidate"
	"hide/internal/publish"
	"hide/internal/publish/policy"
)

// mostDoubted is how many notes the model reads again to find the most doubtful passages. Of
// more notes a random part is read; passages of the others are never among them.
const mostDoubted = 2_000

// mapped is a row of a re-identification map, without names. All places are in code points.
type mapped struct {
	ID         string              `json:"id"`
	Document   annotate.DocumentID `json:"document"`
	Redactions []mappedTerm        `json:"redactions"`
	// Kept are identifiers that stay by decision.
	Kept []keptTerm `json:"kept,omitempty"`
}

type mappedTerm struct {
	Start  annotate.RuneOff `json:"start"` // in the original
	End    annotate.RuneOff `json:"end"`
	At     annotate.RuneOff `json:"at"` // in the released text
	AtEnd  annotate.RuneOff `json:"at_end"`
	Label  annotate.Label   `json:"label"`
	Action policy.Action    `json:"action,omitempty"` // "" for a placeholder
}

type keptTerm struct {
	Start annotate.RuneOff `json:"start"` // in the original
	End   annotate.RuneOff `json:"end"`
	Label annotate.Label   `json:"label"`
}

// hidden are the places in the released text that the release does not list.
func (m mapped) hidden() (out []candidate.At) {
	for _, r := range m.Redactions {
		if r.Action.Hidden() {
			out = append(out, candidate.At{Start: int(r.At), End: int(r.AtEnd), Label: string(r.Label), Action: string(r.Action)})
		}
	}
	return out
}

// mappedRows reads a re-identification map by the ids of released notes.
func mappedRows(mapping []byte) (map[string]mapped, error) {
	rows := map[string]mapped{}
	_, lines, _ := bytes.Cut(mapping, []byte("\n"))
	for line := range bytes.Lines(lines) {
		var row mapped
		if err := json.Unmarshal(line, &row); err != nil {
			return nil, fmt.Errorf("row %d of the re-identification map cannot be read", len(rows)+1)
		}
		rows[row.ID] = row
	}
	return rows, nil
}

// released is where a place of the original is in the released text; ok is false if it was
// redacted.
func (m mapped) released(at annotate.RuneOff) (_ annotate.RuneOff, ok bool) {
	i := sort.Search(len(m.Redactions), func(i int) bool { return m.Redactions[i].End > at })
	if i < len(m.Redactions) && m.Redactions[i].Start <= at {
		return 0, false
	}
	if i == 0 {
		return at, true
	}
	before := m.Redactions[i-1]
	return at + before.AtEnd - before.End, true
}

// original is the inverse of released, for a place outside the placeholders.
func (m mapped) original(at annotate.RuneOff) (_ annotate.RuneOff, ok bool) {
	i := sort.Search(len(m.Redactions), func(i int) bool { return m.Redactions[i].AtEnd > at })
	if i < len(m.Redactions) && m.Redactions[i].At <= at {
		return 0, false
	}
	if i == 0 {
		return at, true
	}
	before := m.Redactions[i-1]
	return at - before.AtEnd + before.End, true
}

// putPassages cuts the notes of a candidate into passages, and stores them with the model's
// doubt about each. b is nil if no model says how doubtful they are.
func (s *Service) putPassages(ctx context.Context, ws *workspace, b *publish.Bundle, c Candidate, shelf candidate.Shelf, mapping []byte) error {
	rows, err := mappedRows(mapping)
	if err != nil {
		return err
	}
	asked := map[annotate.DocumentID]bool{}
	for _, doc := range project.SomeOf(slices.Clone(ws.All()), mostDoubted, ws.Overview().Draw) {
		asked[doc] = b != nil && len(b.Ensemble) > 0
	}
	text, err := s.shelf(ws.ID).Text(c.Number, c.Files)
	if err != nil {
		return err
	}
	var all []candidate.Passage
	groups, place, hidden := map[string]int32{}, int32(0), map[int][]candidate.At{}
	for n, err := range text.All(ctx) {
		if err != nil {
			return err
		}
		row, there := rows[n.ID]
		if !there {
			return fmt.Errorf("note %s of the candidate is not in its re-identification map", n.ID)
		}
		if places := row.hidden(); len(places) > 0 {
			n, hidden[int(place)] = n.WithHidden(places), places
		}
		passages := passagesOf(n, place, ws.groupOf(row.Document, groups))
		if asked[row.Document] {
			if err := ws.doubt(b, n, row, passages); err != nil {
				return err
			}
		}
		all = append(all, passages...)
		place++
		s.published(ws, int(place))
	}
	return errors.Join(shelf.PutPassages(c.Number, all), shelf.PutHidden(c.Number, hidden))
}

func passagesOf(n candidate.Note, place, group int32) (out []candidate.Passage) {
	offsets := annotate.NewOffsets(n.Text)
	placeholders := make([]annotate.Span, 0, len(n.Redactions))
	for _, r := range n.Redactions {
		start, err1 := offsets.Byte(annotate.RuneOff(r.Start))
		end, err2 := offsets.Byte(annotate.RuneOff(r.End))
		if err1 == nil && err2 == nil { // the verifier has checked them
			placeholders = append(placeholders, annotate.Span{Start: start, End: end})
		}
	}
	for _, p := range audit.Cut(n.Text, placeholders) {
		out = append(out, candidate.Passage{Note: place, Group: group, Start: int32(p.Start), End: int32(p.End), Words: int32(p.Words), Doubt: -1})
	}
	return out
}

// groupOf numbers the patients in the order of their first note; -1 for none.
func (ws *workspace) groupOf(doc annotate.DocumentID, groups map[string]int32) int32 {
	st, err := ws.Find(doc)
	if err != nil || st.Unit() == "" {
		return -1
	}
	if _, seen := groups[st.Unit()]; !seen {
		groups[st.Unit()] = int32(len(groups))
	}
	return groups[st.Unit()]
}

// doubt adds up, for each passage of a note, the probabilities of its kept words to be
// sensitive, by the first classifier of the redaction model.
func (ws *workspace) doubt(b *publish.Bundle, n candidate.Note, row mapped, passages []candidate.Passage) error {
	d, layer, err := ws.Fetch(row.Document)
	if err != nil {
		return err
	}
	original := annotate.NewNote(annotate.Annotated{Document: d, Spans: layer.Spans()})
	from, to := annotate.NewOffsets(d.Text), annotate.NewOffsets(n.Text)
	for i := range passages {
		passages[i].Doubt = 0
	}
	tokens := annotate.Tokenize(d.Text)
	for x, p := range b.Ensemble[0].Classifier.Scores(original.View()) {
		at, err := from.Rune(tokens[x].Start)
		if err != nil {
			return err
		}
		released, kept := row.released(at)
		if !kept {
			continue
		}
		place, err := to.Byte(released)
		if err != nil {
			return fmt.Errorf("a place of note %s is outside its text", n.ID)
		}
		i := sort.Search(len(passages), func(i int) bool { return passages[i].End > int32(place) })
		if i < len(passages) && passages[i].Start <= int32(place) {
			passages[i].Doubt += float32(p)
		}
	}
	return nil
}
