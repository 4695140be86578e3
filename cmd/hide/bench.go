// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math"
	"runtime"

	"hide/internal/annotate"
	"hide/internal/crf"
	"hide/internal/crf/kernel"
	"hide/internal/crf/score"
)

// benchmark is what hide bench crf says. Processor time is that of the whole
// process, garbage collection included.
type benchmark struct {
	File         string           `json:"file"`
	Preset       string           `json:"preset"`
	Labels       []annotate.Label `json:"labels"`
	Folded       []annotate.Label `json:"folded,omitempty"` // labels of the file that became the one of Labels
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
	Extract      float64          `json:"extract_seconds"` // wall: attributes made and numbered, before the first evaluation
	Pass         float64          `json:"pass_cpu_ms"`     // mean of all evaluations
	Train        benchTrain       `json:"train"`
	Retrain      *benchRetrain    `json:"retrain"` // null for a single document
	Tag          benchTag         `json:"tag"`
	Test         *score.Tally     `json:"test,omitempty"` // spans of --test, exact
	Peak         float64          `json:"peak_mib"`       // VmHWM after training; 0 where the system does not tell
	ModelBytes   int              `json:"model_bytes"`
}

// benchTrain counts from the first evaluation to the last step, and the work on a
// sample before it.
type benchTrain struct {
	Objective   float64    `json:"objective"`
	Iterations  int        `json:"iterations"`
	Evaluations int        `json:"evaluations"`
	Status      crf.Status `json:"status"`
	CPU         float64    `json:"cpu_seconds"`
	Wall        float64    `json:"wall_seconds"`
	ToCPU       *float64   `json:"to_reference_cpu_seconds"`  // to within 0.01 % of --reference;
	ToWall      *float64   `json:"to_reference_wall_seconds"` // null when it never came there
	OwnCPU      *float64   `json:"to_own_cpu_seconds"`        // to within 0.01 % of Objective
	OwnWall     *float64   `json:"to_own_wall_seconds"`
}

// benchRetrain counts from the call, with the new document not yet looked at.
type benchRetrain struct {
	Wall        *float64 `json:"wall_seconds"` // to within 0.01 % of train.objective; null when it never came there
	TotalWall   float64  `json:"total_wall_seconds"`
	Evaluations int      `json:"evaluations"`
}

type benchTag struct {
	TokensPerSecond float64 `json:"tokens_per_second"`
}

// benchFlags are the flags of hide bench crf as they were typed.
type benchFlags struct {
	in, test, labels, preset, pairs, transitions, dictionaries string
	dump, dumpTest                                             string
	c2, reference, tolerance                                   float64
	workers, memory, iterations, least, tokens                 int
}

func runBenchCRF(ctx context.Context, e *env, args []string) error {
	var v benchFlags
	f := e.flags()
	v.declare(f)
	if _, err := e.parse(f, args, 0, 0); err != nil {
		return err
	}
	if err := e.required(f, "in"); err != nil {
		return err
	}
	o, err := e.benchOptions(v)
	if err != nil {
		return err
	}
	result, err := e.bench(ctx, v, o)
	if err != nil {
		return err
	}
	return e.result(result, result.write)
}

func (v *benchFlags) declare(f *flag.FlagSet) {
	f.StringVar(&v.in, "in", "", "annotated `FILE` to train on: JSONL, brat folder, CoNLL or a zip of these")
	f.StringVar(&v.test, "test", "", "annotated `FILE` to score the trained model on, with the same labels")
	f.StringVar(&v.labels, "labels", "all", "names: labels that mean people's names, as one; all; or `LABELS` with commas between")
	f.StringVar(&v.preset, "preset", "hide", "`PRESET` of feature families: hide (those of the dissertation), default, or thorough")
	f.StringVar(&v.dictionaries, "dictionaries", "", dictionariesUsage)
	f.StringVar(&v.pairs, "pairs", "observed", "which attributes get a weight for which state: observed `PAIRS`, as CRFsuite has them, auto or all")
	f.StringVar(&v.transitions, "transitions", "free", "`TRANSITIONS` that training sums over: free, all of them as CRFsuite does, or bio, those that spans allow, as hide does")
	f.Float64Var(&v.c2, "c2", 1, "weight `W` of the squared penalty, as CRFsuite counts it")
	f.Float64Var(&v.reference, "reference", 0, "`OBJECTIVE` that another program ended at: tell when training is within 0.01 % of it")
	f.Float64Var(&v.tolerance, "tolerance", 1e-5, "stop when ten iterations improve the objective by less than this `SHARE`")
	f.IntVar(&v.iterations, "max-iterations", 0, "stop after `N` iterations; 0 means never")
	f.IntVar(&v.least, "min-count", 1, "leave out attributes that fewer than `N` tokens, or fewer documents, have")
	f.IntVar(&v.workers, "workers", 0, "train on `N` processors; 0 means all")
	f.IntVar(&v.memory, "memory", 0, "keep `N` correction pairs of L-BFGS; 0 chooses by the number of weights")
	f.IntVar(&v.tokens, "max-tokens", 0, "take documents from the start until there are `N` tokens; 0 takes all")
	f.StringVar(&v.dump, "dump-attributes", "", "then write CRFsuite's training file of the same features to `FILE`; it holds words of the notes")
	f.StringVar(&v.dumpTest, "dump-test", "", "and the same of --test to `FILE`")
}

// benchOptions checks what was typed.
func (e *env) benchOptions(v benchFlags) (crf.Options, error) {
	families, err := e.families(v.preset)
	if err != nil {
		return crf.Options{}, err
	}
	switch pairs := crf.Pairs(v.pairs); {
	case pairs != crf.Observed && pairs != crf.Auto && pairs != crf.All:
		return crf.Options{}, e.usage("unknown pairs %q: there are observed, auto and all", v.pairs)
	case v.transitions != "free" && v.transitions != "bio":
		return crf.Options{}, e.usage("unknown transitions %q: there are free and bio", v.transitions)
	case !(v.c2 > 0) || !(v.tolerance > 0) || !(v.reference >= 0):
		return crf.Options{}, e.usage("--c2 and --tolerance must be above 0, and --reference not below")
	case v.iterations < 0 || v.workers < 0 || v.memory < 0 || v.tokens < 0:
		return crf.Options{}, e.usage("--max-iterations, --workers, --memory and --max-tokens must not be negative")
	case v.least < 1:
		return crf.Options{}, e.usage("--min-count must be at least 1")
	case v.dumpTest != "" && v.test == "":
		return crf.Options{}, e.usage("--dump-test goes with --test")
	}
	lists, err := readDictionaries(v.dictionaries)
	o := crf.Options{
		Features: families, Dictionaries: lists, C2: v.c2, Tolerance: v.tolerance, Pairs: crf.Pairs(v.pairs), AnyTransition: v.transitions == "free",
		MaxIterations: v.iterations, MinCount: v.least, MinDocuments: v.least, Workers: v.workers, Memory: v.memory,
	}
	if o.MaxIterations == 0 {
		o.MaxIterations = math.MaxInt32
	}
	return o, err
}

// bench measures training first, before anything bigger is in memory.
func (e *env) bench(ctx context.Context, v benchFlags, o crf.Options) (benchmark, error) {
	c, err := readBench(ctx, v)
	if err != nil {
		return benchmark{}, err
	}
	b := benchmark{
		File: v.in, Preset: v.preset, Labels: c.labels, Folded: c.folded, Pairs: o.Pairs, Transitions: v.transitions, C2: o.C2, Dictionaries: len(o.Dictionaries),
		Workers: o.Workers, Processors: runtime.GOMAXPROCS(0), Architecture: runtime.GOARCH,
		Kernel: kernel.Name(),
	}
	if b.Workers == 0 {
		b.Workers = b.Processors
	}
	m, err := e.benchTraining(ctx, &b, c.docs, o, v.reference)
	if err != nil {
		return benchmark{}, err
	}
	if err := b.tagging(ctx, m, c.docs); err != nil {
		return benchmark{}, err
	}
	test, err := readBenchTest(ctx, v, c.keep)
	if err != nil {
		return benchmark{}, err
	}
	if err := b.score(ctx, m, test); err != nil {
		return benchmark{}, err
	}
	if err := e.benchRetraining(ctx, &b, c.docs, o); err != nil {
		return benchmark{}, err
	}
	if err := dumpAttributes(ctx, v.dump, c.docs, o); err != nil {
		return benchmark{}, err
	}
	o.MinCount, o.MinDocuments = 1, 1 // a test file keeps attributes that training has not seen
	return b, dumpAttributes(ctx, v.dumpTest, test, o)
}

func dumpAttributes(ctx context.Context, name string, docs []annotate.Note, o crf.Options) error {
	if name == "" {
		return nil
	}
	_, err := writeFile(name, func(w io.Writer) error { return crf.Dump(ctx, w, annotate.Views(docs), o) })
	return err
}

func (b benchmark) write(w io.Writer) {
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
