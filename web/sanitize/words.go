// SPDX-License-Identifier: Apache-2.0

package sanitize

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"hide/internal/annotate"
	"hide/internal/chart"
	"hide/internal/greedy"
	"hide/internal/project"
	"hide/internal/words"
	"hide/web/outcome"
	"hide/web/ui"
)

// rankedBudgets are the budgets of the slider, for sentences about an outcome of the
// ranked attacker; none where that attacker was not asked.
func rankedBudgets(v view, o greedy.Outcome) []int {
	if len(outcome.Budgets(o)) == 0 {
		return nil
	}
	return v.budgets()
}

// rankedCell is what the ranked attacker finds, in a table in which others have it.
func rankedCell(o greedy.Outcome, budget int) string {
	if e := outcome.RankedAt(o, budget); outcome.Known(e.Value) {
		return outcome.CountCell(e)
	}
	return "–"
}

// classifierCell is TP_A, or a dash where nobody has attacked.
func classifierCell(o greedy.Outcome) string {
	if !outcome.Attacked(o) {
		return "–"
	}
	return outcome.CountCell(o.Attack.Classifier)
}

// comparedCell is a figure of a run at an L/C, or a dash where it has none.
func comparedCell(r *project.Run, lc float64, figure func(greedy.Outcome) string) string {
	c := outcome.At(r, lc)
	if !outcome.HasFigures(c) {
		return "–"
	}
	return figure(c.Outcome.Unseen())
}

// modeWords name a mode for people.
func modeWords(m greedy.Mode) string {
	switch m {
	case greedy.Paper:
		return "the papers' algorithm"
	case greedy.PaperHoldout:
		return "the papers' algorithm, counted on other documents"
	case greedy.GreedyUnion:
		return "small steps"
	case greedy.Cost:
		return "one classifier by cost"
	case greedy.CostWeight:
		return "one classifier by weight"
	default:
		return "hide's default"
	}
}

// stateWords say how a run stands.
func stateWords(r project.Run) string {
	switch r.State {
	case project.RunRunning:
		return "running"
	case project.RunFinished:
		return "finished " + ui.Moment(r.Ended)
	case project.RunCancelled:
		return "cancelled " + ui.Moment(r.Ended)
	case project.RunInterrupted:
		return "interrupted: hide was stopped while it ran"
	default:
		return "failed"
	}
}

// leakScore: "31.0 %". Models rule nothing out, so a score is never put as none.
func leakScore(score float64) string {
	if score < 0.001 {
		return "below 0.1 %"
	}
	return words.Percent(score)
}

// thresholdCell is where a round cuts its scores.
func thresholdCell(r greedy.Round) string {
	if r.Hard {
		return "hard labels"
	}
	return strconv.FormatFloat(r.Threshold, 'f', 3, 64)
}

// runName: "run 3", or "run 3, no detector" when people have named it.
func runName(r *project.Run) string {
	name := "run " + strconv.Itoa(r.Number)
	if r.Name != "" {
		name += ", " + r.Name
	}
	return name
}

// sentenceName is runName at the start of a line.
func sentenceName(r project.Run) string { return "R" + runName(&r)[1:] }

// titleWords: "hide's default, crf and bayes, 216 documents; a leaked PATIENT is 3
// times as bad".
func titleWords(r *project.Run) string {
	words := modeWords(r.Params.Mode)
	if l := r.Params.Learners; len(l) > 0 && !slices.Equal(l, usualLearners) {
		words += ", " + ui.Listed(l)
	}
	if w := r.Params.WithoutParts; len(w) > 0 {
		words += ", detector without " + ui.Listed(w)
	}
	if !r.Params.Sampling.Everything() {
		words += ", learning from " + ui.SamplingWords(r.Params.Sampling)
	}
	words += ", " + ui.Count(r.Documents, "document", "documents")
	if only := r.Params.CountedWords(); only != "" {
		words += "; counts only " + only
	}
	for _, costs := range []string{lossWords(r.Params), priceWords(r.Params)} {
		if costs != "" {
			words += "; " + costs
		}
	}
	if c := r.Params.Context; c != nil && c.Redact {
		words += "; words that give somebody away are sensitive"
	}
	return words
}

// itemWords is a run in the list of runs.
func itemWords(r *project.Run) string {
	words := fmt.Sprintf("%s, %s, by %s, %s", titleWords(r), ui.Moment(r.Started), r.By, r.State)
	if r.Chosen > 0 {
		words += ", L/C " + ui.Ratio(r.Chosen) + " chosen"
	}
	if r.Forgotten {
		words += ", too old to be used"
	}
	return words
}

// askedFor is one thing that a run was asked for.
type askedFor struct{ what, words string }

// asked says what a run was started with.
func asked(p project.SanitizeParams, elsewhere []project.Overview) []askedFor {
	out := []askedFor{{"Measured by", modeWords(p.Mode)}}
	if p.Mode == greedy.Default || p.Mode == "" {
		out = append(out, askedFor{"Redacts first", cmp.Or(p.First, firstUsual)})
	}
	learners := p.Learners
	if learners == nil {
		learners = usualLearners
	}
	lcs := make([]string, len(p.LC))
	for i, lc := range p.LC {
		lcs[i] = ui.Ratio(lc)
	}
	out = append(out, askedFor{"Learners", ui.Listed(learners)})
	if len(p.WithoutParts) > 0 {
		out = append(out, askedFor{"Detector without", ui.Listed(p.WithoutParts)})
	}
	if attackers := attackerKindWords(p, elsewhere); attackers != "" {
		out = append(out, askedFor{"Other attackers", attackers})
	}
	out = append(out, askedFor{"Attackers label", project.LabelledWords(p.Share) + " of the notes"}, askedFor{"L/C", strings.Join(lcs, ", ")})
	if p.Ceiling > 0 {
		out = append(out, askedFor{"The ranked attacker may find", "at most " + words.Percent(p.Ceiling) + " of the sensitive words"})
	}
	out = append(out, askedFor{"Folds", strconv.Itoa(cmp.Or(p.Folds, 4))})
	sensitive := "all kinds"
	if p.Labels != nil {
		sensitive = ui.Listed(p.Labels)
	}
	out = append(out, askedFor{"Sensitive", sensitive})
	if losses := lossWords(p); losses != "" {
		out = append(out, askedFor{"Leaks", losses})
	}
	if prices := priceWords(p); prices != "" {
		out = append(out, askedFor{"Lost words", prices})
	}
	if c := p.Context; c != nil {
		out = append(out, askedFor{"Words beside names", nearWords(*c)})
	}
	if !p.Sampling.Everything() {
		out = append(out, askedFor{"Learnt from", ui.SamplingWords(p.Sampling)})
	}
	if p.VC > 0 {
		out = append(out, askedFor{"VC dimension", chart.BoundNumber(p.VC)})
	}
	return out
}

// nearWords: "treat them as sensitive: within 5 words, in 3 notes at least, 5 times as
// often as by chance".
func nearWords(c greedy.Context) string {
	c = c.WithDefaults()
	what := contextChoices[1].text
	if c.Redact {
		what = contextChoices[2].text
	}
	return fmt.Sprintf("%s: within %s, in %s at least, %s times as often as by chance", what, ui.Count(c.Window, "word", "words"), ui.Count(c.MinSupport, "note", "notes"), ui.Ratio(c.MinLift))
}

// lossWords: "a leaked PATIENT is 3 times as bad, a leaked DATE half as bad"; ""
// when all are as bad as each other.
func lossWords(p project.SanitizeParams) string {
	var words []string
	for _, l := range slices.Sorted(maps.Keys(p.LossByLabel)) {
		words = append(words, "a leaked "+string(l)+" "+leakCosts(p.LossByLabel[l]))
	}
	return strings.Join(words, ", ")
}

// leakCosts: "is twice as bad". What costs nothing is counted and, where it is found
// with the rest, redacted all the same.
func leakCosts(times float64) string {
	switch times {
	case 0:
		return "costs nothing"
	case 1:
		return "is as bad as any"
	case 0.5:
		return "is half as bad"
	case 2:
		return "is twice as bad"
	default:
		return "is " + ui.Ratio(times) + " times as bad"
	}
}

// firstWords say what figures are worth that no round has confirmed.
func firstWords(running bool, lc float64) string {
	words := "First figures of L/C " + ui.Ratio(lc) + ": what the first round leaves. "
	if running {
		return words + "Nobody has attacked it yet. The attacks, further rounds and the certificate follow as the run gets there."
	}
	return words + "The run ended before anybody attacked it."
}

// stay is what would stay of one sort of things.
type stay struct {
	what string
	left greedy.Estimate
	of   int
}

// stays are the ways to count what would stay. What was not counted, as in runs of
// earlier versions, and patients where nobody is known, are left out.
func stays(o greedy.Outcome) []stay {
	all := []stay{
		{"names", o.NamesLeft, o.Names},
		{"words", o.Residual, o.Sensitive},
		{"informative words", o.InformativeLeft, o.Informative},
		{"documents", o.DocumentsWithLeak, o.Documents},
		{"patients", o.PatientsWithLeak, o.Patients},
	}
	return slices.DeleteFunc(all, func(s stay) bool {
		return s.of == 0 || s.what == "patients" && o.Patients == o.Documents
	})
}

// mostKinds is how many kinds a page lists.
const mostKinds = 40

// kinds are the categories with most left first, at most mostKinds.
func kinds(o greedy.Outcome) []greedy.Category {
	all := slices.Clone(o.ByLabel)
	slices.SortStableFunc(all, func(a, b greedy.Category) int {
		return cmp.Or(cmp.Compare(b.SpansLeft.Value, a.SpansLeft.Value), cmp.Compare(b.SpansLeft.AtMost, a.SpansLeft.AtMost), cmp.Compare(a.Label, b.Label))
	})
	return all[:min(len(all), mostKinds)]
}

// kindBar is how far the two parts of a category's bar reach, of 100: what is
// expected, and at most. The longest bar of all reaches the end.
func kindBar(all []greedy.Category, c greedy.Category) (expected, atMost float64) {
	longest := 1.0
	for _, other := range all {
		longest = max(longest, reach(other))
	}
	return 100 * c.SpansLeft.Value / longest, 100 * reach(c) / longest
}

func reach(c greedy.Category) float64 {
	if v := max(c.SpansLeft.Value, c.SpansLeft.AtMost); outcome.Known(v) {
		return v
	}
	return 0
}

func kindName(l annotate.Label) string { return cmp.Or(string(l), "without a label") }

// kindTimes says how bad a leak of a kind is, where that is unusual.
func kindTimes(p project.SanitizeParams, l annotate.Label) string {
	if times, set := p.LossByLabel[l]; set && times != 1 {
		return strings.TrimPrefix(leakCosts(times), "is ")
	}
	return ""
}

// lostWord is a text that would be lost, with the places of it that a run keeps.
type lostWord struct {
	text   string
	often  int // places, kept or not
	places []project.LeakView
}

// lostWords puts equal texts together, in the order of the first of each.
func lostWords(lost []project.LeakView) []lostWord {
	var out []lostWord
	for _, l := range lost {
		i := slices.IndexFunc(out, func(w lostWord) bool { return w.text == l.Text })
		if i < 0 {
			i, out = len(out), append(out, lostWord{text: l.Text})
		}
		w := &out[i]
		w.places = append(w.places, l)
		w.often = max(l.Often, len(w.places)) // runs of earlier versions do not say how often
	}
	return out
}

// oftenWords: "13 times", "13 times, of which 5 are listed".
func (w lostWord) oftenWords() string {
	words := ui.Number(w.often) + " times"
	if n := len(w.places); n < w.often {
		words += fmt.Sprintf(", of which %s listed", ui.Count(n, "is", "are"))
	}
	return words
}

// nearFound says how many words give identifiers away, and what became of them.
func nearFound(r *project.Run) string {
	words := "None was found: " + nearWords(*r.Params.Context) + "."
	if r.ContextFound > 0 {
		words = ui.Count(r.ContextFound, "pair of a word and a name was found", "pairs of a word and a name were found") + ", strongest first."
		if r.Params.Context.Redact {
			words += " The words are counted and redacted like names; of those that would stay the lists say so."
		} else {
			words += " They are not redacted: mark them in their notes, or start another run that treats them as sensitive."
		}
	}
	if n := len(r.Context); n > 0 && n < r.ContextFound {
		words += " Shown are " + ui.Number(n) + "."
	}
	return words
}
