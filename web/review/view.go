// SPDX-License-Identifier: Apache-2.0

package review

import (
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"

	"hide/internal/chart"
	"hide/internal/project"
	"hide/internal/project/review"
	"hide/internal/project/sanitize"
	"hide/internal/publish"
	"hide/internal/words"
	"hide/web/outcome"
	"hide/web/ui"
)

func reviewURL(id project.ID, number int, rest string) templ.SafeURL {
	return ui.ProjectURL(id, "/reviews/"+strconv.Itoa(number)+rest)
}

func (v view) url(rest string) templ.SafeURL { return reviewURL(v.Project.ID, v.Number, rest) }

// says is why a form was refused, "" for other forms.
func (v view) says(form string) string {
	if v.Refused.Form != form {
		return ""
	}
	return v.Refused.Says
}

// typed is what was typed into a field of a refused form, or what it begins with.
func (v view) typed(form, field, first string) string {
	if v.Refused.Form != form {
		return first
	}
	return v.Refused.Typed.Get(field)
}

// Text reports whether the candidate has notes to read.
func (v live) Text() bool { return v.Kind.HasText() }

// withoutModel reports whether the candidate was made without a redaction model.
func (v view) withoutModel() bool {
	return v.Candidate.Number > 0 && v.Candidate.HasText() && v.Candidate.Bundle == 0
}

// linked reports whether the attacker who goes for the patients was tried on the candidate.
func (v view) linked() bool { return v.Candidate.Attack != nil && len(v.Candidate.Attack.Words) > 0 }

// noAttackWords say that no attacker was tried who looks for single words.
func (v view) noAttackWords() string {
	if v.linked() {
		return "No run measured attackers who look for single identifiers in this candidate."
	}
	return "No attack was measured for this candidate."
}

// complete reports whether every passage of the draw is answered.
func (v live) complete() bool { return v.Progress != nil && v.Progress.Complete }

// confirmed reports whether something was found in the last game that a repair can redact.
func (v live) confirmed() bool {
	return v.Game != nil && v.Game.Scores != nil && v.Game.Scores.All.Found > 0
}

// mayPlay reports whether the reader has a passage of the game to answer.
func (v view) mayPlay() bool {
	return (v.State == review.Open || v.State == review.Voting) && v.mayVote() && v.Game != nil && v.Game.Left(v.Me.ID) > 0
}

// member reports whether the reader is a member of the review.
func (v view) member() bool { return v.Has(v.Me.ID) }

// mayVote reports whether the reader votes in this review.
func (v view) mayVote() bool { return v.member() && v.By != v.Me.ID }

// votedOf is a person's vote, nil for none.
func votedOf(s review.Session, person string) *review.Vote {
	i := slices.IndexFunc(s.Votes, func(v review.Vote) bool { return v.By == person })
	if i < 0 {
		return nil
	}
	return &s.Votes[i]
}

// stage changes whenever the sections that depend on the person may change.
func (v live) stage() string {
	said := 0
	for _, q := range v.Questions {
		said += 1 + len(q.Answers)
	}
	draw, asked, begun, read := 0, 0, false, 0
	if v.Draw != nil {
		draw, asked, begun = v.Draw.Number, v.Draw.Asked(), v.Draw.Begun()
	}
	if v.complete() {
		read = v.Progress.Read
	}
	met := 0
	if v.Decision != nil {
		met = len(v.Decision.Met)
	}
	game, judged := 0, -1
	if v.Game != nil {
		game = v.Game.Number
	}
	if v.Game != nil && v.Game.Scores != nil {
		judged = v.Game.Scores.Judged
	}
	return fmt.Sprint(game, judged, v.State, v.Session.Candidate, len(v.Members), len(v.Votes), said, draw, asked, begun, read, met, v.Freezing.Running, v.Freezing.Frozen, v.Freezing.Error != "")
}

// hereWords: "3 of 5 here: Mia, Max and Ada".
func (v live) hereWords() string {
	people := len(v.Members)
	if !v.Has(v.By) {
		people++
	}
	s := fmt.Sprintf("%d of %d here", len(v.Present), people)
	if len(v.Present) > 0 {
		s += ": " + words.List(v.Present)
	}
	return s
}

func badge(s review.State) string {
	return map[review.State]string{review.Open: "now", review.Voting: "warn", review.Expired: "bad", review.Ended: "bad"}[s]
}

// stateWords says what a state means to a member.
func stateWords(s review.State) string {
	return map[review.State]string{
		review.Prepared: "The broker prepares the review.", review.Open: "Look at it, read, and ask.", review.Voting: "The vote is under way.",
		review.Decided: "The vote is closed.", review.Expired: "The deadline passed without a decision.", review.Ended: "The broker ended it without a decision.",
	}[s]
}

// certificateWords are what reading shows so far.
func (v live) certificateWords() string {
	switch {
	case v.Gone != "" && v.Decision != nil && v.Decision.Certificate != "":
		return v.Decision.Certificate
	case v.Gone != "":
		return v.Gone
	case v.Progress == nil:
		return "After reading: nobody has read yet, so there is no bound."
	}
	return review.Words(v.Progress.Certificate, v.Progress.Left)
}

// forecastWords are what is expected before reading.
func (v live) forecastWords() string {
	if v.Decision != nil && v.Decision.Forecast != "" {
		return v.Decision.Forecast
	}
	return v.Forecast.Words()
}

// moreRead is how many more passages a board asks about.
const moreRead = 60

// moreWords says what more reading would show if nothing was found in it.
func (v live) moreWords() string {
	p := v.Progress
	if p == nil || p.Complete || p.Exact || p.Draw.Abandoned != nil {
		return ""
	}
	more, left := p.Ahead(moreRead)
	if more == 0 {
		return ""
	}
	return fmt.Sprintf("If nothing is found in %s: at most %s.", ui.Count(more, "more passage", "more passages"), words.Number(left))
}

// worseWords says what the bound would be with worse readers.
func (v live) worseWords() string {
	if v.Progress == nil || v.Progress.Worse == nil {
		return ""
	}
	return fmt.Sprintf("If readers missed real identifiers twice as often as planted ones: at most %s.", words.Number(max(0, v.Progress.Worse.Bound-v.Progress.Repaired)))
}

// answered counts the passages that are answered by as many readers as they need.
func (v live) answered() (n, of int) {
	for _, r := range v.Progress.Readers {
		n += r.Passages
	}
	return n / max(1, v.Progress.Draw.Readers), v.Progress.Draw.Asked()
}

// longer is an amount of reading that can be added, and the bound if nothing is found in it
// and in what is still to be read; "" without a certificate.
type longer struct {
	More int
	Left string
}

// readOn are the amounts of reading that the broker can add now.
func (v live) readOn() (out []longer) {
	p := v.Progress
	if !v.Broker || v.State != review.Open || p == nil || !p.Reading.Anytime || p.Draw.Hash != v.Hash || p.Exact {
		return nil
	}
	left, open := p.Draw.Left(), p.Draw.Parameters.Planned+p.Draw.More-p.Reading.Random.Read
	for _, n := range []int{30, moreRead, 2 * moreRead, left} {
		if n < 1 || n > left || len(out) > 0 && n <= out[len(out)-1].More || n == left && len(out) == 3 {
			continue
		}
		one := longer{More: n}
		if more, bound := p.Ahead(open + n); more > 0 {
			one.Left = words.Number(bound)
		}
		out = append(out, one)
	}
	return out
}

// curve draws how the bound fell, with the forecast.
func (v live) curve() *chart.Plot {
	var bound chart.Line
	bound.Name = "at most, after reading (95 %)"
	last := 1.
	for _, p := range v.Progress.Curve {
		last = float64(p.Read)
		bound.Points = append(bound.Points, chart.Point{X: float64(p.Read), Y: float64(p.Bound)})
	}
	all := []chart.Line{bound}
	if v.Forecast.Known && v.Forecast.Finished < v.Forecast.Notes {
		for _, l := range []struct {
			name string
			y    float64
		}{{"forecast, identifiers", v.Forecast.Expected}, {"forecast, upper end", v.Forecast.AtMost}} {
			all = append(all, chart.Line{Name: l.name, Dashed: true, Points: []chart.Point{{X: 0, Y: l.y}, {X: last, Y: l.y}}})
		}
	}
	return chart.NewPlot("bound-curve", chart.Panel{
		Title: "Passages that may still hold an identifier, by passages read", XLabel: "passages read", YLabel: "at most", X: chart.AxisLinear, Y: chart.AxisCounts, Lines: all,
	})
}

// validity says whether the figures of the run hold for the candidate.
func (v live) validity() publish.Validity {
	if v.Forecast.Validity == nil {
		return publish.Validity{Hold: true}
	}
	return *v.Forecast.Validity
}

// budgets are the B that the figures have.
func (v view) budgets() (out []int) {
	for _, r := range v.Figures {
		out = append(out, outcome.Budgets(r.Outcome.Unseen())...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// shownLC is the index of the figures that are shown: those of the L/C that everybody looks at.
func (v view) shownLC() int {
	best := 0
	for i, r := range v.Figures {
		if math.Abs(math.Log(r.LC/v.Shown.LC)) < math.Abs(math.Log(v.Figures[best].LC/v.Shown.LC)) {
			best = i
		}
	}
	return best
}

// shownB is the budget that everybody looks at, or the nearest that has figures.
func (v view) shownB() int {
	best, all := 0, v.budgets()
	for i, b := range all {
		if abs(b-v.Shown.B) < abs(all[best]-v.Shown.B) {
			best = i
		}
	}
	return best
}

func abs(n int) int { return max(n, -n) }

func joined[T any](all []T, write func(T) string) string {
	var out []string
	for _, one := range all {
		out = append(out, write(one))
	}
	return strings.Join(out, ",")
}

func lcOf(r sanitize.Result) string { return ui.Ratio(r.LC) }

// frontier draws what remains against what is kept, for each L/C of the run.
func (v view) frontier() *chart.Plot {
	s := chart.Series{Measure: chart.Measure{Class: "left", Name: "remaining identifiers", Marker: "circle"}}
	var xs []float64
	for _, r := range v.Figures {
		if outcome.HasFigures(r) {
			o := r.Outcome.Unseen()
			s.Data = append(s.Data, chart.Datum{X: o.NonsensitiveKept, Y: o.IdentifiersMissed, LC: r.LC, Label: chart.RatioTick(r.LC)})
			xs = append(xs, o.NonsensitiveKept.Value, o.NonsensitiveKept.Low)
		}
	}
	p := &chart.Plot{
		ID: "board-frontier", Title: "Remaining PHI against text kept, by L/C", XLabel: "non-PHI words kept, %", YLabel: "remaining identifiers",
		W: chart.WideWidth, H: chart.WideHeight, Wide: true, LC: v.Shown.LC, Desc: "The table below has the same figures.", Empty: "There are no figures.",
	}
	if !v.validity().Hold {
		p.Title, p.XLabel, p.YLabel = p.Title+", in the measured notes", "non-PHI words kept in measured notes, %", p.YLabel+" in measured notes"
	}
	p.Layout(chart.KeptScale(xs), chart.CountScale(chart.Extent([]chart.Series{s})), []chart.Series{s})
	return p
}

// minutesWords: "about 25 min", "about 3 h".
func minutesWords(m float64) string {
	if m >= 90 {
		return fmt.Sprintf("about %.1f h", m/60)
	}
	return fmt.Sprintf("about %.0f min", math.Ceil(m))
}

// paceWords says how fast a reader is.
func paceWords(r review.Reader) string {
	if r.Passages == 0 {
		return ""
	}
	return fmt.Sprintf("%.0f s for a passage", r.Seconds/float64(r.Passages))
}

// hasty counts the answers of all readers that came faster than anybody reads.
func (v live) hasty() (n int) {
	for _, r := range v.Progress.Readers {
		n += r.Hasty
	}
	return n
}

// mine is what the reader of the page has read, nil for nothing.
func (v view) mine() *review.Reader {
	if v.Progress == nil {
		return nil
	}
	i := slices.IndexFunc(v.Progress.Readers, func(r review.Reader) bool { return r.ID == v.Me.ID })
	if i < 0 {
		return nil
	}
	return &v.Progress.Readers[i]
}

// mayRead reports whether there is something for the reader to read now.
func (v view) mayRead() bool {
	return (v.State == review.Open || v.State == review.Voting) && v.Progress != nil && !v.Progress.Complete
}

// met says how a condition in words was met, nil if nobody has said so.
func met(d *review.Decision, condition int) *review.Met {
	i := slices.IndexFunc(d.Met, func(m review.Met) bool { return m.Condition == condition })
	if i < 0 {
		return nil
	}
	return &d.Met[i]
}

// outcomeWords is the decision as a heading.
func outcomeWords(d *review.Decision) string {
	switch d.Outcome {
	case review.Approved:
		if !d.Conditions.None() {
			return "Approved, under conditions"
		}
		return "Approved"
	case review.Refused:
		return "Refused"
	}
	return "Not approved: too few members approved"
}

// countWords: "2 approved, 1 refused, 0 abstained, of 3 members".
func countWords(d *review.Decision) string {
	return fmt.Sprintf("%d approved, %d refused, %d abstained, of %s who may vote.", d.Approved, d.Refused, d.Abstained, ui.Count(d.Members, "member", "members"))
}

// voteWords is a vote as all see it after the end.
func voteWords(v review.Vote) string {
	s := map[review.Choice]string{review.Approve: "approved", review.Refuse: "refused", review.Abstain: "abstained"}[v.Choice]
	if c := v.Conditions.Words(); len(c) > 0 {
		s += " if: " + strings.Join(c, "; ")
	}
	if v.Reason != "" {
		s += ": " + v.Reason
	}
	return s
}

// defaultUntil is a day for the field of a condition: in a year.
func defaultUntil(now time.Time) string { return now.AddDate(1, 0, 0).Format(dateForm) }

func shortHash(hash string) string { return hash[:min(12, len(hash))] }

// openQuestions counts the questions without an answer.
func (v live) openQuestions() (n int) {
	for _, q := range v.Questions {
		if len(q.Answers) == 0 {
			n++
		}
	}
	return n
}

// typedIn is what was typed into a form of the list that was refused.
func typedIn(form url.Values, name, first string) string {
	if form == nil {
		return first
	}
	return form.Get(name)
}

// madeAt are the figures at the L/C of the candidate, or those that are shown.
func (v view) madeAt() sanitize.Result {
	for _, r := range v.Figures {
		if r.LC == v.Candidate.LC {
			return r
		}
	}
	return v.Figures[v.shownLC()]
}

// readWords says what a reader has done, and what is left for all.
func readWords(v view) string {
	n, of := v.answered()
	s := fmt.Sprintf("%s of %s are read.", words.Number(n), ui.Count(of, "passage", "passages"))
	if r := v.mine(); r != nil {
		s += fmt.Sprintf(" You have read %d, %s.", r.Passages, paceWords(*r))
	}
	return s
}
