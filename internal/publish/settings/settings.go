// SPDX-License-Identifier: Apache-2.0

// Package settings declares the options of publishing that `hide publish` and its pages
// share. Each is declared once, for any struct P that holds it, like the options of
// sanitizing in hide/internal/greedy/settings.
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

// LeastK is the smallest k: a class of one patient is that patient.
const LeastK = 2

// K is the smallest number of patients in a class; usual is "" if a configuration sets
// it.
func K[P any](usual string, of func(*P) *int) option.Option[P] {
	return option.Whole(option.About{Name: "k", Label: "Size of classes, k", Default: usual, Example: "5",
		Help: "Every equivalence class has at least k patients. 5 and 11 are common."}, option.AtLeast(LeastK), of)
}

// Ks are several values of k to compare.
func Ks[P any](usual string, of func(*P) *[]int) option.Option[P] {
	return option.Wholes(option.About{Name: "ks", Label: "Sizes of classes to compare, k", Value: "NUMBERS", Default: usual, Required: true, Example: "2, 5, 11",
		Help: "Every equivalence class has at least k patients. 5 and 11 are common."}, option.AtLeast(LeastK), of)
}

// Levels are generalization levels by quasi-identifier.
func Levels[P any](of func(*P) *map[string]int) option.Option[P] {
	return option.Value(option.About{Name: "levels", Label: "Generalization levels", Value: "LEVELS", Group: GroupClasses, In: option.Command, Example: "age=1,sex=0",
		Help: "The generalization level of each quasi-identifier, for the method Incognito. By default the levels with the least information loss. Publishing lists the possible levels."},
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
		Help: "Mondrian splits the patients in two repeatedly, by default where the information loss is least."}, Cuts, of)
}

// Method is the cut of Mondrian or, in the same field, Incognito.
func Method[P any](of func(*P) *string) option.Option[P] {
	o := option.One(option.About{Name: "cut", Label: "How classes are found", Group: GroupClasses, Default: string(mondrian.NCP),
		Help: "Mondrian splits the patients in two repeatedly. Incognito generalizes all values of an attribute to the same level of its hierarchy: the information loss is greater, and the table is easier to read."},
		append(slices.Clone(Cuts), option.Choice{Value: kanonymity.Incognito, Title: "Incognito"}), of)
	return o
}

// Suppression is the share of patients that Incognito may suppress, in percent.
func Suppression[P any](of func(*P) *float64) option.Option[P] {
	return option.Number(option.About{Name: "suppression", Label: "Patients that may be suppressed, %", Group: GroupClasses, Needs: []option.Need{option.With("cut", kanonymity.Incognito)},
		Help: "Incognito may suppress this share of the patients, in percent."}, option.From(0, 100), of)
}

// Ls are the values of l to compare, 0 for none.
func Ls[P any](of func(*P) *[]float64) option.Option[P] {
	return option.Numbers(option.About{Name: "l", Label: "Different sensitive values of each class, l", Group: GroupClasses,
		Help: "Requires l-diversity. Each value is tried with each k. 0 or empty: no requirement."}, option.AtLeast(0).AtMost(1e6), of)
}

// Diversity is the kind of l-diversity.
func Diversity[P any](of func(*P) *string) option.Option[P] {
	return option.One(option.About{Name: "diversity", Label: "Kind of l-diversity", Group: GroupClasses, Default: "distinct", Needs: []option.Need{option.With("l")},
		Help: "Entropy and recursive also require that the values are evenly distributed."},
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
		Help: "Requires t-closeness. 0.2 is strict. Each value is tried. 0 or empty: no requirement."}, option.From(0, 1), of)
}

// mostPeople is more than all people on earth.
const mostPeople = 1 << 40

// People is the size of the population.
func People[P any, N ~int | ~int64](of func(*P) *N) option.Option[P] {
	return option.Whole(option.About{Name: "people", Label: "People in the population", Group: GroupPopulation,
		Help: "The size of the population of which the patients are a random sample. It is used to estimate how many records are unique in the population. Leave it empty if unknown."}, option.AtLeast(1).AtMost(mostPeople), of)
}

// Among says whether a table is compared with the population file, and what k counts.
func Among[P any](of func(*P) *string) option.Option[P] {
	return option.One(option.About{Name: "among", Label: "Compare with the population", Group: GroupPopulation,
		Help: "k-map counts people of the population instead of patients, so values can be more specific: each class matches at least k people, and not all of them need to be patients."},
		[]option.Choice{{Value: "", Title: "no"}, {Value: table.CountRows, Title: "yes, k counts patients"}, {Value: table.CountPeople, Title: "yes, k counts people (k-map)"}}, of)
}

// TextCuts are the cuts of a joint release of notes and attributes.
var TextCuts = []option.Choice{
	{Value: string(joint.Least), Title: "where the information loss is least"},
	{Value: string(joint.Median), Title: "at the median"},
	{Value: string(joint.Presence), Title: "between patients with and without a term"},
}

// TextCut is how a joint release cuts.
func TextCut[P any](of func(*P) *joint.Cut) option.Option[P] {
	return option.One(option.About{Name: "cut", Label: "Where to cut", Value: "CUT",
		Help: "Median and presence are ways to split by terms. ncp tries every split and takes the one with the least information loss."}, TextCuts, of)
}

// Lambda weighs the attributes against the terms of the notes.
func Lambda[P any](usual string, of func(*P) *float64) option.Option[P] {
	return option.Number(option.About{Name: "lambda", Label: "Weight of the attributes, λ", Value: "WEIGHT", Default: usual,
		Help: "The weight of the attributes when the next split is chosen: 1 splits by attributes only, 0 by terms only."}, option.From(0, 1), of)
}

// Lambdas are several weights to compare.
func Lambdas[P any](usual string, of func(*P) *[]float64) option.Option[P] {
	return option.Numbers(option.About{Name: "lambdas", Label: "Weights of the attributes to compare, λ", Value: "WEIGHTS", Default: usual, Required: true, Example: "0.2; 0.5",
		Help: "1 splits by attributes only, 0 by terms only."}, option.From(0, 1), of)
}

// Known makes values of the patient's attributes sensitive in her notes.
func Known[P any](of func(*P) *bool) option.Option[P] {
	return option.Switch(option.About{Name: "known", Label: "Also redact what a note says of the patient's own attributes", Default: "true",
		Help: "Words of a note that equal values of the patient's attributes count as sensitive, annotated or not."}, of)
}

// KnownIdentifiers redacts the identifiers that structured data gives of the people in a note.
func KnownIdentifiers[P any](of func(*P) *bool) option.Option[P] {
	return option.Switch(option.About{Name: "known", Label: "Redact known identifiers", Default: "true",
		Help: "Names, numbers, dates and addresses that structured data gives of the people in a note are redacted wherever the note has them in any form, whether the redaction model finds them or not."}, of)
}

// Own adds the values of quasi-identifiers that no label names.
func Own[P any](of func(*P) *bool) option.Option[P] {
	return option.Switch(option.About{Name: "own-values", Label: "Also redact values of quasi-identifiers that no label names", Needs: []option.Need{option.With("known", "true")},
		Help: "Values of the patient's own quasi-identifiers count as sensitive too, even if no label has the name of the attribute: words of at least three letters, numbers of at least four digits, dates."}, of)
}

// Exposure holds the probabilities of the joint risk.
func Exposure[P any](of func(*P) *joint.Exposure) option.Table[P] {
	return option.Of(option.Table[joint.Exposure]{
		option.Share(option.About{Name: "leak", Label: "Probability of missed PHI", Value: "P",
			Help: "The probability that a published note still holds a sensitive term, as GreedySanitize estimates it."}, option.From(0, 1), func(e *joint.Exposure) *float64 { return &e.Leak }),
		option.Share(option.About{Name: "found", Label: "Probability that missed PHI is found", Value: "P", Default: "1",
			Help: "The probability that an attacker who looks for such a term finds it."}, option.From(0, 1), func(e *joint.Exposure) *float64 { return &e.Found }),
		option.Share(option.About{Name: "threshold", Label: "Largest acceptable re-identification risk", Value: "RISK", Default: "0.33",
			Help: "Patients with a higher re-identification risk are counted."}, option.From(0, 1), func(e *joint.Exposure) *float64 { return &e.Threshold }),
	}, of)
}

// Epsilon is the privacy budget that a release spends. For another name it is another
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
	return option.Whole(option.About{Name: "height", Label: "Greatest length", Default: "5", Help: "Sequences are cut to this length. Longer sequences mean more noise in each count."}, option.AtLeast(1).AtMost(1000), of)
}

// Unlinked publishes although records look like the same people. It is asked only where they do.
func Unlinked[P any](of func(*P) *bool) option.Option[P] {
	return option.Switch(option.About{Name: "unlinked", Label: "Publish without linking these records",
		Help: "Publish although records look like the same people and were not linked. Each then counts as a patient of its own. The release says so."}, of)
}

// Unjoined is the largest number of notes without a patient that belong to one patient,
// if each of them counts as a patient; 0 suppresses them.
func Unjoined[P any](of func(*P) *int64) option.Option[P] {
	return option.Whole(option.About{Name: "unjoined", Label: "How often one patient can count", Required: true, Example: "3",
		Help: "The largest number of times that one patient can count. All her notes with a patient key count once. You must know this number from elsewhere, and it is published: 1 if each note without a patient belongs to a different patient."}, option.From(1, 1000), of)
}
