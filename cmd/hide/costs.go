// SPDX-License-Identifier: Apache-2.0

package main

import (
	"flag"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

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

// lossesOf refuses losses of labels that nothing sensitive has: they are likely misspelt.
func (e *env) lossesOf(labels []annotate.Label, byLabel map[annotate.Label]float64) error {
	for _, l := range slices.Sorted(maps.Keys(byLabel)) {
		if !slices.Contains(labels, l) {
			return e.usage("--loss: nothing sensitive has the label %s", l)
		}
	}
	return nil
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

// costWords: "a leak in times L: NAME=3; a lost word in times C: number=2"; "" where
// all cost the same.
func costWords(byLabel map[annotate.Label]float64, byKind greedy.Prices) string {
	var words []string
	if len(byLabel) > 0 {
		words = append(words, "a leak in times L: "+timesWords(byLabel))
	}
	if len(byKind) > 0 {
		words = append(words, "a lost word in times C: "+timesWords(byKind))
	}
	return strings.Join(words, "; ")
}

func timesWords[M ~map[K]float64, K ~string](times M) string {
	var words []string
	for _, k := range slices.Sorted(maps.Keys(times)) {
		words = append(words, fmt.Sprintf("%s=%g", k, times[k]))
	}
	return strings.Join(words, ",")
}

// lostRow is what goes with one result, by kind of word.
type lostRow struct {
	of   []string
	lost []greedy.Lost
}

// writeLost prints what of the words that are not sensitive would go, under the heads
// of what the results are of.
func writeLost(w io.Writer, heads []string, rows []lostRow) {
	fmt.Fprint(w, "\nwords that are not sensitive and would go, of all of their kind\n\n")
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, strings.Join(heads, "\t"), "\t")
	for _, k := range greedy.WordKinds() {
		fmt.Fprint(t, k, "\t")
	}
	fmt.Fprintln(t)
	for _, row := range rows {
		fmt.Fprint(t, strings.Join(row.of, "\t"), "\t")
		for _, k := range greedy.WordKinds() {
			cell := "-"
			if i := slices.IndexFunc(row.lost, func(l greedy.Lost) bool { return l.Kind == k }); i >= 0 {
				cell = fmt.Sprintf("%.0f of %d", row.lost[i].Gone.Value, row.lost[i].Words)
			}
			fmt.Fprint(t, cell, "\t")
		}
		fmt.Fprintln(t)
	}
	t.Flush() // cannot fail but as w does
}
