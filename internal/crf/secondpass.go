// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"context"
	"encoding/binary"
	"slices"
	"strconv"

	"hide/internal/annotate"
)

// The second pass (Krishnan and Manning, ACL 2006, section 3). A first model gives each
// token its probabilities. A second model reads the same features, and also the first
// model's output for the same word in other places. It must train on the output for
// documents that the first model has not seen, because that is how it is used: the
// training documents are cross-fitted.

const (
	crossFits      = 3    // models that the training documents are cross-fitted with
	roughTolerance = 0.01 // of those models: their probabilities are only used in coarse buckets
	roughLimit     = 50   // iterations
)

// firstPass trains the first model, and gives each document the evidence of models that
// were trained without it and its group.
func (t *Trainer) firstPass(ctx context.Context, docs []sequence) (*Model, []sequence, error) {
	o := t.options
	o.Features &^= Consistency
	o.Progress, o.Intermediate, o.Trace = t.Progress, nil, Trace{}
	first, err := t.readFirst(ctx, docs, o)
	if err != nil {
		return nil, nil, err
	}
	o.Progress, o.Warm = nil, nil
	o.Tolerance, o.MaxIterations, o.Polish = max(o.Tolerance, roughTolerance), min(o.MaxIterations, roughLimit), false
	said := make([][][]float64, len(docs))
	groups := grouped(docs)
	for fold := range min(crossFits, len(groups)) {
		if err := first.crossFit(ctx, docs, groups, fold, o, said); err != nil {
			return nil, nil, err
		}
	}
	return first, withFirstPass(docs, said), nil
}

// readFirst trains the first model, starting from the last training of t. The models of
// the folds always start from zero: documents change folds when others arrive, and a
// model must not remember what is now held out.
func (t *Trainer) readFirst(ctx context.Context, docs []sequence, o Options) (m *Model, err error) {
	if t.single {
		m, _, err = trainOn(ctx, docs, o)
		return m, err
	}
	if t.before == nil {
		if t.before, err = NewTrainer(o); err != nil {
			return nil, err
		}
	}
	t.before.Progress = o.Progress
	m, _, err = t.before.trainOn(ctx, docs)
	return m, err
}

// crossFit applies a model of the other folds to the documents of each fold.
func (m *Model) crossFit(ctx context.Context, docs []sequence, groups [][]int, fold int, o Options, said [][][]float64) error {
	var kept []sequence
	var held []int
	for g, group := range groups {
		if g%crossFits == fold {
			held = append(held, group...)
			continue
		}
		for _, i := range group {
			kept = append(kept, docs[i])
		}
	}
	says, err := m.rough(ctx, kept, o)
	if err != nil {
		return err
	}
	for _, i := range held {
		if err := ctx.Err(); err != nil {
			return err
		}
		said[i] = says(docs[i])
	}
	return nil
}

// rough returns the output, for another document, of a model trained on docs. If docs
// have no labels, it says that nothing is sensitive; m cannot be used, because it has
// seen the document.
func (m *Model) rough(ctx context.Context, docs []sequence, o Options) (says func(sequence) [][]float64, err error) {
	if len(labelsOf(docs)) == 0 {
		return func(d sequence) [][]float64 {
			return slices.Repeat([][]float64{make([]float64, len(m.states.labels))}, len(d.words))
		}, nil
	}
	rough, _, err := trainOn(ctx, docs, o)
	return func(d sequence) [][]float64 { return rough.marginalsBy(m.states.labels, d) }, err
}

// withFirstPass returns the documents with their first-pass evidence.
func withFirstPass(docs []sequence, said [][][]float64) []sequence {
	out := make([]sequence, len(docs))
	for i, heard := range evidenceOf(docs, said) {
		out[i] = docs[i]
		out[i].firstPass = heard
	}
	return out
}

// withFirstPass returns d with evidence from its own words, unless it has evidence
// already.
func (m *Model) withFirstPass(d sequence) sequence {
	if m.first == nil || d.firstPass != nil {
		return d
	}
	return withFirstPass([]sequence{d}, [][][]float64{m.first.marginalsBy(m.first.states.labels, d)})[0]
}

// firstPassEvidence is the first pass's output for the same word in other places: in
// the rest of the document, and in the patient's other documents. A name in one place
// is a name in others, even without clues around it.
type firstPassEvidence struct {
	document, group evidence
}

// evidence is the most probable label in some places, in buckets.
type evidence struct {
	label      int16 // index, -1 without evidence
	most, mean uint8 // highest probability of that label, and mean probability of being sensitive
	count      uint8 // of places, at most 3
}

var noEvidence = evidence{label: -1}

// evidenceTally sums up the first-pass output for one word in several places.
type evidenceTally struct {
	places int
	sum    float64   // of the probabilities of being sensitive
	most   []float64 // by label
}

// add adds one place, with the probabilities p by label.
func (h *evidenceTally) add(p []float64) {
	sensitive := 0.0
	for _, v := range p {
		sensitive += v
	}
	h.merge(&evidenceTally{1, sensitive, p})
}

func (h *evidenceTally) merge(o *evidenceTally) {
	if len(o.most) == 0 {
		return
	}
	if h.most == nil {
		h.most = make([]float64, len(o.most))
	}
	h.places += o.places
	h.sum += o.sum
	for k, v := range o.most {
		h.most[k] = max(h.most[k], v)
	}
}

func (h *evidenceTally) evidence() evidence {
	if len(h.most) == 0 {
		return noEvidence
	}
	best := 0
	for k, v := range h.most {
		if v > h.most[best] {
			best = k
		}
	}
	return evidence{int16(best), probabilityBucket(h.most[best]), probabilityBucket(h.sum / float64(h.places)), uint8(min(h.places, 3))}
}

func probabilityBucket(p float64) uint8 {
	at, _ := slices.BinarySearch([]float64{0.01, 0.05, 0.2, 0.4, 0.6, 0.8, 0.95, 0.99}, p)
	return uint8(at)
}

// comparable reports whether first-pass output for a word is informative elsewhere. For
// everyday words it is not.
func (c class) comparable(word string) bool {
	return c.named() && c != capital || c == small && len(word) > 2 || c == both || c >= '2' && c <= '5' || c == caseless
}

// maxPlaces is the number of places of a word in one document up to which a place
// excludes itself from its evidence.
const maxPlaces = 40

// noteEvidence is the first-pass output for each word of one document.
type noteEvidence struct {
	keys   []string         // of each token; "" without evidence
	places map[string][]int // tokens with that key
	totals map[string]*evidenceTally
}

func newNoteEvidence(d sequence, said [][]float64) noteEvidence {
	n := noteEvidence{make([]string, len(d.words)), map[string][]int{}, map[string]*evidenceTally{}}
	for t, w := range d.words {
		if !classOf(w).comparable(w) {
			continue
		}
		key := fold(clip(w))
		n.keys[t], n.places[key] = key, append(n.places[key], t)
		if n.totals[key] == nil {
			n.totals[key] = &evidenceTally{}
		}
		n.totals[key].add(said[t])
	}
	return n
}

// elsewhere is the evidence for token t from the other places of its word in the
// document.
func (n noteEvidence) elsewhere(t int, said [][]float64) evidence {
	places := n.places[n.keys[t]]
	if len(places) > maxPlaces {
		return n.totals[n.keys[t]].evidence()
	}
	others := evidenceTally{}
	for _, at := range places {
		if at != t {
			others.add(said[at])
		}
	}
	return others.evidence()
}

// evidenceOf returns the evidence of each token of each document. said is the output of
// a first pass: probabilities [document][token][label].
func evidenceOf(docs []sequence, said [][][]float64) [][]firstPassEvidence {
	out := make([][]firstPassEvidence, len(docs))
	for _, group := range grouped(docs) {
		notes := make([]noteEvidence, len(group))
		for g, i := range group {
			notes[g] = newNoteEvidence(docs[i], said[i])
		}
		others := inOtherNotes(notes)
		for g, i := range group {
			out[i] = make([]firstPassEvidence, len(docs[i].words))
			for t, key := range notes[g].keys {
				out[i][t] = firstPassEvidence{noEvidence, noEvidence}
				if key != "" {
					out[i][t] = firstPassEvidence{notes[g].elsewhere(t, said[i]), others[g][key]}
				}
			}
		}
	}
	return out
}

// inOtherNotes is the evidence for each word of each note from the other notes of the
// group. It merges sums over the notes before and after, so that it takes linear time
// in the size of the group.
func inOtherNotes(notes []noteEvidence) []map[string]evidence {
	out, holders := make([]map[string]evidence, len(notes)), map[string][]int{}
	for g, n := range notes {
		out[g] = make(map[string]evidence, len(n.totals))
		for key := range n.totals {
			holders[key] = append(holders[key], g)
		}
	}
	for key, with := range holders {
		after := make([]evidenceTally, len(with))
		for k := len(with) - 1; k > 0; k-- {
			after[k-1].merge(&after[k])
			after[k-1].merge(notes[with[k]].totals[key])
		}
		before := evidenceTally{}
		for k, g := range with {
			after[k].merge(&before)
			out[g][key] = after[k].evidence()
			before.merge(notes[g].totals[key])
		}
	}
	return out
}

func (r evidence) key() int32 {
	return int32(r.label+1)<<16 | int32(r.most)<<12 | int32(r.mean)<<4 | int32(r.count)
}

func (h firstPassEvidence) append(to []byte) []byte {
	to = binary.LittleEndian.AppendUint32(to, uint32(h.document.key()))
	return binary.LittleEndian.AppendUint32(to, uint32(h.group.key()))
}

// consistency adds the token's evidence, alone and with the class of its word.
func (x *extractor) consistency(t int, to []int32) []int32 {
	if len(x.doc.heard) == 0 || x.doc.heard[t] == (firstPassEvidence{noEvidence, noEvidence}) {
		return to
	}
	h, k := x.doc.heard[t], x.infoAt(t).class
	return keep(to, x.keyed(bundleKey{firstPassBundle, h.document.key(), h.group.key(), int32(k)}, func(a *attributes) {
		a.addEvidence("2d", h.document, k)
		a.addEvidence("2g", h.group, k)
	}))
}

func (a *attributes) addEvidence(prefix string, r evidence, k class) {
	if r.label < 0 {
		return
	}
	likeliest, class := strconv.Itoa(int(r.label))+"|"+string('0'+r.most), string(rune(k))
	a.add(prefix, "=", likeliest)
	a.add(prefix, "k=", likeliest, "|", class)
	a.add(prefix, "m=", string('0'+r.mean), "|", class)
	a.add(prefix, "#=", string('0'+r.count), string('0'+r.mean))
}

// marginalsBy returns each token's probabilities in the order of labels.
func (m *Model) marginalsBy(labels []annotate.Label, d sequence) [][]float64 {
	p, own := m.marginalsOf(d)
	out := make([][]float64, len(p))
	for t := range p {
		out[t] = make([]float64, len(labels))
		for j, l := range own {
			if k, known := slices.BinarySearch(labels, l); known {
				out[t][k] = p[t][j]
			}
		}
	}
	return out
}
