// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"hide/internal/annotate"
	"hide/internal/crf"
	"hide/internal/crf/score"
	"hide/internal/lab"
	"hide/internal/option"
)

// near is the factor within which an objective counts as equal to a reference.
const near = 1 + 1e-4

// clocks are the processor time and the wall time at one moment.
type clocks struct {
	cpu  time.Duration
	wall time.Time
}

func readClocks() clocks { return clocks{cpuTime(), time.Now()} }

// since is the time between two moments, in seconds.
func (c clocks) since(start clocks) (cpu, wall float64) {
	return (c.cpu - start.cpu).Seconds(), c.wall.Sub(start.wall).Seconds()
}

// stopwatch times one training through its hooks.
type stopwatch struct {
	called, first, last clocks
	began               clocks // start of the current evaluation, or of the work on a sample
	passes              time.Duration
	sampleCPU           time.Duration // work on a sample: it belongs to training,
	sampleWall          time.Duration // though some comes before what does not
	evaluations         int
	steps               []benchStep
}

// benchStep is the end of one iteration.
type benchStep struct {
	objective float64
	at        clocks
}

func startWatch() *stopwatch {
	now := readClocks()
	return &stopwatch{called: now, first: now, last: now}
}

// follow sets the hooks of o.
func (s *stopwatch) follow(o crf.Options, bar lab.Bar) crf.Options {
	o.Now = time.Now
	o.Trace = crf.Trace{
		EvaluationStart: s.evaluationStart, EvaluationEnd: s.evaluationEnd,
		SampleStart: s.sampleStart, SampleEnd: s.sampleEnd,
	}
	o.Progress = func(i crf.Iteration) {
		s.last = readClocks()
		s.steps = append(s.steps, benchStep{i.Objective, s.last})
		bar.Step(i.Number, 0, fmt.Sprintf("objective %.1f", i.Objective))
	}
	return o
}

// near gives the times from start to the first iteration within 0.01 % of an objective,
// nil when no iteration comes that near.
func (s *stopwatch) near(objective float64, start clocks) (cpu, wall *float64) {
	for _, step := range s.steps {
		if step.objective <= objective*near {
			cpu, wall := step.at.since(start)
			return &cpu, &wall
		}
	}
	return nil, nil
}

func (s *stopwatch) evaluationStart() {
	s.began = readClocks()
	if s.evaluations == 0 {
		s.first = clocks{s.began.cpu - s.sampleCPU, s.began.wall.Add(-s.sampleWall)}
	}
}

func (s *stopwatch) evaluationEnd() {
	s.last = readClocks()
	s.passes += s.last.cpu - s.began.cpu
	s.evaluations++
}

func (s *stopwatch) sampleStart() { s.began = readClocks() }

func (s *stopwatch) sampleEnd() {
	now := readClocks()
	s.sampleCPU += now.cpu - s.began.cpu
	s.sampleWall += now.wall.Sub(s.began.wall)
}

// train trains from scratch.
func (b *CRFResult) train(ctx context.Context, reference float64, progress lab.Progress) (*crf.Model, error) {
	bar := progress.Start("training, iteration")
	defer bar.End()
	watch := startWatch()
	m, stats, err := crf.Train(ctx, annotate.Views(b.docs), watch.follow(b.training, bar))
	if err != nil {
		return nil, err
	}
	b.Peak = PeakMiB()
	b.Documents, b.Tokens, b.States, b.Attributes, b.Weights = stats.Documents, stats.Tokens, stats.States, stats.Attributes, stats.Weights
	b.Train = benchTrain{Objective: stats.Objective, Iterations: stats.Number, Evaluations: stats.Evaluations, Status: stats.Status}
	b.Train.CPU, b.Train.Wall = watch.last.since(watch.first)
	_, b.Extract = watch.first.since(watch.called)
	b.Pass = watch.passes.Seconds() * 1000 / max(1, float64(watch.evaluations))
	b.Train.ToCPU, b.Train.ToWall = watch.near(reference, watch.first)
	b.Train.OwnCPU, b.Train.OwnWall = watch.near(stats.Objective, watch.first)
	return m, nil
}

// retrain trains on all documents but the last, then on all with a warm start.
func (b *CRFResult) retrain(ctx context.Context, progress lab.Progress) error {
	docs := b.docs
	if len(docs) < 2 {
		return nil
	}
	bar := progress.Start("training again, iteration")
	defer bar.End()
	watch := startWatch()
	t, err := crf.NewTrainer(watch.follow(b.training, bar))
	if err != nil {
		return err
	}
	if _, _, err := t.Train(ctx, annotate.Views(docs[:len(docs)-1])); err != nil {
		return err
	}
	runtime.GC()
	*watch = *startWatch()
	_, stats, err := t.Train(ctx, annotate.Views(docs))
	if err != nil {
		return err
	}
	b.Retrain = &benchRetrain{Evaluations: stats.Evaluations}
	_, b.Retrain.TotalWall = readClocks().since(watch.called)
	_, b.Retrain.Wall = watch.near(b.Train.Objective, watch.called)
	return nil
}

// tag tags each text once on one processor, with a model as read from its file: its
// caches are empty.
func (b *CRFResult) tag(ctx context.Context, m *crf.Model) error {
	var file bytes.Buffer
	if err := m.Encode(&file); err != nil {
		return err
	}
	b.ModelBytes = file.Len()
	fresh, err := crf.Decode(&file)
	if err != nil {
		return err
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	runtime.GC()
	tokens, began := 0, time.Now()
	for _, d := range b.docs {
		if err := ctx.Err(); err != nil {
			return err
		}
		raw := annotate.NewNote(annotate.Annotated{Document: annotate.Document{Text: d.Text}})
		fresh.Tag(raw.View())
		tokens += len(raw.Words)
	}
	b.Tag.TokensPerSecond = float64(tokens) / max(time.Since(began).Seconds(), 1e-9)
	return nil
}

// score counts exact spans. Gold spans are widened to whole tokens, as in a file of
// attributes.
func (b *CRFResult) score(ctx context.Context, m *crf.Model) error {
	test := b.test
	if len(test) == 0 {
		return nil
	}
	docs := make([]score.Prediction, len(test))
	for i, d := range test {
		if err := ctx.Err(); err != nil {
			return err
		}
		gold := d.WithSpans(d.TokenSpans())
		docs[i] = score.Prediction{Note: &gold, Predicted: m.Tag(d.View())}
	}
	micro := score.Of(docs, score.Options{}).Entity.Micro
	b.Test = &micro
	return nil
}

// PeakMiB is the largest resident memory of the process, 0 where the system does not
// report it as Linux does.
func PeakMiB() float64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, after, _ := strings.Cut(string(status), "\nVmHWM:")
	kib, _, _ := strings.Cut(strings.TrimSpace(after), " ")
	n, err := strconv.ParseFloat(kib, 64)
	if err != nil {
		return 0
	}
	return n / 1024
}

// crfCorpus is the training corpus of the CRF.
type crfCorpus struct {
	docs           []annotate.Note
	labels, folded []annotate.Label // sorted
	keep           map[annotate.Label]annotate.Label
}

// nameLabel replaces all labels of names, so that there are three states.
const nameLabel annotate.Label = "NAME"

func newCRFCorpus(notes []annotate.Annotated, o CRFOptions) (crfCorpus, error) {
	keep, err := keptLabels(annotate.Labels(notes), o.Labels)
	if err != nil {
		return crfCorpus{}, err
	}
	c := crfCorpus{docs: upToTokens(crfDocs(notes, keep), o.MaxTokens), keep: keep}
	c.labels = annotate.Labels(notes[:len(c.docs)])
	if o.Labels == "names" {
		c.folded = slices.Sorted(maps.Keys(keep))
	}
	return c, nil
}

// testDocs are notes to score, with the same labels.
func (c crfCorpus) testDocs(notes []annotate.Annotated, which string) []annotate.Note {
	keep := c.keep
	if which == "all" {
		keep = maps.Clone(keep)
		for _, label := range annotate.Labels(notes) {
			keep[label] = label
		}
	}
	return crfDocs(notes, keep)
}

// keptLabels maps each label that counts to the label used.
func keptLabels(have []annotate.Label, which string) (map[annotate.Label]annotate.Label, error) {
	keep := map[annotate.Label]annotate.Label{}
	for _, label := range have {
		switch {
		case which == "names" && meansName(label):
			keep[label] = nameLabel
		case which == "all" || slices.Contains(strings.Split(which, ","), string(label)):
			keep[label] = label
		}
	}
	if len(keep) == 0 {
		return nil, &option.Problem{Name: "labels", Text: fmt.Sprintf("none of the %d labels of the notes is meant: enter names, all, or labels with commas between; case counts", len(have))}
	}
	return keep, nil
}

// meansName reports whether a label means a person's name: between dots, dashes and
// underscores it has a word for a person or a name, and no word for something else that
// people and things have.
func meansName(label annotate.Label) bool {
	const (
		person = " NAME NAMES FIRSTNAME LASTNAME SURNAME NOMBRE NOM PER PERS PERSON PATIENT DOCTOR "
		other  = " ID AGE EMAIL PHONE ADDRESS DOMAIN HOSPITAL ORGANIZATION STREET CITY USER "
	)
	named := false
	for _, part := range strings.FieldsFunc(strings.ToUpper(string(label)), func(r rune) bool { return strings.ContainsRune("._-", r) }) {
		if strings.Contains(other, " "+part+" ") {
			return false
		}
		named = named || strings.Contains(person, " "+part+" ")
	}
	return named
}

// crfDocs cuts the notes into tokens, with the spans that count.
func crfDocs(notes []annotate.Annotated, keep map[annotate.Label]annotate.Label) []annotate.Note {
	docs := make([]annotate.Note, len(notes))
	for i := range notes {
		n := &notes[i]
		n.Spans = slices.DeleteFunc(n.Spans, func(s annotate.Span) bool { return keep[s.Label] == "" })
		for j := range n.Spans {
			n.Spans[j].Label = keep[n.Spans[j].Label]
		}
		docs[i] = annotate.NewNote(*n)
	}
	return docs
}

// upToTokens is the shortest prefix of documents with n tokens; all for 0.
func upToTokens(docs []annotate.Note, n int) []annotate.Note {
	if n == 0 {
		return docs
	}
	for i, d := range docs {
		if n -= len(d.Words); n <= 0 {
			return docs[:i+1]
		}
	}
	return docs
}
