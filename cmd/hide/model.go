// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"unicode"

	"hide/internal/annotate"
	"hide/internal/crf"
	"hide/internal/words"
)

// modelInfo is what hide model says.
type modelInfo struct {
	Model  string           `json:"model"`
	Bytes  int64            `json:"bytes"`
	Hash   string           `json:"model_sha256"` // of the model without its card
	Labels []annotate.Label `json:"labels"`
	Card   crf.Card         `json:"card"`
}

func runModel(_ context.Context, e *env, args []string) error {
	rest, err := e.parse(e.flags(), args, 1, 1)
	if err != nil {
		return err
	}
	m, err := readModel(rest[0])
	if err != nil {
		return err
	}
	file, err := os.Stat(rest[0])
	if err != nil {
		return fmt.Errorf("read model: %w", err)
	}
	hash := m.Hash()
	info := modelInfo{rest[0], file.Size(), hex.EncodeToString(hash[:]), m.Labels(), m.Card()}
	return e.result(info, func(w io.Writer) { writeModel(w, info) })
}

func writeModel(w io.Writer, info modelInfo) {
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
	row("data", "%s", dataLine(c.Data))
	row("spans", "%s", spansLine(c.Data.Spans))
	row("features", "%s", strings.Join(c.Features.Families, ", "))
	for _, d := range c.Features.Dictionaries {
		row("dictionary", "%s, %s", d.Name, count(d.Phrases, "phrase"))
	}
	row("options", "%s", optionsLine(c))
	row("training", "%s", trainingLine(c.Training))
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

func dataLine(d crf.CardData) string {
	line := fmt.Sprintf("%s, %s", count(d.Documents, "document"), count(d.Words, "word"))
	if d.Learnt != d.Words {
		line += fmt.Sprintf(", %d of them learnt from", d.Learnt)
	}
	if d.Patients > 0 {
		line += ", " + count(d.Patients, "patient")
	}
	if d.First != "" {
		line += ", " + d.First + " to " + d.Last
	}
	return line
}

// spansLine lists labels, the most frequent first.
func spansLine(spans map[annotate.Label]int) string {
	labels := slices.SortedFunc(maps.Keys(spans), func(a, b annotate.Label) int {
		return cmp.Or(cmp.Compare(spans[b], spans[a]), cmp.Compare(a, b))
	})
	parts := make([]string, len(labels))
	for i, l := range labels {
		parts[i] = fmt.Sprintf("%s %d", l, spans[l])
	}
	return cmp.Or(strings.Join(parts, ", "), "none")
}

func optionsLine(c crf.Card) string {
	o := c.Options
	parts := []string{fmt.Sprintf("minimum count %d", o.MinCount)}
	if c.Learner == crf.Bayes {
		parts = append(parts, fmt.Sprintf("alpha %g", o.Alpha))
	} else {
		parts = append(parts, fmt.Sprintf("c2 %g", o.C2), fmt.Sprintf("pairs %s", o.Pairs), fmt.Sprintf("at most %d iterations", o.MaxIterations), fmt.Sprintf("tolerance %g", o.Tolerance))
	}
	if o.L1 > 0 {
		parts = append(parts, fmt.Sprintf("l1 %g", o.L1))
	}
	if s := o.Sampling.String(); s != "" {
		parts = append(parts, "sampling "+s)
	}
	if o.Binary {
		parts = append(parts, "labels folded into one")
	}
	if o.Warm {
		parts = append(parts, "begun from an earlier model")
	}
	return strings.Join(parts, ", ")
}

func trainingLine(t crf.CardTraining) string {
	line := cmp.Or(string(t.Status), "unknown")
	if t.Iterations > 0 {
		line += fmt.Sprintf(", %s, objective %.4f", count(t.Iterations, "iteration"), t.Objective)
	}
	line += fmt.Sprintf(", %s, %s", count(t.Attributes, "attribute"), count(t.Weights, "weight"))
	if t.Kept != t.Weights {
		line += fmt.Sprintf(" of which %d are more than next to nothing", t.Kept)
	}
	return line
}
