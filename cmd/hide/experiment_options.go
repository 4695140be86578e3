// SPDX-License-Identifier: Apache-2.0

package main

import (
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"hide/internal/annotate"
	"hide/internal/crf"
	"hide/internal/greedy"
	"hide/internal/greedy/attack"
	"hide/internal/greedy/detect"
	"hide/internal/greedy/learners"
)

// experimentOptions are the flags, checked.
type experimentOptions struct {
	in, test, transfer string
	labels, foreign    []annotate.Label // sensitive in --in and --test, and in --transfer; nil means all
	trial              greedy.Trial
	context            *greedy.Context
	classes            []bool // for each run over the learners: whether they are one class
	attackers          []attack.Kind
	attackLearners     []greedy.Learner
	outside            []*outside // of all learners
	learn              learners.Options
	frontier           frontierOptions
	more               moreOptions
	without            string // parts of the detector
	same               string // the flags that results depend on, beside those that name them
	out                experimentOutput
}

// experimentFlags are the flags as they were typed.
type experimentFlags struct {
	sensitive, foreign, lc, modes, learners, class, first    string
	attackers, attackLearners, budgets, preset, dictionaries string
	without, sampling                                        string
	context                                                  contextFlags
	costs                                                    costFlags
}

func (v *experimentFlags) declare(f *flag.FlagSet, o *experimentOptions) {
	f.StringVar(&o.in, "in", "", "annotated `FILE` to learn from: JSONL, brat folder, CoNLL or a zip of these")
	f.StringVar(&o.test, "test", "", "annotated `FILE` to publish, learning from all of --in; without it each document of --in is published once")
	f.StringVar(&v.sensitive, "sensitive", "all", "`LABELS` that are sensitive, with commas between: all, or PATIENT,DATE")
	f.IntVar(&o.trial.Folds, "folds", 4, "publish in `K` folds, and cross-fit in as many")
	f.StringVar(&v.lc, "lc", "1,10,100", "`VALUES` of L/C, what a leak costs in lost words, with commas between")
	f.StringVar(&v.learners, "learners", "crf", learnersUsage())
	f.StringVar(&v.class, "class", "each", "`CLASS` of hypotheses: each learner alone, all of them together, or both in turn")
	f.StringVar(&v.first, "first", "detector", "`LEARNER` that redacts in round 1 of default mode, before those of --learners attack; none for no such round")
	f.StringVar(&v.modes, "modes", "paper,default,cost", "`MODES` to compare: none, or of "+modeNames(greedy.Modes()))
	f.StringVar(&v.attackers, "attackers", "", "`ATTACKERS` beside the two that are always asked, the papers' and the ranked one: "+attackersHelp())
	f.StringVar(&v.attackLearners, "attack-learners", "", "`LEARNERS` of --attackers; without it those of --learners")
	f.StringVar(&o.transfer, "transfer", "", "annotated `FILE` of another institution or kind, for the transfer attacker to learn from")
	f.StringVar(&v.foreign, "transfer-sensitive", "", "`LABELS` that are sensitive in it; without it those of --sensitive")
	f.Float64Var(&o.trial.Share, "share", greedy.MaxShare, shareUsage)
	f.Float64Var(&o.trial.Ceiling, "ceiling", 0, ceilingUsage)
	f.StringVar(&v.without, "without-part", "", withoutUsage())
	f.StringVar(&v.budgets, "budget", "25,50,100,200,500,1000", "`BUDGETS` of attackers, in tokens")
	f.StringVar(&v.preset, "preset", "default", presetUsage)
	f.StringVar(&v.dictionaries, "dictionaries", "", dictionariesUsage)
	f.StringVar(&v.sampling, "sampling", "", samplingUsage)
	f.Uint64Var(&o.trial.Seed, "seed", 1, "`N` decides folds and resampling")
	v.costs.declare(f)
	v.context.declare(f)
	f.Float64Var(&o.trial.VC, "vc", 0, "with --modes paper: "+vcUsage)
	o.frontier.declare(f)
	o.more.declare(f)
	o.out.declare(f)
}

func attackersHelp() string {
	var rows []string
	for _, e := range attack.Table() {
		rows = append(rows, string(e.Kind)+" ("+e.About+")")
	}
	return strings.Join(rows, "; ")
}

func (e *env) experimentOptions(args []string) (experimentOptions, error) {
	var o experimentOptions
	var v experimentFlags
	f := e.flags()
	v.declare(f, &o)
	if _, err := e.parse(f, args, 0, 0); err != nil {
		return o, err
	}
	if err := e.required(f, "in"); err != nil {
		return o, err
	}
	if o.trial.Folds < 2 {
		return o, e.usage("--folds is %d; at least 2 are needed", o.trial.Folds)
	}
	if o.more.coverage < 0 || o.more.alarms < 0 {
		return o, e.usage("--coverage and --alarms must not be negative")
	}
	o.out.command = commandLine(args)
	o.trial.Workers = min(runtime.GOMAXPROCS(0), 4) // a training takes some 300 MB
	for _, check := range []func(experimentFlags, *experimentOptions) error{e.checkLabels, e.checkLearners, e.checkGrid, e.checkAttackers} {
		if err := check(v, &o); err != nil {
			return o, err
		}
	}
	if err := e.idleExperiment(f, o); err != nil {
		return o, err
	}
	if o.trial.VC != 0 && !slices.Contains(o.trial.Modes, greedy.Paper) {
		return o, e.usage("--vc is for theorems 5 and 6, which are about the papers' algorithm: it needs --modes paper")
	}
	if err := greedy.CheckVC(o.trial.VC); err != nil {
		return o, e.usage("--vc: %v", err)
	}
	if err := e.checkShare(o.trial.Share); err != nil {
		return o, err
	}
	if err := greedy.CheckCeiling(o.trial.Ceiling); err != nil {
		return o, e.usage("--ceiling: %v", err)
	}
	if o.trial.Ceiling != 0 && !slices.Contains(o.trial.Modes, greedy.Default) {
		return o, e.usage("--ceiling is for mode default: it needs --modes default")
	}
	var err error
	if o.trial.LossByLabel, o.trial.CostByKind, err = v.costs.costs(e); err != nil {
		return o, err
	}
	if o.context, err = v.context.context(e, f); err != nil {
		return o, err
	}
	if o.more.coverage+o.more.alarms > 0 && len(o.trial.Modes) == 0 {
		return o, e.usage("--coverage and --alarms need a mode whose estimates are checked: name some with --modes")
	}
	o.same = fmt.Sprintf("--first %s --folds %d --seed %d --vc %g --share %g --ceiling %g --without-part %s --preset %s --dictionaries %x --budget %v --attackers %q --attack-learners %q --kept %v --sampling %s --loss %v --cost %v", v.first, o.trial.Folds, o.trial.Seed, o.trial.VC, o.trial.Share, o.trial.Ceiling, o.learn.Parts, v.preset, hashLists(o.learn.CRF.Dictionaries),
		o.trial.Budgets, o.attackers, classNames(o.attackLearners, true), o.frontier.kept, o.learn.CRF.Sampling, o.trial.LossByLabel, o.trial.CostByKind)
	return o, nil
}

// idleExperiment refuses flags of what is not measured.
func (e *env) idleExperiment(f *flag.FlagSet, o experimentOptions) error {
	if !o.frontier.on && !o.more.ablate && !o.more.curve {
		if err := e.idle(f, "without --frontier, --ablate or --curve", "kept"); err != nil {
			return err
		}
	}
	if !o.frontier.on {
		return e.idle(f, "without --frontier", "against")
	}
	return nil
}

// hashLists covers what was read of dictionaries, wherever they lie.
func hashLists(lists []crf.DictionaryList) []byte {
	h := sha256.New()
	_ = json.NewEncoder(h).Encode(lists) // neither strings nor a hash can fail
	return h.Sum(nil)
}

func (e *env) checkLabels(v experimentFlags, o *experimentOptions) (err error) {
	if o.labels, err = e.labels("sensitive", v.sensitive); err != nil {
		return err
	}
	o.foreign = o.labels
	if v.foreign != "" {
		o.foreign, err = e.labels("transfer-sensitive", v.foreign)
	}
	return err
}

func (e *env) checkLearners(v experimentFlags, o *experimentOptions) error {
	if err := e.checkTraining(v, o); err != nil {
		return err
	}
	var err error
	if o.trial.Learners, o.outside, err = e.learners("learners", v.learners, o.learn); err != nil {
		return err
	}
	if v.first != "none" {
		if o.trial.First, err = learner(v.first, o.learn); err != nil {
			return e.usage("--first: %v", err)
		}
		if tagger, is := o.trial.First.(*outside); is {
			o.outside = append(o.outside, tagger)
		}
	}
	if err := e.checkAttackLearners(v, o); err != nil {
		return err
	}
	if o.classes, err = e.classes(v.class, len(o.trial.Learners)); err != nil {
		return err
	}
	return o.frontier.check(e, o.trial.Learners)
}

// checkTraining reads what the publisher's learners learn with.
func (e *env) checkTraining(v experimentFlags, o *experimentOptions) error {
	families, err := e.families(v.preset)
	if err != nil {
		return err
	}
	lists, err := readDictionaries(v.dictionaries)
	if err != nil {
		return err
	}
	without, err := e.withoutParts(v.without)
	if err != nil {
		return err
	}
	parts, err := detect.Without(without)
	if err != nil {
		return err
	}
	o.without = strings.Join(without, ",")
	sampling, err := e.sampling(v.sampling)
	o.learn = learners.Options{CRF: crf.Options{Features: families, Dictionaries: lists, Sampling: sampling, Workers: 1}, Seed: o.trial.Seed, Parts: parts}
	return err
}

// classes says for each hypothesis class whether it is all learners together; one alone
// is the same either way.
func (e *env) classes(name string, learners int) ([]bool, error) {
	known := map[string][]bool{"each": {false}, "all": {true}, "both": {false, true}}
	switch classes, is := known[name]; {
	case !is:
		return nil, e.usage("--class: unknown class %q: there are each, all and both", name)
	case learners == 1:
		return known["each"], nil
	default:
		return classes, nil
	}
}

// checkAttackLearners reads who attacks. They learn from all words, whatever --sampling
// leaves out of the publisher's training: nobody tells them to.
func (e *env) checkAttackLearners(v experimentFlags, o *experimentOptions) error {
	all := o.learn
	all.CRF.Sampling = crf.Sampling{}
	if v.attackLearners != "" {
		learners, others, err := e.learners("attack-learners", v.attackLearners, all)
		o.attackLearners, o.outside = learners, append(o.outside, others...)
		return err
	}
	for _, l := range o.trial.Learners {
		if _, is := l.(*outside); !is { // a program of one's own learns nothing here
			var err error
			if l, err = learners.New(l.Name(), all); err != nil {
				return err
			}
		}
		o.attackLearners = append(o.attackLearners, l)
	}
	return nil
}

// list splits at commas and refuses what is there twice.
func (e *env) list(flag, list string) ([]string, error) {
	var out []string
	for s := range strings.SplitSeq(list, ",") {
		s = strings.TrimSpace(s)
		if slices.Contains(out, s) {
			return nil, e.usage("--%s: %s is there twice", flag, s)
		}
		out = append(out, s)
	}
	return out, nil
}

// checkGrid reads modes, values of L/C and budgets.
func (e *env) checkGrid(v experimentFlags, o *experimentOptions) (err error) {
	if o.trial.LC, err = e.ratios(v.lc); err != nil {
		return err
	}
	if o.trial.Budgets, err = e.counts("budget", v.budgets); err != nil {
		return err
	}
	if v.modes != "none" {
		if o.trial.Modes, err = e.modes(v.modes); err != nil {
			return err
		}
	}
	if slices.Contains(o.trial.Modes, greedy.CostWeight) {
		return e.checkWeights(*o)
	}
	return nil
}

// checkWeights refuses a mode that no learner can do, before anything is learnt.
// Others do it without those that cannot, and [experiment.notes] say so.
func (e *env) checkWeights(o experimentOptions) error {
	if !greedy.CostWeight.Possible(o.trial.Learners) {
		return e.usage("--modes: %s needs a learner that weighs instances, and none of --learners does: add svm", greedy.CostWeight)
	}
	return nil
}

func (e *env) checkAttackers(v experimentFlags, o *experimentOptions) error {
	if v.attackers != "" {
		var err error
		if o.attackers, err = e.attackers(v.attackers); err != nil {
			return err
		}
	}
	wants := slices.Contains(o.attackers, attack.Transfer)
	switch {
	case wants && o.transfer == "":
		return e.usage("--attackers: transfer needs another annotated corpus to learn from: add --transfer FILE (and --transfer-sensitive LABELS where its labels have other names), or leave transfer out")
	case !wants && (o.transfer != "" || v.foreign != ""):
		return e.usage("--transfer and --transfer-sensitive go with --attackers transfer")
	}
	return nil
}

func attackerNames() string {
	var names []string
	for _, k := range attack.Kinds() {
		names = append(names, string(k))
	}
	return strings.Join(names, ", ")
}

// ratios are values of L/C, ascending.
func (e *env) ratios(list string) ([]float64, error) {
	out, err := numbers(list)
	if err != nil {
		return nil, e.usage("--lc: %v", err)
	}
	for _, v := range out {
		if err := greedy.CheckLC(v); err != nil {
			return nil, e.usage("--lc: %v", err)
		}
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// modeNames: "paper, default, cost".
func modeNames(modes []greedy.Mode) string {
	all := make([]string, len(modes))
	for i, m := range modes {
		all[i] = string(m)
	}
	return strings.Join(all, ", ")
}

func (e *env) modes(list string) ([]greedy.Mode, error) {
	names, err := e.list("modes", list)
	var out []greedy.Mode
	for _, s := range names {
		m := greedy.Mode(s)
		if !slices.Contains(greedy.Modes(), m) {
			return nil, e.usage("--modes: unknown mode %q: there are %s", s, modeNames(greedy.Modes()))
		}
		out = append(out, m)
	}
	return out, err
}

// counts are numbers of tokens, ascending.
func (e *env) counts(flag, list string) ([]int, error) {
	var out []int
	for s := range strings.SplitSeq(list, ",") {
		b, err := strconv.Atoi(strings.TrimSpace(s))
		if err != nil || b < 1 {
			return nil, e.usage("--%s: %q is not a whole number of 1 or more", flag, s)
		}
		out = append(out, b)
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// labels is nil for all.
func (e *env) labels(flag, list string) ([]annotate.Label, error) {
	if list == "all" {
		return nil, nil
	}
	names, err := e.list(flag, list)
	if err != nil {
		return nil, err
	}
	out := make([]annotate.Label, len(names))
	for i, s := range names {
		out[i] = annotate.Label(s)
		if err := annotate.CheckLabel(out[i]); err != nil {
			return nil, e.usage("--%s: %v", flag, err)
		}
	}
	return out, nil
}
