// SPDX-License-Identifier: Apache-2.0

package trade

import (
	"context"
	"fmt"
	"strings"

	"hide/internal/annotate"
	"hide/internal/crf"
	"hide/internal/crf/score"
)

// Line is the settings of one curve. The first leaves nothing out.
type Line struct {
	Name      string   // its keys: o, window
	Labels    []string // of the settings: what is written beside their points
	Samplings []crf.Sampling
}

// AllWords is the label of the setting that leaves nothing out.
const AllWords = "all"

// Usual are the curves of random and of window sampling, as [ParseLine] reads
// them.
func Usual() []string { return []string{"o=.5,.2,.1,.05", "window=16,8,4,2"} }

// ParseLine expands o=.5,.2+window=4 into all words, o=.5+window=4 and
// o=.2+window=4. The values of cost, which hold commas, have slashes between
// them. Samplings without a seed of their own get seed.
func ParseLine(text string, seed uint64) (Line, error) {
	line, settings := Line{Labels: []string{AllWords}, Samplings: make([]crf.Sampling, 1)}, []string{""}
	var keys []string
	for part := range strings.SplitSeq(text, "+") {
		key, list, _ := strings.Cut(part, "=")
		separator := ","
		if key == "cost" {
			separator = "/"
		}
		keys, settings = append(keys, key), times(settings, key, strings.Split(list, separator))
	}
	line.Name = strings.Join(keys, "+")
	for _, setting := range settings {
		s, err := crf.ParseSampling(setting)
		if err != nil {
			return line, err
		}
		line.add(s, pointLabel(setting), seed)
	}
	return line, nil
}

// add leaves out what leaves nothing out: the line begins with that.
func (l *Line) add(s crf.Sampling, label string, seed uint64) {
	if s.O == 1 {
		s.O = 0
	}
	if s.String() == "" {
		return
	}
	if s.Seed == 0 {
		s.Seed = seed
	}
	l.Labels, l.Samplings = append(l.Labels, label), append(l.Samplings, s)
}

// times puts every value of key behind every setting.
func times(settings []string, key string, values []string) []string {
	var out []string
	for _, s := range settings {
		for _, v := range values {
			out = append(out, strings.TrimPrefix(s+"+"+key+"="+v, "+"))
		}
	}
	return out
}

// pointLabel is a setting without its keys: .5 for o=.5.
func pointLabel(setting string) string {
	parts := strings.Split(setting, "+")
	for i, part := range parts {
		_, parts[i], _ = strings.Cut(part, "=")
	}
	return strings.Join(parts, " ")
}

// Marker is a learner of another package, which tells sensitive words from others
// and no labels from each other. It is scored by runs of neighbouring sensitive words,
// in the notes as in what it says.
type Marker struct {
	Name string
	// Marks are the words that it marks in each note, by what it trained with a
	// sampling from the notes of the other folds. fold[i] is the fold of note i, and
	// words are those of [annotate.NewNote].
	Marks func(ctx context.Context, s crf.Sampling, fold []int, folds int) ([][]bool, error)
}

// marked is what the marker says, and how long all of that took.
func (r *run) marked(ctx context.Context, s crf.Sampling) (said []score.Prediction, seconds float64, err error) {
	fold, err := crf.Folds(r.groups, r.Folds, r.Seed)
	if err != nil {
		return nil, 0, fmt.Errorf("cross-validate: %w", err)
	}
	took := r.options.Stopwatch()
	marks, err := r.options.Marker.Marks(ctx, s, fold, r.Folds)
	if err != nil {
		return nil, 0, err
	}
	seconds = took().Seconds()
	said = make([]score.Prediction, len(r.notes))
	for i, d := range r.notes {
		predicted := []annotate.Suggestion{}
		for _, span := range runs(d.Tokens, marks[i]) {
			predicted = append(predicted, annotate.Suggestion{Span: span})
		}
		gold := d.WithSpans(runs(d.Tokens, d.Sensitive))
		said[i] = score.Prediction{Note: &gold, Predicted: predicted}
	}
	return said, seconds, nil
}

// runs are spans of neighbouring marked tokens.
func runs(tokens []annotate.Token, marks []bool) []annotate.Span {
	labels := make([]annotate.Label, len(tokens))
	for t, marked := range marks {
		if marked {
			labels[t] = crf.Folded
		}
	}
	return annotate.SpansOf(tokens, labels, make([]bool, len(tokens)))
}
