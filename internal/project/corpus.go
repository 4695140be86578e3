// SPDX-License-Identifier: Apache-2.0

package project

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"iter"

	"hide/internal/annotate"
	"hide/internal/store"
)

// numbered is a document with its number, its people's spans, and the revision
// of its layer that they are from.
type numbered struct {
	annotate.Annotated
	id       annotate.DocumentID
	revision int
}

// documents yields documents, each from a transaction of its own, so that a slow
// reader holds nothing up.
func (s *Service) documents(ctx context.Context, ws *workspace, docs []annotate.DocumentID) iter.Seq2[numbered, error] {
	return func(yield func(numbered, error) bool) {
		for _, doc := range docs {
			d, layer, err := s.fetch(ws.id, doc)
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				yield(numbered{}, err)
				return
			}
			if !yield(numbered{annotate.Annotated{Document: d, Spans: layer.Spans()}, doc, layer.Revision}, nil) {
				return
			}
		}
	}
}

// corpus is the finished documents of a project as they were read.
type corpus struct {
	docs      []numbered
	random    []bool // docs[i] belongs to the random sample
	help      []help // whether suggestions were shown in docs[i] before it was done
	revisions string // fingerprint of the numbers and contents read
	content   string // keyed fingerprint of the texts and spans read
}

// views are the notes as training reads them, cut into tokens.
func (c corpus) views() []annotate.View {
	views := make([]annotate.View, len(c.docs))
	for i, d := range c.docs {
		views[i].Note = new(annotate.NewNote(d.Annotated))
	}
	return views
}

// snapshot reads the finished documents.
func (s *Service) snapshot(ctx context.Context, ws *workspace) (corpus, error) {
	c := corpus{}
	sample := ws.sample()
	revisions, content := sha256.New(), sha256.New()
	for d, err := range s.documents(ctx, ws, ws.finished()) {
		if err != nil {
			return corpus{}, err
		}
		c.docs = append(c.docs, d)
		st, err := ws.find(d.id)
		if err != nil {
			return corpus{}, err
		}
		c.random, c.help = append(c.random, sample[d.id]), append(c.help, st.Help)
		hashRevision(revisions, d.id, st.content(d.revision))
		hashContent(content, d.Annotated)
	}
	c.revisions = hex.EncodeToString(revisions.Sum(nil))
	err := s.store.View(string(ws.id), func(tx *store.Tx) error {
		c.content = hex.EncodeToString(tx.HMAC(content.Sum(nil)))
		return nil
	})
	return c, err
}

// revisions is the fingerprint of the finished documents as they are now: it
// changes whenever their set or the spans of one of them do.
func (ws *workspace) revisions() string {
	ws.mu.RLock()
	defer ws.mu.RUnlock()
	h := sha256.New()
	for _, doc := range ws.order {
		if st := ws.docs[doc]; st.State == annotate.Done {
			hashRevision(h, doc, st.content(st.Revision))
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

func hashRevision(h hash.Hash, doc annotate.DocumentID, revision int) {
	hashNumbers(h, int(doc), revision)
}

func hashContent(h hash.Hash, d annotate.Annotated) {
	hashNumbers(h, len(d.Text), len(d.Spans))
	h.Write([]byte(d.Text))
	for _, s := range d.Spans {
		hashNumbers(h, int(s.Start), int(s.End), len(s.Label))
		h.Write([]byte(s.Label))
	}
}

func hashNumbers(h hash.Hash, numbers ...int) {
	for _, n := range numbers {
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(n)))
	}
}

func (c corpus) randomly() int {
	n := 0
	for _, r := range c.random {
		if r {
			n++
		}
	}
	return n
}

// measured is how many documents estimates are made from: those of the random
// sample or, where they are too few to say anything, all.
func (c corpus) measured() int {
	if n := c.randomly(); n >= minRandom {
		return n
	}
	return len(c.docs)
}

// groups gives each document's group (patient), for folds and resampling.
func (c corpus) groups() []string {
	out := make([]string, len(c.docs))
	for i, d := range c.docs {
		out[i] = d.Group()
	}
	return out
}
