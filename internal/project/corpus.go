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
type StoredNote struct {
	annotate.Annotated
	ID       annotate.DocumentID
	Revision int
}

// documents yields documents, each from a transaction of its own, so that a slow
// reader holds nothing up.
func (ws *Workspace) Documents(ctx context.Context, docs []annotate.DocumentID) iter.Seq2[StoredNote, error] {
	return func(yield func(StoredNote, error) bool) {
		for _, doc := range docs {
			d, layer, err := ws.Fetch(doc)
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				yield(StoredNote{}, err)
				return
			}
			if !yield(StoredNote{annotate.Annotated{Document: d, Spans: layer.Spans()}, doc, layer.Revision}, nil) {
				return
			}
		}
	}
}

// corpus is the finished documents of a project as they were read.
type Corpus struct {
	Docs      []StoredNote
	Random    []bool // docs[i] belongs to the random sample
	Help      []Help // whether suggestions were shown in docs[i] before it was done
	Revisions string // fingerprint of the numbers and contents read
	Content   string // keyed fingerprint of the texts and spans read
}

// snapshot reads the finished documents.
func (ws *Workspace) Snapshot(ctx context.Context) (Corpus, error) {
	c := Corpus{}
	sample := ws.sample()
	revisions, content := sha256.New(), sha256.New()
	for d, err := range ws.Documents(ctx, ws.Finished()) {
		if err != nil {
			return Corpus{}, err
		}
		c.Docs = append(c.Docs, d)
		st, err := ws.Find(d.ID)
		if err != nil {
			return Corpus{}, err
		}
		c.Random, c.Help = append(c.Random, sample[d.ID]), append(c.Help, st.Help)
		hashRevision(revisions, d.ID, st.content(d.Revision))
		hashContent(content, d.Annotated)
	}
	c.Revisions = hex.EncodeToString(revisions.Sum(nil))
	err := ws.service.View(ws.ID, func(tx *store.Tx) error {
		c.Content = hex.EncodeToString(tx.HMAC(content.Sum(nil)))
		return nil
	})
	return c, err
}

// revisions is the fingerprint of the finished documents as they are now: it
// changes whenever their set or the spans of one of them do.
func (ws *Workspace) Revisions() string {
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

func (c Corpus) RandomNotes() int {
	n := 0
	for _, r := range c.Random {
		if r {
			n++
		}
	}
	return n
}

// measured is how many documents estimates are made from: those of the random
// sample or, where they are too few to say anything, all.
func (c Corpus) Measured() int {
	if n := c.RandomNotes(); n >= MinRandom {
		return n
	}
	return len(c.Docs)
}

// groups gives each document's group (patient), for folds and resampling.
func (c Corpus) Groups() []string {
	out := make([]string, len(c.Docs))
	for i, d := range c.Docs {
		out[i] = d.Group()
	}
	return out
}
