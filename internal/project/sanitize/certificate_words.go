// SPDX-License-Identifier: Apache-2.0

package sanitize

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"hide/internal/greedy"
	"hide/internal/greedy/attack"
	"hide/internal/words"
)

// CertificateWords state whether an attack on the text as published with this L/C is
// still profitable, and why the run stopped there if one is. but is what other attackers
// of the run still gain, "" if none does.
func CertificateWords(p Params, c Result) (verdict, why, but string) {
	verdict, why = certifiedWords(p.Mode, c.Certificate)
	paying := p.Paying(c)
	if len(paying) == 0 {
		return verdict, why, ""
	}
	all := make([]string, len(paying))
	for i, a := range paying {
		all[i] = payingWords(a, p.Share)
	}
	but = strings.Join(all, "; ") + "."
	if slices.ContainsFunc(c.Certificate, func(c greedy.Certified) bool { return c.Pays }) {
		return verdict, why, "And " + but
	}
	return verdict, why, "But " + but + " This check covers the run's own folds: an attacker who trains on other notes may find more."
}

// payingWords: "the ranked attacker with svm, trained on half of the notes as published,
// profits: 14 found and 4 others marked, a gain of 140 for a cost of 4".
func payingWords(a Paying, share float64) string {
	who := "the " + string(a.Kind) + " attacker"
	if a.Learner != "" {
		who += " with " + a.Learner
	}
	switch {
	case a.Kind.Labels():
		who += ", trained on " + LabelledWords(share) + " of the notes as published,"
	case a.Kind == attack.Transfer:
		who += ", trained on another project,"
	}
	return fmt.Sprintf("%s profits: %s found and %s marked, a gain of %s for a cost of %s", who, words.Count(a.Counts.TP, "sensitive word", "sensitive words"),
		words.Count(a.Counts.FP, "other", "others"), words.Amount(a.Gain), words.Amount(a.Cost))
}

// certifiedWords are about the learners of the check alone.
func certifiedWords(m greedy.Mode, all []greedy.Certified) (verdict, why string) {
	still := slices.DeleteFunc(slices.Clone(all), func(c greedy.Certified) bool { return !c.Pays })
	if !slices.ContainsFunc(all, func(c greedy.Certified) bool { return c.Counts.TP+c.Counts.FN > 0 }) {
		return "No attack by " + oneOf(all) + " is profitable any more.", "On held-out notes, no sensitive words remain."
	}
	if len(still) == 0 {
		return "No attack by " + oneOf(all) + " is profitable any more.",
			"On held-out notes, " + words.Count(len(all), "attacker has", "attackers have") + " trained on the notes as published. The best attack of each costs more than it gains."
	}
	names := make([]string, len(still))
	for i, c := range still {
		names[i] = c.Learner
	}
	verdict = words.Sentence(words.List(names) + " would still be profitable.")
	if m == greedy.Default {
		return "The limit of rounds stopped the run: " + words.List(names) + " would still be profitable.", payWords(still[0])
	}
	return verdict, "This mode does not continue until no attack is profitable. " + payWords(still[0])
}

func oneOf(all []greedy.Certified) string {
	names := make([]string, len(all))
	for i, c := range all {
		names[i] = c.Learner
	}
	if last := len(names) - 1; last > 0 {
		return strings.Join(names[:last], ", ") + " or " + names[last]
	}
	return names[0]
}

// payWords: "crf would find 12 sensitive words and mark 30 others."
func payWords(c greedy.Certified) string {
	return fmt.Sprintf("%s would find %s and mark %s.", c.Learner, words.Count(c.Counts.TP, "sensitive word", "sensitive words"), words.Count(c.Counts.FP, "other", "others"))
}

// LabelledWords: "half", "a third", "one in 7" of the notes as published. Shares are
// rounded to the nearest 1/k.
func LabelledWords(share float64) string {
	switch k := greedy.LabelledParts(share); k {
	case 2:
		return "half"
	case 3:
		return "a third"
	case 4:
		return "a quarter"
	default:
		return "one in " + strconv.Itoa(k)
	}
}
