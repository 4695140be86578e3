// SPDX-License-Identifier: Apache-2.0

// Package settings declares the options of GreedySanitize that `hide sanitize`, its page
// and `hide experiment` share. Each is declared once, for any struct P that holds it. A
// table of P lists its options:
//
//	var options = option.Table[Params]{
//		settings.LC("1,10,100", 40, func(p *Params) *[]float64 { return &p.LC }),
//		settings.Ceiling(func(p *Params) *float64 { return &p.Ceiling }),
//	}
//
// To add an option, declare it here, and add a field to the structs and a line to the
// tables that need it.
package settings

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"hide/internal/annotate"
	"hide/internal/crf"
	"hide/internal/greedy"
	"hide/internal/greedy/attack"
	"hide/internal/greedy/detect"
	"hide/internal/greedy/learners"
	"hide/internal/option"
)

// The groups of the page of sanitizing, in its order.
const (
	GroupSensitive = "Which PHI counts, and what errors cost"
	GroupLearners  = "Who redacts, who attacks"
	GroupAttackers = "Other attackers"
	GroupContext   = "Contextual identifiers"
	GroupMeasure   = "How to measure"
)

// defaultMode is the requirement of options that only the default mode has. Its option is
// called mode, or in experiments, which compare several, modes.
var defaultMode = []option.Need{option.With("mode", string(greedy.Default)), option.With("modes", string(greedy.Default))}

// LC are the values of L/C to try, at most this number of them; 0 for any number.
func LC[P any](usual string, most int, of func(*P) *[]float64) option.Option[P] {
	return option.Numbers(option.About{Name: "lc", Label: "Values of L/C to try", Value: "VALUES", Default: usual, Required: true, Example: "1, 10, 100",
		Help: "The loss of a missed word: with L/C 10 one missed word of PHI is as bad as 10 over-redacted words. A larger L/C leaves less PHI and redacts more other words."},
		option.Above(0).AtMost(greedy.MaxLC).Most(most).Sorted(), of)
}

// Ceiling bounds what the ranked attacker may find.
func Ceiling[P any](of func(*P) *float64) option.Option[P] {
	return option.Share(option.About{Name: "ceiling", Label: "Ceiling on what an attacker finds", Example: "1 %", Needs: defaultMode,
		Help: "The share of the sensitive words that the ranked attacker may find within the largest budget. If the attacker would find more, the run redacts as for a larger L/C, which takes longer. Empty for no ceiling."},
		option.Above(0).Below(1), of)
}

// Losses are L_c/L by label.
func Losses[P any](of func(*P) *map[annotate.Label]float64) option.Option[P] {
	return option.Times(option.About{Name: "loss", Label: "Cost of missed PHI, by label", Value: "LABEL=TIMES", Group: GroupSensitive,
		Help: "The loss of a missed word of a label, as a multiple of L: 1 is the loss that L/C sets, 3 is three times that loss, 0 is no loss."},
		option.From(0, greedy.MaxTimes), nil, of)
}

// Costs are C_k/C by kind of word.
func Costs[P any](of func(*P) *greedy.Prices) option.Option[P] {
	return option.Times(option.About{Name: "cost", Label: "Cost of over-redaction, by kind of word", Value: "KIND=TIMES", Group: GroupSensitive,
		Help: "The cost of redacting a word that is not sensitive, as a multiple of C. With 0.2 more such words are redacted, with 5 fewer."},
		option.From(1.0/greedy.MaxTimes, greedy.MaxTimes), wordKinds, of)
}

var wordKinds = []option.Choice{
	{Value: string(greedy.Punctuation), Title: "punctuation", Help: "signs"},
	{Value: string(greedy.Number), Title: "numbers", Help: "begin with a digit: 12, 5mg"},
	{Value: string(greedy.CommonWord), Title: "common words", Help: "in the program's lists: the, für, de"},
	{Value: string(greedy.OtherWord), Title: "other words", Help: "most of what a note says"},
}

// Folds of cross-fitting.
func Folds[P any](most float64, of func(*P) *int) option.Option[P] {
	b := option.AtLeast(2)
	if most > 0 {
		b = b.AtMost(most)
	}
	return option.Whole(option.About{Name: "folds", Label: "Folds for cross-fitting", Default: "4", Group: GroupMeasure,
		Help: "Every count comes from notes that the classifier was not trained on. The notes are divided by patient into this number of folds."}, b, of)
}

// Seed of folds and resampling.
func Seed[P any](of func(*P) *uint64) option.Option[P] {
	return option.Seed(option.About{Name: "seed", Label: "Seed", Default: "1", In: option.Command, Help: "Decides folds and resampling. The same seed gives the same result."}, of)
}

// Learners whose classifiers can be kept, as the hypothesis class.
func Learners[P any](of func(*P) *[]string) option.Option[P] {
	return option.Some(option.About{Name: "learners", Label: "Learners of the attackers", Default: "crf", Required: true, Group: GroupLearners,
		Help: "The hypothesis class of publisher and attackers. Different learners find different identifiers, and each adds running time."},
		keptLearners(), of)
}

func keptLearners() []option.Choice {
	var choices []option.Choice
	for _, e := range learners.Table() {
		if slices.Contains(learners.Kept(), e.Name) {
			choices = append(choices, option.Choice{Value: e.Name, Help: e.About})
		}
	}
	return choices
}

// NoFirst is the First of a run in which the attackers alone find what to redact.
const NoFirst = "none"

// First redacts before the attackers.
func First[P any](of func(*P) *string) option.Option[P] {
	choices := []option.Choice{{Value: "detector"}, {Value: NoFirst}}
	for _, c := range keptLearners() {
		if c.Value != "detector" {
			choices = append(choices, option.Choice{Value: c.Value})
		}
	}
	return option.One(option.About{Name: "first", Label: "Learner of round 1", Default: "detector", Group: GroupLearners, Needs: defaultMode,
		Help: "The learner that redacts before those of the attackers. With none, the attackers alone find what to redact."}, choices, of)
}

// Attackers besides those that every run has, as a choice of kinds.
func Attackers[P any](usual string, kinds []attack.Kind, of func(*P) *[]attack.Kind) option.Option[P] {
	var choices []option.Choice
	for _, e := range attack.Table() {
		if slices.Contains(kinds, e.Kind) {
			choices = append(choices, option.Choice{Value: string(e.Kind), Help: e.About})
		}
	}
	return option.Some(option.About{Name: "attackers", Label: "Attackers besides the usual three", Default: usual, None: "none", Group: GroupAttackers,
		Help: "Random inspection, the papers' attacker and the ranked attacker always attack. These attack in addition. Stacked needs two learners: with one it equals the ranked attacker."}, choices, of)
}

// Share of the published notes that attackers label.
func Share[P any](of func(*P) *float64) option.Option[P] {
	return option.Share(option.About{Name: "share", Label: "Share of the notes that attackers label", Default: "0.5", Group: GroupAttackers,
		Help: "The share of the published notes that attackers label and train on, rounded to the nearest 1/k. They attack the rest."},
		option.From(greedy.MinShare, greedy.MaxShare), of)
}

// WithoutParts are the parts that the detector does without.
func WithoutParts[P any](of func(*P) *[]string) option.Option[P] {
	var choices []option.Choice
	for _, p := range detect.PartTable() {
		if detect.Default&p.Parts != 0 {
			choices = append(choices, option.Choice{Value: p.Name, Help: p.About})
		}
	}
	return option.Some(option.About{Name: "without-part", Label: "Parts that the detector does without", Group: GroupLearners,
		Help: "To see the effect of a part, compare with a run that has it."}, choices, of)
}

// VC is the stated dimension of the class of classifiers.
func VC[P any](of func(*P) *float64) option.Option[P] {
	return option.Number(option.About{Name: "vc", Label: "VC dimension", Value: "DIMENSION", Group: GroupMeasure,
		Needs: []option.Need{option.With("mode", string(greedy.Paper)), option.With("modes", string(greedy.Paper))},
		Help:  "The Vapnik-Chervonenkis dimension of the class of classifiers, for theorems 5 and 6. Without it, the number of weights of the largest classifier plus 1, which is the dimension of a linear classifier."},
		option.From(1, greedy.MaxVC), of)
}

// What may be done about contextual identifiers.
const (
	ContextNone   = "none"
	ContextList   = "list"
	ContextRedact = "redact"
)

// ContextAbout and ContextChoices ask about contextual identifiers.
var (
	ContextAbout = option.About{Name: "context", Label: "Contextual identifiers", Default: ContextNone, Group: GroupContext,
		Help: "A word can stand so often near one identifier that it reveals it: if the name Weiss almost always stands next to mayor, then mayor identifies Weiss."}
	ContextChoices = []option.Choice{
		{Value: ContextNone, Title: "do not look for them"},
		{Value: ContextList, Title: "list them"},
		{Value: ContextRedact, Title: "treat them as sensitive, with the label " + string(greedy.ContextLabel)},
	}
)

// Context asks about contextual identifiers with the usual numbers.
func Context[P any](of func(*P) **greedy.Context) option.Option[P] {
	o := option.Value(ContextAbout, of, func(text string, _ option.Place) (*greedy.Context, error) {
		if err := option.Among(ContextChoices, text); err != nil || text == ContextNone {
			return nil, err
		}
		c := greedy.Context{Redact: text == ContextRedact}.WithDefaults()
		return &c, nil
	}, func(c *greedy.Context, _ option.Place) string {
		switch {
		case c == nil:
			return ContextNone
		case c.Redact:
			return ContextRedact
		}
		return ContextList
	}).As(option.Select)
	o.Choices = ContextChoices
	return o
}

// SamplingHelp says what is written as a [crf.Sampling] in a command.
const SamplingHelp = "o=P (a non-PHI word is used with probability P), window=K (only non-PHI words within K words of PHI are used), " +
	"cost=LABEL:C,O:C (a span, or a non-PHI word, is used with probability C/max), seed=N; joined by +"

// Sampling is what training leaves out, as one flag.
func Sampling[P any](of func(*P) *crf.Sampling) option.Option[P] {
	return option.Value(option.About{Name: "sampling", Label: "Training words", Value: "SETTINGS", In: option.Command,
		Help: "Words that the training of every learner leaves out, for higher recall and lower precision; the other attackers train on all words: " + SamplingHelp},
		of, readSampling,
		func(s crf.Sampling, _ option.Place) string { return s.String() })
}

// ReadSampling removes from an error what the name of the option already says.
func ReadSampling(text string, _ option.Place) (crf.Sampling, error) {
	s, err := crf.ParseSampling(text)
	if err != nil {
		return s, errors.New(strings.TrimPrefix(err.Error(), "sampling: "))
	}
	return s, nil
}

// readSampling refuses to draw with replacement, which not every learner can.
func readSampling(text string, at option.Place) (crf.Sampling, error) {
	s, err := ReadSampling(text, at)
	if err == nil && s.Times > 0 {
		err = errors.New("times is for hide train, evaluate and curve: leave it out")
	}
	return s, err
}

// SamplingFields are the same as the fields of a page.
func SamplingFields[P any](of func(*P) *crf.Sampling) option.Table[P] {
	in := func(a option.About) option.About {
		a.Group, a.In = GroupLearners, option.Page
		return a
	}
	return option.Of(option.Table[crf.Sampling]{
		option.Share(in(option.About{Name: "sample-share", Label: "Share of non-PHI words to train on", Example: "20 %",
			Help: "All learners then find more PHI, and mark more that is not PHI. Empty for all words."}),
			option.Above(0).AtMost(1), func(s *crf.Sampling) *float64 { return &s.O }),
		option.Whole(in(option.About{Name: "sample-window", Label: "Largest distance of non-PHI words from PHI", Example: "8",
			Help: "Only non-PHI words within this number of words of PHI are trained on. Empty for any distance."}),
			option.From(1, 1000), func(s *crf.Sampling) *int { return &s.Window }),
		option.Value(in(option.About{Name: "sample-costs", Label: "Cost of missing a label in training", Example: "PATIENT 3, DATE 2",
			Help: "A span is trained on with the probability of its cost over the highest. O stands for non-PHI words, and a label without a number costs 1."}),
			func(s *crf.Sampling) *map[annotate.Label]float64 { return &s.Cost },
			func(text string, _ option.Place) (map[annotate.Label]float64, error) { return ReadCosts(text) },
			func(costs map[annotate.Label]float64, _ option.Place) string { return WriteCosts(costs) }),
	}, of)
}

// otherWords is the display name of the label of words that are not sensitive.
const otherWords = "O"

// betweenCosts is the separator between a label and its number, and after the number. A
// comma before a digit belongs to the number.
var betweenCosts = regexp.MustCompile(`,$|,([^0-9])|[ ;:=\t\r\n]`)

// ReadCosts reads labels, each with a number above 0: "PATIENT 3, O: 0,5" or "DATE=.5".
func ReadCosts(text string) (map[annotate.Label]float64, error) {
	words := strings.Fields(betweenCosts.ReplaceAllString(text, " $1"))
	if len(words)%2 != 0 {
		return nil, errors.New("enter labels, each with a number")
	}
	var costs map[annotate.Label]float64
	for at := 0; at < len(words); at += 2 {
		label := annotate.Label(words[at])
		if err := annotate.CheckLabel(label); err != nil {
			return nil, err
		}
		if label == otherWords {
			label = ""
		}
		cost, err := option.ReadNumber(words[at+1])
		if err != nil || !option.Above(0).Has(cost) {
			return nil, fmt.Errorf("enter a number above 0 for %s", words[at])
		}
		if _, twice := costs[label]; twice {
			return nil, fmt.Errorf("%s is there twice", words[at])
		}
		if costs == nil {
			costs = map[annotate.Label]float64{}
		}
		costs[label] = cost
	}
	return costs, nil
}

// WriteCosts writes the format that [ReadCosts] reads.
func WriteCosts(costs map[annotate.Label]float64) string {
	var words []string
	for _, label := range slices.Sorted(maps.Keys(costs)) {
		name := string(label)
		if label == "" {
			name = otherWords
		}
		words = append(words, name+" "+strconv.FormatFloat(costs[label], 'f', -1, 64))
	}
	return strings.Join(words, ", ")
}
