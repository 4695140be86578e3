// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"slices"

	"hide/internal/annotate"
	"hide/internal/crf"
	"hide/internal/greedy"
	"hide/internal/greedy/learners"
	"hide/internal/greedy/target"
	"hide/internal/lab"
	"hide/internal/option"
)

// TargetOptions configure [Target].
type TargetOptions struct {
	File      string
	From      string // notes to train on if they are others
	Shares    []float64
	Sure      float64
	Sensitive []annotate.Label // nil: all
	Labels    []annotate.Label // of Sensitive, those that count; nil: all
	Splits    int
	Trainings int
	Train     float64
	First     string
	Workers   int
	Seed      uint64
}

// TargetTable declares the options of [Target].
var TargetTable = option.Table[TargetOptions]{
	option.Numbers(option.About{Name: "targets", Default: "5,10,20", Value: "VALUES", Help: "Shares of notes that may leak, in per cent.", In: option.Command},
		option.Above(0).AtMost(99), func(o *TargetOptions) *[]float64 { return &o.Shares }),
	option.Share(option.About{Name: "sure", Default: "0.95", Value: "SHARE", Help: "Confidence of each target.", In: option.Command},
		option.From(0.5, 0.9999), func(o *TargetOptions) *float64 { return &o.Sure }),
	option.Some(option.About{Name: "sensitive", Default: "all", None: "all", Value: "LABELS", Help: "Labels that count as sensitive in training.", In: option.Command},
		nil, func(o *TargetOptions) *[]annotate.Label { return &o.Sensitive }),
	option.Some(option.About{Name: "target-labels", Default: "all", None: "all", Value: "LABELS", Help: "Labels of the identifiers that count as leaks.", In: option.Command},
		nil, func(o *TargetOptions) *[]annotate.Label { return &o.Labels }),
	option.Whole(option.About{Name: "splits", Default: "200", Value: "N", Help: "Divide the notes into calibration and test N times.", In: option.Command},
		option.From(1, 100_000), func(o *TargetOptions) *int { return &o.Splits }),
	option.Whole(option.About{Name: "trainings", Default: "4", Value: "N", Help: "Train on N random parts; the splits divide the other notes of each.", In: option.Command},
		option.From(1, 100), func(o *TargetOptions) *int { return &o.Trainings }),
	option.Share(option.About{Name: "train", Default: "0.5", Value: "SHARE", Help: "Share of the notes, or of the patients, to train on.", In: option.Command},
		option.From(0.01, 0.95), func(o *TargetOptions) *float64 { return &o.Train }),
	option.Text(option.About{Name: "first", Default: "detector", Value: "LEARNER", Help: "The learner whose threshold is chosen: " + lab.LearnersHelp(), In: option.Command},
		func(o *TargetOptions) *string { return &o.First }),
	option.Whole(option.About{Name: "workers", Value: "N", Help: "At most N threads of training; 0 means one for each processor.", In: option.Command},
		option.AtLeast(0), func(o *TargetOptions) *int { return &o.Workers }),
	option.Seed(option.About{Name: "seed", Default: "1", Value: "N", Help: "N decides parts and splits.", In: option.Command}, func(o *TargetOptions) *uint64 { return &o.Seed }),
}

// TargetResult says how often targets held, and what they cost.
type TargetResult struct {
	File      string         `json:"file"`
	From      string         `json:"from,omitempty"`
	First     string         `json:"first"`
	Notes     int            `json:"notes"`
	Trained   int            `json:"trained"` // notes, in the mean
	Patients  bool           `json:"patients"`
	Units     int            `json:"units"`       // notes or patients to divide, in the mean
	Aside     int            `json:"calibration"` // units of each split, in the mean
	Sure      float64        `json:"sure"`
	Splits    int            `json:"splits"`
	Trainings int            `json:"trainings"`
	Rows      []TargetFigure `json:"rows"`
}

// TargetFigure is about one way to choose a threshold, and the mean over the splits.
type TargetFigure struct {
	Way     string  `json:"way"`   // target, average, best, or ratio
	Share   float64 `json:"share"` // the target; 0 for a ratio
	Refused int     `json:"refused"`
	Broken  int     `json:"broken"`       // splits where a greater share of all units leaks
	Beyond  int     `json:"others_above"` // splits where more of the test units leak than the stated bound
	Leaking float64 `json:"leaking"`      // share of the test units
	Kept    float64 `json:"kept"`         // share of the non-sensitive tokens of the test units
}

// Target trains a learner on a random part of annotated notes, divides the others into
// calibration and test again and again, chooses a threshold for each target, and counts how
// often the promise is broken. With from, it trains on those notes instead and divides all.
func Target(ctx context.Context, notes, from []annotate.Annotated, o TargetOptions, progress lab.Progress) (*TargetResult, error) {
	workers := cmp.Or(o.Workers, runtime.GOMAXPROCS(0))
	learner, err := learners.New(o.First, learners.Options{CRF: crf.Options{Workers: workers}, Seed: o.Seed})
	if err != nil {
		return nil, &option.Problem{Name: "first", Text: err.Error()}
	}
	b := &targetBench{o: o, learner: learner, docs: o.notes(notes), from: o.notes(from), sums: make([]targetSums, 3*len(o.Shares)+1)}
	b.unit, b.units, b.patients = targetUnits(b.docs)
	if b.o.Trainings = min(b.o.Trainings, b.o.Splits); len(b.from) > 0 {
		b.o.Trainings = 1 // every training would be the same
	}
	line := progress.Start("trainings")
	defer line.End()
	for k := range b.o.Trainings {
		line.Step(k, b.o.Trainings, "training and scoring")
		if err := b.training(ctx, k); err != nil {
			return nil, err
		}
	}
	return b.result(), nil
}

// notes are annotated notes with only the sensitive spans.
func (o TargetOptions) notes(all []annotate.Annotated) []annotate.Note {
	out := annotate.NewNotes(all)
	if o.Sensitive == nil {
		return out
	}
	for i := range out {
		out[i] = out[i].Only(func(l annotate.Label) bool { return slices.Contains(o.Sensitive, l) })
	}
	return out
}

type targetBench struct {
	o        TargetOptions
	learner  greedy.Learner
	docs     []annotate.Note
	from     []annotate.Note
	unit     []int // of each note
	units    int
	patients bool

	sums    []targetSums
	splits  int
	trained int
	rest    int // units divided, summed over the splits
	aside   int
}

// targetSums adds up over the splits what one way of choosing does.
type targetSums struct {
	refused, broken, beyond int
	leaking, kept           float64
}

// targetUnits numbers the units: patients if every note has one, otherwise notes.
func targetUnits(docs []annotate.Note) (unit []int, n int, patients bool) {
	patients = !slices.ContainsFunc(docs, func(d annotate.Note) bool { return d.Patient == "" })
	if patients {
		unit, n = greedy.Groups(docs, func(d annotate.Note) string { return d.Patient })
		return unit, n, n < len(docs)
	}
	unit = make([]int, len(docs))
	for i := range unit {
		unit[i] = i
	}
	return unit, len(docs), false
}

// training trains on one random part and divides the rest.
func (b *targetBench) training(ctx context.Context, k int) error {
	random := rand.New(rand.NewPCG(b.o.Seed, uint64(k)+1))
	rest, views := random.Perm(b.units), annotate.Views(b.from)
	if len(b.from) == 0 {
		cut := max(1, int(b.o.Train*float64(b.units)))
		views, rest = annotate.Views(b.notesOf(rest[:cut])), rest[cut:]
	}
	if len(rest) < 4 {
		return errors.New("too few notes to divide into calibration and test")
	}
	h, err := greedy.Fit(ctx, b.learner, views)
	if err != nil {
		return err
	}
	s := b.score(h, rest)
	b.trained += len(views)
	for range (k+1)*b.o.Splits/b.o.Trainings - k*b.o.Splits/b.o.Trainings {
		b.splits++
		b.split(s, random.Perm(len(rest)))
	}
	return nil
}

// notesOf are the notes of some units, those of a unit together.
func (b *targetBench) notesOf(units []int) []annotate.Note {
	of := map[int][]annotate.Note{}
	for i, u := range b.unit {
		of[u] = append(of[u], b.docs[i])
	}
	var out []annotate.Note
	for _, u := range units {
		out = append(out, of[u]...)
	}
	return out
}

// scoredUnits are the units that the learner did not see.
type scoredUnits struct {
	least  []float64   // by unit
	others [][]float64 // sorted scores of the non-sensitive tokens of each
}

func (b *targetBench) score(h greedy.Classifier, units []int) scoredUnits {
	t := target.Target{Labels: b.o.Labels}
	s := scoredUnits{make([]float64, len(units)), make([][]float64, len(units))}
	for k, u := range units {
		notes := b.notesOf([]int{u})
		scores := greedy.ScoreAll(h, annotate.Views(notes))
		s.least[k] = slices.Min(target.Least(notes, scores, t))
		for i, n := range notes {
			for x, sensitive := range n.Sensitive {
				if !sensitive {
					s.others[k] = append(s.others[k], scores[i][x])
				}
			}
		}
		slices.Sort(s.others[k])
	}
	return s
}

// split chooses thresholds on the first half of the order and counts on the second.
func (b *targetBench) split(s scoredUnits, order []int) {
	n := len(order) / 2
	calibration := make([]float64, n)
	for i, u := range order[:n] {
		calibration[i] = s.least[u]
	}
	b.rest, b.aside = b.rest+len(order), b.aside+n
	test := order[n:]
	for i, percent := range b.o.Shares {
		x := percent / 100
		c, err := target.Choose(calibration, b.patients, len(test), target.Target{Share: x, Sure: b.o.Sure, Labels: b.o.Labels})
		sums := b.sums[3*i : 3*i+3]
		if err != nil {
			sums[0].refused++
		} else {
			sums[0].count(s, test, c.Threshold, x)
			if leaking(s, test, c.Threshold) > c.OthersLeaking {
				sums[0].beyond++
			}
		}
		if k := target.AllowedOnAverage(n, x); k < 0 {
			sums[1].refused++
		} else {
			sums[1].count(s, test, target.Threshold(calibration, k), x)
		}
		sums[2].count(s, test, target.Threshold(s.least, int(x*float64(len(order)))), x)
	}
	b.sums[len(b.sums)-1].count(s, test, 1.0/11, 1)
}

// count adds the figures of the test units at a threshold. The promise is about all units
// from which the calibration units were drawn.
func (t *targetSums) count(s scoredUnits, test []int, threshold, x float64) {
	all := 0
	for _, score := range s.least {
		if score < threshold {
			all++
		}
	}
	if float64(all) > x*float64(len(s.least)) {
		t.broken++
	}
	t.leaking += float64(leaking(s, test, threshold)) / float64(len(test))
	kept, tokens := 0, 0
	for _, u := range test {
		below, _ := slices.BinarySearch(s.others[u], threshold)
		kept, tokens = kept+below, tokens+len(s.others[u])
	}
	t.kept += float64(kept) / float64(max(1, tokens))
}

func leaking(s scoredUnits, units []int, threshold float64) (n int) {
	for _, u := range units {
		if s.least[u] < threshold {
			n++
		}
	}
	return n
}

func (b *targetBench) result() *TargetResult {
	r := &TargetResult{File: b.o.File, From: b.o.From, First: b.o.First, Notes: len(b.docs), Patients: b.patients, Sure: b.o.Sure,
		Trained: b.trained / b.o.Trainings, Units: b.rest / b.splits, Aside: b.aside / b.splits, Splits: b.splits, Trainings: b.o.Trainings}
	for i, percent := range b.o.Shares {
		for k, way := range []string{"target", "average", "best"} {
			r.Rows = append(r.Rows, b.sums[3*i+k].figure(way, percent/100, b.splits))
		}
	}
	r.Rows = append(r.Rows, b.sums[len(b.sums)-1].figure("ratio", 0, b.splits))
	return r
}

func (t targetSums) figure(way string, share float64, splits int) TargetFigure {
	chosen := float64(max(1, splits-t.refused))
	return TargetFigure{Way: way, Share: share, Refused: t.refused, Broken: t.broken, Beyond: t.beyond, Leaking: t.leaking / chosen, Kept: t.kept / chosen}
}

// targetWays says in words what a row is.
var targetWays = map[string]string{
	"target":  "target (Learn then Test)",
	"average": "in the mean (conformal risk control)",
	"best":    "best threshold, with the truth known",
	"ratio":   "one threshold for L/C 10",
}

// Write prints the result as text.
func (r *TargetResult) Write(w io.Writer) {
	what := "notes"
	if r.Patients {
		what = "patients"
	}
	fmt.Fprintf(w, "%s: %d notes; %s trained on %d; %d splits of %d %s, %d for calibration; %.4g %% sure: %d clean ones show %.2f %%\n\n",
		r.File, r.Notes, r.First, r.Trained, r.Splits, r.Units, what, r.Aside, 100*r.Sure, r.Aside, 100*target.Smallest(r.Aside, 1-r.Sure))
	t := lab.Table(w)
	fmt.Fprintln(t, "at most\tthreshold chosen by\trefused\tbroken\tothers above\tleaking\ttext kept\t")
	for _, f := range r.Rows {
		share, broken, beyond := fmt.Sprintf("%g %%", 100*f.Share), fmt.Sprintf("%.1f %%", 100*float64(f.Broken)/float64(max(1, r.Splits-f.Refused))), "-"
		if f.Way == "target" {
			beyond = fmt.Sprintf("%.1f %%", 100*float64(f.Beyond)/float64(max(1, r.Splits-f.Refused)))
		}
		if f.Way == "ratio" {
			share, broken = "-", "-"
		}
		leaking, kept := fmt.Sprintf("%.2f %%", 100*f.Leaking), fmt.Sprintf("%.2f %%", 100*f.Kept)
		if f.Refused == r.Splits {
			broken, beyond, leaking, kept = "-", "-", "-", "-"
		}
		fmt.Fprintf(t, "%s\t%s\t%d\t%s\t%s\t%s\t%s\t\n", share, targetWays[f.Way], f.Refused, broken, beyond, leaking, kept)
	}
	t.Flush() // an error shows in a later write to w
}
