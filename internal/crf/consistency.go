// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"encoding/binary"
	"slices"
	"strconv"

	"hide/internal/annotate"
)

// hearsay is what a first pass says of the same word in other places: in the rest
// of the document, and in the patient's other documents. What is a name in one
// place is one in others, though there nothing around it says so.
type hearsay struct {
	document, group rumour
}

// rumour is the label that was thought likeliest in some places, in buckets.
type rumour struct {
	label      int16 // index, -1 for nothing heard
	most, mean uint8 // highest probability of that label, and the mean one of being sensitive
	count      uint8 // of places, at most 3
}

var silence = rumour{label: -1}

// heard sums up what was said of one word in several places.
type heard struct {
	places int
	sum    float64   // of the probabilities of being sensitive
	most   []float64 // by label
}

// add hears of one place, whose probabilities by label are p.
func (h *heard) add(p []float64) {
	sensitive := 0.0
	for _, v := range p {
		sensitive += v
	}
	h.merge(&heard{1, sensitive, p})
}

func (h *heard) merge(o *heard) {
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

func (h *heard) rumour() rumour {
	if len(h.most) == 0 {
		return silence
	}
	best := 0
	for k, v := range h.most {
		if v > h.most[best] {
			best = k
		}
	}
	return rumour{int16(best), probabilityBucket(h.most[best]), probabilityBucket(h.sum / float64(h.places)), uint8(min(h.places, 3))}
}

func probabilityBucket(p float64) uint8 {
	at, _ := slices.BinarySearch([]float64{0.01, 0.05, 0.2, 0.4, 0.6, 0.8, 0.95, 0.99}, p)
	return uint8(at)
}

// echoes reports whether what is said of a word elsewhere is worth hearing: of
// those that everybody writes it is not.
func (c class) echoes(word string) bool {
	return c.named() && c != capital || c == small && len(word) > 2 || c == both || c >= '2' && c <= '5' || c == caseless
}

// maxPlaces is how many places of a word in one document are told apart. With more
// of them each one hears itself too.
const maxPlaces = 40

// notebook is what was said of each word of one document.
type notebook struct {
	keys   []string         // of each token; "" for one not asked about
	places map[string][]int // tokens with that key
	totals map[string]*heard
}

func newNotebook(d sequence, said [][]float64) notebook {
	n := notebook{make([]string, len(d.words)), map[string][]int{}, map[string]*heard{}}
	for t, w := range d.words {
		if !classOf(w).echoes(w) {
			continue
		}
		key := fold(clip(w))
		n.keys[t], n.places[key] = key, append(n.places[key], t)
		if n.totals[key] == nil {
			n.totals[key] = &heard{}
		}
		n.totals[key].add(said[t])
	}
	return n
}

// elsewhere is what was said of token t's word in the other places of the document.
func (n notebook) elsewhere(t int, said [][]float64) rumour {
	places := n.places[n.keys[t]]
	if len(places) > maxPlaces {
		return n.totals[n.keys[t]].rumour()
	}
	others := heard{}
	for _, at := range places {
		if at != t {
			others.add(said[at])
		}
	}
	return others.rumour()
}

// hear is what each token of each document hears, when said is what a first pass
// says of them: probabilities [document][token][label].
func hear(docs []sequence, said [][][]float64) [][]hearsay {
	out := make([][]hearsay, len(docs))
	for _, group := range grouped(docs) {
		notes := make([]notebook, len(group))
		for g, i := range group {
			notes[g] = newNotebook(docs[i], said[i])
		}
		others := beside(notes)
		for g, i := range group {
			out[i] = make([]hearsay, len(docs[i].words))
			for t, key := range notes[g].keys {
				out[i][t] = hearsay{silence, silence}
				if key != "" {
					out[i][t] = hearsay{notes[g].elsewhere(t, said[i]), others[g][key]}
				}
			}
		}
	}
	return out
}

// beside is what was said of each word of each note in the other notes of the
// group: what those before it say, and those after it, so that a group of many
// notes takes time in proportion to what they hold.
func beside(notes []notebook) []map[string]rumour {
	out, holders := make([]map[string]rumour, len(notes)), map[string][]int{}
	for g, n := range notes {
		out[g] = make(map[string]rumour, len(n.totals))
		for key := range n.totals {
			holders[key] = append(holders[key], g)
		}
	}
	for key, with := range holders {
		after := make([]heard, len(with))
		for k := len(with) - 1; k > 0; k-- {
			after[k-1].merge(&after[k])
			after[k-1].merge(notes[with[k]].totals[key])
		}
		before := heard{}
		for k, g := range with {
			after[k].merge(&before)
			out[g][key] = after[k].rumour()
			before.merge(notes[g].totals[key])
		}
	}
	return out
}

func (r rumour) key() int32 {
	return int32(r.label+1)<<16 | int32(r.most)<<12 | int32(r.mean)<<4 | int32(r.count)
}

func (h hearsay) append(to []byte) []byte {
	to = binary.LittleEndian.AppendUint32(to, uint32(h.document.key()))
	return binary.LittleEndian.AppendUint32(to, uint32(h.group.key()))
}

// consistency gives what the token hears, alone and with the class of its word.
func (x *extractor) consistency(t int, to []int32) []int32 {
	if len(x.doc.heard) == 0 || x.doc.heard[t] == (hearsay{silence, silence}) {
		return to
	}
	h, k := x.doc.heard[t], x.infoAt(t).class
	return keep(to, x.keyed(bundleKey{heardBundle, h.document.key(), h.group.key(), int32(k)}, func(a *attributes) {
		a.rumour("2d", h.document, k)
		a.rumour("2g", h.group, k)
	}))
}

func (a *attributes) rumour(prefix string, r rumour, k class) {
	if r.label < 0 {
		return
	}
	likeliest, class := strconv.Itoa(int(r.label))+"|"+string('0'+r.most), string(rune(k))
	a.add(prefix, "=", likeliest)
	a.add(prefix, "k=", likeliest, "|", class)
	a.add(prefix, "m=", string('0'+r.mean), "|", class)
	a.add(prefix, "#=", string('0'+r.count), string('0'+r.mean))
}

// marginalsBy gives each token's probabilities in the order of labels.
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
