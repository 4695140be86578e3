// SPDX-License-Identifier: Apache-2.0

// Package trade measures the trade-off of sampling between precision and recall: the
// curve of a learner that trains on fewer non-sensitive words (dissertation, section
// 4.5).
//
//	line, err := trade.ParseLine("o=.5,.2,.1", 1)
//	curves, err := trade.Measure(ctx, notes, []trade.Line{line}, trade.Options{Folds: 5, Seed: 1})
//
// A [Marker] is a learner of another package, which does not predict labels.
//
// Every setting is cross-validated on the same folds. A setting that several curves
// share is measured once. The first setting of each curve has no sampling.
package trade

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"hide/internal/annotate"
	"hide/internal/crf"
	"hide/internal/crf/sampling"
	"hide/internal/crf/score"
)

// ErrNothing is returned for notes without sensitive words: neither precision nor
// recall is defined.
var ErrNothing = errors.New("the notes have no spans, so nothing can be scored")

// Options are the options of a measurement.
type Options struct {
	crf.Options        // of every training; its Sampling is replaced
	Folds       int    // at least 2; a patient is never split
	Seed        uint64 // for the folds and the resampling

	// Marker is a learner outside package crf; nil: the learner of Options.
	Marker *Marker

	// Begin, if not nil, is called before each setting is measured; of is the number of
	// settings.
	Begin func(done, of int, s crf.Sampling)
}

// Curves are the results.
type Curves struct {
	Documents int       `json:"documents"`
	Folds     int       `json:"folds"`
	Seed      uint64    `json:"seed"`
	Learner   string    `json:"learner"`
	Folded    bool      `json:"folded,omitempty"` // all labels are one: the learner only predicts what is sensitive
	Settings  []Setting `json:"settings"`         // each once; the first trains on all words
	Lines     []Curve   `json:"curves"`
}

// Setting is the cross-validation result of one sampling.
type Setting struct {
	Sampling          crf.Sampling `json:"sampling"`
	WordsKept         float64      `json:"words_kept"` // words that training sees, for each word there is; above 1 with sampling.Sampling.Times
	Entity            score.Tally  `json:"entity"`
	Token             score.Tally  `json:"token"`
	DocumentsWithLeak int          `json:"documents_with_leak"`
	Seconds           float64      `json:"train_seconds"` // of all folds, with tagging if there is a Marker; 0 without a clock
}

// Curve is one line: its settings in order.
type Curve struct {
	Name   string  `json:"name"`
	Points []Point `json:"points"`
}

// Point is a setting on a curve.
type Point struct {
	Label   string `json:"label"`
	Setting int    `json:"setting"` // index into the settings
}

// Count is the number of different settings of the lines.
func Count(lines []Line) int {
	known := map[string]bool{}
	for _, l := range lines {
		for _, s := range l.Samplings {
			known[s.String()] = true
		}
	}
	return len(known)
}

// resamples is the number of resamples of documents, as everywhere in scoring.
const resamples = 1000

// run measures settings, each of them once.
type run struct {
	Curves
	notes   []annotate.Note
	groups  []string
	options Options
	of      int
	known   map[string]int // setting by its text
}

// Measure cross-validates with every setting of every line. Notes without a span
// are [ErrNothing].
func Measure(ctx context.Context, notes []annotate.Annotated, lines []Line, o Options) (Curves, error) {
	r := &run{notes: annotate.NewNotes(notes), options: o, of: Count(lines), known: map[string]int{}}
	r.Curves = Curves{Documents: len(notes), Folds: o.Folds, Seed: o.Seed, Learner: o.name(), Folded: o.Marker != nil}
	spans := 0
	for _, n := range r.notes {
		r.groups = append(r.groups, n.Group)
		spans += len(n.Spans)
	}
	if spans == 0 {
		return Curves{}, ErrNothing
	}
	for _, line := range lines {
		drawn := Curve{Name: line.Name}
		for i, s := range line.Samplings {
			at, err := r.setting(ctx, s)
			if err != nil {
				return Curves{}, err
			}
			drawn.Points = append(drawn.Points, Point{line.Labels[i], at})
		}
		r.Lines = append(r.Lines, drawn)
	}
	return r.Curves, nil
}

func (o Options) name() string {
	if o.Marker != nil {
		return o.Marker.Name
	}
	return string(cmp.Or(o.Learner, crf.Chain))
}

// setting returns the index of the setting with sampling s; a new one is measured.
func (r *run) setting(ctx context.Context, s crf.Sampling) (int, error) {
	if at, ok := r.known[s.String()]; ok {
		return at, nil
	}
	if r.options.Begin != nil {
		r.options.Begin(len(r.Settings), r.of, s)
	}
	validate := r.tagged
	if r.options.Marker != nil {
		validate = r.marked
	}
	said, seconds, err := validate(ctx, s)
	if err != nil {
		return 0, err
	}
	report := score.Of(said, score.Options{Resamples: resamples, Seed: r.Seed})
	kept, err := r.kept(s)
	if err != nil {
		return 0, err
	}
	r.known[s.String()] = len(r.Settings)
	r.Settings = append(r.Settings, Setting{
		Sampling: s, WordsKept: kept, Seconds: seconds,
		Entity: report.Entity.Micro, Token: report.Token.Micro, DocumentsWithLeak: report.DocumentsWithLeak,
	})
	return len(r.Settings) - 1, nil
}

// tagged returns the output of a learner of package crf, with labels, and the duration
// of its trainings.
func (r *run) tagged(ctx context.Context, s crf.Sampling) (said []score.Prediction, seconds float64, err error) {
	o := r.options.Options
	o.Sampling = s
	c, err := crf.CrossValidate(ctx, annotate.Views(r.notes), r.groups, r.Folds, r.Seed, o)
	if err != nil {
		return nil, 0, err
	}
	said = make([]score.Prediction, len(r.notes))
	for i := range r.notes {
		said[i] = score.Prediction{Note: &r.notes[i], Predicted: c.Tags[i]}
	}
	for _, t := range c.Training {
		seconds += t.Seconds
	}
	return said, seconds, nil
}

// kept is the number of words that training sees, for each word there is.
func (r *run) kept(s crf.Sampling) (float64, error) {
	views := annotate.Views(r.notes)
	docs, words, seen := make([]sampling.Document, len(views)), 0, 0
	for i, v := range views {
		docs[i] = sampling.Of(v)
		words += len(v.Words)
	}
	copies, err := s.Copies(docs)
	for _, skips := range copies {
		for _, skip := range skips {
			for _, left := range skip {
				if !left {
					seen++
				}
			}
		}
	}
	return float64(seen) / float64(max(words, 1)), err
}

// Line is the settings of one curve. The first leaves nothing out.
type Line struct {
	Name      string   // its keys: o, window
	Labels    []string // of the settings, shown beside their points
	Samplings []crf.Sampling
}

// AllWords is the label of the setting without sampling.
const AllWords = "all"

// Usual are the curves of random and of window sampling, as [ParseLine] reads
// them.
func Usual() []string { return []string{"o=.5,.2,.1,.05", "window=16,8,4,2"} }

// ParseLines reads lines as [ParseLine] does; none means the usual ones.
func ParseLines(texts []string, seed uint64) ([]Line, error) {
	if len(texts) == 0 {
		texts = Usual()
	}
	lines := make([]Line, len(texts))
	for i, text := range texts {
		var err error
		if lines[i], err = ParseLine(text, seed); err != nil {
			return nil, err
		}
	}
	return lines, nil
}

// ParseLine expands o=.5,.2+window=4 into all words, o=.5+window=4 and o=.2+window=4.
// Values of cost contain commas, so slashes separate them. Samplings without their own
// seed get seed.
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

// add skips a setting that leaves nothing out, because the line starts with it.
func (l *Line) add(s crf.Sampling, label string, seed uint64) {
	if s.O == 1 {
		s.O = 0
	}
	if s.String() == "" {
		return
	}
	s.Seed = cmp.Or(s.Seed, seed)
	l.Labels, l.Samplings = append(l.Labels, label), append(l.Samplings, s)
}

// times appends every value of key to every setting.
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

// Marker is a learner outside package crf that marks sensitive words without labels. It
// is scored by runs of neighbouring sensitive words, in the notes and in its output.
type Marker struct {
	Name string
	// Marks returns the words that it marks in each note, after training with a
	// sampling on the notes of the other folds. fold[i] is the fold of note i. Words
	// are those of [annotate.NewNote].
	Marks func(ctx context.Context, s crf.Sampling, fold []int, folds int) ([][]bool, error)
}

// marked returns the marker's output, and how long training and marking took.
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
