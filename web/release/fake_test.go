// SPDX-License-Identifier: Apache-2.0

package release

import (
	"context"
	"io"
	"math"
	"time"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/greedy"
	"hide/internal/greedy/attack"
	"hide/internal/project"
	"hide/internal/project/audit"
	"hide/internal/project/release"
	"hide/internal/project/sanitize"
	"hide/web/webtest"
)

// allBudgets are the words that the attackers of the made runs inspect.
var allBudgets = []int{25, 50, 100, 200, 500, 1000}

var madeAt = time.Date(2026, 11, 20, 9, 30, 0, 0, time.UTC)

const (
	madeTokens, madeSensitive, madeNames, madeDocuments = 15934, 1210, 980, 216
)

// about is an estimate with an interval that clumps as leaks do.
func about(v float64) greedy.Estimate {
	return greedy.Estimate{Value: v, Low: math.Floor(v * 0.5), High: math.Ceil(v*1.6 + 3), AtMost: math.Ceil(v*1.6 + 3)}
}

// aboutShare is an estimate of a share.
func aboutShare(v float64) greedy.Estimate {
	return greedy.Estimate{Value: v, Low: v - 0.006, High: min(v+0.005, 1)}
}

// madeOutcome is an outcome where left names stay and gone other words go.
func madeOutcome(lc float64, rounds int, left, gone float64) greedy.Outcome {
	residual := math.Round(left * 1.25)
	o := greedy.Outcome{
		LC: lc, Rounds: rounds, Tokens: madeTokens, Sensitive: madeSensitive, Identifiers: madeNames, Documents: madeDocuments,
		Residual: about(residual), IdentifiersMissed: about(left), FalsePositives: about(gone),
		NonsensitiveKept: aboutShare(1 - gone/(madeTokens-madeSensitive)),
		PublishedRatio:   aboutShare(1 - (madeSensitive-residual+gone)/madeTokens),
		Loss:             about(lc*residual + gone), DocumentsWithLeak: about(math.Ceil(left / 2.5)),
		Attack: greedy.Attack{Classifier: greedy.Estimate{Value: math.Floor(left / 40), Low: 0, High: math.Ceil(left / 20), AtMost: math.Ceil(left / 20)}, Ranked: map[int]greedy.Estimate{}},
	}
	o.Informative, o.Patients = madeSensitive/2, madeDocuments-40
	o.InformativeMissed, o.PatientsWithLeak = about(math.Round(residual/3)), about(math.Ceil(left/3))
	o.ByLabel = madeKinds(left)
	for _, b := range allBudgets {
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

// madeResult is a finished L/C: rounds that find less and less, the last not used.
func madeResult(lc float64, used int) sanitize.Result {
	final := 190 / math.Pow(lc, 0.75)
	gone := 60 * math.Pow(lc, 0.85)
	r := sanitize.Result{LC: lc, Done: true}
	sensitive := madeSensitive
	for k := 1; k <= used+1; k++ {
		part := float64(min(k, used)) / float64(used)
		left := math.Round(final + (190-final)*(1-part))
		found := max(sensitive-int(left*1.25), 1)
		c := greedy.Counts{TP: found, FP: int(gone*part)/used + 3, FN: sensitive - found, TN: madeTokens - madeSensitive - int(gone*part)}
		r.Rounds = append(r.Rounds, greedy.Round{
			Number: k, Learner: "CRF", Threshold: 1 / (1 + lc), Counts: c, Accepted: k <= used,
			Outcome: madeOutcome(lc, min(k, used), left, math.Round(gone*part)),
		})
		sensitive = int(left * 1.25)
	}
	r.Outcome = r.Rounds[used-1].Outcome
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
		for _, b := range allBudgets {
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

// madeRun is a finished run of the default mode with seven L/C.
func madeRun() *sanitize.Run {
	r := &sanitize.Run{
		Number: 3, Params: sanitize.Params{Mode: greedy.Default, LC: []float64{1, 2, 5, 10, 20, 50, 100}, Folds: 4},
		State: sanitize.Finished, Started: madeAt, Ended: madeAt.Add(7 * time.Minute), By: "Ada Okonjo",
		Documents: madeDocuments, Random: madeDocuments, Progress: sanitize.Progress{Share: 1},
	}
	for i, lc := range r.Params.LC {
		r.Choices = append(r.Choices, madeResult(lc, 1+i%3))
	}
	return r
}

func madeRelease() release.Release {
	return release.Release{
		Number: 1, Name: "release-1", Bundle: 2, LC: 10, Created: madeAt.Add(time.Hour), By: "Ada Okonjo",
		Documents: 480, Tokens: 35120, Verified: true,
		Redacted: map[string]int{"DATE": 1410, "DOCTOR": 822, "PATIENT": 611, "HOSPITAL": 240, "MEDICALRECORD": 198, "PHONE": 71, "CITY": 44, "AGE": 6},
		SHA256:   "9f2c41d07ab35e0c9b6f1d0a7788c3e2455d9f0e6c1b2a39485766570f1e2d3c",
		Outcome:  madeOutcome(10, 2, 34, 425),
	}
}

// fakeSanitize serves made-up runs, bundles and releases.
type fakeSanitize struct {
	*webtest.Frame
	unasked
	runs     []*sanitize.Run
	bundles  []sanitize.Bundle
	releases []release.Release
	status   release.Status
	publish  []int
	despite  release.Despite
	open     audit.OpenFindings
	readable []annotate.Label
}

func (f *fakeSanitize) SampleAudits(context.Context, account.User, project.ID) ([]audit.Audit, audit.Drawing, error) {
	return nil, audit.Drawing{}, nil
}

func newFakeSanitize(runs ...*sanitize.Run) *fakeSanitize {
	f := &fakeSanitize{Frame: webtest.NewFrame(), runs: runs}
	f.Overview.Labels = annotate.I2B2()
	f.Overview.Documents, f.Overview.Done = 480, madeDocuments
	return f
}

func (f *fakeSanitize) Runs(context.Context, account.User, project.ID) ([]sanitize.Run, error) {
	var out []sanitize.Run
	for _, r := range f.runs {
		out = append(out, *r)
	}
	return out, nil
}

func (f *fakeSanitize) Run(_ context.Context, _ account.User, _ project.ID, n int) (*sanitize.Run, error) {
	for _, r := range f.runs {
		if r.Number == n {
			return r, nil
		}
	}
	return nil, &project.Error{Kind: project.NotFound, Message: "there is no such run"}
}

func (f *fakeSanitize) Bundles(context.Context, account.User, project.ID) ([]sanitize.Bundle, error) {
	return f.bundles, nil
}

func (f *fakeSanitize) WriteBundle(_ context.Context, _ account.User, _ project.ID, _ int, w io.Writer) error {
	_, err := io.WriteString(w, "bundle")
	return err
}

func (f *fakeSanitize) StartPublish(_ context.Context, _ account.User, _ project.ID, bundle int, despite release.Despite) error {
	f.publish, f.despite = append(f.publish, bundle), despite
	return nil
}

func (f *fakeSanitize) OpenFindings(context.Context, account.User, project.ID, int) (audit.OpenFindings, error) {
	return f.open, nil
}

func (f *fakeSanitize) Readable(context.Context, account.User, project.ID, int) ([]annotate.Label, error) {
	return f.readable, nil
}

func (f *fakeSanitize) CancelPublish(context.Context, account.User, project.ID) error { return nil }

func (f *fakeSanitize) Publishing(context.Context, account.User, project.ID) (release.Status, error) {
	return f.status, nil
}

func (f *fakeSanitize) Releases(context.Context, account.User, project.ID) ([]release.Release, error) {
	return f.releases, nil
}

func (f *fakeSanitize) Release(_ context.Context, _ account.User, _ project.ID, n int) (release.Release, error) {
	for _, r := range f.releases {
		if r.Number == n {
			return r, nil
		}
	}
	return release.Release{}, &project.Error{Kind: project.NotFound, Message: "there is no such release"}
}

func (f *fakeSanitize) ReleaseSample(context.Context, account.User, project.ID, int, int) ([]audit.ReleasedText, error) {
	return []audit.ReleasedText{
		{ID: "note-0001", Text: "DISCHARGE SUMMARY\n\n[PATIENT] was seen by Dr. [DOCTOR] on [DATE] for Parkinson's disease [sic].\n  Plan: metoprolol 25 mg.",
			Redactions: []audit.ReleasedAt{{Start: 19, End: 28, Label: "PATIENT"}, {Start: 45, End: 53, Label: "DOCTOR"}, {Start: 57, End: 63, Label: "DATE"}}},
		{ID: "note-0002", Text: "No acute events overnight."},
	}, nil
}

func (f *fakeSanitize) WriteRelease(_ context.Context, _ account.User, _ project.ID, _ int, w io.Writer) error {
	_, err := io.WriteString(w, "PK")
	return err
}

// madePublish is a project with a bundle and a release.
func madePublish() *fakeSanitize {
	f := newFakeSanitize(madeRun())
	f.bundles = []sanitize.Bundle{
		{Number: 2, Run: 3, LC: 10, Created: madeAt.Add(30 * time.Minute), Rounds: 2, SHA256: "ab", Bytes: 2_400_000},
		{Number: 1, Run: 3, LC: 2, Created: madeAt.Add(20 * time.Minute), Rounds: 1, SHA256: "cd", Bytes: 1_200_000},
	}
	f.releases = []release.Release{madeRelease()}
	return f
}

// madePaperRun is a run of the papers' mode, whose training counts are far below
// what unseen documents show.
func madePaperRun() *sanitize.Run {
	r := madeRun()
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
	o := madeOutcome(unseen.LC, unseen.Rounds, math.Floor(unseen.IdentifiersMissed.Value/30), math.Floor(unseen.FalsePositives.Value/20))
	o.HeldOut = &unseen
	return o
}
