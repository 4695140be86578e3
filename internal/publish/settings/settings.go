// SPDX-License-Identifier: Apache-2.0

// Package settings declares the options of publishing that `hide publish` and its pages
// share: each once, for whatever struct P keeps it, as hide/internal/greedy/settings does
// for sanitizing.
package settings

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	"hide/internal/option"
	"hide/internal/publish/joint"
	"hide/internal/publish/kanonymity"
	"hide/internal/publish/ledger"
	"hide/internal/publish/mondrian"
	"hide/internal/publish/table"
)

// The groups of the pages, in their order.
const (
	GroupClasses    = "Sensitive values, and how classes are found"
	GroupPopulation = "The population that the patients are from"
)

// LeastK is the least k: a class of one is that patient.
const LeastK = 2

// K is how many patients a class has at least; usual is "" where a configuration says it.
func K[P any](usual string, of func(*P) *int) option.Option[P] {
	return option.Whole(option.About{Name: "k", Label: "Size of classes, k", Default: usual, Example: "5",
		Help: "Every equivalence class has at least k patients. 5 and 11 are customary."}, option.AtLeast(LeastK), of)
}

// Ks are several values of k to compare.
func Ks[P any](usual string, of func(*P) *[]int) option.Option[P] {
	return option.Wholes(option.About{Name: "ks", Label: "Sizes of classes to compare, k", Value: "NUMBERS", Default: usual, Required: true, Example: "2, 5, 11",
		Help: "Every equivalence class has at least k patients. 5 and 11 are customary."}, option.AtLeast(LeastK), of)
}

// Levels are generalization levels by quasi-identifier.
func Levels[P any](of func(*P) *map[string]int) option.Option[P] {
	return option.Value(option.About{Name: "levels", Label: "Generalization levels", Value: "LEVELS", Group: GroupClasses, In: option.Command, Example: "age=1,sex=0",
		Help: "The generalization level of each quasi-identifier, for the method Incognito, instead of the levels with the least information loss. Publishing lists those to choose from."},
		of, readLevels, func(levels map[string]int, _ option.Place) string {
			var words []string
			for _, name := range slices.Sorted(maps.Keys(levels)) {
				words = append(words, name+"="+strconv.Itoa(levels[name]))
			}
			return strings.Join(words, ",")
		})
}

func readLevels(text string, _ option.Place) (map[string]int, error) {
	levels := map[string]int{}
	for word := range strings.SplitSeq(text, ",") {
		at := strings.LastIndex(word, "=") // a name may have one
		if at < 1 {
			return nil, errors.New("enter each quasi-identifier with its level")
		}
		name := strings.TrimSpace(word[:at])
		level, err := option.ReadWhole(word[at+1:])
		if err != nil || !option.From(0, 1000).Has(float64(level)) {
			return nil, errors.New("enter a whole number of at least 0 for the level of " + strconv.Quote(name))
		}
		if _, twice := levels[name]; twice {
			return nil, errors.New(strconv.Quote(name) + " is there twice")
		}
		levels[name] = int(level)
	}
	return levels, nil
}

// Cuts of Mondrian.
var Cuts = []option.Choice{
	{Value: string(mondrian.NCP), Title: "Mondrian, least information loss"},
	{Value: string(mondrian.Nearest), Title: "Mondrian, nearest to the middle"},
	{Value: string(mondrian.LeFevre), Title: "Mondrian, at the median (LeFevre)"},
	{Value: string(mondrian.RxAnon), Title: "Mondrian, as rx-anon does"},
}

// Cut is the cut that Mondrian makes.
func Cut[P any](of func(*P) *string) option.Option[P] {
	return option.One(option.About{Name: "cut", Label: "How classes are found", Value: "CUT", Group: GroupClasses,
		Help: "Mondrian cuts the patients in two again and again, by default where the information loss is least."}, Cuts, of)
}

// Method is the cut of Mondrian or, in the same field, Incognito.
func Method[P any](of func(*P) *string) option.Option[P] {
	o := option.One(option.About{Name: "cut", Label: "How classes are found", Group: GroupClasses, Default: string(mondrian.NCP),
		Help: "Mondrian cuts the patients in two again and again. Incognito generalizes every value of an attribute alike, by its hierarchy: the information loss is greater, and the table is easier to read."},
		append(slices.Clone(Cuts), option.Choice{Value: kanonymity.Incognito, Title: "Incognito"}), of)
	return o
}

// Suppression is the share of patients that Incognito may suppress, in percent.
func Suppression[P any](of func(*P) *float64) option.Option[P] {
	return option.Number(option.About{Name: "suppression", Label: "Patients that may be suppressed, %", Group: GroupClasses, Needs: []option.Need{option.With("cut", kanonymity.Incognito)},
		Help: "Incognito may leave out this share of the patients, in percent."}, option.From(0, 100), of)
}

// Ls are values of l to compare, 0 for none.
func Ls[P any](of func(*P) *[]float64) option.Option[P] {
	return option.Numbers(option.About{Name: "l", Label: "Different sensitive values of each class, l", Group: GroupClasses,
		Help: "Asks for l-diversity. Several values are each tried with each k; 0 is without, and empty asks nothing."}, option.AtLeast(0).AtMost(1e6), of)
}

// Diversity is how the different values of l-diversity are counted.
func Diversity[P any](of func(*P) *string) option.Option[P] {
	return option.One(option.About{Name: "diversity", Label: "Kind of l-diversity", Group: GroupClasses, Default: "distinct", Needs: []option.Need{option.With("l")},
		Help: "Entropy and recursive also ask that the values are evenly spread."},
		[]option.Choice{{Value: "distinct", Title: "distinct values"}, {Value: "entropy"}, {Value: "recursive", Title: "recursive (c, l)"}}, of)
}

// C is the c of recursive (c, l)-diversity.
func C[P any](of func(*P) *float64) option.Option[P] {
	return option.Number(option.About{Name: "c", Label: "c of recursive (c, l)-diversity", Group: GroupClasses, Needs: []option.Need{option.With("diversity", "recursive")},
		Help: "The most frequent value occurs less than c times as often as the l-th and rarer values together."}, option.Above(0).AtMost(1e6), of)
}

// Ts are values of t to compare, 0 for none.
func Ts[P any](of func(*P) *[]float64) option.Option[P] {
	return option.Numbers(option.About{Name: "t", Label: "Distance of classes from the whole table, t", Group: GroupClasses, Example: "0.2",
		Help: "Asks for t-closeness. 0.2 is strict. Several values are each tried; 0 is without, and empty asks nothing."}, option.From(0, 1), of)
}

// mostPeople is beyond the people of the earth.
const mostPeople = 1 << 40

// People are those of the population.
func People[P any, N ~int | ~int64](of func(*P) *N) option.Option[P] {
	return option.Whole(option.About{Name: "people", Label: "People in the population", Group: GroupPopulation,
		Help: "The number of people that the patients are a random sample of. With it the unique records among them are estimated. Empty when nobody knows."}, option.AtLeast(1).AtMost(mostPeople), of)
}

// Among says whether a table is compared with the file of the population, and what k counts.
func Among[P any](of func(*P) *string) option.Option[P] {
	return option.One(option.About{Name: "among", Label: "Compare with the population", Group: GroupPopulation,
		Help: "k-map counts people of the population instead of patients, so that values can be finer: each patient is like k people, of whom fewer may be patients."},
		[]option.Choice{{Value: "", Title: "no"}, {Value: table.CountRows, Title: "yes, k counts patients"}, {Value: table.CountPeople, Title: "yes, k counts people (k-map)"}}, of)
}

// TextCuts are the cuts of a joint release of notes and attributes.
var TextCuts = []option.Choice{
	{Value: string(joint.Least), Title: "where the information loss is least"},
	{Value: string(joint.Median), Title: "at the median"},
	{Value: string(joint.Presence), Title: "between those who have a term and those who have not"},
}

// TextCut is how a joint release cuts.
func TextCut[P any](of func(*P) *joint.Cut) option.Option[P] {
	return option.One(option.About{Name: "cut", Label: "Where to cut", Value: "CUT",
		Help: "Median and presence decide how terms are cut. With ncp every cut is tried, and the one with the least information loss is made."}, TextCuts, of)
}

// Lambda weighs the attributes against the terms of the notes.
func Lambda[P any](usual string, of func(*P) *float64) option.Option[P] {
	return option.Number(option.About{Name: "lambda", Label: "Weight of the attributes, λ", Value: "WEIGHT", Default: usual,
		Help: "The weight of the attributes when the next cut is chosen: 1 cuts at attributes alone, 0 at terms alone."}, option.From(0, 1), of)
}

// Lambdas are several weights to compare.
func Lambdas[P any](usual string, of func(*P) *[]float64) option.Option[P] {
	return option.Numbers(option.About{Name: "lambdas", Label: "Weights of the attributes to compare, λ", Value: "WEIGHTS", Default: usual, Required: true, Example: "0.2; 0.5",
		Help: "1 cuts at attributes alone, 0 at terms alone."}, option.From(0, 1), of)
}

// Known has values of the patient's attributes count as sensitive in her notes.
func Known[P any](of func(*P) *bool) option.Option[P] {
	return option.Switch(option.About{Name: "known", Label: "Also redact what a note says of the patient's own attributes", Default: "true",
		Help: "The words of a note that are values of the patient's attributes count as sensitive, marked or not."}, of)
}

// Own adds the values of quasi-identifiers that no label names.
func Own[P any](of func(*P) *bool) option.Option[P] {
	return option.Switch(option.About{Name: "own-values", Label: "Also redact values of quasi-identifiers that no label names", Needs: []option.Need{option.With("known", "true")},
		Help: "Values of the patient's own quasi-identifiers count as sensitive too, although no label has their name: words of at least three letters, numbers of at least four digits, dates."}, of)
}

// Exposure are the probabilities that the joint risk takes into account.
func Exposure[P any](of func(*P) *joint.Exposure) option.Table[P] {
	return option.Of(option.Table[joint.Exposure]{
		option.Share(option.About{Name: "leak", Label: "Probability of missed PHI", Value: "P",
			Help: "The probability that a published note still holds a sensitive term, as GreedySanitize estimates it."}, option.From(0, 1), func(e *joint.Exposure) *float64 { return &e.Leak }),
		option.Share(option.About{Name: "found", Label: "Probability that missed PHI is found", Value: "P", Default: "1",
			Help: "The probability that an attacker who looks for such a term finds it."}, option.From(0, 1), func(e *joint.Exposure) *float64 { return &e.Found }),
		option.Share(option.About{Name: "threshold", Label: "Greatest re-identification risk", Value: "RISK", Default: "0.33",
			Help: "A re-identification risk above this is too much for a patient."}, option.From(0, 1), func(e *joint.Exposure) *float64 { return &e.Threshold }),
	}, of)
}

// Epsilon is what a release may spend of a privacy budget. Another name gives another
// epsilon, such as the limit of the budget.
func Epsilon[P any](a option.About, of func(*P) *ledger.Micro) option.Option[P] {
	a.Example = "0.5"
	a.Value = cmp.Or(a.Value, "EPSILON")
	return option.Value(a, of,
		func(text string, _ option.Place) (ledger.Micro, error) {
			m, err := ledger.ParseEpsilon(text)
			if err != nil {
				err = errors.New("enter a number above 0 and at most " + ledger.Most.String() + ", with at most six decimal places")
			}
			return m, err
		},
		func(m ledger.Micro, _ option.Place) string {
			if m == 0 {
				return ""
			}
			return m.String()
		})
}

// Height is the length that sequences are cut to.
func Height[P any](of func(*P) *int) option.Option[P] {
	return option.Whole(option.About{Name: "height", Label: "Greatest length", Default: "5", Help: "Sequences are cut to this length. The longer, the more noise each count has."}, option.AtLeast(1).AtMost(1000), of)
}

// Unjoined is how many of the notes without a patient one patient may have, when each of
// them counts as a patient of its own; 0 suppresses them.
func Unjoined[P any](of func(*P) *int64) option.Option[P] {
	return option.Whole(option.About{Name: "unjoined", Label: "How often one patient can count", Required: true, Example: "3",
		Help: "The greatest number of times that one patient can count, her notes with a name as one. It is known from elsewhere, and is published: 1 when each of these notes is of another patient than all others."}, option.From(1, 1000), of)
}
