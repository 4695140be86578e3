// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"errors"
	"maps"
	"slices"

	"hide/internal/annotate"
)

// tally is the published and lost tokens of a mask, per group, of the counted documents.
type tally struct {
	fn, fp, names, leaking      []float64 // FN(H), FP(H), spans with a token left, documents with one
	cost, paid                  []float64 // sum_c (L_c/L)*FN_c(H), sum_k (C_k/C)*FP_k(H)
	informative, patients       []float64 // informative tokens left; 1 where any sensitive token is
	tokens, nonsensitive        []float64
	published, nonsensitiveKept []float64
	totalTokens, totalSensitive int
	totalSpans, totalDocuments  int
	totalInformative            int
	categories                  categories
	tariff                      tariff
	kinds                       map[WordKind]*kindTally
	attackerTP                  []float64 // of the papers' attacker

	// Per document, not group: sensitive tokens, spans, informative tokens, and the cost
	// of all of them.
	documents, documentNames, documentInformative, documentCosts []float64
}

func newTally(docs []annotate.Note, masks [][]bool, group []int, n int, costs tariff) *tally {
	t := &tally{tariff: costs, categories: categories{}, kinds: newKindTallies(n)}
	for _, column := range []*[]float64{&t.cost, &t.paid, &t.informative, &t.patients, &t.fn, &t.fp, &t.names, &t.leaking, &t.tokens, &t.nonsensitive, &t.published, &t.nonsensitiveKept, &t.attackerTP} {
		*column = make([]float64, n)
	}
	for i := range docs {
		if group[i] != uncounted {
			t.add(annotate.View{Note: &docs[i], Redacted: masks[i]}, group[i])
		}
	}
	return t
}

func (t *tally) add(v annotate.View, g int) {
	none := make([]bool, len(v.Words))
	c := CountOn(v.Redacted, none, v.Sensitive)
	t.fn[g] += float64(c.FN)
	t.fp[g] += float64(c.FP)
	t.tokens[g] += float64(len(v.Words))
	t.nonsensitive[g] += float64(c.FP + c.TN)
	t.nonsensitiveKept[g] += float64(c.TN)
	t.published[g] += float64(c.FN + c.TN)
	t.names[g] += float64(identifiersMissed(v))
	if c.FN > 0 {
		t.leaking[g]++
		t.patients[g] = 1
	}
	t.categories.add(v, g)
	t.totalDocuments++
	t.totalTokens += len(v.Words)
	t.totalSensitive += c.TP + c.FN
	t.totalSpans += spans(v)
	t.documents, t.documentNames = append(t.documents, float64(c.TP+c.FN)), append(t.documentNames, float64(spans(v)))
	t.addSensitive(v, g)
	t.addOthers(v, g)
}

// addSensitive counts the sensitive tokens of v by cost and informativeness.
func (t *tally) addSensitive(v annotate.View, g int) {
	says, cost := 0, 0.0
	for x, s := range v.Sensitive {
		if !s {
			continue
		}
		loss, word := t.tariff.of(v.Note, x), Informative(v.Words[x])
		cost += loss
		if word {
			says++
		}
		if v.Hidden(x) {
			continue
		}
		t.cost[g] += loss
		if word {
			t.informative[g]++
		}
	}
	t.totalInformative += says
	t.documentInformative, t.documentCosts = append(t.documentInformative, float64(says)), append(t.documentCosts, cost)
}

// spans is the number of sensitive spans.
func spans(v annotate.View) int {
	seen := map[int]bool{}
	for _, s := range v.SpanOf {
		if s >= 0 {
			seen[s] = true
		}
	}
	return len(seen)
}

// identifiersMissed is the number of sensitive spans with a missed token.
func identifiersMissed(v annotate.View) int {
	seen := map[int]bool{}
	for x, s := range v.SpanOf {
		if v.Remaining(x) {
			seen[s] = true
		}
	}
	return len(seen)
}

// outcome turns the tally into figures with intervals. order is the ranked attacker's
// order of the published tokens, nil without such an attack: then Attack.Ranked is nil.
func (t *tally) outcome(lc float64, rounds int, s *resampler, order reading, budgets []int) Outcome {
	nonsensitive := t.totalTokens - t.totalSensitive
	cost, paid := sum(t.cost), sum(t.paid)
	document := t.unseen(t.documents)
	out := Outcome{
		LC: lc, Rounds: rounds, Tokens: t.totalTokens, Sensitive: t.totalSensitive, Identifiers: t.totalSpans, Documents: t.totalDocuments,
		Informative: t.totalInformative, Patients: len(t.patients),
		Residual:          s.left(t.fn, document, t.totalSensitive),
		IdentifiersMissed: s.left(t.names, t.unseen(t.documentNames), t.totalSpans),
		FalsePositives:    s.count(t.fp, nonsensitive),
		NonsensitiveKept:  s.ratio(t.nonsensitiveKept, t.nonsensitive),
		PublishedRatio:    s.ratio(t.published, t.tokens),
		InformativeMissed: s.left(t.informative, t.unseen(t.documentInformative), t.totalInformative),
		DocumentsWithLeak: s.left(t.leaking, 1, t.totalDocuments),
		PatientsWithLeak:  s.left(t.patients, 1, len(t.patients)),
		ByLabel:           t.categories.outcomes(s),
		ByKind:            t.overRedacted(s),
		Loss:              s.unbounded(func(d times) float64 { return Loss(lc, 1, cost(d), paid(d)) }, lc*t.unseen(t.documentCosts)),
		Attack:            Attack{Classifier: s.left(t.attackerTP, document, t.totalSensitive)},
	}
	out.Attack.Ranked = rankedFinds(s, order, budgets, document, t.totalSensitive)
	return out
}

// unseen is the leak of the pseudo-document, given the numbers per document. If all that
// is sensitive is of one category, it is a document that has some, as for the category:
// most documents have none of something rare, and such a document would represent
// nothing.
func (t *tally) unseen(documents []float64) float64 {
	if !t.categories.one() {
		return percentile95(documents)
	}
	var some []float64
	for i, n := range t.documents {
		if n > 0 {
			some = append(some, documents[i])
		}
	}
	return percentile95(some)
}

// ErrAllChosen is returned if every document was selected for its content.
var ErrAllChosen = errors.New("no document was sampled at random, so nothing can be estimated")

// uncounted is the group of a document that no estimate counts.
const uncounted = -1

// countedGroups numbers the groups of the estimates, in order of first appearance;
// selected documents have the group uncounted.
func countedGroups(docs []annotate.Note) (group []int, n int) {
	counted := make([]annotate.Note, 0, len(docs))
	for _, d := range docs {
		if !d.Selected {
			counted = append(counted, d)
		}
	}
	numbers, n := groups(counted)
	group = make([]int, len(docs))
	next := 0
	for i, d := range docs {
		group[i] = uncounted
		if !d.Selected {
			group[i] = numbers[next]
			next++
		}
	}
	return group, n
}

// counted drops the tokens of selected documents; the others stay in order.
func counted(order []ranked) []ranked {
	return slices.DeleteFunc(order, func(r ranked) bool { return r.group == uncounted })
}

// categories tallies sensitive tokens by label. Groups without misses have no entry:
// thousands of labels cost no more than their tokens do.
type categories map[annotate.Label]*categoryTally

type categoryTally struct {
	tokens, spans            int
	missed, spansMissed      map[int]float64 // by group
	documents, documentSpans []float64       // tokens and spans of each document that has some
}

func (c categories) add(v annotate.View, g int) {
	here, seen, seenLeft := map[annotate.Label]*[2]int{}, map[int]bool{}, map[int]bool{}
	for x, s := range v.Sensitive {
		if !s {
			continue
		}
		label, span := v.Label(x), v.SpanOf[x]
		n := here[label]
		if n == nil {
			n = new([2]int)
			here[label] = n
		}
		n[0]++
		if !seen[span] {
			seen[span] = true
			n[1]++
		}
		if !v.Hidden(x) {
			c.of(label).addMissed(g, !seenLeft[span])
			seenLeft[span] = true
		}
	}
	for label, n := range here {
		c.of(label).addDocument(n[0], n[1])
	}
}

func (t *categoryTally) addMissed(g int, newSpan bool) {
	t.missed[g]++
	if newSpan {
		t.spansMissed[g]++
	}
}

func (t *categoryTally) addDocument(tokens, spans int) {
	t.tokens, t.spans = t.tokens+tokens, t.spans+spans
	t.documents, t.documentSpans = append(t.documents, float64(tokens)), append(t.documentSpans, float64(spans))
}

func (c categories) of(label annotate.Label) *categoryTally {
	t := c[label]
	if t == nil {
		t = &categoryTally{missed: map[int]float64{}, spansMissed: map[int]float64{}}
		c[label] = t
	}
	return t
}

// one reports whether all that is sensitive is of one category.
func (c categories) one() bool {
	_, unknown := c[""]
	return len(c) == 1 && !unknown
}

// outcomes are the categories by label, nil when no token has one.
func (c categories) outcomes(s *resampler) []Category {
	labels := slices.Sorted(maps.Keys(c))
	if len(labels) == 0 || len(labels) == 1 && !c.one() {
		return nil
	}
	out := make([]Category, len(labels))
	for i, label := range labels {
		t := c[label]
		out[i] = Category{Label: label, Sensitive: t.tokens, Spans: t.spans,
			Missed:      s.bounded(sumOf(amounts(t.missed)), percentile95(t.documents), t.tokens),
			SpansMissed: s.bounded(sumOf(amounts(t.spansMissed)), percentile95(t.documentSpans), t.spans)}
	}
	return out
}

// amounts lists the values of groups, most of which are 0.
func amounts(perGroup map[int]float64) []amount {
	some := make([]amount, 0, len(perGroup))
	for _, g := range slices.Sorted(maps.Keys(perGroup)) {
		some = append(some, amount{g, perGroup[g]})
	}
	return some
}
