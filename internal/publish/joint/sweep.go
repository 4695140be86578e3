// SPDX-License-Identifier: Apache-2.0

package joint

import (
	"context"
	"slices"
	"sync"

	"hide/internal/parallel"
)

// SweepOptions are the settings to try.
type SweepOptions struct {
	K        []int     // values above the number of persons are skipped
	Lambda   []float64 // for [Mondrian]
	Cuts     []Cut     // for [Mondrian]; default all
	Ours     bool      // without rx-anon's program
	Exposure Exposure
	Workers  int // settings at a time; default 1
}

// SweepPoint is the result of one setting.
type SweepPoint struct {
	Settings
	Relational float64    `json:"relational"`
	Textual    float64    `json:"textual"`
	WithTerms  float64    `json:"textual_of_persons_with_terms"`
	Total      float64    `json:"total"`
	Program    [2]float64 `json:"as_the_program_counts"` // relational and textual, see PublishedLoss
	Classes    Sizes      `json:"classes"`
	Cuts       [2]int     `json:"cuts"` // at attributes, at terms
	Types      []TypeLoss `json:"types"`
	Mentions   Mentions   `json:"mentions"`
	MaxRisk    float64    `json:"max_risk"`
	MeanRisk   float64    `json:"mean_risk"`
	Differ     Differ     `json:"differ"`
	Alike      []Alike    `json:"-"` // see [Exposure.Of]
}

// Sweep tries every k with every lambda, with each requested [Cut] and as rx-anon's
// program cuts, and with GDF, ours and theirs. The order is that of the settings: for
// each k, GDF, theirs, then for each lambda those of Mondrian, theirs last. done is
// called after each with the number done and the total; it may be nil.
func (v *View) Sweep(ctx context.Context, o SweepOptions, done func(n, all int)) ([]SweepPoint, error) {
	if err := o.Exposure.Check(); err != nil {
		return nil, err
	}
	settings := o.settings(v.Persons())
	theirs := map[int]Partition{}
	if !o.Ours {
		var err error
		if theirs, err = v.publishedInTurn(ctx, o.K); err != nil {
			return nil, err
		}
	}
	points, failed := make([]SweepPoint, len(settings)), make([]error, len(settings))
	var mu sync.Mutex // guards n and calls of done
	n := 0
	err := parallel.Do(ctx, o.Workers, len(settings), func(_, i int) {
		points[i], failed[i] = v.try(ctx, settings[i], theirs, o.Exposure)
		mu.Lock()
		defer mu.Unlock()
		if n++; done != nil {
			done(n, len(settings))
		}
	})
	if err != nil {
		return nil, err
	}
	for _, err := range failed {
		if err != nil {
			return nil, err
		}
	}
	return points, nil
}

func (o SweepOptions) settings(persons int) []Settings {
	var all []Settings
	cuts := o.Cuts
	if len(cuts) == 0 {
		cuts = []Cut{Median, Presence, Least}
	}
	for _, k := range o.K {
		if k > persons {
			continue
		}
		all = append(all, Settings{Strategy: GDF, K: k}, Settings{Strategy: GDF, K: k, Published: true})
		for _, lambda := range o.Lambda {
			for _, cut := range cuts {
				all = append(all, Settings{Strategy: Mondrian, K: k, Lambda: lambda, Cut: cut})
			}
			all = append(all, Settings{Strategy: Mondrian, K: k, Lambda: lambda, Cut: Median, Published: true})
		}
	}
	if o.Ours {
		all = slices.DeleteFunc(all, func(s Settings) bool { return s.Published })
	}
	return all
}

// publishedInTurn partitions by GDF like the program: with one dictionary of terms for
// all k, in their order.
func (v *View) publishedInTurn(ctx context.Context, ks []int) (map[int]Partition, error) {
	g, out := v.PublishedGDF(), map[int]Partition{}
	for _, k := range slices.Sorted(slices.Values(ks)) {
		if k > v.Persons() {
			continue
		}
		p, err := g.Partition(ctx, k)
		if err != nil {
			return nil, err
		}
		out[k] = p
	}
	return out, nil
}

func (v *View) try(ctx context.Context, s Settings, theirs map[int]Partition, e Exposure) (SweepPoint, error) {
	p, known := theirs[s.K]
	if !known || s.Strategy != GDF || !s.Published {
		var err error
		if p, err = v.Partition(ctx, s); err != nil {
			return SweepPoint{}, err
		}
	}
	r, err := v.Recode(ctx, p)
	if err != nil {
		return SweepPoint{}, err
	}
	mentions, err := r.mentions(ctx)
	if err != nil {
		return SweepPoint{}, err
	}
	l := r.Loss()
	alike := r.Alike()
	risk := e.Of(alike)
	out := SweepPoint{
		Settings: s, Relational: l.Relational, Textual: l.Textual, WithTerms: l.WithTerms, Total: l.Total, Types: l.Types, Mentions: mentions,
		Classes: sizes(p.Classes), Cuts: [2]int{p.Relational, p.Textual}, MaxRisk: risk.Max, MeanRisk: risk.Mean, Differ: r.differ(), Alike: alike,
	}
	out.Program[0], out.Program[1] = r.PublishedLoss()
	return out, nil
}

// Best is the point with the least total loss, not counting the program's, where no
// person's risk is above the threshold; of equals the first. ok is false if there is
// none.
func Best(points []SweepPoint, threshold float64) (best SweepPoint, ok bool) {
	for _, p := range points {
		if !p.Published && p.MaxRisk <= threshold && (!ok || p.Total < best.Total) {
			best, ok = p, true
		}
	}
	return best, ok
}
