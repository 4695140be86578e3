// SPDX-License-Identifier: Apache-2.0

package project

import (
	"context"
	"fmt"
	"io"
	"iter"
	"slices"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/annotate/format"
	"hide/internal/store"
)

// Export writes every document of the project with its people's spans, in order
// of import. Formats: "jsonl", and "brat", which is a zip.
func (s *Service) Export(ctx context.Context, by account.User, id ID, formatName string, w io.Writer) error {
	ws, err := s.enter(by, account.ManageWork, id)
	if err != nil {
		return err
	}
	write := map[string]func(io.Writer, iter.Seq2[annotate.Annotated, error]) error{
		"jsonl": format.WriteJSONL, "brat": format.WriteBratZip,
	}[formatName]
	if write == nil {
		return invalid("the formats are jsonl and brat", "there is no export format of that name")
	}
	docs := ws.all()
	ev := event(by, "export", id.object(), formatName, fmt.Sprintf("%d documents", len(docs)))
	if err := s.store.Update(string(id), func(tx *store.Tx) error { return tx.Audit(ev) }); err != nil {
		return err
	}
	return write(w, s.read(ctx, ws, docs))
}

func (ws *workspace) all() []annotate.DocumentID {
	ws.mu.RLock()
	defer ws.mu.RUnlock()
	return append([]annotate.DocumentID(nil), ws.order...)
}

// allBut are the documents that are not known.
func (ws *workspace) allBut(known map[annotate.DocumentID]bool) []annotate.DocumentID {
	return slices.DeleteFunc(ws.all(), func(doc annotate.DocumentID) bool { return known[doc] })
}

// byGroup lists the documents so that those of a patient follow each other.
func (ws *workspace) byGroup() []annotate.DocumentID {
	docs := ws.all()
	ws.mu.RLock()
	defer ws.mu.RUnlock()
	first := make(map[string]int, len(docs))
	for i, doc := range docs {
		if _, seen := first[ws.docs[doc].Group]; !seen {
			first[ws.docs[doc].Group] = i
		}
	}
	slices.SortStableFunc(docs, func(a, b annotate.DocumentID) int { return first[ws.docs[a].Group] - first[ws.docs[b].Group] })
	return docs
}

// read yields documents with their spans.
func (s *Service) read(ctx context.Context, ws *workspace, docs []annotate.DocumentID) iter.Seq2[annotate.Annotated, error] {
	return func(yield func(annotate.Annotated, error) bool) {
		for d, err := range s.documents(ctx, ws, docs) {
			if !yield(d.Annotated, err) || err != nil {
				return
			}
		}
	}
}

// fetch reads one document and its layer.
func (s *Service) fetch(id ID, doc annotate.DocumentID) (d annotate.Document, l *annotate.Layer, err error) {
	err = s.store.View(string(id), func(tx *store.Tx) error {
		if d, err = get[annotate.Document](tx, bucketDocuments, docKey(doc)); err != nil {
			return err
		}
		layer, err := get[annotate.Layer](tx, bucketLayers, docKey(doc))
		l = &layer
		return err
	})
	if err != nil {
		err = fmt.Errorf("read document %d of %s: %w", doc, id, err)
	}
	return d, l, err
}
