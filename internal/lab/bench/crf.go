// SPDX-License-Identifier: Apache-2.0

// Package bench measures how fast the program trains, tags, sanitizes and anonymizes, and
// the error that differential privacy and generalization add on public data.
//
//	result, err := bench.CRF(ctx, notes, nil, bench.CRFTable.Default(), nil)
//	result.Write(os.Stdout)
//
// [CRF], [Greedy], [Redact], [Tables] and [DP] take options, declared in a table of package option,
// and return a result that is written as text or as JSON.
package bench

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"runtime"

	"hide/internal/annotate"
	"hide/internal/annotate/dictionary"
	"hide/internal/crf"
	"hide/internal/crf/kernel"
	"hide/internal/crf/score"
	"hide/internal/lab"
	"hide/internal/lab/evaluate"
	"hide/internal/option"
)

// CRFResult is the result of [CRF]. Processor time is that of the whole process, including
// garbage collection.
type CRFResult struct {
	File         string           `json:"file"`
	Preset       string           `json:"preset"`
	Labels       []annotate.Label `json:"labels"`
	Folded       []annotate.Label `json:"folded,omitempty"` // labels of the file merged into the one of Labels
	Pairs        crf.Pairs        `json:"pairs"`
	Transitions  string           `json:"transitions"`
	C2           float64          `json:"c2"`
	Dictionaries int              `json:"dictionaries"`
	Documents    int              `json:"documents"`
	Tokens       int              `json:"tokens"`
	States       int              `json:"states"`
	Attributes   int              `json:"attributes"`
	Weights      int              `json:"weights"`
	Workers      int              `json:"workers"`
	Processors   int              `json:"processors"`
	Architecture string           `json:"architecture"`
	Kernel       string           `json:"kernel"`
	Extract      float64          `json:"extract_seconds"` // wall time of making and numbering attributes, before the first evaluation
	Pass         float64          `json:"pass_cpu_ms"`     // mean over all evaluations
	Train        benchTrain       `json:"train"`
	Retrain      *benchRetrain    `json:"retrain"` // null for a single document
	Tag          benchTag         `json:"tag"`
	Test         *score.Tally     `json:"test,omitempty"` // exact spans of --test
	Peak         float64          `json:"peak_mib"`       // VmHWM after training; 0 where the system does not report it
	ModelBytes   int              `json:"model_bytes"`

	training   crf.Options
	docs, test []annotate.Note
}

// benchTrain counts from the first evaluation to the last step, and adds the work on a
// sample before it.
type benchTrain struct {
	Objective   float64    `json:"objective"`
	Iterations  int        `json:"iterations"`
	Evaluations int        `json:"evaluations"`
	Status      crf.Status `json:"status"`
	CPU         float64    `json:"cpu_seconds"`
	Wall        float64    `json:"wall_seconds"`
	ToCPU       *float64   `json:"to_reference_cpu_seconds"`  // to within 0.01 % of --reference;
	ToWall      *float64   `json:"to_reference_wall_seconds"` // null when never reached
	OwnCPU      *float64   `json:"to_own_cpu_seconds"`        // to within 0.01 % of Objective
	OwnWall     *float64   `json:"to_own_wall_seconds"`
}

// benchRetrain counts from the call; the new document has not been processed before.
type benchRetrain struct {
	Wall        *float64 `json:"wall_seconds"` // to within 0.01 % of train.objective; null when never reached
	TotalWall   float64  `json:"total_wall_seconds"`
	Evaluations int      `json:"evaluations"`
}

type benchTag struct {
	TokensPerSecond float64 `json:"tokens_per_second"`
}

// CRFOptions configure [CRF].
type CRFOptions struct {
	File         string // its name, for the result
	Labels       string // names, all, or labels separated by commas
	Preset       string
	Pairs        crf.Pairs
	Transitions  string
	Dictionaries []dictionary.List
	C2           float64
	Reference    float64
	Tolerance    float64
	Iterations   int
	MinCount     int
	Workers      int
	Memory       int
	MaxTokens    int
}

// CRFTable declares the options of [CRF].
var CRFTable = option.Table[CRFOptions]{
	option.Text(option.About{Name: "labels", Default: "all", Value: "LABELS", Help: "names (labels that mean people's names, as one label), all, or labels with commas between.", In: option.Command},
		func(o *CRFOptions) *string { return &o.Labels }),
	option.One(option.About{Name: "preset", Default: "hide", Value: "PRESET", Help: "The preset of feature families.", In: option.Command},
		evaluate.Presets, func(o *CRFOptions) *string { return &o.Preset }),
	option.One(option.About{Name: "pairs", Default: string(crf.Observed), Value: "PAIRS", Help: "Which attributes get a weight for which state.", In: option.Command},
		[]option.Choice{{Value: string(crf.Observed), Help: "as CRFsuite has them"}, {Value: string(crf.Auto), Help: "all for up to four labels and for attributes seen in a span, else those of O"}, {Value: string(crf.All), Help: "every pair"}}, func(o *CRFOptions) *crf.Pairs { return &o.Pairs }),
	option.One(option.About{Name: "transitions", Default: "free", Value: "TRANSITIONS", Help: "The transitions that training sums over.", In: option.Command},
		[]option.Choice{{Value: "free", Help: "all, as CRFsuite does"}, {Value: "bio", Help: "those that spans allow, as hide does"}}, func(o *CRFOptions) *string { return &o.Transitions }),
	option.Number(option.About{Name: "c2", Default: "1", Value: "W", Help: "The weight of the squared penalty, as CRFsuite counts it.", In: option.Command},
		option.Above(0), func(o *CRFOptions) *float64 { return &o.C2 }),
	option.Number(option.About{Name: "reference", Value: "OBJECTIVE", Help: "The objective at which another program ended: the result says when training is within 0.01 % of it.", In: option.Command},
		option.AtLeast(0), func(o *CRFOptions) *float64 { return &o.Reference }),
	option.Number(option.About{Name: "tolerance", Default: "1e-5", Value: "SHARE", Help: "Stop when ten iterations improve the objective by less than this share.", In: option.Command},
		option.Above(0), func(o *CRFOptions) *float64 { return &o.Tolerance }),
	option.Whole(option.About{Name: "max-iterations", Value: "N", Help: "Stop after N iterations; 0 means never.", In: option.Command},
		option.AtLeast(0), func(o *CRFOptions) *int { return &o.Iterations }),
	option.Whole(option.About{Name: "min-count", Default: "1", Value: "N", Help: "Leave out attributes that fewer than N tokens, or fewer documents, have.", In: option.Command},
		option.AtLeast(1), func(o *CRFOptions) *int { return &o.MinCount }),
	option.Whole(option.About{Name: "workers", Value: "N", Help: "Train on N processors; 0 means all.", In: option.Command},
		option.AtLeast(0), func(o *CRFOptions) *int { return &o.Workers }),
	option.Whole(option.About{Name: "memory", Value: "N", Help: "Keep N correction pairs of L-BFGS; 0 chooses by the number of weights.", In: option.Command},
		option.AtLeast(0), func(o *CRFOptions) *int { return &o.Memory }),
	option.Whole(option.About{Name: "max-tokens", Value: "N", Help: "Take documents from the start until there are N tokens; 0 takes all.", In: option.Command},
		option.AtLeast(0), func(o *CRFOptions) *int { return &o.MaxTokens }),
}

func (o CRFOptions) training() crf.Options {
	families, _ := crf.Preset(o.Preset)
	out := crf.Options{
		Features: families, Dictionaries: o.Dictionaries, C2: o.C2, Tolerance: o.Tolerance, Pairs: o.Pairs, AnyTransition: o.Transitions == "free",
		MaxIterations: o.Iterations, MinCount: o.MinCount, MinDocuments: o.MinCount, Workers: o.Workers, Memory: o.Memory,
	}
	out.MaxIterations = cmp.Or(out.MaxIterations, math.MaxInt32)
	return out
}

// CRF times training, tagging and retraining. test reads the notes for scoring; nil means
// none. It is called after training, whose peak memory is measured.
func CRF(ctx context.Context, notes []annotate.Annotated, test func() ([]annotate.Annotated, error), o CRFOptions, progress lab.Progress) (*CRFResult, error) {
	c, err := newCRFCorpus(notes, o)
	if err != nil {
		return nil, err
	}
	b := &CRFResult{
		File: o.File, Preset: o.Preset, Labels: c.labels, Folded: c.folded, Pairs: o.Pairs, Transitions: o.Transitions, C2: o.C2, Dictionaries: len(o.Dictionaries),
		Workers: o.Workers, Processors: runtime.GOMAXPROCS(0), Architecture: runtime.GOARCH,
		Kernel: kernel.Name(), training: o.training(), docs: c.docs,
	}
	b.Workers = cmp.Or(b.Workers, b.Processors)
	m, err := b.train(ctx, o.Reference, progress)
	if err != nil {
		return nil, err
	}
	if err := b.tag(ctx, m); err != nil {
		return nil, err
	}
	if test != nil {
		notes, err := test()
		if err != nil {
			return nil, err
		}
		b.test = c.testDocs(notes, o.Labels)
	}
	if err := b.score(ctx, m); err != nil {
		return nil, err
	}
	return b, b.retrain(ctx, progress)
}

// WriteAttributes writes the features as CRFsuite's training file. It holds words of the
// notes.
func (b *CRFResult) WriteAttributes(ctx context.Context, w io.Writer) error {
	return crf.Dump(ctx, w, annotate.Views(b.docs), b.training)
}

// WriteTestAttributes writes the same for the scored notes.
func (b *CRFResult) WriteTestAttributes(ctx context.Context, w io.Writer) error {
	o := b.training
	o.MinCount, o.MinDocuments = 1, 1 // a test file keeps attributes that training has not seen
	return crf.Dump(ctx, w, annotate.Views(b.test), o)
}

// Write prints the result as text.
func (b *CRFResult) Write(w io.Writer) {
	fmt.Fprintf(w, "%s: %d documents, %d tokens, %d states, %d attributes, %d weights; kernel %s, %d workers\n",
		b.File, b.Documents, b.Tokens, b.States, b.Attributes, b.Weights, b.Kernel, b.Workers)
	fmt.Fprintf(w, "extract    %8.2f s\n", b.Extract)
	fmt.Fprintf(w, "pass       %8.2f ms of processor time\n", b.Pass)
	fmt.Fprintf(w, "train      %8.2f s, %.2f s of processor time, %d iterations (%s), %d evaluations, objective %.4f\n",
		b.Train.Wall, b.Train.CPU, b.Train.Iterations, b.Train.Status, b.Train.Evaluations, b.Train.Objective)
	if b.Train.ToWall != nil {
		fmt.Fprintf(w, "reference  %8.2f s, %.2f s of processor time, to within 0.01 %%\n", *b.Train.ToWall, *b.Train.ToCPU)
	}
	if b.Retrain != nil && b.Retrain.Wall != nil {
		fmt.Fprintf(w, "retrain    %8.3f s to within 0.01 %% after one more document\n", *b.Retrain.Wall)
	}
	fmt.Fprintf(w, "tag        %8.0f tokens/s from raw text, one processor\n", b.Tag.TokensPerSecond)
	if b.Test != nil {
		fmt.Fprintf(w, "test       %8.4f F1 of spans, precision %.4f, recall %.4f\n", b.Test.F1, b.Test.Precision, b.Test.Recall)
	}
	fmt.Fprintf(w, "memory     %8.1f MiB at most while training\n", b.Peak)
	fmt.Fprintf(w, "model      %8d bytes\n", b.ModelBytes)
}
