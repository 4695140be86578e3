// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"fmt"
	"runtime"
	"slices"
	"strings"

	"hide/internal/annotate"
	"hide/internal/annotate/dictionary"
	"hide/internal/crf"
	"hide/internal/crf/classes"
	"hide/internal/greedy"
	"hide/internal/greedy/attack"
	"hide/internal/greedy/detect"
	"hide/internal/greedy/learners"
	"hide/internal/greedy/settings"
	"hide/internal/lab"
	"hide/internal/lab/evaluate"
	"hide/internal/option"
)

// Options configure an experiment.
type Options struct {
	Sensitive        []annotate.Label // of the notes; nil means all
	OtherSensitive   []annotate.Label // of the notes of the transfer attacker; nil means those of Sensitive
	Folds            int
	Seed             uint64
	LC               []float64
	Learners         []string
	Stack            []string // learners stacked onto the detector
	Class            string
	First            string
	Modes            []greedy.Mode
	Attackers        []attack.Kind
	AttackLearners   []string // nil means Learners
	Share            float64
	Ceiling          float64
	Without          []string // parts of the detector
	Budgets          []int
	Preset           string
	Sampling         crf.Sampling
	Dictionaries     []dictionary.List
	Classes          []*classes.Table
	Losses           map[annotate.Label]float64
	Costs            greedy.Prices
	Context          string
	How              greedy.Context
	VC               float64
	Frontier         bool
	Kept             []float64
	Against          string // "" means the first learner
	Ablate, Curve    bool
	Coverage, Alarms int
}

// Table declares the options. Options that a run of a project also has are in [settings].
func Table() option.Table[Options] {
	return slices.Concat(option.Table[Options]{
		labels(option.About{Name: "sensitive", Default: "all", Value: "LABELS", Help: "These labels are sensitive: all, or for instance PATIENT,DATE."},
			func(o *Options) *[]annotate.Label { return &o.Sensitive }),
		labels(option.About{Name: "transfer-sensitive", Value: "LABELS", Help: "The labels that are sensitive in the file of --transfer, where they differ from those of --sensitive.",
			Needs: []option.Need{option.With("attackers", string(attack.Transfer))}}, func(o *Options) *[]annotate.Label { return &o.OtherSensitive }),
		settings.Folds(0, func(o *Options) *int { return &o.Folds }),
		settings.Seed(func(o *Options) *uint64 { return &o.Seed }),
		settings.LC("1,10,100", 0, func(o *Options) *[]float64 { return &o.LC }),
		settings.Ceiling(func(o *Options) *float64 { return &o.Ceiling }),
		settings.Losses(func(o *Options) *map[annotate.Label]float64 { return &o.Losses }),
		settings.Costs(func(o *Options) *greedy.Prices { return &o.Costs }),
		settings.Share(func(o *Options) *float64 { return &o.Share }),
		settings.VC(func(o *Options) *float64 { return &o.VC }),
		settings.WithoutParts(func(o *Options) *[]string { return &o.Without }),
		settings.Sampling(func(o *Options) *crf.Sampling { return &o.Sampling }),
		settings.Attackers("", attack.Kinds(), func(o *Options) *[]attack.Kind { return &o.Attackers }),
		option.Some(option.About{Name: "attack-learners", Value: "LEARNERS", Help: "The learners of --attackers; without it those of --learners."},
			nil, func(o *Options) *[]string { return &o.AttackLearners }),
		option.Wholes(option.About{Name: "budget", Default: "25,50,100,200,500,1000", Value: "BUDGETS", Help: "Budgets of attackers, in tokens that they inspect."},
			option.AtLeast(1), func(o *Options) *[]int { return &o.Budgets }),
	}, learnerOptions(), contextOptions(), studyOptions())
}

func learnerOptions() option.Table[Options] {
	return option.Table[Options]{
		option.Some(option.About{Name: "learners", Default: "crf", Required: true, Value: "LEARNERS", Help: "Learners, with commas between: " + lab.LearnersHelp()},
			nil, func(o *Options) *[]string { return &o.Learners }),
		option.One(option.About{Name: "class", Default: "each", Value: "CLASS", Help: "The hypothesis class: each learner by itself, all learners together, or both in turn."},
			[]option.Choice{{Value: "each"}, {Value: "all"}, {Value: "both"}}, func(o *Options) *string { return &o.Class }),
		option.Text(option.About{Name: "first", Default: "detector", Value: "LEARNER", Help: "The learner that redacts in round 1 of default mode, before the rounds of --learners; none leaves the round out."},
			func(o *Options) *string { return &o.First }),
		option.Some(option.About{Name: "stack", Value: "LEARNERS", Help: "Learners, such as outside:COMMAND, that are stacked onto the detector wherever it takes part: their scores and its own are blended by weights that are fitted out of fold."},
			nil, func(o *Options) *[]string { return &o.Stack }),
		option.Some(option.About{Name: "modes", Default: "paper,default,cost", None: "none", Value: "MODES", Help: "Modes to compare."},
			modeChoices(), func(o *Options) *[]greedy.Mode { return &o.Modes }),
		option.One(option.About{Name: "preset", Default: "default", Value: "PRESET", Help: "The preset of feature families."},
			evaluate.Presets, func(o *Options) *string { return &o.Preset }),
	}
}

// contextRemove finds contextual identifiers in what is published, by what classifiers redact
// there, and redacts them: the papers' second way. Runs of a project do not have it.
const contextRemove = "remove"

var contextChoices = append(slices.Clone(settings.ContextChoices), option.Choice{Value: contextRemove, Title: "redact them in what is published, without training on them"})

func contextOptions() option.Table[Options] {
	usual := greedy.Context{}.WithDefaults()
	needs := []option.Need{option.With(settings.ContextAbout.Name, settings.ContextList, settings.ContextRedact, contextRemove)}
	return option.Table[Options]{
		option.One(settings.ContextAbout, contextChoices, func(o *Options) *string { return &o.Context }),
		option.Whole(option.About{Name: "context-window", Default: fmt.Sprint(usual.Window), Value: "N", Help: "Near is within N tokens.", Needs: needs},
			option.From(1, 1000), func(o *Options) *int { return &o.How.Window }),
		option.Whole(option.About{Name: "context-support", Default: fmt.Sprint(usual.MinSupport), Value: "N", Help: "They stand together in at least N documents.", Needs: needs},
			option.AtLeast(1), func(o *Options) *int { return &o.How.MinSupport }),
		option.Number(option.About{Name: "context-lift", Default: fmt.Sprint(usual.MinLift), Value: "TIMES", Help: "They stand together at least TIMES as often as by chance.", Needs: needs},
			option.Above(0), func(o *Options) *float64 { return &o.How.MinLift }),
	}
}

func studyOptions() option.Table[Options] {
	return option.Table[Options]{
		option.Switch(option.About{Name: "frontier", Help: "Also measure what each learner misses when given shares of the other tokens are kept, read off the order of its scores of documents that it did not see. Differences are paired by document or patient."},
			func(o *Options) *bool { return &o.Frontier }),
		option.Numbers(option.About{Name: "kept", Default: ".999,.995,.99,.98", Value: "SHARES", Help: "Shares of the other tokens kept, for --frontier, --ablate and --curve."},
			option.Above(0).AtMost(1), func(o *Options) *[]float64 { return &o.Kept }),
		option.Text(option.About{Name: "against", Value: "LEARNER", Help: "The learner that the others are compared with; without it the first of --learners.",
			Needs: []option.Need{option.With("frontier")}}, func(o *Options) *string { return &o.Against }),
		option.Switch(option.About{Name: "ablate", Help: "Also measure what the detector misses without each of its parts, as --frontier does."},
			func(o *Options) *bool { return &o.Ablate }),
		option.Switch(option.About{Name: "curve", Help: "Also measure what each learner misses when it is trained on an eighth, a quarter, half and all of the documents."},
			func(o *Options) *bool { return &o.Curve }),
		option.Whole(option.About{Name: "coverage", Value: "N", Help: "Also train on a random half of --in and publish the other, N times, with each mode, learner and L/C, and count how often the interval and the upper bound hold the true number of missed tokens."},
			option.AtLeast(0), func(o *Options) *int { return &o.Coverage }),
		option.Whole(option.About{Name: "alarms", Value: "N", Help: "Also, N times, train on half of --in, chosen at random and then as a project's queue chooses, and publish the rest; with --test also on half of that file. Count how often a drift warning is given, how often the program warns, and how often forecast and audit hold the true number of missed tokens."},
			option.AtLeast(0), func(o *Options) *int { return &o.Alarms }),
	}
}

func labels(a option.About, of func(*Options) *[]annotate.Label) option.Option[Options] {
	read := func(text string, _ option.Place) (all []annotate.Label, err error) {
		if text == "all" {
			return nil, nil
		}
		for name := range strings.SplitSeq(text, ",") {
			l := annotate.Label(strings.TrimSpace(name))
			if err := annotate.CheckLabel(l); err != nil {
				return nil, err
			}
			if slices.Contains(all, l) {
				return nil, fmt.Errorf("%s is named twice", l)
			}
			all = append(all, l)
		}
		return all, nil
	}
	write := func(all []annotate.Label, _ option.Place) string {
		names := make([]string, len(all))
		for i, l := range all {
			names[i] = string(l)
		}
		return strings.Join(names, ",")
	}
	return option.Value(a, of, read, write)
}

func choices[T any](all []T, of func(T) option.Choice) []option.Choice {
	out := make([]option.Choice, len(all))
	for i, v := range all {
		out[i] = of(v)
	}
	return out
}

func modeChoices() []option.Choice {
	return choices(greedy.Modes(), func(m greedy.Mode) option.Choice { return option.Choice{Value: string(m)} })
}

// plan holds the values derived from the options.
type plan struct {
	trial          greedy.Trial
	context        *greedy.Context // nil for none
	classes        []bool          // for each run over the learners: whether they are one class
	attackLearners []greedy.Learner
	programs       []*lab.Outside // among all learners
	learn          learners.Options
	against        string
	kept           []float64 // descending
}

func refuse(name, format string, args ...any) error {
	return &option.Problem{Name: name, Text: fmt.Sprintf(format, args...)}
}

func newPlan(o Options) (plan, error) {
	p := plan{trial: greedy.Trial{
		Modes: o.Modes,
		Params: greedy.Params{
			Folds: o.Folds, Seed: o.Seed, LC: slices.Sorted(slices.Values(o.LC)), Budgets: slices.Sorted(slices.Values(o.Budgets)), Share: o.Share, Ceiling: o.Ceiling,
			VC: o.VC, LossByLabel: o.Losses, CostByKind: o.Costs, Workers: min(runtime.GOMAXPROCS(0), 4), // a training takes some 300 MB
		},
	}}
	p.kept = slices.Sorted(slices.Values(o.Kept))
	slices.Reverse(p.kept)
	for _, set := range []func(Options) error{p.setLearners, p.setAttackLearners, p.setModes} {
		if err := set(o); err != nil {
			return p, err
		}
	}
	if o.Context == settings.ContextList || o.Context == settings.ContextRedact {
		how := o.How
		how.Redact = o.Context == settings.ContextRedact
		p.context = &how
	}
	if o.Context == contextRemove {
		how := o.How
		p.trial.Remove = &how
	}
	return p, o.check()
}

// check refuses options that have no effect or lack another option, where the table of
// options cannot express it.
func (o Options) check() error {
	if o.Coverage+o.Alarms > 0 && len(o.Modes) == 0 {
		return refuse("modes", "name a mode whose estimates --coverage and --alarms check")
	}
	return nil
}

// detects reports whether the detector is measured.
func (o Options) detects() bool {
	return o.Ablate || slices.Contains(o.Learners, "detector") || slices.Contains(o.AttackLearners, "detector") ||
		o.First == "detector" && slices.Contains(o.Modes, greedy.Default)
}

func (p *plan) setLearners(o Options) (err error) {
	families, _ := crf.Preset(o.Preset)
	p.learn = learners.Options{CRF: crf.Options{Features: families, Dictionaries: o.Dictionaries, Classes: o.Classes, Sampling: o.Sampling, Workers: 1}, Seed: o.Seed}
	if p.learn.Parts, err = detect.Without(o.Without); err != nil {
		return refuse("without-part", "%v", err)
	}
	var stacked []*lab.Outside
	if p.learn.Stack, stacked, err = lab.Learners(o.Stack, p.learn); err != nil {
		return refuse("stack", "%v", err)
	}
	if p.trial.Learners, p.programs, err = lab.Learners(o.Learners, p.learn); err != nil {
		return refuse("learners", "%v", err)
	}
	p.programs = append(p.programs, stacked...)
	if len(o.Stack) > 0 && !o.detects() {
		return refuse("stack", "the detector takes no part: name it in --learners, or in --first with --modes default")
	}
	if o.First != settings.NoFirst {
		if p.trial.First, err = lab.Learner(o.First, p.learn); err != nil {
			return refuse("first", "%v", err)
		}
		if program, is := p.trial.First.(*lab.Outside); is {
			p.programs = append(p.programs, program)
		}
	}
	if p.against = o.Against; p.against == "" {
		p.against = p.trial.Learners[0].Name()
	}
	if !slices.ContainsFunc(p.trial.Learners, func(l greedy.Learner) bool { return l.Name() == p.against }) {
		return refuse("against", "%s is not one of --learners", p.against)
	}
	p.classes = map[string][]bool{"each": {false}, "all": {true}, "both": {false, true}}[o.Class]
	if len(p.trial.Learners) == 1 { // a single learner gives the same result either way
		p.classes = []bool{false}
	}
	return nil
}

// setAttackLearners makes the learners of attackers. They are trained on all words, even
// when the publisher samples its training words: an attacker need not do so.
func (p *plan) setAttackLearners(o Options) (err error) {
	all := p.learn
	all.CRF.Sampling = crf.Sampling{}
	if o.AttackLearners != nil {
		learners, programs, err := lab.Learners(o.AttackLearners, all)
		if err != nil {
			return refuse("attack-learners", "%v", err)
		}
		p.attackLearners, p.programs = learners, append(p.programs, programs...)
		return nil
	}
	for _, l := range p.trial.Learners {
		if _, is := l.(*lab.Outside); !is { // an external command is not trained here
			if l, err = learners.New(l.Name(), all); err != nil {
				return err
			}
		}
		p.attackLearners = append(p.attackLearners, l)
	}
	return nil
}

// setModes refuses a mode that no learner supports, before training. Otherwise it leaves
// out the learners that do not support it, and [Report.Warnings] say so.
func (p *plan) setModes(o Options) error {
	if slices.Contains(o.Modes, greedy.CostWeight) && !greedy.CostWeight.Possible(p.trial.Learners) {
		return refuse("modes", "%s needs a learner that weighs instances, and none of --learners does: add crf, svm, adaboost or ensemble", greedy.CostWeight)
	}
	return nil
}
