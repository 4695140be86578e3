// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"runtime"
	"slices"

	"hide/internal/annotate"
	"hide/internal/crf"
	"hide/internal/greedy"
	"hide/internal/greedy/learners"
	"hide/internal/greedy/settings"
	"hide/internal/hospital"
	"hide/internal/lab"
	"hide/internal/lab/evaluate"
	"hide/internal/option"
)

// GreedyResult is the result of [Greedy]: a run of default mode with its
// no-profitable-attack check, by size.
type GreedyResult struct {
	First        string       `json:"first"`
	Learners     []string     `json:"learners"`
	LC           []float64    `json:"lc"`
	Folds        int          `json:"folds"`
	Workers      int          `json:"workers"`
	Processors   int          `json:"processors"`
	Architecture string       `json:"architecture"`
	Sizes        []greedyGrid `json:"sizes"`
}

// greedyGrid is the result for one size.
type greedyGrid struct {
	Documents int     `json:"documents"`
	Tokens    int     `json:"tokens"`
	Sensitive int     `json:"sensitive"`
	Rounds    int     `json:"rounds"` // over all values of L/C
	Wall      float64 `json:"wall_seconds"`
	CPU       float64 `json:"cpu_seconds"`
	Peak      float64 `json:"peak_mib"` // VmHWM so far; 0 where the system does not report it
}

// GreedyOptions configure [Greedy].
type GreedyOptions struct {
	Tokens   []int
	LC       []float64
	Learners []string
	First    string
	Preset   string
	Folds    int
	Workers  int
	Seed     uint64
}

// GreedyTable declares the options of [Greedy].
var GreedyTable = option.Table[GreedyOptions]{
	option.Wholes(option.About{Name: "tokens", Default: "50000,100000,200000", Value: "NUMBERS", Help: "Numbers of tokens of generated notes.", In: option.Command},
		option.AtLeast(1), func(o *GreedyOptions) *[]int { return &o.Tokens }),
	option.Numbers(option.About{Name: "lc", Default: "1,2,5,10,20,50,100", Value: "VALUES", Help: "Values of L/C.", In: option.Command},
		option.Above(0).AtMost(greedy.MaxLC), func(o *GreedyOptions) *[]float64 { return &o.LC }),
	option.Some(option.About{Name: "learners", Default: "crf", Value: "LEARNERS", Help: "Learners, with commas between: " + lab.LearnersHelp(), In: option.Command},
		nil, func(o *GreedyOptions) *[]string { return &o.Learners }),
	option.Text(option.About{Name: "first", Default: "detector", Value: "LEARNER", Help: "The learner that redacts in round 1; none leaves the round out.", In: option.Command},
		func(o *GreedyOptions) *string { return &o.First }),
	option.One(option.About{Name: "preset", Default: "default", Value: "PRESET", Help: "The preset of feature families.", In: option.Command},
		evaluate.Presets, func(o *GreedyOptions) *string { return &o.Preset }),
	option.Whole(option.About{Name: "folds", Default: "4", Value: "K", Help: "Cross-fit in K folds.", In: option.Command},
		option.AtLeast(2), func(o *GreedyOptions) *int { return &o.Folds }),
	option.Whole(option.About{Name: "workers", Value: "N", Help: "At most N trainings at a time; 0 means one for each processor.", In: option.Command},
		option.AtLeast(0), func(o *GreedyOptions) *int { return &o.Workers }),
	option.Seed(option.About{Name: "seed", Default: "1", Value: "N", Help: "N decides notes, folds and resampling.", In: option.Command}, func(o *GreedyOptions) *uint64 { return &o.Seed }),
}

// Greedy times default mode with its no-profitable-attack check on generated notes.
func Greedy(ctx context.Context, o GreedyOptions, progress lab.Progress) (*GreedyResult, error) {
	p, programs, err := o.params()
	if err != nil {
		return nil, err
	}
	ctx, stop := lab.Within(ctx, programs)
	defer stop()
	b := &GreedyResult{First: o.First, LC: p.LC, Folds: p.Folds, Workers: p.Workers, Processors: runtime.GOMAXPROCS(0), Architecture: runtime.GOARCH}
	for _, l := range p.Learners {
		b.Learners = append(b.Learners, l.Name())
	}
	for _, n := range slices.Sorted(slices.Values(o.Tokens)) {
		size, err := greedySize(ctx, p, n, o.Seed, progress)
		if cause := context.Cause(ctx); cause != nil {
			return nil, cause
		}
		if err != nil {
			return nil, fmt.Errorf("%d tokens: %w", n, err)
		}
		b.Sizes = append(b.Sizes, size)
	}
	return b, nil
}

func (o GreedyOptions) params() (p greedy.Params, programs []*lab.Outside, err error) {
	families, _ := crf.Preset(o.Preset)
	p = greedy.Params{Folds: o.Folds, Seed: o.Seed, Workers: o.Workers, LC: slices.Sorted(slices.Values(o.LC))}
	p.Workers = cmp.Or(p.Workers, runtime.GOMAXPROCS(0))
	training := learners.Options{CRF: crf.Options{Features: families, Workers: 1}, Seed: o.Seed}
	if p.Learners, programs, err = lab.Learners(o.Learners, training); err != nil {
		return p, nil, &option.Problem{Name: "learners", Text: err.Error()}
	}
	if o.First == settings.NoFirst {
		return p, programs, nil
	}
	if p.First, err = learners.New(o.First, training); err != nil {
		return p, nil, &option.Problem{Name: "first", Text: err.Error()}
	}
	return p, programs, nil
}

// greedySize runs the grid on notes of n tokens.
func greedySize(ctx context.Context, p greedy.Params, n int, seed uint64, progress lab.Progress) (greedyGrid, error) {
	docs := hospitalDocs(n, seed)
	c := lab.CorpusOf(docs)
	b := greedyGrid{Documents: c.Documents, Tokens: c.Tokens, Sensitive: c.Sensitive}
	line := progress.Start(fmt.Sprintf("%d tokens, per cent", n))
	defer line.End()
	runtime.GC()
	began := readClocks()
	r, err := greedy.Sanitize(ctx, docs, p, func(event greedy.Event) { line.Step(int(100*event.Share), 100, event.Doing) })
	if err != nil {
		return b, err
	}
	b.CPU, b.Wall = readClocks().since(began)
	b.Peak = PeakMiB()
	for _, choice := range r.Choices {
		b.Rounds += len(choice.Rounds)
	}
	return b, nil
}

// hospitalDocs are generated notes with at least n tokens.
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

// Write prints the result as text.
func (b *GreedyResult) Write(w io.Writer) {
	fmt.Fprintf(w, "default mode, first %s, then %v; L/C %v; %d folds; %d processors\n\n", b.First, b.Learners, b.LC, b.Folds, b.Processors)
	t := lab.Table(w)
	fmt.Fprint(t, "documents\ttokens\tsensitive\trounds\tseconds\tof processors\tper 1,000 tokens\tMiB at most\t\n")
	for _, s := range b.Sizes {
		fmt.Fprintf(t, "%d\t%d\t%d\t%d\t%.1f\t%.1f\t%.3f\t%.0f\t\n", s.Documents, s.Tokens, s.Sensitive, s.Rounds, s.Wall, s.CPU, 1000*s.CPU/float64(s.Tokens), s.Peak)
	}
	t.Flush() // an error shows in a later write to w
}
