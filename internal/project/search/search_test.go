// SPDX-License-Identifier: Apache-2.0

package search_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/project/projecttest"
	"hide/internal/project/search"
	"hide/internal/store"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// find searches as an annotator.
func find(t *testing.T, b *projecttest.Bench, id project.ID, q search.Query) search.Found {
	t.Helper()
	f, err := b.SearchNotes(t.Context(), projecttest.Annotator, id, q)
	must(t, err)
	return f
}

func documents(f search.Found) (docs []annotate.DocumentID) {
	for _, h := range f.Hits {
		docs = append(docs, h.Document)
	}
	return docs
}

func marked(h search.Hit) string {
	var b strings.Builder
	for _, p := range h.Passage.Parts {
		if p.Match {
			fmt.Fprintf(&b, "[%s]", p.Text)
		} else {
			b.WriteString(p.Text)
		}
	}
	return b.String()
}

var ward = projecttest.Plain(
	"Mrs. Anna Müller was seen by Dr. O’Brien on 12/03/2019.",
	"Mr. Müller is well.",
	"Seen on 12 May, in bed 03. Anna is the nurse. O., brien.",
	"Mullerian duct. Anna-Maria.",
)

func TestSearchFindsWordsOfTheText(t *testing.T) {
	b := projecttest.New(t)
	id := b.NewProject(ward, false)
	for typed, want := range map[string]string{
		"MULLER":          "2 of 2: Mrs. Anna [Müller] was seen by Dr. O’Brien on 12/03/2019. | Mr. [Müller] is well.",
		"müller anna":     "1 of 1: Mrs. [Anna] [Müller] was seen by Dr. O’Brien on 12/03/2019.",
		"Müll*":           "3 of 3: Mrs. Anna [Müller] was seen by Dr. O’Brien on 12/03/2019. | Mr. [Müller] is well. | [Mullerian] duct. Anna-Maria.",
		"12/03":           "1 of 2: Mrs. Anna Müller was seen by Dr. O’Brien on [12/03]/2019.",
		`"anna mar*"`:     "1 of 1: Mullerian duct. [Anna-Maria].",
		"O'Brien":         "2 of 2: Mrs. Anna Müller was seen by Dr. [O’Brien] on 12/03/2019. | Seen on 12 May, in bed 03. Anna is the nurse. [O., brien].",
		"mull":            "0 of 0: ",
		"anna nobody":     "0 of 0: ",
		`"müller anna"`:   "0 of 1: ",
		"note-1 document": "0 of 0: ",
	} {
		f := find(t, b, id, search.Query{Words: typed})
		var passages []string
		for _, h := range f.Hits {
			passages = append(passages, marked(h))
		}
		if got := fmt.Sprintf("%d of %d: %s", len(f.Hits), f.Matching, strings.Join(passages, " | ")); got != want || !f.Complete() || f.Next() != 0 {
			t.Errorf("%s: %s, want %s; %d of %d notes, next %d", typed, got, want, f.Notes, f.Total, f.Next())
		}
	}
	b.Finish(projecttest.Annotator, id, 2)
	f := find(t, b, id, search.Query{Words: "müller", State: annotate.Done})
	if len(f.Hits) != 1 || f.Matching != 1 || f.Hits[0].Document != 2 || f.Hits[0].Name != "note-2" || f.Hits[0].State != annotate.Done || f.Hits[0].Start != 4 || f.Hits[0].End != 10 {
		t.Errorf("finished notes: %+v", f)
	}
	if f := find(t, b, id, search.Query{Words: " *., "}); f.Searched || f.Matching != 0 || len(f.Hits) != 0 {
		t.Errorf("a search for no word: %+v", f)
	}
	for _, long := range []string{strings.Repeat("a ,b ", 100) + strings.Repeat("x/", 50), strings.Repeat("a ", 3000)} {
		_, err := b.SearchNotes(t.Context(), projecttest.Annotator, id, search.Query{Words: long})
		projecttest.WantKind(t, err, project.Invalid)
	}
	_, err := b.SearchNotes(t.Context(), projecttest.Reviewer, id, search.Query{Words: "anna"})
	projecttest.WantKind(t, err, project.Forbidden)
	projecttest.WantKind(t, b.StopIndexing(t.Context(), projecttest.Annotator, id), project.Forbidden)
}

func TestPagesOfHitsFollowEachOther(t *testing.T) {
	b := projecttest.New(t)
	var texts []string
	for i := range 130 {
		texts = append(texts, []string{"rose street", "street of the rose"}[i%2])
	}
	id := b.NewProject(projecttest.Plain(texts...), false)
	for typed, want := range map[string]int{"rose street": 130, `"rose street"`: 65} {
		var all []annotate.DocumentID
		q := search.Query{Words: typed}
		for pages := 0; pages == 0 || q.From > 0; pages++ {
			f := find(t, b, id, q)
			all = append(all, documents(f)...)
			if f.Matching != 130 || f.Ordered != (want == 65) || pages > 3 {
				t.Fatalf("%s: page %d: %d match, ordered %v", typed, pages, f.Matching, f.Ordered)
			}
			q.From = f.Next()
		}
		if len(all) != want || !slices.IsSorted(all) || len(slices.Compact(all)) != want {
			t.Errorf("%s: %d notes, want %d: %v", typed, len(all), want, all)
		}
	}
	if f := find(t, b, id, search.Query{Words: "rose", From: 1000}); len(f.Hits) != 0 || f.Next() != 0 {
		t.Errorf("after the last: %+v", f)
	}
}

// TestSearchIsOnRecordWithoutItsWords: the audit trail says who saw which notes, and has no
// word of the query.
func TestSearchIsOnRecordWithoutItsWords(t *testing.T) {
	b := projecttest.New(t)
	id := b.NewProject(ward, false)
	find(t, b, id, search.Query{Words: "anna"})
	find(t, b, id, search.Query{Words: "quillfeather"})
	rows, err := b.Audit(t.Context(), projecttest.Broker, id, 0, 1000)
	must(t, err)
	var got []string
	for _, r := range rows {
		if text := fmt.Sprint(r); strings.Contains(strings.ToLower(text), "anna") || strings.Contains(text, "quillfeather") {
			t.Errorf("a row has a word of the query: %s", text)
		}
		if r.Action == "search text" {
			got = append(got, r.Who+" "+r.Object+" "+r.Detail)
		}
	}
	want := []string{"u-annotator p1/documents 0 notes match, 0 shown", "u-annotator p1/documents 3 notes match, 3 shown 1 3-4"}
	if !slices.Equal(got, want) {
		t.Errorf("rows %q, want %q", got, want)
	}
}

// TestNoWordIsPlainOnDisk looks for the words of notes in the bytes of the data folder.
func TestNoWordIsPlainOnDisk(t *testing.T) {
	b := projecttest.New(t)
	id := b.NewProject(projecttest.Notes(300), false)
	if f := find(t, b, id, search.Query{Words: "cough"}); f.Matching != 300 {
		t.Fatalf("%d notes match", f.Matching)
	}
	words := []string{"cough", "fever", "gruber", "ivanov", "castro", "7000000"}
	read := 0
	must(t, filepath.Walk(filepath.Dir(b.Folder), func(path string, info os.FileInfo, err error) error {
		if err != nil || info.IsDir() {
			return err
		}
		raw, err := os.ReadFile(path)
		read += len(raw)
		for _, w := range words {
			if bytes.Contains(bytes.ToLower(raw), []byte(w)) {
				t.Errorf("%s has the word %q", filepath.Base(path), w)
			}
		}
		return err
	}))
	if read < 1<<16 {
		t.Errorf("only %d bytes were read", read)
	}
}

// TestBinAndErasure: a note in the bin is not found, and is found again when it is restored.
// After its erasure no value of the index has its words or its number.
func TestBinAndErasure(t *testing.T) {
	b := projecttest.New(t)
	ctx := t.Context()
	docs := slices.Concat(projecttest.Plain("Quillfeather is well. Cough."), projecttest.Plain(strings.Repeat("cough ", 9))[:1])
	docs[1].Name = "other"
	id := b.NewProject(docs, false)
	count := func() int { return find(t, b, id, search.Query{Words: "cough"}).Matching }
	if got := count(); got != 2 || holding(t, b, id, 1) != "[text number]" {
		t.Fatalf("%d notes, index has %s", got, holding(t, b, id, 1))
	}
	must(t, b.DeleteNote(ctx, projecttest.Broker, id, 1, "note-1"))
	if got := count(); got != 1 {
		t.Errorf("in the bin: %d notes", got)
	}
	must(t, b.RestoreNote(ctx, projecttest.Broker, id, 1))
	if got := count(); got != 2 {
		t.Errorf("restored: %d notes", got)
	}
	must(t, b.DeleteNote(ctx, projecttest.Broker, id, 1, "note-1"))
	must(t, b.Die(id)) // what was being written is dropped too
	must(t, b.EraseNote(ctx, projecttest.Broker, id, 1, "note-1"))
	if got := holding(t, b, id, 1); got != "[]" {
		t.Errorf("erased: the index has %s", got)
	}
	if got := count(); got != 1 {
		t.Errorf("erased: %d notes", got)
	}
}

// TestNoteOfTheBinIsIndexed: its project was never searched before it was deleted.
func TestNoteOfTheBinIsIndexed(t *testing.T) {
	b := projecttest.New(t)
	id := b.NewProject(ward, false)
	must(t, b.DeleteNote(t.Context(), projecttest.Broker, id, 4, "note-4"))
	if got := documents(find(t, b, id, search.Query{Words: "anna"})); !slices.Equal(got, []annotate.DocumentID{1, 3}) {
		t.Errorf("found %v", got)
	}
	must(t, b.RestoreNote(t.Context(), projecttest.Broker, id, 4))
	if got := documents(find(t, b, id, search.Query{Words: "anna"})); !slices.Equal(got, []annotate.DocumentID{1, 3, 4}) {
		t.Errorf("restored: found %v", got)
	}
}

// holding says what the index has of a note: its rare word, and its number.
func holding(t *testing.T, b *projecttest.Bench, id project.ID, doc uint64) string {
	t.Helper()
	text := false
	must(t, b.Store().View(string(id), func(tx *store.Tx) error {
		for _, bucket := range []string{"search", "search-directories", "search-pages"} {
			err := tx.Scan(bucket, nil, func(_, value []byte) error {
				text = text || bytes.Contains(value, []byte("uillfeather"))
				return nil
			})
			if err != nil {
				return err
			}
		}
		return nil
	}))
	number, err := b.HasInIndex(id, doc)
	must(t, err)
	found := []string{}
	if text {
		found = append(found, "text")
	}
	if number {
		found = append(found, "number")
	}
	return fmt.Sprint(found)
}

// TestIndexingGoesOn: after a process was killed, after a person stopped it, and with an index
// of an earlier form.
func TestIndexingGoesOn(t *testing.T) {
	b := projecttest.New(t)
	ctx := t.Context()
	id := b.NewProject(ward, false)
	check := func(when string) {
		t.Helper()
		if f := find(t, b, id, search.Query{Words: "anna"}); f.Matching != 3 || !f.Complete() {
			t.Errorf("%s: %d notes, %d of %d indexed", when, f.Matching, f.Notes, f.Total)
		}
		notes, stored, err := b.Segments(id)
		if err != nil || len(notes) != len(stored) {
			t.Errorf("%s: segments of %v notes, pages of %v, %v", when, notes, stored, err)
		}
	}
	must(t, b.Die(id))
	b.Reopen()
	check("killed at the first segment")
	must(t, b.Outdate(id))
	check("an earlier form")
	must(t, b.Die(id))
	more := projecttest.Plain("Anna")
	more[0].Name = "more"
	must(t, b.StopIndexing(ctx, projecttest.Broker, id))
	b.MustImport(id, more, false)
	f := find(t, b, id, search.Query{Words: "anna"})
	if f.Matching != 3 || f.Notes != 4 || f.Total != 5 || !f.Stopped {
		t.Errorf("stopped: %d notes, %+v", f.Matching, f.Coverage)
	}
	must(t, b.StartIndexing(ctx, projecttest.Broker, id))
	b.Wait("the index", func() bool {
		c, err := b.SearchCoverage(ctx, projecttest.Annotator, id)
		return err == nil && c.Complete() && !c.Running
	})
	must(t, b.DeleteNote(ctx, projecttest.Broker, id, 5, "more"))
	check("started again")
}

// TestAProjectIsIndexedWhenItIsOpened: a command has imported its notes, not the server.
func TestAProjectIsIndexedWhenItIsOpened(t *testing.T) {
	b := projecttest.New(t)
	id := b.NewProject(nil, false)
	b.MustImport(id, projecttest.Plain("warfarin"), false)
	b.Reopen()
	b.KeepIndexing()
	if _, err := b.Project(t.Context(), projecttest.Annotator, id); err != nil {
		t.Fatal(err)
	}
	b.Wait("the index", func() bool {
		c, err := b.SearchCoverage(t.Context(), projecttest.Annotator, id)
		return err == nil && c.Notes == 1
	})
}

// TestManyNotesAreIndexedMeanwhile: nobody waits for an index of many notes.
func TestManyNotesAreIndexedMeanwhile(t *testing.T) {
	if testing.Short() {
		t.Skip("imports thousands of notes")
	}
	b := projecttest.New(t)
	var texts []string
	for i := range 2100 {
		texts = append(texts, fmt.Sprintf("note %d", i))
	}
	b.KeepIndexing()
	id := b.NewProject(nil, false)
	b.MustImport(id, projecttest.Plain(texts...), false)
	b.Wait("the index of the import", func() bool {
		c, err := b.SearchCoverage(t.Context(), projecttest.Annotator, id)
		return err == nil && c.Notes == 2100
	})
	must(t, b.Outdate(id))
	f := find(t, b, id, search.Query{Words: "2000"})
	if f.Total != 2100 || f.Notes > 0 && f.Matching != 1 || f.Notes == 0 && f.Matching != 0 {
		t.Errorf("%d notes match, %+v", f.Matching, f.Coverage)
	}
	b.Wait("the whole index", func() bool {
		f := find(t, b, id, search.Query{Words: "2000"})
		return f.Complete() && f.Matching == 1
	})
}
