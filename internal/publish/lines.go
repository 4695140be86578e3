// SPDX-License-Identifier: Apache-2.0

package publish

import (
	"context"
	"io"
	"sync"

	"hide/internal/annotate"
	"hide/internal/ndjson"
)

// redactedLine is the answer to a line of notes.
type redactedLine struct {
	ID         string          `json:"id"`
	Text       string          `json:"text"`
	Redactions []redactedPlace `json:"redactions"`
}

// redactedPlace is the place of a placeholder, in code points of the answer.
type redactedPlace struct {
	Start annotate.RuneOff `json:"start"`
	End   annotate.RuneOff `json:"end"`
	Label annotate.Label   `json:"label"`
}

// LineCounts sums up a stream of redacted notes.
type LineCounts struct {
	Notes      int
	Redactions map[annotate.Label]int // placeholders by label
}

// Lines redacts notes, one JSON object a line, and answers each with a line, see
// [ndjson.Filter]. Each note is redacted alone: what the bundle finds in it, and the
// identities of the line wherever they occur.
func (b *Bundle) Lines(ctx context.Context, in io.Reader, w io.Writer, o ndjson.Options) (LineCounts, error) {
	var lock sync.Mutex // guards counts
	counts := LineCounts{Redactions: map[annotate.Label]int{}}
	err := ndjson.Filter(ctx, in, w, o, func(d ndjson.Doc) any {
		line := b.line(d)
		lock.Lock()
		defer lock.Unlock()
		counts.Notes++
		for _, r := range line.Redactions {
			counts.Redactions[r.Label]++
		}
		return line
	})
	return counts, err
}

// Document redacts one document as [Bundle.Lines] does: the text with placeholders, and the
// redactions in order.
func (b *Bundle) Document(d ndjson.Doc) (string, []Redaction) {
	r := b.redactTogether([]Input{{
		Text: *d.Text, Structured: d.AllKnown(), Identities: d.Identities,
		Known: FindKnown(*d.Text, d.Identities, b.Policy.KnownLabel),
	}})[0]
	return r.text, r.redactions
}

func (b *Bundle) line(d ndjson.Doc) redactedLine {
	text, redactions := b.Document(d)
	line := redactedLine{ID: *d.ID, Text: text, Redactions: make([]redactedPlace, len(redactions))}
	for i, p := range redactions {
		line.Redactions[i] = redactedPlace{p.At, p.AtEnd, p.Label}
	}
	return line
}
