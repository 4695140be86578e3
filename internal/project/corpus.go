// SPDX-License-Identifier: Apache-2.0

package project

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"iter"

	"hide/internal/annotate"
)

// numbered is a document with its number and its people's spans.
type numbered struct {
	annotate.Annotated
	id annotate.DocumentID
}

// documents yields documents with their numbers.
func (s *Service) documents(ctx context.Context, ws *workspace, docs []annotate.DocumentID) iter.Seq2[numbered, error] {
	return func(yield func(numbered, error) bool) {
		i := 0
		for d, err := range s.read(ctx, ws, docs) {
			if err != nil {
				yield(numbered{}, err)
				return
			}
			if !yield(numbered{d, docs[i]}, nil) {
				return
			}
			i++
		}
	}
}

// corpus is the finished documents of a project at one moment.
type corpus struct {
	docs        []numbered
	random      []bool // docs[i] was drawn at random
	fingerprint string
}

// snapshot reads the finished documents.
func (s *Service) snapshot(ctx context.Context, ws *workspace) (corpus, error) {
	c := corpus{}
	ids := ws.finished()
	for d, err := range s.documents(ctx, ws, ids) {
		if err != nil {
			return corpus{}, err
		}
		st, err := ws.find(d.id)
		if err != nil {
			return corpus{}, err
		}
		c.docs = append(c.docs, d)
		c.random = append(c.random, st.Random)
	}
	c.fingerprint = ws.fingerprint()
	return c, nil
}

// fingerprint changes whenever the set of finished documents or one of their
// layers does.
func (ws *workspace) fingerprint() string {
	ws.mu.RLock()
	defer ws.mu.RUnlock()
	h := sha256.New()
	for _, doc := range ws.order {
		if st := ws.docs[doc]; st.State == annotate.Done {
			fmt.Fprintf(h, "%d:%d\n", doc, st.Revision)
		}
	}
	return hex.EncodeToString(h.Sum(nil))
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
