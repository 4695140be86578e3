// SPDX-License-Identifier: Apache-2.0

package evaluate

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"unicode"

	"hide/internal/annotate"
	"hide/internal/crf"
	"hide/internal/words"
)

// ModelInfo is what a file of a model says.
type ModelInfo struct {
	Model  string           `json:"model"`
	Bytes  int64            `json:"bytes"`
	Hash   string           `json:"model_sha256"` // of the model without its card
	Labels []annotate.Label `json:"labels"`
	Card   crf.Card         `json:"card"`
}

// NewModelInfo describes a model that a file of this size holds.
func NewModelInfo(file string, size int64, m *crf.Model) ModelInfo {
	hash := m.Hash()
	return ModelInfo{file, size, hex.EncodeToString(hash[:]), m.Labels(), m.Card()}
}

// Write prints the card of a model and what its file says of it.
func (info ModelInfo) Write(w io.Writer) {
	c, t := info.Card, tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	row := func(name, format string, args ...any) {
		fmt.Fprintf(t, "%s\t%s\n", name, plain(fmt.Sprintf(format, args...)))
	}
	row("model", "%s, %d bytes", info.Model, info.Bytes)
	row("identity", "%s", info.Hash)
	row("learner", "%s, %s", c.Learner, count(len(info.Labels), "label"))
	row("trained", "%s by hide %s", cmp.Or(c.Date, "on an unknown day"), cmp.Or(c.Program, "of an unknown version"))
	if c.Note != "" {
		row("note", "%s", c.Note)
	}
	row("data", "%s", c.Data)
	row("spans", "%s", spansLine(c.Data))
	row("features", "%s", strings.Join(c.Features.Families, ", "))
	for _, d := range c.Features.Dictionaries {
		row("dictionary", "%s, %s", d.Name, count(d.Phrases, "phrase"))
	}
	row("options", "%s", c.OptionsText())
	row("training", "%s", c.Training)
	for _, s := range c.Scores {
		row("scores", "%s: spans P %.4f R %.4f F1 %.4f, words P %.4f R %.4f F1 %.4f, %d of %d documents leak", s.How,
			s.Entity.Precision, s.Entity.Recall, s.Entity.F1, s.Token.Precision, s.Token.Recall, s.Token.F1, s.DocumentsWithLeak, s.Documents)
	}
	_ = t.Flush() // a table that cannot be written shows in the next write
}

// plain keeps what a file says from steering a terminal.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, s)
}

func count(n int, what string) string { return words.Count(n, what, what+"s") }

// spansLine lists labels, the most frequent first.
func spansLine(d crf.CardData) string {
	var parts []string
	for _, l := range d.Labels() {
		parts = append(parts, fmt.Sprintf("%s %d", l, d.Spans[l]))
	}
	return cmp.Or(strings.Join(parts, ", "), "none")
}
