// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"slices"
	"sync"
	"weak"
)

// readers are the readers that nobody uses at the moment.
type readers struct{ pool sync.Pool }

// What readers of a pool remember: the versions of a note that the classifiers of an
// ensemble read, and the notes of a patient.
const (
	rememberedNotes  = 8
	rememberedTokens = 1 << 14 // of one note; longer ones are forgotten
	rememberedBytes  = 1 << 20 // of one note and what is known of its people
	rememberedKeys   = 1 << 18
)

func (p *readers) take(g *gazetteer, plain bool) *reader {
	if r, ok := p.pool.Get().(*reader); ok {
		return r
	}
	return newReader(g, plain, rememberedNotes)
}

// give gives a reader back, unless it remembers too much.
func (p *readers) give(r *reader) {
	if r.keys.Len() > rememberedKeys || len(r.strings) > rememberedKeys || len(r.infos) > rememberedKeys {
		return
	}
	if len(r.doc.ids) > rememberedTokens || r.doc.of.bytes() > rememberedBytes {
		*r.doc = scratch{}
	}
	p.pool.Put(r)
}

// bytes is the length of what a document holds.
func (d sequence) bytes() int {
	n := len(d.text)
	for _, value := range d.known {
		n += len(value)
	}
	for _, p := range d.people {
		n += len(p.Value) + len(p.From)
	}
	return n
}

// What a reader remembers of models.
const (
	rememberedModels  = 64
	rememberedNumbers = 1 << 25 // of bundles and their sums, of all models: 128 MiB
)

// taggerOf is the tagger of a model, which may be gone.
type taggerOf struct {
	model  weak.Pointer[Model]
	tagger *tagger
}

// tagger is the model's tagger for the reader's documents, until release.
func (r *reader) tagger(m *Model) *tagger {
	key := weak.Make(m)
	at := slices.IndexFunc(r.taggers, func(t taggerOf) bool { return t.model == key })
	if at < 0 {
		r.taggers = slices.DeleteFunc(r.taggers, func(t taggerOf) bool { return t.model.Value() == nil })
		m.index()
		t := m.bench()
		t.extract = (&extractor{plan: planOf(m.families), reader: r}).hashed(t)
		at, r.taggers = len(r.taggers), append(r.taggers, taggerOf{key, t})
	}
	t := r.taggers[at]
	copy(r.taggers[1:at+1], r.taggers[:at])
	r.taggers[0], t.tagger.model = t, m
	return t.tagger
}

// release ends the use of the last tagger. It drops those used first if the reader
// remembers too much.
func (r *reader) release() {
	r.taggers[0].tagger.model = nil
	n, numbers := 0, 0
	for _, t := range r.taggers[:min(len(r.taggers), rememberedModels)] {
		if numbers += t.tagger.size(); numbers > rememberedNumbers {
			break
		}
		n++
	}
	r.taggers = slices.Delete(r.taggers, n, len(r.taggers))
}

// pool has the readers that see what the model's features need.
func (m *Model) pool() *readers {
	switch {
	case m.gazette == nil:
		return &m.readers
	case m.families.plain():
		return &m.gazette.readers[1]
	}
	return &m.gazette.readers[0]
}
