// SPDX-License-Identifier: Apache-2.0

package attack

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"hide/internal/annotate"
	"hide/internal/annotate/dictionary"
	"hide/internal/annotate/rules"
	"hide/internal/greedy"
)

// results returns the results of one kind.
func (a *attack) results(k Kind) []Result {
	switch k {
	case Uniform:
		return []Result{a.order(Uniform, "", blank(a.views), nil)}
	case Classifier:
		return []Result{a.classifier()}
	case Ranked, Outside:
		return a.each(k, a.labelled)
	case Best:
		return []Result{a.best()}
	case Stacked:
		o := stack(a.labelled)
		return []Result{a.order(Stacked, "", o.scores, o.marks)}
	case Transfer:
		return a.each(Transfer, a.transfer)
	case Dictionary:
		return []Result{a.known(Dictionary, listScores(a.views), listedScore)}
	default:
		known := a.p.Known
		if known == nil {
			known = Redacted(a.views)
		}
		return []Result{a.known(Repeat, repeat(a.views, known), wholeScore)}
	}
}

// order counts the findings of an attacker who ranks by scores; marks may be nil.
func (a *attack) order(kind Kind, learner string, scores [][]float64, marks [][]bool) Result {
	o := byScore(a.views, a.group, scores)
	r := Result{Kind: kind, Learner: learner, Tokens: o.tokens, Sensitive: o.sensitive, Points: o.curve(a.p.Budgets, learner)}
	if marks != nil {
		a.count(&r, marks)
	}
	return r
}

// count fills in gain and cost of the marks on published tokens.
func (a *attack) count(r *Result, marks [][]bool) {
	groups := map[int]bool{}
	for i, v := range a.views {
		if v.Selected {
			continue
		}
		before := r.Marked.TP
		for x, marked := range marks[i] {
			if v.Hidden(x) {
				continue
			}
			tally(&r.Marked, marked, v.Remaining(x))
			switch cost := greedy.ErrorCost(v.Note, x, a.p.LossByLabel, a.p.CostByKind); {
			case !marked:
			case v.Sensitive[x]:
				r.Worth += cost
			default:
				r.Cost += cost
			}
		}
		if r.Marked.TP > before {
			r.Documents++
			groups[a.group[i]] = true
		}
	}
	r.Groups = len(groups)
}

func tally(c *greedy.Counts, marked, sensitive bool) {
	switch {
	case marked && sensitive:
		c.TP++
	case marked:
		c.FP++
	case sensitive:
		c.FN++
	default:
		c.TN++
	}
}

// each is one result per learner.
func (a *attack) each(kind Kind, opinions []*opinion) []Result {
	var all []Result
	for i, o := range opinions {
		all = append(all, a.order(kind, a.p.Learners[i].Name(), o.scores, o.marks))
	}
	return all
}

// classifier is h_A of tkde equation 2, the learner with the least FP + FN, and
// her order of tkde section 3: the predicted positives first.
func (a *attack) classifier() Result {
	var best Result
	for i, o := range a.labelled {
		r := a.order(Classifier, a.p.Learners[i].Name(), asScores(o.marks), o.marks)
		if i == 0 || r.Marked.FP+r.Marked.FN < best.Marked.FP+best.Marked.FN {
			best = r
		}
	}
	return best
}

// best is the upper envelope of Ranked; of equals the first.
func (a *attack) best() Result {
	out := Result{Kind: Best}
	for _, r := range a.each(Best, a.labelled) {
		if out.Points == nil {
			out.Tokens, out.Sensitive, out.Points = r.Tokens, r.Sensitive, r.Points
			continue
		}
		for k, p := range r.Points {
			if p.Found > out.Points[k].Found {
				out.Points[k] = p
			}
		}
	}
	return out
}

// finiteOdds limits each learner to odds of a million to one, so that none outvotes all
// others.
const finiteOdds = 1e-6

// stack is the mean log-odds.
func stack(opinions []*opinion) *opinion {
	out := newOpinion(len(opinions[0].scores))
	for i, first := range opinions[0].scores {
		out.scores[i], out.marks[i] = make([]float64, len(first)), make([]bool, len(first))
		for x := range first {
			sum := 0.0
			for _, o := range opinions {
				sum += greedy.LogOdds(o.scores[i][x], finiteOdds)
			}
			out.scores[i][x], out.marks[i][x] = sum/float64(len(opinions)), sum > 0
		}
	}
	return out
}

// known is an attacker without training, who marks tokens from a score on.
func (a *attack) known(kind Kind, scores [][]float64, least float64) Result {
	marks := make([][]bool, len(scores))
	for i, s := range scores {
		marks[i] = make([]bool, len(s))
		for x := range s {
			marks[i][x] = s[x] >= least
		}
	}
	return a.order(kind, "", scores, marks)
}

// blank is a result without opinion.
func blank(views []annotate.View) [][]float64 {
	out := make([][]float64, len(views))
	for i, v := range views {
		out[i] = make([]float64, len(v.Words))
	}
	return out
}

func asScores(marks [][]bool) [][]float64 {
	out := make([][]float64, len(marks))
	for i := range marks {
		out[i] = make([]float64, len(marks[i]))
		for x, marked := range marks[i] {
			if marked {
				out[i][x] = 1
			}
		}
	}
	return out
}

// Kind is the name of an attacker, in requests and results.
type Kind string

// The attackers.
const (
	Uniform    Kind = "uniform"
	Classifier Kind = "classifier"
	Ranked     Kind = "ranked"
	Best       Kind = "best"
	Stacked    Kind = "stacked"
	Transfer   Kind = "transfer"
	Dictionary Kind = "dictionary"
	Repeat     Kind = "repeat"

	// Outside attacks with learners that were trained elsewhere, each calibrated on the
	// documents that it has labels of. It needs such learners, and is not in [Table].
	Outside Kind = "outside"
)

// Labels reports whether the attacker trains on documents that it labels.
func (k Kind) Labels() bool {
	return k == Classifier || k == Ranked || k == Best || k == Stacked || k == Outside
}

// Kinds lists all kinds in the order of [Table].
func Kinds() []Kind {
	var kinds []Kind
	for _, e := range Table() {
		kinds = append(kinds, e.Kind)
	}
	return kinds
}

// Entry describes a kind.
type Entry struct {
	Kind  Kind
	About string // in one line
}

// Table lists the attackers. All descriptions of them come from here.
func Table() []Entry {
	return []Entry{
		{Uniform, "inspects tokens in random order (the papers' U_A)"},
		{Classifier, "the papers' h_A: the learner with the fewest label errors; inspects the tokens it marks first, in random order"},
		{Ranked, "each learner alone, by descending P(sensitive)"},
		{Best, "for each budget the ranked learner that finds most"},
		{Stacked, "all learners together, by the mean of their log-odds"},
		{Transfer, "each learner trained on another corpus, by P(sensitive)"},
		{Dictionary, "no training: findings of the rules first, then capitalised words from the lists"},
		{Repeat, "knows the redacted texts: whole matches first, then their single words, then the neighbours of placeholders"},
	}
}

// nameLists are the program's own lists of what may be an identifier.
var nameLists = []string{"given", "surnames", "cities", "states", "countries", "organisations"}

// The scores of dictionary.
const (
	listedScore = 1
	ruleScore   = 2
)

// listScores returns scores without training: 2 for findings of the rules in the
// published text, 1 for capitalised words of the lists that are not common words, 0
// otherwise.
func listScores(views []annotate.View) [][]float64 {
	listed := listedWords()
	out := blank(views)
	for i, v := range views {
		for x := range v.Words {
			if !v.Hidden(x) && listed[v.Words[x]] {
				out[i][x] = listedScore
			}
		}
		text, tokens := v.Published()
		for _, f := range rules.Find(text) {
			from, to := annotate.Covered(tokens, annotate.Span{Start: f.Start, End: f.End})
			for x := from; x < to; x++ {
				out[i][x] = ruleScore
			}
		}
	}
	return out
}

// listedWords are the capitalised words of the lists as written.
func listedWords() map[string]bool {
	common := map[string]bool{}
	for _, term := range dictionary.Terms("common") {
		common[strings.ToLower(term)] = true
	}
	listed := map[string]bool{}
	for _, list := range nameLists {
		for _, term := range dictionary.Terms(list) {
			for w := range strings.FieldsSeq(term) {
				if r, _ := utf8.DecodeRuneInString(w); unicode.IsUpper(r) && !common[strings.ToLower(w)] {
					listed[w] = true
				}
			}
		}
	}
	return listed
}
