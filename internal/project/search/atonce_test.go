// SPDX-License-Identifier: Apache-2.0

package search_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/project/projecttest"
	"hide/internal/project/search"
)

// untilDone repeats what fails because a note is not there yet, or because an import runs.
func untilDone(do func() error) (err error) {
	for range 5000 {
		if err = do(); project.KindOf(err) != project.Stale && project.KindOf(err) != project.NotFound {
			return err
		}
		time.Sleep(time.Millisecond)
	}
	return err
}

// TestPeopleWorkWhileNotesAreIndexed imports, deletes, restores and erases notes, stops and
// starts the index and searches, all at once. At the end the index has the notes that are
// left, and no other.
func TestPeopleWorkWhileNotesAreIndexed(t *testing.T) {
	b := projecttest.New(t)
	ctx := t.Context()
	b.KeepIndexing()
	id := b.NewProject(nil, false)
	const imports, each = 4, 5
	erased := map[annotate.DocumentID]bool{}
	var work sync.WaitGroup
	do := func(steps int, step func(i int) error) {
		work.Go(func() {
			for i := range steps {
				if err := step(i); err != nil {
					t.Error(err)
				}
			}
		})
	}
	do(imports, func(i int) error {
		docs := projecttest.Plain("anna a", "anna b", "anna c", "anna d", "anna e")
		for j := range docs {
			docs[j].Name = fmt.Sprintf("note %d", i*each+j+1)
		}
		_, err := b.Import(ctx, projecttest.Broker, id, projecttest.JSONL(docs), project.ImportOptions{})
		return err
	})
	do(imports*each, func(i int) error {
		doc := annotate.DocumentID(i + 1)
		name := fmt.Sprint("note ", doc)
		err := untilDone(func() error { return b.DeleteNote(ctx, projecttest.Broker, id, doc, name) })
		if err != nil || i%3 > 0 {
			return errors.Join(err, untilDone(func() error { return b.RestoreNote(ctx, projecttest.Broker, id, doc) }))
		}
		erased[doc] = true
		return b.EraseNote(ctx, projecttest.Broker, id, doc, name)
	})
	do(40, func(int) error {
		_, err := b.SearchNotes(ctx, projecttest.Annotator, id, search.Query{Words: "an*"})
		return err
	})
	do(20, func(i int) error {
		if i%2 == 0 {
			return b.StopIndexing(ctx, projecttest.Broker, id)
		}
		return b.StartIndexing(ctx, projecttest.Broker, id)
	})
	work.Wait()
	bin, err := b.Bin(id)
	must(t, err)
	f := find(t, b, id, search.Query{Words: "anna"})
	if want := imports*each - len(erased) - len(bin); f.Matching != want || f.Total != want {
		t.Errorf("%d of %d notes are found, want %d", f.Matching, f.Total, want)
	}
	for doc := range erased {
		if has, err := b.HasInIndex(id, uint64(doc)); has || err != nil {
			t.Errorf("the index has the erased note %d, %v", doc, err)
		}
	}
}
