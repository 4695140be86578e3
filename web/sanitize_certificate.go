// SPDX-License-Identifier: Apache-2.0

package web

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"hide/internal/greedy"
	"hide/internal/greedy/attack"
	"hide/internal/project"
)

// CertificateWords say of a finished L/C of a run whether a certified attack on what
// would be published still pays, and why it was left so when one does. but is what
// other attackers of the run gain nevertheless, "" when none does.
func CertificateWords(p project.SanitizeParams, c project.LCResult) (verdict, why, but string) {
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
func payingWords(a project.Paying, share float64) string {
	who := "the " + string(a.Kind) + " attacker"
	if a.Learner != "" {
		who += " with " + a.Learner
	}
	switch {
	case a.Kind.Labels():
		who += ", who learnt from " + labelledWords(share) + " of the notes as published,"
	case a.Kind == attack.Transfer:
		who += ", who learnt from another project,"
	}
	return fmt.Sprintf("%s pays: %s found and %s marked, a gain of %s for a cost of %s", who, count(a.Counts.TP, "sensitive word", "sensitive words"),
		count(a.Counts.FP, "other", "others"), formatCount(a.Gain), formatCount(a.Cost))
}

// certifiedWords are about the learners of the certificate alone.
func certifiedWords(m greedy.Mode, all []greedy.Certified) (verdict, why string) {
	still := slices.DeleteFunc(slices.Clone(all), func(c greedy.Certified) bool { return !c.Pays })
	if !slices.ContainsFunc(all, func(c greedy.Certified) bool { return !nothingLeft(c.Counts) }) {
		return "No attack by " + oneOf(all) + " pays any more.", "Out of fold, nothing that counts as sensitive is left to find."
	}
	if len(still) == 0 {
		return "No attack by " + oneOf(all) + " pays any more.",
			"Out of fold, " + count(len(all), "attacker has", "attackers have") + " learnt from what would be published. The best that each can do costs more than it gains."
	}
	names := make([]string, len(still))
	for i, c := range still {
		names[i] = c.Learner
	}
	verdict = sentence(listed(names) + " would still pay")
	if m == greedy.Default {
		return "Stopped by the limit of rounds: " + listed(names) + " would still pay.", payWords(still[0])
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

// firstWords say what figures are worth that no round has confirmed.
func firstWords(running bool, lc float64) string {
	words := "First figures of L/C " + formatRatio(lc) + ": what the first round leaves. "
	if running {
		return words + "Nobody has attacked it yet. The attacks, further rounds and the certificate follow as the run gets there."
	}
	return words + "The run ended before anybody attacked it."
}

// BoundWords say what a theorem is worth here, for a class of dimension vc where one
// was stated.
func BoundWords(b greedy.Bound, vc float64) string {
	switch {
	case b.Trivial == 0:
		return "nothing is left to find"
	case !b.Applies:
		return "its conditions do not hold here"
	case !b.Vacuous:
		return "holds, and says something"
	case math.IsInf(b.NeedsLC, 0) || math.IsNaN(b.NeedsLC):
		return "says nothing at any L/C: " + whyVacuous(b.Constants, vc)
	case math.IsInf(b.Value, 0):
		return fmt.Sprintf("says nothing here: it gives no bound, and she can get %s anyway. It would say something from L/C %s on", BoundNumber(b.Trivial), BoundNumber(b.NeedsLC))
	}
	return fmt.Sprintf("says nothing here: %s times what she can get anyway (%s). It would say something from L/C %s on", BoundNumber(b.Excess), BoundNumber(b.Trivial), BoundNumber(b.NeedsLC))
}

// whyVacuous is why no L/C would do: theorems 3 and 4 have no constants.
func whyVacuous(c *greedy.Constants, vc float64) string {
	switch {
	case c != nil && (c.Q == 0 || math.IsInf(c.Lambda, 0)):
		return fmt.Sprintf("with a dimension of %s the notes learnt from have too few words", BoundNumber(vc))
	case c != nil && c.R > 0 && c.S == 0:
		return "the attacker marks nothing wrongly"
	}
	return "there is a label of which leaving a word costs nothing"
}

// BoundConstants are p, q, r, s and lambda of theorems 5 and 6, and lemma 4's ratio.
func BoundConstants(b greedy.Bound) string {
	c := b.Constants
	if c == nil {
		return ""
	}
	return fmt.Sprintf("p %s, q %s, r %s, s %s, lambda %s; lemma 4: FP/TP at least %s", constant(c.P), constant(c.Q), constant(c.R), constant(c.S), constant(c.Lambda), constant(c.ErrorRatio))
}

// constant has three digits: r may be a millionth.
func constant(v float64) string {
	if math.IsInf(v, 0) {
		return "infinite"
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}

// BoundNumber has two places, or none when there are many before the point.
func BoundNumber(v float64) string {
	switch {
	case math.IsInf(v, 0) || math.IsNaN(v):
		return "no bound"
	case v < 100:
		return strconv.FormatFloat(v, 'f', 2, 64)
	}
	return formatCount(math.Round(v))
}

// payWords: "crf would find 12 sensitive words and mark 30 others."
func payWords(c greedy.Certified) string {
	return fmt.Sprintf("%s would find %s and mark %s.", c.Learner, count(c.Counts.TP, "sensitive word", "sensitive words"), count(c.Counts.FP, "other", "others"))
}
