// SPDX-License-Identifier: Apache-2.0

package search_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"hide/internal/annotate"
	"hide/internal/project/projecttest"
	"hide/internal/project/search"
)

// TestSearchesRunBesideImportsAndErasures: what a search shows is in the project at that
// moment, and at the end the index has exactly the notes that are left.
func TestSearchesRunBesideImportsAndErasures(t *testing.T) {
	b := projecttest.New(t)
	b.KeepIndexing()
	id := b.NewProject(projecttest.Plain("secret cough"), false)
	var searches sync.WaitGroup
	ended := make(chan struct{})
	searches.Go(func() {
		for {
			select {
			case <-ended:
				return
			default:
			}
			f, err := b.SearchNotes(t.Context(), projecttest.Annotator, id, search.Query{Words: "cough"})
			if err != nil {
				t.Error(err)
				return
			}
			for _, h := range f.Hits {
				if text := marked(h); !strings.Contains(text, "[cough]") {
					t.Errorf("note %d: a passage of %d bytes without the word", h.Document, len(text))
				}
			}
		}
	})
	defer searches.Wait()
	defer close(ended)
	for i := range 12 {
		docs := projecttest.Plain("cough and fever", "fever alone")
		for j := range docs {
			docs[j].Name = fmt.Sprintf("%d %d", i, j)
		}
		b.MustImport(id, docs, false)
		if i == 4 {
			must(t, b.DeleteNote(t.Context(), projecttest.Broker, id, 1, "note-1"))
			must(t, b.EraseNote(t.Context(), projecttest.Broker, id, 1, "note-1"))
		}
	}
	f := find(t, b, id, search.Query{Words: "cough"})
	if f.Matching != 12 || !f.Complete() {
		t.Errorf("%d notes, %+v", f.Matching, f.Coverage)
	}
	if has, err := b.HasInIndex(id, 1); has || err != nil {
		t.Errorf("the erased note is in the index: %v, %v", has, err)
	}
	for doc := annotate.DocumentID(2); doc <= 25; doc++ {
		if has, err := b.HasInIndex(id, uint64(doc)); !has || err != nil {
			t.Errorf("note %d is in the index: %v, %v", doc, has, err)
		}
	}
}
