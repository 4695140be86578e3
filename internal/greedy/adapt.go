// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"context"
	"slices"

	"hide/internal/annotate"
)

// PriorCorrector is a [Classifier] that estimates, without labels, how the class shares
// in documents to be published differ from training.
type PriorCorrector interface {
	Classifier
	// Rise is the factor r >= 1 by which the odds of all tokens should be raised for
	// documents like the views. It returns ctx's error soon after ctx ends.
	Rise(ctx context.Context, views []annotate.View) (float64, error)
	// Raised returns the classifier with all odds times r.
	Raised(r float64) Classifier
}

// Wary is a [Classifier] that trusts less of itself in documents of another kind.
type Wary interface {
	Classifier
	// Wary returns the classifier for documents like the views, and how far it trusts what it
	// learnt last, from 0 to 1; with 1 it is unchanged. It returns ctx's error soon after ctx
	// ends.
	Wary(ctx context.Context, views []annotate.View) (Classifier, float64, error)
}

// Publication is documents to be published. Their annotation is not read.
type Publication struct {
	Docs    []annotate.Note
	Differs bool // from the annotated documents, by the drift warning
}

// Adapted says what changed for a publication.
type Adapted struct {
	Trust   float64 // in the last stage of a [Wary] classifier, 0 to 1; the least of all choices
	Raised  float64 // the largest factor >= 1 by which odds were raised
	More    float64 // the share of the words that is redacted because of it, or by later rounds where documents differ
	Limited bool    // without the limit of MostMore it would be more
}

// Applied counts what classifiers redact in documents to be published. It is a count, not an
// estimate: nobody knows which of the redacted words are sensitive.
type Applied struct {
	Documents int `json:"notes"`
	Words     int `json:"words"`
	Redacted  int `json:"words_redacted"`
}

// MostMore is how many words, as a share of all, may be redacted because odds were raised
// and, in documents that differ, by the rounds after the first. Nobody has measured how many
// of these words are sensitive.
const MostMore = 0.02

// AdaptTo makes the classifiers of all choices those for a publication. Counts and estimates
// stay unchanged: they are about documents like the annotated ones.
//
// Each [PriorCorrector] that reads original documents has its odds raised, and everything
// that the classifiers redact is still redacted. If the documents differ, thresholds that
// were tuned on the annotated documents do not carry over. The first classifier, made wary,
// then marks what has odds of at least C/L, and later rounds, which know only what the first left in
// the annotated documents, are limited to [MostMore]. What is redacted then is counted in
// [Choice.Applied]. After an error r is unchanged.
func (r *Result) AdaptTo(ctx context.Context, p Publication) (Adapted, error) {
	all, t := unchanged, newAdaptation(p, r.lossByLabel)
	ensembles := make([]Ensemble, len(r.Choices))
	for i, c := range r.Choices {
		e, a, err := t.ensemble(ctx, c.Classifiers, c.At)
		if err != nil {
			return unchanged, err
		}
		ensembles[i] = e
		all = Adapted{min(all.Trust, a.Trust), max(all.Raised, a.Raised), max(all.More, a.More), all.Limited || a.Limited}
	}
	for i, e := range ensembles {
		r.Choices[i].Classifiers = e
		if p.Differs {
			r.Choices[i].Applied = &Applied{len(p.Docs), t.tokens, newMarks(make([][]bool, len(p.Docs)), e.RedactAll(p.Docs))}
		}
	}
	return all, nil
}

var unchanged = Adapted{Trust: 1, Raised: 1}

// adaptation adapts ensembles to one publication. It asks and scores each classifier once,
// because values of L/C share them.
type adaptation struct {
	Publication
	lossByLabel bool // thresholds at which a token pays depend on its label
	views       []annotate.View
	tokens      int
	wary        map[Classifier]waryOf
	rises       map[Classifier]float64
	scores      map[Classifier][][]float64
}

func newAdaptation(p Publication, lossByLabel bool) *adaptation {
	t := &adaptation{Publication: p, lossByLabel: lossByLabel, views: views(p.Docs, make([][]bool, len(p.Docs))), wary: map[Classifier]waryOf{}, rises: map[Classifier]float64{}, scores: map[Classifier][][]float64{}}
	for _, d := range p.Docs {
		t.tokens += len(d.Words)
	}
	return t
}

// ensemble adapts H for an L/C.
func (t *adaptation) ensemble(ctx context.Context, e Ensemble, lc float64) (Ensemble, Adapted, error) {
	out, a := slices.Clone(e), unchanged
	if len(out) == 0 || t.tokens == 0 {
		return out, a, ctx.Err()
	}
	room := int(MostMore * float64(t.tokens))
	if t.Differs {
		if !out[0].Hard && !t.lossByLabel {
			out[0].Threshold = 1 / (1 + lc)
		}
		var err error
		if out[0].Classifier, a.Trust, err = t.makeWary(ctx, out[0].Classifier); err != nil {
			return nil, a, err
		}
		used, limited := t.limitLater(out, room)
		a.More, a.Limited = float64(used)/float64(t.tokens), limited
		room -= used
	}
	return t.raise(ctx, out, room, a)
}

type waryOf struct {
	h     Classifier
	trust float64
}

func (t *adaptation) makeWary(ctx context.Context, h Classifier) (Classifier, float64, error) {
	w, can := h.(Wary)
	if !can {
		return h, 1, nil
	}
	if known, done := t.wary[h]; done {
		return known.h, known.trust, nil
	}
	made, trust, err := w.Wary(ctx, t.views)
	if err == nil {
		t.wary[h] = waryOf{made, trust}
	}
	return made, trust, err
}

// limitLater raises the thresholds of later rounds until they mark at most room words
// together, and returns how many they mark.
func (t *adaptation) limitLater(e Ensemble, room int) (used int, limited bool) {
	if len(e) < 2 {
		return 0, false
	}
	masks := e[:1].RedactAll(t.Docs)
	for k := 1; k < len(e); k++ {
		read := masks
		if e[k].Whole {
			read = make([][]bool, len(t.Docs))
		}
		marks := e[k].marks(views(t.Docs, read))
		more := newMarks(masks, marks)
		if more > room-used {
			e[k].Threshold, e[k].Hard, limited = t.highest(e[k], read, masks, room-used), false, true
			marks = e[k].marks(views(t.Docs, read))
			more = newMarks(masks, marks)
		}
		used += more
		for i := range masks {
			masks[i] = union(masks[i], marks[i])
		}
	}
	return used, limited
}

// highest is the threshold at which a classifier marks at most room words that are not
// masked; it is above every score where equal scores leave no other.
func (t *adaptation) highest(a Accepted, read, masks [][]bool, room int) float64 {
	var all []float64
	for i, scores := range ScoreAll(a.Classifier, views(t.Docs, read)) {
		for x, s := range a.Prices.priced(t.Docs[i].Words, scores) {
			if !masks[i][x] {
				all = append(all, s)
			}
		}
	}
	slices.Sort(all)
	slices.Reverse(all)
	for room > 0 && room < len(all) && all[room-1] == all[room] {
		room--
	}
	if room <= 0 || len(all) == 0 {
		return 2
	}
	return all[min(room, len(all))-1]
}

// newMarks counts the marks that no mask has. A mask may be nil.
func newMarks(masks, marks [][]bool) int {
	n := 0
	for i := range marks {
		for x, marked := range marks[i] {
			if marked && (masks[i] == nil || !masks[i][x]) {
				n++
			}
		}
	}
	return n
}

// raise places classifiers with higher odds after those that read what others left, which
// may miss more in less text. If none follows, they replace the originals, which mark nothing
// more.
func (t *adaptation) raise(ctx context.Context, e Ensemble, room int, a Adapted) (Ensemble, Adapted, error) {
	out, after := slices.Clone(e), Ensemble(nil)
	var masks [][]bool // of e, when they are needed
	for k, of := range e {
		h, can := of.Classifier.(PriorCorrector)
		if !can || k > 0 && !of.Whole {
			continue
		}
		rise, err := t.rise(ctx, h)
		if err != nil {
			return nil, a, err
		}
		if rise <= 1 {
			continue
		}
		if masks == nil {
			masks = e.RedactAll(t.Docs)
		}
		limit, more := t.within(of, masks, rise, room)
		a = Adapted{a.Trust, max(a.Raised, limit), a.More + float64(more)/float64(t.tokens), a.Limited || limit < rise}
		if room -= more; limit <= 1 {
			continue
		}
		of.Classifier = h.Raised(limit)
		if slices.ContainsFunc(e[k+1:], func(later Accepted) bool { return !later.Whole }) {
			of.Whole = true
			after = append(after, of)
		} else {
			out[k] = of
		}
	}
	return append(out, after...), a, nil
}

func (t *adaptation) rise(ctx context.Context, h PriorCorrector) (float64, error) {
	if r, known := t.rises[h]; known {
		return r, nil
	}
	r, err := h.Rise(ctx, t.views)
	if err == nil {
		t.rises[h] = r
	}
	return r, err
}

// within is the largest factor up to rise with which a classifier marks at most room words
// that are not masked, and how many it marks then. A token of odds o is marked from the
// factor T/(1-T)/o on, with the threshold T.
func (t *adaptation) within(a Accepted, masks [][]bool, rise float64, room int) (factor float64, more int) {
	if a.Threshold >= 1 {
		return 1, 0 // no factor makes it mark anything
	}
	if t.scores[a.Classifier] == nil {
		t.scores[a.Classifier] = ScoreAll(a.Classifier, t.views)
	}
	var from []float64
	for i, scores := range t.scores[a.Classifier] {
		for x, s := range a.Prices.priced(t.Docs[i].Words, scores) {
			if needed := a.Threshold / (1 - a.Threshold) * (1 - s) / s; !masks[i][x] && needed <= rise {
				from = append(from, needed)
			}
		}
	}
	if len(from) <= room {
		return rise, len(from)
	}
	slices.Sort(from)
	for room > 0 && from[room-1] == from[room] {
		room--
	}
	if room == 0 {
		return 1, 0
	}
	return max(1, from[room-1]*(1+1e-9)), room // despite rounding it is marked
}
