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
	ws, err := s.Enter(by, account.ManageWork, id)
	if err != nil {
		return err
	}
	write := map[string]func(io.Writer, iter.Seq2[annotate.Annotated, error]) error{
		"jsonl": format.WriteJSONL, "brat": format.WriteBratZip,
	}[formatName]
	if write == nil {
		return Invalidf("the formats are jsonl and brat", "there is no export format of that name")
	}
	docs := ws.All()
	ev := EventBy(by, "export", id.Object(), formatName, fmt.Sprintf("%d documents", len(docs)))
	if err := s.Transact(id, func(tx *store.Tx) error { return tx.Audit(ev) }); err != nil {
		return err
	}
	return write(w, ws.Read(ctx, docs))
}

func (ws *Workspace) All() []annotate.DocumentID {
	ws.mu.RLock()
	defer ws.mu.RUnlock()
	return append([]annotate.DocumentID(nil), ws.order...)
}

// allBut are the documents that are not known.
func (ws *Workspace) AllBut(known map[annotate.DocumentID]bool) []annotate.DocumentID {
	return slices.DeleteFunc(ws.All(), func(doc annotate.DocumentID) bool { return known[doc] })
}

// byGroup lists the documents so that those of a patient follow each other.
func (ws *Workspace) ByGroup() []annotate.DocumentID {
	docs := ws.All()
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
func (ws *Workspace) Read(ctx context.Context, docs []annotate.DocumentID) iter.Seq2[annotate.Annotated, error] {
	return func(yield func(annotate.Annotated, error) bool) {
		for d, err := range ws.Documents(ctx, docs) {
			if !yield(d.Annotated, err) || err != nil {
				return
			}
		}
	}
}

// fetch reads one document and its layer.
func (ws *Workspace) Fetch(doc annotate.DocumentID) (d annotate.Document, l *annotate.Layer, err error) {
	err = ws.service.View(ws.ID, func(tx *store.Tx) error {
		if d, err = store.GetJSON[annotate.Document](tx, bucketDocuments, docKey(doc)); err != nil {
			return err
		}
		layer, err := store.GetJSON[annotate.Layer](tx, bucketLayers, docKey(doc))
		l = &layer
		return err
	})
	if err != nil {
		err = fmt.Errorf("read document %d of %s: %w", doc, ws.ID, err)
	}
	return d, l, err
}
