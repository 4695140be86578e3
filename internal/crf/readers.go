// SPDX-License-Identifier: Apache-2.0

package crf

import (
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
	if len(r.doc.ids) > rememberedTokens {
		*r.doc = scratch{}
	}
	p.pool.Put(r)
}

// maxSums is how many numbers of summed bundles a tagger remembers: 32 MiB. Its reader
// remembers less of most notes.
const maxSums = 1 << 23

// tagger is the model's tagger for documents of a reader. Nobody else has either.
func (m *Model) tagger(r *reader) *tagger {
	m.mu.Lock()
	defer m.mu.Unlock()
	key := weak.Make(r)
	t := m.taggers[key]
	if t == nil {
		m.index()
		t = m.bench()
		t.extract = (&extractor{plan: planOf(m.families)}).hashed(t)
		m.remember(key, t)
	}
	t.extract.reader = r
	return t
}

// remember adds a tagger and drops those of readers that are gone.
func (m *Model) remember(key weak.Pointer[reader], t *tagger) {
	for k := range m.taggers {
		if k.Value() == nil {
			delete(m.taggers, k)
		}
	}
	if m.taggers == nil {
		m.taggers = map[weak.Pointer[reader]]*tagger{}
	}
	m.taggers[key] = t
}

// release drops a tagger that remembers too much.
func (m *Model) release(t *tagger) {
	if t.sums.size() > maxSums {
		m.mu.Lock()
		delete(m.taggers, weak.Make(t.extract.reader))
		m.mu.Unlock()
	}
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
