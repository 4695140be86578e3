// SPDX-License-Identifier: Apache-2.0

package sanitize

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"hide/internal/annotate"
	"hide/internal/greedy"
	"hide/internal/greedy/attack"
	"hide/internal/project"
	"hide/internal/words"
)

// Paying is an attacker of a run whose calls on the published text gain more than they
// cost. The check covers the learners of the run in the folds used for redaction; it does
// not exclude other attackers.
type Paying struct {
	Kind    attack.Kind   `json:"kind"`
	Learner string        `json:"learner,omitempty"`
	Counts  greedy.Counts `json:"counts"`
	Gain    float64       `json:"gain"` // sum_c L_c*TP_A,c
	Cost    float64       `json:"cost"` // sum_k C_k*FP_A,k
}

// Paying lists the profitable attackers of an L/C, in the order of the run's attackers.
func (p Params) Paying(c Result) []Paying {
	var out []Paying
	for _, a := range c.Attackers {
		worth, cost := float64(a.Marked.TP), float64(a.Marked.FP)
		if len(p.LossByLabel) > 0 {
			worth = a.Worth // 0 in runs of older versions, which did not price labels here
		}
		if len(p.CostByKind) > 0 {
			cost = a.Cost
		}
		if gain := c.LC * worth; cost < gain {
			out = append(out, Paying{a.Kind, a.Learner, a.Marked, gain, cost})
		}
	}
	return out
}

// CertificateWords state whether an attack on the text as published with this L/C is
// still profitable, and why the run stopped there if one is. but is what other attackers
// of the run still gain, "" if none does.
func CertificateWords(p Params, c Result) (verdict, why, but string) {
	verdict, why = CertifiedWords(p.Mode, c.Certificate)
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
	return verdict, why, "But " + but + " " + CheckLimit
}

// CheckLimit says what the no-profitable-attack check does not cover.
const CheckLimit = "This check covers the run's own folds: an attacker who trains on other notes may find more."

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

// CertifiedWords are the verdict and the reason of [CertificateWords], which are about the
// learners of the check alone.
func CertifiedWords(m greedy.Mode, all []greedy.Certified) (verdict, why string) {
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

// priorSample is how many documents the share of sensitive tokens is estimated from.
const priorSample = 600

// correctPrior corrects the classifiers of a run in default mode for prior shift (Saerens et
// al. 2002): it estimates the share of sensitive tokens on a sample of the unannotated
// documents and records by which factor odds were raised.
func (s *Service) correctPrior(ctx context.Context, ws *workspace, c project.Corpus, p Params, result *greedy.Result) error {
	if result.Mode != greedy.Default {
		return nil
	}
	learnt := map[annotate.DocumentID]bool{}
	for _, d := range c.Docs {
		learnt[d.ID] = true
	}
	others := ws.AllBut(learnt)
	s.sanitizeEvent(ws, c, greedy.Event{Doing: "estimating how much of the other notes is sensitive", Share: shareComparing}, foundAt{})
	var docs []annotate.Note
	for d, err := range ws.Documents(ctx, project.SomeOf(others, priorSample, p.Seed)) {
		if err != nil {
			return err
		}
		docs = append(docs, annotate.NewNote(annotate.Annotated{Document: d.Document}))
	}
	r, _ := ws.run.State()
	a, err := result.AdaptTo(ctx, greedy.Publication{Docs: docs, Differs: r.Drift.Warns()})
	if err != nil {
		return err
	}
	ws.enterApplied(result.Choices)
	ws.run.Change(func(now *Run) { now.Trust, now.Attuned, now.More, now.Limited = a.Trust, a.Raised, a.More, a.Limited })
	return nil
}

// RaisedWords state for which L/C a choice redacts if the ceiling required a larger one,
// and how much is found then; "" otherwise.
func (r *Run) RaisedWords(c Result) string {
	if !(c.At > c.LC) {
		return ""
	}
	as := fmt.Sprintf("At L/C %s the ceiling makes it redact as for L/C %s", ratio(c.LC), ratio(c.At))
	o := c.Outcome.Unseen()
	if !c.Done || len(o.Attack.Ranked) == 0 {
		return as + ". Whether that satisfies the ceiling is not known yet."
	}
	budget := slices.Max(slices.Collect(maps.Keys(o.Attack.Ranked)))
	found := o.Attack.Ranked[budget].Value
	among := fmt.Sprintf("%s of the sensitive words among %s", words.Percent(r.Params.Ceiling), words.Number(budget))
	if found > r.Params.Ceiling*float64(o.Sensitive) {
		return fmt.Sprintf("%s, the largest one, and the ranked attacker still finds more than %s: %s.", as, among, words.Amount(found))
	}
	return fmt.Sprintf("%s, the first round value at which the ranked attacker finds at most %s: %s here%s.", as, among, words.Amount(found), inOthers(o, budget))
}

// raised is the L/C that the ceiling used instead of the requested one, 0 if none.
func (c Result) raised() float64 {
	if c.At > c.LC {
		return c.At
	}
	return 0
}

func ratio(lc float64) string { return strconv.FormatFloat(lc, 'f', -1, 64) }
