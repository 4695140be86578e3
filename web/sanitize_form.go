// SPDX-License-Identifier: Apache-2.0

package web

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"hide/internal/annotate"
	"hide/internal/greedy"
	"hide/internal/greedy/attack"
	"hide/internal/greedy/learners"
	"hide/internal/project"
	"hide/internal/project/sanitize"
)

// Choices of the field that says who redacts first.
const (
	firstUsual = "detector"
	firstNone  = "none"
)

const usualFolds = "4"

// What may be done about words that give identifiers away.
const (
	contextNone   = "none"
	contextList   = "list"
	contextRedact = "redact"
)

var contextChoices = []struct{ value, text string }{
	{contextNone, "do not look for them"}, {contextList, "list them"}, {contextRedact, "treat them as sensitive"},
}

var usualLearners = []string{"crf"}

// What is usual of the attackers: those that cost little.
var usualAttackers = []string{string(attack.Stacked), string(attack.Dictionary), string(attack.Repeat)}

const usualShare = "0.5"

// offeredMode is a mode of the start form, in words.
type offeredMode struct {
	mode        greedy.Mode
	title, text string
}

var offeredModes = []offeredMode{
	{greedy.Default, "hide's default.", "A detector redacts. Then every attacker below sorts what is left; rounds go on while sorting pays. Every count comes from a classifier that did not see the document."},
	{greedy.Paper, "The papers' algorithm.", "Counts on the training documents, hard labels. One run answers every L/C, but its counts are too low."},
	{greedy.PaperHoldout, "The papers' algorithm, counted on other documents.", "The same rounds, but chosen and counted where the classifier did not learn."},
	{greedy.GreedyUnion, "Small steps.", "All attackers learn once. The one with the fewest words lost per name found goes a step further, then the next, until no step pays."},
	{greedy.Cost, "One classifier, to compare with.", "No rounds: it redacts every word that is likelier than 1 in 1 + L/C to be sensitive."},
	{greedy.CostWeight, "One classifier that is told the cost, to compare with.", "No rounds: it learns with sensitive words L/C times as heavy. Needs a learner that weighs words: tick svm."},
}

// offeredLearners are those whose classifiers can be kept, and so published with.
func offeredLearners() []learners.Entry {
	kept := learners.Kept()
	return slices.DeleteFunc(learners.Table(), func(e learners.Entry) bool { return !slices.Contains(kept, e.Name) })
}

// firstChoices are who may redact first, the usual one first.
func firstChoices() []string {
	out := []string{firstUsual, firstNone}
	for _, name := range learners.Kept() {
		if name != firstUsual {
			out = append(out, name)
		}
	}
	return out
}

// sanitizeForm is what the start form holds, as it was typed.
type sanitizeForm struct {
	Mode     greedy.Mode
	LC       string
	Ceiling  string // per cent of the sensitive words; "" for none
	Folds    string
	Learners []string
	First    string
	Labels   []annotate.Label           // nil means all
	Loss     map[annotate.Label]string  // what is not in it is 1
	Cost     map[greedy.WordKind]string // as Loss
	Near     nearForm
	VC       string   // "" for none
	Without  []string // parts of the detector
	Sampling samplingForm

	Attackers []string // beside those that are always asked
	Transfer  string   // project that one of them learns from
	Share     string   // of the notes that they label
	Error     string
	At        startPart // where Error is; "" when that is not known
	Waits     int       // the run that has to end first; 0 for none
}

// samplingForm says what learners leave out: one setting, as on the page of curves.
type samplingForm struct{ Share, Window, Costs string }

// sampling is the zero value of nothing typed.
func (f samplingForm) sampling() (s project.Sampling, err error) {
	c := curvesForm{shares: f.Share, windows: f.Window, costs: f.Costs, problems: map[string]string{}}
	var parts []string
	for _, part := range []string{c.shareLine(), c.windowLine(), c.costLine()} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	if len(c.problems) > 0 || s.UnmarshalText([]byte(strings.Join(parts, "+"))) != nil {
		return s, errors.New("to learn from fewer words takes one share above 0 and up to 100 %, one distance of 1 to 1,000 words, labels each with a cost above 0, or nothing")
	}
	return s, nil
}

// nearForm asks for words that give identifiers away by standing near them.
type nearForm struct{ What, Window, Support, Lift string }

func usualNear() nearForm {
	c := greedy.Context{}.WithDefaults()
	return nearForm{contextNone, strconv.Itoa(c.Window), strconv.Itoa(c.MinSupport), formatRatio(c.MinLift)}
}

func newSanitizeForm() sanitizeForm {
	words := make([]string, len(defaultLCs))
	for i, lc := range defaultLCs {
		words[i] = formatRatio(lc)
	}
	return sanitizeForm{Mode: greedy.Default, LC: strings.Join(words, ", "), Folds: usualFolds, Learners: usualLearners, First: firstUsual, Near: usualNear(), Attackers: usualAttackers, Share: usualShare}
}

// runningIn is the number of the run under way, 0 for none.
func runningIn(runs []sanitize.Run) int {
	for _, r := range runs {
		if r.State == sanitize.Running {
			return r.Number
		}
	}
	return 0
}

func (f sanitizeForm) has(l annotate.Label) bool {
	return f.Labels == nil || slices.Contains(f.Labels, l)
}

func (f sanitizeForm) learns(name string) bool { return slices.Contains(f.Learners, name) }

// loss is what the field of a label holds.
func (f sanitizeForm) loss(l annotate.Label) string {
	if text, typed := f.Loss[l]; typed {
		return text
	}
	return "1"
}

// usualLearners and usualKinds say whether a part of the form is as it was made.
func (f sanitizeForm) usualLearners() bool {
	return f.First == firstUsual && slices.Equal(f.Learners, usualLearners) && len(f.Without) == 0 && f.Sampling == (samplingForm{})
}

// usualAttackers says so of the part about other attackers.
func (f sanitizeForm) usualAttackers() bool {
	return slices.Equal(f.Attackers, usualAttackers) && f.Transfer == "" && f.Share == usualShare
}

func (f sanitizeForm) usualKinds(all annotate.LabelSet) bool {
	return f.costsSet() == 0 && !slices.ContainsFunc(all, func(l annotate.LabelInfo) bool { return !f.has(l.Label) || f.loss(l.Label) != "1" })
}

// lossField is the name of the field that says how bad a leak of a label is.
func lossField(l annotate.Label) string { return "loss:" + string(l) }

// readSanitizeForm is what was sent, kept for showing it again.
func readSanitizeForm(v url.Values, all annotate.LabelSet) sanitizeForm {
	f := sanitizeForm{
		Mode: greedy.Mode(v.Get("mode")), LC: v.Get("lc"), Ceiling: strings.TrimSpace(v.Get("ceiling")), Folds: v.Get("folds"), First: v.Get("first"),
		Learners: v["learner"], Labels: []annotate.Label{}, Loss: map[annotate.Label]string{}, Cost: readCosts(v),
		Near: nearForm{v.Get("near"), v.Get("near-window"), v.Get("near-support"), v.Get("near-lift")}, VC: strings.TrimSpace(v.Get("vc")),
		Attackers: v["attacker"], Transfer: v.Get("transfer"), Share: strings.TrimSpace(v.Get("share")), Without: v["without"],
		Sampling: samplingForm{strings.TrimSpace(v.Get("sample-share")), strings.TrimSpace(v.Get("sample-window")), strings.TrimSpace(v.Get("sample-costs"))},
	}
	for _, l := range all {
		if slices.Contains(v["label"], string(l.Label)) {
			f.Labels = append(f.Labels, l.Label)
		}
		if text := strings.TrimSpace(v.Get(lossField(l.Label))); text != "" {
			f.Loss[l.Label] = text
		}
	}
	return f
}

// params checks the form. Its errors are for the person who filled it in.
func (f sanitizeForm) params(all annotate.LabelSet) (sanitize.Params, error) {
	p := sanitize.Params{Mode: f.Mode, Learners: f.Learners}
	if !slices.ContainsFunc(offeredModes, func(m offeredMode) bool { return m.mode == f.Mode }) {
		return p, inPart(partModes, errors.New("choose how to measure"))
	}
	if len(f.Learners) == 0 {
		return p, inPart(partLearners, errors.New("choose at least one attacker"))
	}
	if f.Mode == greedy.Default {
		p.First = f.First
	}
	var err error
	if p.LC, err = readLCs(f.LC); err != nil {
		return p, inPart(partLCs, err)
	}
	if p.Ceiling, err = f.ceiling(); err != nil {
		return p, inPart(partLCs, err)
	}
	if p.Folds, err = f.folds(); err != nil {
		return p, inPart(partModes, err)
	}
	if p.Labels, err = f.kinds(all); err != nil {
		return p, inPart(partKinds, err)
	}
	if p.Context, err = f.Near.params(); err != nil {
		return p, inPart(partNear, err)
	}
	if p.VC, err = f.dimension(); err != nil {
		return p, inPart(partModes, err)
	}
	if p.Sampling, err = f.Sampling.sampling(); err != nil {
		return p, inPart(partLearners, err)
	}
	if err := f.attackers(&p); err != nil {
		return p, inPart(partAttackers, err)
	}
	if p.LossByLabel, err = f.losses(); err != nil {
		return p, inPart(partKinds, err)
	}
	p.CostByKind, err = f.prices()
	return p, inPart(partKinds, err)
}

// ceiling is the share that was typed as a percentage, 0 for none. Which modes have
// one, the project says.
func (f sanitizeForm) ceiling() (float64, error) {
	if f.Ceiling == "" {
		return 0, nil
	}
	v, err := strconv.ParseFloat(strings.Replace(strings.TrimSpace(strings.TrimSuffix(f.Ceiling, "%")), ",", ".", 1), 64)
	if err != nil || v == 0 || greedy.CheckCeiling(v/100) != nil {
		return 0, errors.New("what the ranked attacker may find must be a percentage above 0 and below 100, such as 1, or nothing")
	}
	return v / 100, nil
}

func (f sanitizeForm) folds() (int, error) {
	n, err := strconv.Atoi(strings.TrimSpace(f.Folds))
	if err != nil || n < 2 || n > sanitize.MaxFolds {
		return 0, fmt.Errorf("folds must be a whole number from 2 to %d", sanitize.MaxFolds)
	}
	return n, nil
}

// kinds are the labels that count, nil for all.
func (f sanitizeForm) kinds(all annotate.LabelSet) ([]annotate.Label, error) {
	switch len(f.Labels) {
	case 0:
		return nil, errors.New("choose at least one kind of sensitive text")
	case len(all):
		return nil, nil
	}
	return f.Labels, nil
}

// attackers fills in who attacks and how. Which parts and attackers there are, the
// project says.
func (f sanitizeForm) attackers(p *sanitize.Params) (err error) {
	for _, name := range f.Attackers {
		p.Attackers = append(p.Attackers, attack.Kind(name))
	}
	p.Transfer, p.WithoutParts = project.ID(f.Transfer), f.Without
	if !slices.Contains(p.Attackers, attack.Transfer) {
		p.Transfer = ""
	} else if p.Transfer == "" {
		return errors.New("the attacker transfer needs another project to learn from: choose one, or untick it")
	}
	p.Share, err = strconv.ParseFloat(strings.Replace(cmp.Or(f.Share, usualShare), ",", ".", 1), 64)
	if err != nil || p.Share == 0 || greedy.CheckShare(p.Share) != nil {
		return errors.New("the share of the notes that attackers label must be a number from 0.1 to 0.5")
	}
	return nil
}

// params is nil when nobody asks for such words.
func (n nearForm) params() (*greedy.Context, error) {
	if n.What == contextNone || n.What == "" {
		return nil, nil
	}
	window, err1 := strconv.Atoi(strings.TrimSpace(n.Window))
	support, err2 := strconv.Atoi(strings.TrimSpace(n.Support))
	lift, err3 := strconv.ParseFloat(strings.TrimSpace(n.Lift), 64)
	c := greedy.Context{Window: window, MinSupport: support, MinLift: lift, Redact: n.What == contextRedact}
	if errors.Join(err1, err2, err3) != nil || window == 0 || support == 0 || lift == 0 || c.Check() != nil {
		return nil, errors.New("words that give somebody away need three numbers: how near, 1 to 1,000 words; in how many notes, 1 or more; how many times as often as by chance, above 0")
	}
	return &c, nil
}

// dimension is the stated VC dimension, 0 for none.
func (f sanitizeForm) dimension() (float64, error) {
	if f.VC == "" || f.Mode != greedy.Paper {
		return 0, nil
	}
	v, err := strconv.ParseFloat(strings.ReplaceAll(f.VC, ",", ""), 64)
	if err != nil || v == 0 || greedy.CheckVC(v) != nil {
		return 0, errors.New("the dimension for theorems 5 and 6 must be a number of 1 or more, or nothing")
	}
	return v, nil
}

// losses are the multiples of L other than 1 of the labels that count; nil when
// there are none.
func (f sanitizeForm) losses() (map[annotate.Label]float64, error) {
	var out map[annotate.Label]float64
	for _, l := range f.Labels {
		times, err := strconv.ParseFloat(f.loss(l), 64)
		if err != nil || greedy.CheckLosses(map[annotate.Label]float64{l: times}) != nil {
			return nil, fmt.Errorf("how many times as bad a leaked %s is must be a number from 0 to %s", l, number(greedy.MaxTimes))
		}
		if times == 1 {
			continue
		}
		if out == nil {
			out = map[annotate.Label]float64{}
		}
		out[l] = times
	}
	return out, nil
}

// readLCs reads "1, 2, 5": numbers above 0, commas, semicolons or blanks between. They
// come back ascending, each once.
func readLCs(s string) ([]float64, error) {
	if word := oneOrSeveral(s); word != "" {
		return nil, fmt.Errorf("“%s” may be one number or several: write decimals with a point, thousands without a comma, and put blanks or semicolons between values, such as 0.5; 10; 1000", oneLine(word, 20))
	}
	words := strings.FieldsFunc(s, func(r rune) bool { return r == ',' || blank(r) })
	if len(words) == 0 {
		return nil, errors.New("give at least one L/C")
	}
	var out []float64
	for _, w := range words {
		lc, err := strconv.ParseFloat(w, 64)
		if err != nil || greedy.CheckLC(lc) != nil {
			return nil, fmt.Errorf("“%s” is no L/C: give numbers above 0 and at most %s, such as 1, 10, 100", oneLine(w, 20), number(greedy.MaxLC))
		}
		out = append(out, lc)
	}
	slices.Sort(out)
	if out = slices.Compact(out); len(out) > sanitize.MaxLCs {
		return nil, fmt.Errorf("%d values of L/C were asked for: give from 1 to %d", len(out), sanitize.MaxLCs)
	}
	return out, nil
}

// blank is what stands between values, besides commas.
func blank(r rune) bool { return r == ';' || r == ' ' || r == '\t' || r == '\n' || r == '\r' }

// digitComma is a comma that belongs to a number in one country and parts two in another.
var digitComma = regexp.MustCompile(`[0-9],[0-9]`)

// oneOrSeveral is a word of which nobody can tell whether it is one number or several,
// "" for none: "0,5", and "1,5" of "1,5 10". Where there is nothing but digits and two
// commas or more between them, as in "1,2,5", it is a list.
func oneOrSeveral(s string) string {
	words := strings.FieldsFunc(s, blank)
	for _, w := range words {
		w = strings.Trim(w, ",")
		if digitComma.MatchString(w) && (len(words) > 1 || strings.Count(w, ",") == 1) {
			return w
		}
	}
	return ""
}
