// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"cmp"
	"container/heap"
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"hide/internal/chart"
	"hide/internal/hint"
	"hide/internal/lab"
	"hide/internal/option"
	"hide/internal/outfile"
	"hide/internal/publish/shard"
)

// ScaleOptions are the constants of the cost model of [Scale]. Times are in seconds.
type ScaleOptions struct {
	Notes   []int
	Workers []int
	Rate    float64 // tokens a second of one worker
	Tokens  float64 // of a note
	Bytes   float64 // of a note's line of output
	Shard   int     // notes in a shard
	Start   float64 // of an attempt, before its first note
	Spread  float64 // standard deviation of the logarithm of an attempt's speed
	Slow    float64 // share of attempts on a slow machine
	SlowBy  float64 // how many times as long they take
	Fail    float64 // share of attempts that end early
	Merge   float64 // bytes a second of the merge, which is one process
	Runs    int
	Seed    uint64
	SVG     string
}

// ScaleTable declares the options of [Scale].
var ScaleTable = option.Table[ScaleOptions]{
	option.Wholes(option.About{Name: "notes", Default: "1000000,100000000,1000000000", Value: "NUMBERS", Help: "Numbers of notes.", In: option.Command},
		option.From(1, 1e12), func(o *ScaleOptions) *[]int { return &o.Notes }),
	option.Wholes(option.About{Name: "workers", Default: "1,2,10,100,1000", Value: "NUMBERS", Help: "Numbers of workers, each with one processor core.", In: option.Command},
		option.From(1, 1e6), func(o *ScaleOptions) *[]int { return &o.Workers }),
	option.Number(option.About{Name: "rate", Default: "300000", Value: "N", Help: "Tokens a second of one worker: tokens_per_second of hide bench redact.", In: option.Command},
		option.Above(0), func(o *ScaleOptions) *float64 { return &o.Rate }),
	option.Number(option.About{Name: "tokens", Default: "500", Value: "N", Help: "Tokens of a note, on average.", In: option.Command},
		option.Above(0), func(o *ScaleOptions) *float64 { return &o.Tokens }),
	option.Number(option.About{Name: "bytes", Default: "4000", Value: "N", Help: "Bytes of a note in the output, on average.", In: option.Command},
		option.Above(0), func(o *ScaleOptions) *float64 { return &o.Bytes }),
	option.Whole(option.About{Name: "shard", Default: "100000", Value: "N", Help: "Notes in a shard. With fewer notes than one shard for each worker, shards get smaller.", In: option.Command},
		option.AtLeast(1), func(o *ScaleOptions) *int { return &o.Shard }),
	option.Number(option.About{Name: "start", Default: "10", Value: "SECONDS", Help: "Start of an attempt before its first note: container, bundle.", In: option.Command},
		option.AtLeast(0), func(o *ScaleOptions) *float64 { return &o.Start }),
	option.Number(option.About{Name: "spread", Default: "0.1", Value: "S", Help: "Standard deviation of the logarithm of an attempt's speed.", In: option.Command},
		option.From(0, 2), func(o *ScaleOptions) *float64 { return &o.Spread }),
	option.Share(option.About{Name: "slow", Default: "0.01", Value: "SHARE", Help: "Share of attempts on a slow machine.", In: option.Command},
		option.From(0, 1), func(o *ScaleOptions) *float64 { return &o.Slow }),
	option.Number(option.About{Name: "slow-by", Default: "3", Value: "TIMES", Help: "How many times as long an attempt on a slow machine takes.", In: option.Command},
		option.AtLeast(1), func(o *ScaleOptions) *float64 { return &o.SlowBy }),
	option.Share(option.About{Name: "fail", Default: "0.02", Value: "SHARE", Help: "Share of attempts that end early, at any moment with equal probability, and are made again from the start.", In: option.Command},
		option.From(0, 0.9), func(o *ScaleOptions) *float64 { return &o.Fail }),
	option.Number(option.About{Name: "merge", Default: "50000000", Value: "N", Help: "Bytes a second of the merge, which is one process.", In: option.Command},
		option.Above(0), func(o *ScaleOptions) *float64 { return &o.Merge }),
	option.Whole(option.About{Name: "runs", Default: "9", Value: "N", Help: "Simulate N times and take the median.", In: option.Command},
		option.From(1, 10_000), func(o *ScaleOptions) *int { return &o.Runs }),
	option.Seed(option.About{Name: "seed", Default: "1", Value: "N", Help: "N decides speeds and failures.", In: option.Command}, func(o *ScaleOptions) *uint64 { return &o.Seed }),
	option.Text(option.About{Name: "svg", Value: "FILE", Help: "FILE to draw the speed by number of workers into.", In: option.Command}, func(o *ScaleOptions) *string { return &o.SVG }),
}

// ScaleResult is what redaction in shards costs, by notes and workers.
type ScaleResult struct {
	Sizes []scaleSize `json:"sizes"`
}

// scaleSize is the cost for one number of notes.
type scaleSize struct {
	Notes   int         `json:"notes"`
	Pure    float64     `json:"pure_core_hours"` // tokens / rate, nothing else
	Workers []scaleRate `json:"workers"`
}

// scaleRate is the median run of one number of workers.
type scaleRate struct {
	Workers int     `json:"workers"`
	Shards  int     `json:"shards"`
	Hours   float64 `json:"hours"` // from the first start to the end of the merge
	Merge   float64 `json:"merge_hours"`
	Core    float64 `json:"core_hours"` // in which a worker was busy, and the merge
	Speedup float64 `json:"speedup"`    // pure core-hours / hours
}

// Scale simulates the redaction of notes in shards: workers take shards in order, an attempt
// that ends early is made again by whoever is free, and one process merges at the end.
func Scale(ctx context.Context, o ScaleOptions, _ lab.Progress) (*ScaleResult, error) {
	b := new(ScaleResult)
	for _, notes := range o.Notes {
		if n := (notes-1)/o.Shard + 1; n > shard.MostShards {
			return nil, hint.Add(fmt.Errorf("%d notes in shards of %d are %d shards, more than %d", notes, o.Shard, n, shard.MostShards), "raise --shard")
		}
		size := scaleSize{Notes: notes, Pure: float64(notes) * o.Tokens / o.Rate / 3600}
		for _, workers := range o.Workers {
			rate, err := o.median(ctx, notes, workers)
			if err != nil {
				return nil, err
			}
			rate.Speedup = size.Pure / rate.Hours
			size.Workers = append(size.Workers, rate)
		}
		b.Sizes = append(b.Sizes, size)
	}
	_, err := outfile.Write(o.SVG, b.draw)
	return b, err
}

func (o ScaleOptions) median(ctx context.Context, notes, workers int) (scaleRate, error) {
	var runs []scaleRate
	for i := range o.Runs {
		if err := ctx.Err(); err != nil {
			return scaleRate{}, err
		}
		runs = append(runs, o.simulate(notes, workers, rand.New(rand.NewPCG(o.Seed, uint64(i)))))
	}
	slices.SortFunc(runs, func(a, b scaleRate) int { return cmp.Compare(a.Hours, b.Hours) })
	return runs[len(runs)/2], nil
}

// simulate is one run. Attempts are given out in order of the moment at which workers become
// free, and that of shards; failed ones queue behind the others.
func (o ScaleOptions) simulate(notes, workers int, random *rand.Rand) scaleRate {
	shards := min(max((notes-1)/o.Shard+1, workers), notes)
	free := make(moments, workers) // when each worker is free, in seconds
	queue := make([]moment, shards)
	busy, end := 0.0, 0.0
	for len(queue) > 0 {
		ready := queue[0] // when the shard can be begun
		queue = queue[1:]
		begin := max(float64(free[0]), float64(ready))
		took, failed := o.attempt(float64(notes)/float64(shards), random)
		busy += took
		free[0] = moment(begin + took)
		heap.Fix(&free, 0)
		if failed {
			queue = append(queue, moment(begin+took))
			continue
		}
		end = max(end, begin+took)
	}
	merge := float64(notes) * o.Bytes / o.Merge
	return scaleRate{Workers: workers, Shards: shards, Hours: (end + merge) / 3600, Merge: merge / 3600, Core: (busy + merge) / 3600}
}

// attempt is how long an attempt at a shard takes, and whether it ends early.
func (o ScaleOptions) attempt(notes float64, random *rand.Rand) (seconds float64, failed bool) {
	work := notes * o.Tokens / o.Rate * math.Exp(o.Spread*random.NormFloat64())
	if random.Float64() < o.Slow {
		work *= o.SlowBy
	}
	seconds = o.Start + work
	if random.Float64() < o.Fail {
		return seconds * random.Float64(), true
	}
	return seconds, false
}

type moment float64

// moments is a heap: the earliest comes first.
type moments []moment

func (m moments) Len() int           { return len(m) }
func (m moments) Less(i, j int) bool { return m[i] < m[j] }
func (m moments) Swap(i, j int)      { m[i], m[j] = m[j], m[i] }
func (m *moments) Push(x any)        { *m = append(*m, x.(moment)) }
func (m *moments) Pop() any          { panic("workers never leave") }

// draw draws how many times as fast as one worker without any loss so many workers are.
func (b *ScaleResult) draw(w io.Writer) error {
	var panels []chart.Panel
	for _, s := range b.Sizes {
		panel := chart.Panel{Title: strconv.Itoa(s.Notes) + " notes", XLabel: "workers", YLabel: "times as fast", X: chart.AxisFactors}
		ideal, line := chart.Line{Name: "without loss", Dashed: true}, chart.Line{Name: "simulated"}
		for _, r := range s.Workers {
			x := float64(r.Workers)
			ideal.Points = append(ideal.Points, chart.Point{X: x, Y: x})
			line.Points = append(line.Points, chart.Point{X: x, Y: r.Speedup})
		}
		panel.Lines = []chart.Line{line, ideal}
		panels = append(panels, panel)
	}
	return chart.WriteLines(w, "Speed by number of workers", panels)
}

// Write prints the result as text.
func (b *ScaleResult) Write(w io.Writer) {
	rows := [][]string{{"notes", "workers", "shards", "hours", "of these, merge", "core-hours", "pure", "times as fast"}}
	for _, s := range b.Sizes {
		for _, r := range s.Workers {
			rows = append(rows, []string{strconv.Itoa(s.Notes), strconv.Itoa(r.Workers), strconv.Itoa(r.Shards), hours(r.Hours), hours(r.Merge), hours(r.Core), hours(s.Pure), fmt.Sprintf("%.1f", r.Speedup)})
		}
	}
	lab.WriteRows(w, rows)
}

func hours(h float64) string { return strconv.FormatFloat(h, 'g', 3, 64) }
