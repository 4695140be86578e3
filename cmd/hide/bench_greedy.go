// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"runtime"
	"text/tabwriter"

	"hide/internal/annotate"
	"hide/internal/crf"
	"hide/internal/greedy"
	"hide/internal/greedy/learn"
	"hide/internal/hospital"
)

// benchGreedy is what hide bench greedy says: a run of default mode with its
// certificate, by size.
type benchGreedy struct {
	First        string      `json:"first"`
	Learners     []string    `json:"learners"`
	LC           []float64   `json:"lc"`
	Folds        int         `json:"folds"`
	Workers      int         `json:"workers"`
	Processors   int         `json:"processors"`
	Architecture string      `json:"architecture"`
	Sizes        []benchGrid `json:"sizes"`
}

// benchGrid is one size.
type benchGrid struct {
	Documents int     `json:"documents"`
	Tokens    int     `json:"tokens"`
	Sensitive int     `json:"sensitive"`
	Rounds    int     `json:"rounds"` // of all values of L/C
	Wall      float64 `json:"wall_seconds"`
	CPU       float64 `json:"cpu_seconds"`
	Peak      float64 `json:"peak_mib"` // VmHWM so far; 0 where the system does not tell
}

// benchGreedyFlags are the flags as they were typed.
type benchGreedyFlags struct {
	tokens, lc, learners, first, preset string
	folds, workers                      int
	seed                                uint64
}

func (v *benchGreedyFlags) declare(f *flag.FlagSet) {
	f.StringVar(&v.tokens, "tokens", "50000,100000,200000", "`NUMBERS` of tokens of generated notes, the fewest first")
	f.StringVar(&v.lc, "lc", "1,2,5,10,20,50,100", "`VALUES` of L/C")
	f.StringVar(&v.learners, "learners", "crf", learnersUsage())
	f.StringVar(&v.first, "first", "detector", "`LEARNER` that redacts in round 1; none for no such round")
	f.StringVar(&v.preset, "preset", "default", presetUsage)
	f.IntVar(&v.folds, "folds", 4, "cross-fit in `K` folds")
	f.IntVar(&v.workers, "workers", 0, "at most `N` trainings at a time; 0 means one for each processor")
	f.Uint64Var(&v.seed, "seed", 1, "`N` decides notes, folds and resampling")
}

func runBenchGreedy(ctx context.Context, e *env, args []string) error {
	var v benchGreedyFlags
	f := e.flags()
	v.declare(f)
	if _, err := e.parse(f, args, 0, 0); err != nil {
		return err
	}
	sizes, err := e.counts("tokens", v.tokens)
	if err != nil {
		return err
	}
	p, taggers, err := e.benchParams(v)
	if err != nil {
		return err
	}
	ctx, stop := within(ctx, taggers)
	defer stop()
	b := benchGreedy{First: v.first, Learners: classNames(p.Learners, false), LC: p.LC, Folds: p.Folds, Workers: p.Workers, Processors: runtime.GOMAXPROCS(0), Architecture: runtime.GOARCH}
	for _, n := range sizes {
		size, err := e.benchSize(ctx, p, n, v.seed)
		if cause := context.Cause(ctx); cause != nil {
			return cause
		}
		if err != nil {
			return fmt.Errorf("%d tokens: %w", n, err)
		}
		b.Sizes = append(b.Sizes, size)
	}
	return e.result(b, b.write)
}

// benchParams checks what was typed. The commands among the learners are also
// given apart.
func (e *env) benchParams(v benchGreedyFlags) (p greedy.Params, taggers []*outside, err error) {
	if v.folds < 2 || v.workers < 0 {
		return p, nil, e.usage("--folds must be at least 2, and --workers not negative")
	}
	p = greedy.Params{Folds: v.folds, Seed: v.seed, Workers: v.workers}
	if p.Workers == 0 {
		p.Workers = runtime.GOMAXPROCS(0)
	}
	if p.LC, err = e.ratios(v.lc); err != nil {
		return p, nil, err
	}
	families, err := e.families(v.preset)
	if err != nil {
		return p, nil, err
	}
	o := learn.Options{CRF: crf.Options{Features: families, Workers: 1}, Seed: v.seed}
	if p.Learners, taggers, err = e.learners("learners", v.learners, o); err != nil || v.first == "none" {
		return p, taggers, err
	}
	if p.First, err = learn.New(v.first, o); err != nil {
		return p, nil, e.usage("--first: %v", err)
	}
	return p, taggers, nil
}

// benchSize runs the grid on notes of n tokens.
func (e *env) benchSize(ctx context.Context, p greedy.Params, n int, seed uint64) (benchGrid, error) {
	docs := hospitalDocs(n, seed)
	c := corpusOf(docs)
	b := benchGrid{Documents: c.Documents, Tokens: c.Tokens, Sensitive: c.Sensitive}
	line := e.progress(fmt.Sprintf("%d tokens, per cent", n))
	defer line.end()
	runtime.GC()
	began := readClocks()
	r, err := greedy.Sanitize(ctx, docs, p, func(event greedy.Event) { line.step(int(100*event.Share), 100, event.Doing) })
	if err != nil {
		return b, err
	}
	b.CPU, b.Wall = readClocks().since(began)
	b.Peak = peakMiB()
	for _, choice := range r.Choices {
		b.Rounds += len(choice.Rounds)
	}
	return b, nil
}

// hospitalDocs are generated notes of at least n tokens.
func hospitalDocs(n int, seed uint64) []annotate.Note {
	var docs []annotate.Note
	for note := range hospital.Generate(hospital.Options{Patients: n, Seed: seed}) {
		d := annotate.NewNote(note)
		docs = append(docs, d)
		if n -= len(d.Words); n <= 0 {
			break
		}
	}
	return docs
}

func (b benchGreedy) write(w io.Writer) {
	fmt.Fprintf(w, "default mode, first %s, then %v; L/C %v; %d folds; %d processors\n\n", b.First, b.Learners, b.LC, b.Folds, b.Processors)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "documents\ttokens\tsensitive\trounds\tseconds\tof processors\tper 1,000 tokens\tMiB at most\t\n")
	for _, s := range b.Sizes {
		fmt.Fprintf(t, "%d\t%d\t%d\t%d\t%.1f\t%.1f\t%.3f\t%.0f\t\n", s.Documents, s.Tokens, s.Sensitive, s.Rounds, s.Wall, s.CPU, 1000*s.CPU/float64(s.Tokens), s.Peak)
	}
	t.Flush() // cannot fail but as w does
}
