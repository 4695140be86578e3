// SPDX-License-Identifier: Apache-2.0

package greedy

// tally is what a mask publishes and loses, per group.
type tally struct {
	fn, fp, names, leaking      []float64 // FN(H), FP(H), spans with a token left, documents with one
	tokens, nonsensitive        []float64
	published, nonsensitiveKept []float64
	totalTokens, totalSensitive int
	totalSpans, totalDocuments  int
	attackerTP                  []float64 // of the papers' attacker
	documents, documentNames    []float64 // sensitive tokens and spans of each document, not group
}

func newTally(docs []Doc, masks [][]bool, group []int, n int) *tally {
	t := &tally{totalDocuments: len(docs)}
	for _, column := range []*[]float64{&t.fn, &t.fp, &t.names, &t.leaking, &t.tokens, &t.nonsensitive, &t.published, &t.nonsensitiveKept, &t.attackerTP} {
		*column = make([]float64, n)
	}
	for i := range docs {
		t.add(View{&docs[i], masks[i]}, group[i])
	}
	return t
}

func (t *tally) add(v View, g int) {
	none := make([]bool, len(v.Words))
	c := CountOn(v.Redacted, none, v.Sensitive)
	t.fn[g] += float64(c.FN)
	t.fp[g] += float64(c.FP)
	t.tokens[g] += float64(len(v.Words))
	t.nonsensitive[g] += float64(c.FP + c.TN)
	t.nonsensitiveKept[g] += float64(c.TN)
	t.published[g] += float64(c.FN + c.TN)
	t.names[g] += float64(namesLeft(v))
	if c.FN > 0 {
		t.leaking[g]++
	}
	t.totalTokens += len(v.Words)
	t.totalSensitive += c.TP + c.FN
	t.totalSpans += spans(v)
	t.documents, t.documentNames = append(t.documents, float64(c.TP+c.FN)), append(t.documentNames, float64(spans(v)))
}

// spans is the number of sensitive spans.
func spans(v View) int {
	seen := map[int]bool{}
	for _, s := range v.Span {
		if s >= 0 {
			seen[s] = true
		}
	}
	return len(seen)
}

// namesLeft is the number of sensitive spans of which a token is left.
func namesLeft(v View) int {
	seen := map[int]bool{}
	for x, s := range v.Span {
		if v.Left(x) {
			seen[s] = true
		}
	}
	return len(seen)
}

// outcome turns the tally into figures with intervals. order is the ranked
// attacker's order of what is published, nil when there was no such attack: then
// Attack.Ranked is nil.
func (t *tally) outcome(lc float64, rounds int, s *resampler, order []ranked, budgets []int) Outcome {
	nonsensitive := t.totalTokens - t.totalSensitive
	fn, fp := sum(t.fn), sum(t.fp)
	document := percentile95(t.documents) // what the pseudo-document leaks
	out := Outcome{
		LC: lc, Rounds: rounds, Tokens: t.totalTokens, Sensitive: t.totalSensitive, Names: t.totalSpans, Documents: t.totalDocuments,
		Residual:          s.left(t.fn, document, t.totalSensitive),
		NamesLeft:         s.left(t.names, percentile95(t.documentNames), t.totalSpans),
		FalsePositives:    s.count(t.fp, nonsensitive),
		NonsensitiveKept:  s.ratio(t.nonsensitiveKept, t.nonsensitive),
		PublishedRatio:    s.ratio(t.published, t.tokens),
		DocumentsWithLeak: s.left(t.leaking, 1, t.totalDocuments),
		Loss:              s.unbounded(func(d []float64) float64 { return lc*fn(d) + fp(d) }, lc*document),
		Attack:            Attack{Classifier: s.left(t.attackerTP, document, t.totalSensitive)},
	}
	out.Attack.Ranked = rankedFinds(s, order, budgets, document, t.totalSensitive)
	return out
}

func rankedFinds(s *resampler, order []ranked, budgets []int, document float64, sensitive int) map[int]Estimate {
	if order == nil {
		return nil
	}
	finds := make(map[int]Estimate, len(budgets))
	for _, b := range budgets {
		finds[b] = s.bounded(func(drawn []float64) float64 { return found(order, b, drawn) }, min(document, float64(b)), min(b, sensitive))
	}
	return finds
}
