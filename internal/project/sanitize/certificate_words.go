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

// CertificateWords say of a finished L/C of a run whether a certified attack on what
// would be published still pays, and why it was left so when one does. but is what
// other attackers of the run gain nevertheless, "" when none does.
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
	return verdict, why, "But " + but + " The certificate is of its own folds: who learns from other notes may find what its attackers do not."
}

// payingWords: "the ranked attacker with svm, who learnt from half of the notes as
// published, still pays: 14 found and 4 others marked, a gain of 140 for a cost of 4".
func payingWords(a Paying, share float64) string {
	who := "the " + string(a.Kind) + " attacker"
	if a.Learner != "" {
		who += " with " + a.Learner
	}
	switch {
	case a.Kind.Labels():
		who += ", who learnt from " + LabelledWords(share) + " of the notes as published,"
	case a.Kind == attack.Transfer:
		who += ", who learnt from another project,"
	}
	return fmt.Sprintf("%s pays: %s found and %s marked, a gain of %s for a cost of %s", who, words.Count(a.Counts.TP, "sensitive word", "sensitive words"),
		words.Count(a.Counts.FP, "other", "others"), words.Amount(a.Gain), words.Amount(a.Cost))
}

// certifiedWords are about the learners of the certificate alone.
func certifiedWords(m greedy.Mode, all []greedy.Certified) (verdict, why string) {
	still := slices.DeleteFunc(slices.Clone(all), func(c greedy.Certified) bool { return !c.Pays })
	if !slices.ContainsFunc(all, func(c greedy.Certified) bool { return c.Counts.TP+c.Counts.FN > 0 }) {
		return "No attack by " + oneOf(all) + " pays any more.", "Out of fold, nothing that counts as sensitive is left to find."
	}
	if len(still) == 0 {
		return "No attack by " + oneOf(all) + " pays any more.",
			"Out of fold, " + words.Count(len(all), "attacker has", "attackers have") + " learnt from what would be published. The best that each can do costs more than it gains."
	}
	names := make([]string, len(still))
	for i, c := range still {
		names[i] = c.Learner
	}
	verdict = words.Sentence(words.List(names) + " would still pay")
	if m == greedy.Default {
		return "Stopped by the limit of rounds: " + words.List(names) + " would still pay.", payWords(still[0])
	}
	return verdict, "This way of measuring does not go on until no attack pays. " + payWords(still[0])
}

// oneOf: "crf", "crf or bayes".
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

// LabelledWords: "half", "a third", "one in 7" of what would be published, as it is
// done: shares are taken as the nearest 1/k.
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
