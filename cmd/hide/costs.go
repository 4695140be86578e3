// SPDX-License-Identifier: Apache-2.0

package main

import (
	"flag"
	"fmt"
	"strings"

	"hide/internal/annotate"
	"hide/internal/greedy"
)

// costFlags are what errors cost, as they were typed.
type costFlags struct{ losses, prices string }

func (v *costFlags) declare(f *flag.FlagSet) {
	f.StringVar(&v.losses, "loss", "", "comma-separated `LABEL=TIMES`: what a leak of that label costs, in times L (a lost word has no label: see --cost)")
	f.StringVar(&v.prices, "cost", "", fmt.Sprintf("comma-separated `KIND=TIMES`: what losing a word of that kind costs that is not sensitive, in times C, from %g to %d; kinds: punctuation, number (begins with a digit), common (of the program's lists of common words and particles of names) and other", 1.0/greedy.MaxTimes, greedy.MaxTimes))
}

// costs are nil where nothing was typed.
func (v costFlags) costs(e *env) (map[annotate.Label]float64, greedy.Prices, error) {
	byLabel, err := timesList[annotate.Label]("label", v.losses)
	if err == nil {
		err = greedy.CheckLosses(byLabel)
	}
	if err != nil {
		return nil, nil, e.usage("--loss: %v", err)
	}
	byKind, err := timesList[greedy.WordKind]("kind of word", v.prices)
	if err == nil {
		err = greedy.Prices(byKind).Check()
	}
	if err != nil {
		return nil, nil, e.usage("--cost: %v", err)
	}
	return byLabel, byKind, nil
}

// timesList reads "NAME=3,DATE=.5"; nil of nothing.
func timesList[K ~string](what, list string) (map[K]float64, error) {
	if list == "" {
		return nil, nil
	}
	out := map[K]float64{}
	for part := range strings.SplitSeq(list, ",") {
		name, times, ok := strings.Cut(strings.TrimSpace(part), "=")
		v, err := number(times)
		if !ok || err != nil || name == "" {
			return nil, fmt.Errorf("%q is not a %s, = and a number", part, what)
		}
		if _, twice := out[K(name)]; twice {
			return nil, fmt.Errorf("the %s %s is there twice", what, name)
		}
		out[K(name)] = v
	}
	return out, nil
}
