// SPDX-License-Identifier: Apache-2.0

package evaluate

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"hide/internal/annotate"
	"hide/internal/annotate/dictionary"
	"hide/internal/crf"
	"hide/internal/crf/classes"
	"hide/internal/greedy/learners"
	"hide/internal/greedy/settings"
	"hide/internal/lab"
	"hide/internal/option"
)

// Training has the options for training a tagger.
type Training struct {
	Preset       string
	Features     []string // instead of the preset
	Without      []string // of the preset, or of Features
	Dictionaries []dictionary.List
	Classes      []*classes.Table
	Learner      string
	Alpha        float64
	Sampling     crf.Sampling
	C1, C2       float64
	Iterations   int
	MinCount     int
	Polish       bool
}

// Presets of feature families.
var Presets = []option.Choice{
	{Value: "default", Help: "most families, one pass"}, {Value: "thorough", Help: "two passes: more accurate, five times the work"}, {Value: "hide", Help: "those of the dissertation"},
}

// ownFeatures are the learners with built-in features.
var ownFeatures = []string{"svm", "trees", "adaboost", "crf-hide"}

// HasFamilies reports whether the learner uses feature families.
func (t Training) HasFamilies() bool { return !slices.Contains(ownFeatures, t.Learner) && !t.outside() }

// FeatureOptions declare the features of a tagger. markers says whether learners with
// built-in features are allowed.
func FeatureOptions(markers bool) option.Table[Training] {
	var families []option.Need
	if markers {
		families = []option.Need{option.Without("learner", ownFeatures...)}
	}
	return option.Table[Training]{
		option.One(option.About{Name: "preset", Default: "default", Value: "PRESET", Help: "The preset of feature families.", Needs: append([]option.Need{option.Without("features")}, families...)},
			Presets, func(t *Training) *string { return &t.Preset }),
		option.Some(option.About{Name: "features", Value: "FAMILIES", Help: "Families of features instead of a preset.", Needs: families}, familyChoices(), func(t *Training) *[]string { return &t.Features }),
		option.Some(option.About{Name: "without", Value: "FAMILIES", Help: "Families to leave out of the preset, or of --features.", Needs: families}, familyChoices(), func(t *Training) *[]string { return &t.Without }),
	}
}

func familyChoices() []option.Choice {
	var out []option.Choice
	for _, row := range crf.FamilyTable() {
		out = append(out, option.Choice{Value: row.Name})
	}
	return out
}

// LearnerOptions declare the learner. Markers are learners that mark PHI without
// distinguishing labels.
func LearnerOptions(markers bool) option.Table[Training] {
	choices := []option.Choice{{Value: string(crf.Chain), Help: "conditional random field"}, {Value: string(crf.Bayes), Help: "naive Bayes on the same features: many times faster, less accurate"}}
	for _, entry := range learners.Table() {
		if markers && slices.Contains(learners.Markers(), entry.Name) {
			choices = append(choices, option.Choice{Value: entry.Name, Help: entry.About + "; for sensitive words whatever their label"})
		}
	}
	unlimited := []string{string(crf.Bayes)}
	if markers {
		unlimited = append(unlimited, "svm", "trees", "adaboost")
	}
	return option.Table[Training]{
		option.One(option.About{Name: "learner", Default: string(crf.Chain), Value: "LEARNER", Help: "The learner."}, choices, func(t *Training) *string { return &t.Learner }),
		option.Number(option.About{Name: "alpha", Value: "A", Help: "A is added to every count; without it 0.01.", Needs: []option.Need{option.With("learner", string(crf.Bayes))}},
			option.AtLeast(0), func(t *Training) *float64 { return &t.Alpha }),
		option.Whole(option.About{Name: "max-iterations", Value: "N", Help: "Stop after N iterations; without it, or with 0, 150.", Needs: []option.Need{option.Without("learner", unlimited...)}},
			option.AtLeast(0), func(t *Training) *int { return &t.Iterations }),
	}
}

// AnyLearnerOptions are [LearnerOptions] with markers and with learners that were trained elsewhere.
func AnyLearnerOptions() option.Table[Training] {
	all := LearnerOptions(true)
	choices := append(slices.Clone(all[0].Choices), lab.OutsideChoices()...)
	about := all[0].About
	all[0] = option.Value(about, func(t *Training) *string { return &t.Learner },
		func(text string, _ option.Place) (string, error) {
			if lab.IsOutside(text) {
				return text, nil
			}
			return text, option.Among(choices, text)
		}, func(s string, _ option.Place) string { return s })
	all[0].Choices = choices
	return all
}

// SamplingOption declares the sampling of training words.
func SamplingOption() option.Table[Training] {
	return option.Table[Training]{option.Value(option.About{Name: "sampling", Value: "SETTINGS", In: option.Command,
		Help: "What training leaves out, for more recall and less precision: " + settings.SamplingHelp + "; " + TimesHelp},
		func(t *Training) *crf.Sampling { return &t.Sampling }, settings.ReadSampling,
		func(s crf.Sampling, _ option.Place) string { return s.String() })}
}

// TimesHelp describes drawing with replacement.
const TimesHelp = "times=T draws T words for each word, with replacement and in proportion to cost"

// SolverOptions declare how CRF weights are optimized.
func SolverOptions() option.Table[Training] {
	chain := []option.Need{option.Without("learner", string(crf.Bayes), "svm", "trees", "adaboost")}
	return option.Table[Training]{
		option.Number(option.About{Name: "c1", Value: "W", Help: "The weight of the sum of absolute weights in the objective: above 0 most weights become 0, and training is by OWL-QN.", Needs: chain},
			option.From(0, 1e9), func(t *Training) *float64 { return &t.C1 }),
		option.Number(option.About{Name: "c2", Value: "W", Help: "The weight of the squared penalty; without it, or with 0, 0.3.", Needs: chain},
			option.From(0, 1e9), func(t *Training) *float64 { return &t.C2 }),
		option.Switch(option.About{Name: "polish", Help: "Go on in double precision when single precision has converged.", Needs: chain}, func(t *Training) *bool { return &t.Polish }),
		option.Whole(option.About{Name: "min-count", Value: "N", Help: "Leave out a feature value that fewer than N words have, or, with ten notes and more, words of fewer than N notes; 0 means 2, or 1 with --preset hide.", Needs: []option.Need{option.Without("learner", "svm", "trees", "adaboost")}},
			option.AtLeast(0), func(t *Training) *int { return &t.MinCount }),
	}
}

// Marks reports whether the learner marks PHI without distinguishing labels.
func (t Training) Marks() bool { return slices.Contains(learners.Markers(), t.Learner) || t.outside() }

// Marker is the learner if it marks PHI without distinguishing labels, and "" otherwise.
func (t Training) Marker() string {
	if t.Marks() {
		return t.Learner
	}
	return ""
}

// outside reports whether the learner was trained elsewhere.
func (t Training) outside() bool { return lab.IsOutside(t.Learner) }

// Name is the preset, or "custom" for any other set of families.
func (t Training) Name() string {
	if t.Features != nil || t.Without != nil {
		return "custom"
	}
	return t.Preset
}

// Options are the options of a CRF or naive Bayes. A learner for which [Training.Marks] is
// true uses them for the CRFs that it is made of.
func (t Training) Options() (crf.Options, error) {
	if t.outside() && (t.Features != nil || t.Without != nil || t.Dictionaries != nil || t.Classes != nil || !t.Sampling.Everything() || t.Iterations != 0) {
		return crf.Options{}, refuse("learner", "%s is trained already: leave out options of training", t.Learner)
	}
	o := crf.Options{Now: time.Now, MaxIterations: t.Iterations}
	var err error
	if o.Features, err = t.families(); err != nil {
		return o, err
	}
	if t.Dictionaries != nil && o.Features&(crf.Dictionary|crf.Member) == 0 {
		return o, refuse("dictionaries", "has no effect without a family that uses dictionaries: leave it out")
	}
	if t.Classes != nil && o.Features&crf.Classes == 0 {
		return o, refuse("classes", "has no effect without the family classes: leave it out")
	}
	o.Dictionaries, o.Classes = t.Dictionaries, t.Classes
	o.Sampling, o.L1, o.C2, o.MinCount, o.MinDocuments, o.Polish = t.Sampling, t.C1, t.C2, t.MinCount, t.MinCount, t.Polish
	if !t.Marks() {
		o.Learner, o.Alpha = crf.Learner(t.Learner), t.Alpha
	}
	return o, t.checkDraws(t.Sampling)
}

// checkDraws refuses samplings with replacement for learners that mark PHI: their features
// read other notes, where copies of a note would count as notes of their own.
func (t Training) checkDraws(samplings ...crf.Sampling) error {
	if t.Marks() && slices.ContainsFunc(samplings, func(s crf.Sampling) bool { return s.Times > 0 }) {
		return refuse("sampling", "times has no effect with --learner %s: only crf and bayes draw with replacement", t.Learner)
	}
	return nil
}

func (t Training) families() (crf.Families, error) {
	from := "the preset " + t.Preset
	families, _ := crf.Preset(t.Preset)
	if t.Features != nil {
		from = "--features"
		families, _ = crf.ParseFamilies(strings.Join(t.Features, ","))
	}
	if t.Without == nil {
		return families, nil
	}
	out, err := crf.ParseFamilies(strings.Join(t.Without, ","))
	if err != nil {
		return 0, refuse("without", "%v", err)
	}
	if missing := out &^ families; missing != 0 {
		return 0, refuse("without", "%s has no %s to leave out", from, strings.Join(missing.Names(), ", "))
	}
	if families == out {
		return 0, refuse("without", "it leaves no feature family")
	}
	return families &^ out, nil
}

// CheckCosts refuses a sampling cost for a label that no note has.
func CheckCosts(notes []annotate.Annotated, samplings ...crf.Sampling) error {
	labels := annotate.Labels(notes)
	for _, s := range samplings {
		for l := range s.Cost {
			if l != "" && !slices.Contains(labels, l) {
				return refuse("sampling", "no span of the notes has the label %s", l)
			}
		}
	}
	return nil
}

func refuse(name, format string, args ...any) error {
	return &option.Problem{Name: name, Text: fmt.Sprintf(format, args...)}
}
