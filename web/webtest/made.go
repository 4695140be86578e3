// SPDX-License-Identifier: Apache-2.0

package webtest

import (
	"encoding/json"
	"math"
	"slices"
	"time"

	"hide/internal/annotate"
	"hide/internal/greedy"
	"hide/internal/greedy/attack"
	"hide/internal/greedy/attack/retrieve"
	"hide/internal/greedy/target"
	"hide/internal/project"
	"hide/internal/project/release"
	"hide/internal/project/sanitize"
	"hide/internal/publish"
)

// The notes of the runs.
const (
	MadeTokens, MadeSensitive, MadeNames, MadeDocuments = 15934, 1210, 980, 216
)

// The L/C of the runs, and the words that attackers inspect.
var (
	lcs     = []float64{1, 2, 5, 10, 20, 50, 100}
	budgets = []int{25, 50, 100, 200, 500, 1000}
)

// MadeAt is when the runs began.
var MadeAt = time.Date(2026, 11, 20, 9, 30, 0, 0, time.UTC)

// about is an estimate with an interval that clumps as leaks do.
func about(v float64) greedy.Estimate {
	return greedy.Estimate{Value: v, Low: math.Floor(v * 0.5), High: math.Ceil(v*1.6 + 3), AtMost: math.Ceil(v*1.6 + 3)}
}

// aboutShare is an estimate of a share.
func aboutShare(v float64) greedy.Estimate {
	return greedy.Estimate{Value: v, Low: v - 0.006, High: min(v+0.005, 1)}
}

// MadeOutcome is an outcome where left names stay and gone other words go.
func MadeOutcome(lc float64, rounds int, left, gone float64) greedy.Outcome {
	residual := math.Round(left * 1.25)
	o := greedy.Outcome{
		LC: lc, Rounds: rounds, Tokens: MadeTokens, Sensitive: MadeSensitive, Identifiers: MadeNames, Documents: MadeDocuments,
		Residual: about(residual), IdentifiersMissed: about(left), FalsePositives: about(gone),
		NonsensitiveKept: aboutShare(1 - gone/(MadeTokens-MadeSensitive)),
		PublishedRatio:   aboutShare(1 - (MadeSensitive-residual+gone)/MadeTokens),
		Loss:             about(lc*residual + gone), DocumentsWithLeak: about(math.Ceil(left / 2.5)),
		Attack: greedy.Attack{Classifier: greedy.Estimate{Value: math.Floor(left / 40), Low: 0, High: math.Ceil(left / 20), AtMost: math.Ceil(left / 20)}, Ranked: map[int]greedy.Estimate{}},
	}
	o.Informative, o.Patients = MadeSensitive/2, MadeDocuments-40
	o.InformativeMissed, o.PatientsWithLeak = about(math.Round(residual/3)), about(math.Ceil(left/3))
	o.ByLabel = madeKinds(left)
	for _, b := range budgets {
		found := math.Floor(residual * (1 - math.Exp(-float64(b)/900)))
		o.Attack.Ranked[b] = greedy.Estimate{Value: found, Low: math.Floor(found / 2), High: math.Ceil(found*1.5 + 1), AtMost: math.Ceil(found*1.5 + 1)}
	}
	return o
}

// madeKinds splits the names over three kinds, of which one is left whole.
func madeKinds(left float64) []greedy.Category {
	part := func(label annotate.Label, spans int, share float64) greedy.Category {
		return greedy.Category{Label: label, Spans: spans, Sensitive: spans + spans/4, SpansMissed: about(math.Round(share * left)), Missed: about(math.Round(share * left * 1.25))}
	}
	return []greedy.Category{part("AGE", 40, 0.25), part("DATE", 610, 0.7), part("PATIENT", 330, 0.05)}
}

// MadeResult is a finished L/C: rounds that find less and less, the last not used.
func MadeResult(lc float64, used int) sanitize.Result {
	final := 190 / math.Pow(lc, 0.75)
	gone := 60 * math.Pow(lc, 0.85)
	r := sanitize.Result{LC: lc, Done: true}
	sensitive := MadeSensitive
	for k := 1; k <= used+1; k++ {
		part := float64(min(k, used)) / float64(used)
		left := math.Round(final + (190-final)*(1-part))
		found := max(sensitive-int(left*1.25), 1)
		c := greedy.Counts{TP: found, FP: int(gone*part)/used + 3, FN: sensitive - found, TN: MadeTokens - MadeSensitive - int(gone*part)}
		r.Rounds = append(r.Rounds, greedy.Round{
			Number: k, Learner: "CRF", Threshold: 1 / (1 + lc), Counts: c, Accepted: k <= used,
			Outcome: MadeOutcome(lc, min(k, used), left, math.Round(gone*part)),
		})
		sensitive = int(left * 1.25)
	}
	r.Outcome = r.Rounds[used-1].Outcome
	r.Linked = madeLinked(.4)
	r.Certificate = []greedy.Certified{
		{Learner: "crf", Threshold: 0.2, Counts: greedy.Counts{TP: 2, FP: 31 * int(lc)}, Cost: 31 * lc, Gain: 2 * lc},
		{Learner: "bayes", Threshold: 0.6, Counts: greedy.Counts{TP: 1, FP: 12 * int(lc)}, Cost: 12 * lc, Gain: lc},
	}
	r.Leaks, r.Lost = madeLeaks(), madeLost()
	r.Attackers = madeAttackers(r.Outcome)
	return r
}

// madeAttackers find less than the ranked one, and one of two who learnt elsewhere less
// than the other.
func madeAttackers(o greedy.Outcome) []attack.Result {
	find := func(kind attack.Kind, learner string, share float64) attack.Result {
		r := attack.Result{Kind: kind, Learner: learner, Sensitive: int(o.Residual.Value), Marked: greedy.Counts{TP: int(share * 20), FP: 31}, Documents: int(share * 18), Groups: int(share * 12)}
		for _, b := range budgets {
			r.Points = append(r.Points, attack.Point{Budget: b, Found: math.Floor(share * o.Attack.Ranked[b].Value)})
		}
		return r
	}
	return []attack.Result{find(attack.Stacked, "", 0.95), find(attack.Transfer, "crf", 0.6), find(attack.Transfer, "bayes", 0.4), find(attack.Dictionary, "", 0.3), find(attack.Repeat, "", 0.5)}
}

func madeLeaks() []project.Excerpt {
	return []project.Excerpt{
		{Document: 17, Start: 120, End: 123, Label: "PATIENT", Text: "May", Before: "discussed with her daughter ", After: " who will call on Monday", Score: 0.31},
		{Document: 4, Start: 88, End: 99, Label: "HOSPITAL", Text: "St. Bridget", Before: "transferred from ", After: " in stable condition", Score: 0.22},
		{Document: 91, Start: 1204, End: 1208, Label: "DOCTOR", Text: "Rose", Before: "per ", After: ", continue metoprolol 25 mg", Score: 0.18},
		{Document: 33, Start: 12, End: 14, Label: "PATIENT", Text: "jk", Before: "seen by ", After: " at bedside", Score: 0.09},
		{Document: 140, Start: 431, End: 446, Label: "PROFESSION", Text: "harbour master", Before: "He is a retired ", After: " and lives alone", Score: 0.05},
	}
}

func madeLost() []project.Excerpt {
	return []project.Excerpt{
		{Document: 8, Start: 40, End: 49, Text: "Parkinson", Before: "longstanding ", After: "'s disease", Score: 0.83},
		{Document: 12, Start: 310, End: 315, Text: "Foley", Before: "", After: " catheter removed", Score: 0.71},
		{Document: 55, Start: 2, End: 8, Text: "MILD", Before: "", After: " aortic stenosis", Score: 0.52},
	}
}

// madeLinked is what an attacker links who goes for the patient, if she links so many with the
// table and the other notes.
func madeLinked(share float64) *retrieve.Result {
	rate := func(share float64, of int) retrieve.Rate {
		return retrieve.Rate{Hits: math.Round(share * float64(of)), Of: of, Share: share, Low: share * .8, High: min(1, share*1.2)}
	}
	r := &retrieve.Result{Patients: 60, Notes: MadeDocuments, Chance1: 1. / 60, Chance10: 10. / 60}
	for k, knowledge := range []retrieve.Knowledge{retrieve.Table, retrieve.Siblings, retrieve.Both} {
		part := share * float64(k+1) / 3
		r.Rows = append(r.Rows, retrieve.Row{Knowledge: knowledge, Ranker: retrieve.BM25, Known: MadeDocuments, Top1: rate(part, MadeDocuments), Top10: rate(part*1.5, MadeDocuments), Linked: rate(part*1.2, 60)})
	}
	return r
}

// MadeAttacked is what a release says of the attacker who goes for the patient.
func MadeAttacked() *publish.Attacked {
	r := madeLinked(.4)
	figures, err := json.Marshal(r)
	if err != nil {
		panic(err)
	}
	return &publish.Attacked{Words: r.Words(), Figures: figures}
}

// MadeRun is a finished run of the default mode with seven L/C.
func MadeRun() *sanitize.Run {
	r := &sanitize.Run{
		Number: 3, Params: sanitize.Params{Mode: greedy.Default, LC: slices.Clone(lcs), Folds: 4},
		State: sanitize.Finished, Started: MadeAt, Ended: MadeAt.Add(7 * time.Minute), By: "Ada Okonjo",
		Documents: MadeDocuments, Random: MadeDocuments, Progress: sanitize.Progress{Share: 1},
	}
	for i, lc := range r.Params.LC {
		r.Choices = append(r.Choices, MadeResult(lc, 1+i%3))
	}
	return r
}

// MadeTargeted is a run with a target.
func MadeTargeted() *sanitize.Run {
	r := MadeRun()
	asked := target.Target{Share: 0.05, Sure: 0.95}
	r.Params.TargetShare, r.Params.TargetSure = asked.Share, asked.Sure
	r.Target = &sanitize.Targeted{Target: asked, Plan: target.Plan{Units: 180, Aside: 90, Most: 120, Need: 59, Smallest: 0.0247}, Notes: 90,
		Choice: target.Choice{Target: asked, Units: 90, Leaking: 1, Allowed: 1, Threshold: 0.0042, Others: 480, OthersLeaking: 27}}
	r.Target.Result = &sanitize.Result{LC: 237.1, Done: true, Outcome: MadeOutcome(237.1, 1, 1, 210)}
	return r
}

// MadePaperRun is a run of the papers' mode, whose training counts are far below
// what unseen documents show.
func MadePaperRun() *sanitize.Run {
	r := MadeRun()
	r.Number, r.Params.Mode, r.Documents, r.Random = 2, greedy.Paper, 40, 12
	for i := range r.Choices {
		c := &r.Choices[i]
		for k := range c.Rounds {
			o := madePaperOutcome(c.Rounds[k].Outcome)
			o.Attack.Ranked, o.HeldOut.Attack.Ranked = nil, nil // that attacker is asked once, at the end
			c.Rounds[k].Outcome = o
		}
		c.Outcome = madePaperOutcome(c.Outcome)
	}
	return r
}

func madePaperOutcome(unseen greedy.Outcome) greedy.Outcome {
	o := MadeOutcome(unseen.LC, unseen.Rounds, math.Floor(unseen.IdentifiersMissed.Value/30), math.Floor(unseen.FalsePositives.Value/20))
	o.HeldOut = &unseen
	return o
}

// MadeRunning is a run in its first minutes: one L/C done, one under way.
func MadeRunning() *sanitize.Run {
	r := MadeRun()
	r.Number, r.State, r.Ended = 4, sanitize.Running, time.Time{}
	r.Choices = r.Choices[:2]
	r.Choices[1].Done = false
	r.Choices[1].Rounds = r.Choices[1].Rounds[:1]
	r.Choices[1].Outcome = greedy.Outcome{} // comes when the L/C is finished
	r.Progress = sanitize.Progress{Doing: "L/C 2, round 2: training fold 3 of 4", Share: 0.21}
	return r
}

// MadeRelease is the release of a run at L/C 10.
func MadeRelease() release.Release {
	return release.Release{
		Number: 1, Name: "release-1", Bundle: 2, LC: 10, Created: MadeAt.Add(time.Hour), By: "Ada Okonjo",
		Documents: 480, Tokens: 35120, Verified: true,
		Redacted: map[string]int{"DATE": 1410, "DOCTOR": 822, "PATIENT": 611, "HOSPITAL": 240, "MEDICALRECORD": 198, "PHONE": 71, "CITY": 44, "AGE": 6},
		SHA256:   "9f2c41d07ab35e0c9b6f1d0a7788c3e2455d9f0e6c1b2a39485766570f1e2d3c",
		Outcome:  MadeOutcome(10, 2, 34, 425),
	}
}
