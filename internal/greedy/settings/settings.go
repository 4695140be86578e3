// SPDX-License-Identifier: Apache-2.0

// Package settings declares the options of GreedySanitize that `hide sanitize`, its page and
// `hide experiment` share: each once, for whatever struct P keeps it. A table of P lists
// those that it has:
//
//	var options = option.Table[Params]{
//		settings.LC("1,10,100", 40, func(p *Params) *[]float64 { return &p.LC }),
//		settings.Ceiling(func(p *Params) *float64 { return &p.Ceiling }),
//	}
//
// To add an option, declare it here, and give it a field in the structs and a line in the
// tables that shall have it.
package settings

import (
	"slices"

	"hide/internal/annotate"
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

// defaultMode is the need of what only the default mode has. Its option is called mode, or
// in experiments, which compare several, modes.
var defaultMode = []option.Need{option.With("mode", string(greedy.Default)), option.With("modes", string(greedy.Default))}

// LC are the values of L/C to try, at most this number of them; 0 for any number.
func LC[P any](usual string, most int, of func(*P) *[]float64) option.Option[P] {
	return option.Numbers(option.About{Name: "lc", Label: "Values of L/C to try", Value: "VALUES", Default: usual, Required: true, Example: "1, 10, 100",
		Help: "How bad a leak is: with L/C 10 one missed word of PHI is as bad as 10 words redacted without need. The greater L/C, the less PHI remains and the more other words are redacted."},
		option.Above(0).AtMost(greedy.MaxLC).Most(most).Sorted(), of)
}

// Ceiling bounds what the ranked attacker may find.
func Ceiling[P any](of func(*P) *float64) option.Option[P] {
	return option.Share(option.About{Name: "ceiling", Label: "Ceiling on what an attacker finds", Example: "1 %", Needs: defaultMode,
		Help: "The share of the sensitive words that the ranked attacker may find within the largest budget. Where she finds more, words are redacted as for a larger L/C, which takes longer. Empty for no ceiling."},
		option.Above(0).Below(1), of)
}

// Losses are L_c/L by label.
func Losses[P any](of func(*P) *map[annotate.Label]float64) option.Option[P] {
	return option.Times(option.About{Name: "loss", Label: "Cost of missed PHI, by label", Value: "LABEL=TIMES", Group: GroupSensitive,
		Help: "What a missed word of a label costs, as a multiple of L. 1 is as bad as L/C says, 3 three times as bad, 0 costs nothing."},
		option.From(0, greedy.MaxTimes), nil, of)
}

// Costs are C_k/C by kind of word.
func Costs[P any](of func(*P) *greedy.Prices) option.Option[P] {
	return option.Times(option.About{Name: "cost", Label: "Cost of over-redaction, by kind of word", Value: "KIND=TIMES", Group: GroupSensitive,
		Help: "What it costs to redact a word that is not sensitive, as a multiple of C. With 0.2 such words are redacted sooner, with 5 later."},
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
		Help: "Every count is of notes that the classifier did not see: they are divided into this number of folds by patient."}, b, of)
}

// Seed of folds and resampling.
func Seed[P any](of func(*P) *uint64) option.Option[P] {
	return option.Seed(option.About{Name: "seed", Label: "Seed", Default: "1", In: option.Command, Help: "Decides folds and resampling. The same seed gives the same result."}, of)
}

// Learners whose classifiers can be kept, as the hypothesis class.
func Learners[P any](of func(*P) *[]string) option.Option[P] {
	return option.Some(option.About{Name: "learners", Label: "Learners of the attackers", Default: "crf", Required: true, Group: GroupLearners,
		Help: "The hypothesis class of publisher and attackers. Different learners find different identifiers, and each takes its time."},
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
		Help: "Reading at random, the papers' attacker and the ranked attacker always attack. These attack as well. Stacked needs two learners: with one it is the ranked attacker."}, choices, of)
}

// Share of the published notes that attackers label.
func Share[P any](of func(*P) *float64) option.Option[P] {
	return option.Share(option.About{Name: "share", Label: "Share of the notes that attackers label", Default: "0.5", Group: GroupAttackers,
		Help: "The share of what would be published that attackers label to train on, taken as the nearest 1/k. They attack the rest."},
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
		Help: "To see what a part is worth, compare with a run that has it."}, choices, of)
}

// VC is the stated dimension of the class of classifiers.
func VC[P any](of func(*P) *float64) option.Option[P] {
	return option.Number(option.About{Name: "vc", Label: "VC dimension", Value: "DIMENSION", Group: GroupMeasure,
		Needs: []option.Need{option.With("mode", string(greedy.Paper)), option.With("modes", string(greedy.Paper))},
		Help:  "The Vapnik-Chervonenkis dimension that theorems 5 and 6 take the class of classifiers to have: of a linear classifier its number of weights and 1."},
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
	ContextAbout = option.About{Name: "context", Label: "Words that give an identifier away", Default: ContextNone, Group: GroupContext,
		Help: "A word can stand so often near one identifier that it gives it away: if Weiss is hardly ever named without mayor beside it, mayor tells who it is."}
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
