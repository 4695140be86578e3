// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"time"

	"hide/internal/annotate"
	"hide/internal/annotate/format"
	"hide/internal/crf"
)

// trainResult is what hide train says.
type trainResult struct {
	Model     string           `json:"model"`
	Bytes     int64            `json:"bytes"`
	SHA256    string           `json:"sha256"`
	Preset    string           `json:"preset"`
	Documents int              `json:"documents"`
	Spans     int              `json:"spans"`
	Labels    []annotate.Label `json:"labels"`
	Stats     crf.Stats        `json:"train"`
}

func runTrain(ctx context.Context, e *env, args []string) error {
	f := e.flags()
	in := f.String("in", "", "annotated `FILE` to learn from: JSONL, brat folder, CoNLL or a zip of these")
	out := f.String("out", "", "`FILE` to write the model to; it holds words of the notes")
	preset := f.String("preset", "default", "`PRESET` of feature families: default, or hide (those of the dissertation)")
	c2 := f.Float64("c2", 0, "weight `W` of the squared penalty; 0 means 0.3")
	most := f.Int("max-iterations", 0, "stop after `N` iterations; 0 means 150")
	if _, err := e.parse(f, args, 0, 0); err != nil {
		return err
	}
	if err := e.required(f, "in", "out"); err != nil {
		return err
	}
	families, err := e.families(*preset)
	if err != nil {
		return err
	}
	if *c2 < 0 || *most < 0 {
		return e.usage("--c2 and --max-iterations must not be negative")
	}
	docs, report, err := readNotes(ctx, *in)
	if err != nil {
		return err
	}
	if report.Spans == 0 {
		return fmt.Errorf("train on %s: none of its %d documents has a span to learn from", *in, len(docs))
	}
	m, stats, err := e.train(ctx, docs, crf.Options{Features: families, C2: *c2, MaxIterations: *most, Now: time.Now})
	if err != nil {
		return err
	}
	return e.saveModel(m, *out, trainResult{Preset: *preset, Documents: len(docs), Spans: report.Spans, Labels: m.Labels(), Stats: stats})
}

func (e *env) families(preset string) (crf.Families, error) {
	switch preset {
	case "default":
		return crf.Default, nil
	case "hide":
		return crf.HIDE, nil
	}
	return 0, e.usage("unknown preset %q: there are default and hide", preset)
}

func (e *env) train(ctx context.Context, notes []annotate.Annotated, o crf.Options) (*crf.Model, crf.Stats, error) {
	docs := make([]crf.Doc, len(notes))
	for i, n := range notes {
		docs[i] = crf.NewDoc(n)
	}
	p := e.progress("training, iteration")
	defer p.end()
	o.Progress = func(i crf.Iteration) { p.step(i.Number, 0, fmt.Sprintf("objective %.1f", i.Objective)) }
	return crf.Train(ctx, docs, o)
}

func (e *env) saveModel(m *crf.Model, name string, r trainResult) error {
	sum := sha256.New()
	size, err := writeFile(name, func(w io.Writer) error { return m.Encode(io.MultiWriter(w, sum)) })
	if err != nil {
		return fmt.Errorf("write model: %w", err)
	}
	r.Model, r.Bytes, r.SHA256 = name, size, hex.EncodeToString(sum.Sum(nil))
	return e.result(r, func(w io.Writer) {
		fmt.Fprintf(w, "%s: %d labels learnt from %d documents with %d spans, %d iterations (%s), %.1f s\n",
			name, len(r.Labels), r.Documents, r.Spans, r.Stats.Number, r.Stats.Status, r.Stats.Seconds)
	})
}

// readNotes reads an annotated corpus whole.
func readNotes(ctx context.Context, name string) ([]annotate.Annotated, format.Report, error) {
	files, done, err := format.FromPaths([]string{name})
	if err != nil {
		return nil, format.Report{}, fmt.Errorf("read %s: %w", name, err)
	}
	defer done()
	var docs []annotate.Annotated
	report, err := format.Read(ctx, files, format.Options{}, func(d annotate.Annotated) error {
		docs = append(docs, d)
		return nil
	})
	if err != nil {
		return nil, report, fmt.Errorf("read %s: %w", name, err)
	}
	return docs, report, nil
}
