// SPDX-License-Identifier: Apache-2.0

package project

import (
	"fmt"
	"runtime"
	"testing"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/store"
)

// sizes are the projects of the benchmarks, in notes.
var sizes = []int{10_000, 100_000, 1_000_000}

// scaleStatus is one of many, with four notes for each patient.
func scaleStatus(i int) Status {
	st := Status{
		Name: fmt.Sprintf("Ward-%02d/note-%07d", i%17, i), Group: annotate.Document{Patient: fmt.Sprintf("MRN%07d", i/4)}.Record(),
		State: stateNames[i%3], Annotations: i % 40, Tokens: 200 + i%300, Import: 1, Revision: i % 2, Counted: true,
	}
	for j, l := range []annotate.Label{"NAME", "DATE", "ID", "LOCATION"} {
		st.Labels = append(st.Labels, LabelCount{l, 1 + (i+j)%9})
	}
	return st
}

// scaled is a project of n notes without texts.
func scaled(b *testing.B, n int) (*Service, ID) {
	s, id := emptyProject(b)
	const portion = 50_000
	for from := 0; from < n; from += portion {
		err := s.Update(id, testEvent, func(tx *store.Tx) error {
			list := newStatuses(tx)
			for i := from; i < min(n, from+portion); i++ {
				if err := list.put(annotate.DocumentID(i+1), scaleStatus(i)); err != nil {
					return err
				}
			}
			return list.flush()
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	return s, id
}

// heap is the memory in use.
func heap() float64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}

// BenchmarkOpenProject also reports the memory that an open project takes.
func BenchmarkOpenProject(b *testing.B) {
	for _, n := range sizes {
		b.Run(fmt.Sprintf("notes=%d", n), func(b *testing.B) {
			s, id := scaled(b, n)
			before := heap()
			for b.Loop() {
				s.mu.Lock()
				clear(s.spaces)
				s.mu.Unlock()
				if _, err := s.Workspace(id); err != nil {
					b.Fatal(err)
				}
			}
			took := heap() - before
			runtime.KeepAlive(s)
			b.ReportMetric(took/float64(n), "B/note")
		})
	}
}

// inMemory is the index of a project of n notes.
func inMemory(n int) *Workspace {
	ws := &Workspace{service: standing(), index: newIndex(7), hands: map[string]hand{}, model: nothing{}}
	ws.setNames()
	for i := range n {
		st := scaleStatus(i)
		ws.put(annotate.DocumentID(i+1), &st)
	}
	return ws
}

// benchmark measures what a project costs at all sizes.
func benchmark(b *testing.B, of map[string]func(ws *Workspace, n, i int)) {
	for _, n := range sizes {
		ws := inMemory(n)
		for what, f := range of {
			b.Run(fmt.Sprintf("%s/notes=%d", what, n), func(b *testing.B) {
				b.ReportAllocs()
				for i := 0; b.Loop(); i++ {
					f(ws, n, i)
				}
			})
		}
	}
}

func BenchmarkListPage(b *testing.B) {
	benchmark(b, map[string]func(ws *Workspace, n, i int){
		"first": func(ws *Workspace, n, i int) { ws.list(QueueFilter{Limit: 50}) },
		"last":  func(ws *Workspace, n, i int) { ws.list(QueueFilter{Limit: 50, Offset: n - 50}) },
		"state": func(ws *Workspace, n, i int) { ws.list(QueueFilter{Limit: 50, Offset: n/3 - 50, State: annotate.Done}) },
	})
}

func BenchmarkSearchNames(b *testing.B) {
	benchmark(b, map[string]func(ws *Workspace, n, i int){
		"one": func(ws *Workspace, n, i int) { ws.list(QueueFilter{Limit: 50, Query: "note-0000777"}) },
		"all": func(ws *Workspace, n, i int) { ws.list(QueueFilter{Limit: 50, Query: "note"}) },
	})
}

// BenchmarkIndex is what an edit and the pages after it ask of the index.
func BenchmarkIndex(b *testing.B) {
	benchmark(b, map[string]func(ws *Workspace, n, i int){
		"edit": func(ws *Workspace, n, i int) {
			doc := annotate.DocumentID(1 + i*7919%n)
			st, _ := ws.get(doc)
			st.State, st.Revision = stateNames[i%3], st.Revision+1
			ws.put(doc, &st)
		},
		"next":      func(ws *Workspace, n, i int) { _, _ = ws.choose("u1", 1, nil) },
		"counts":    func(ws *Workspace, n, i int) { ws.FinishedCounts() },
		"labels":    func(ws *Workspace, n, i int) { ws.labels() },
		"sample":    func(ws *Workspace, n, i int) { ws.RandomSample() },
		"revisions": func(ws *Workspace, n, i int) { ws.changes++; ws.Revisions() },
		"notesmark": func(ws *Workspace, n, i int) { ws.changes++; ws.NotesMark() },
	})
}

// BenchmarkDoneAndNext opens a note, finishes it or begins it again, and asks for the next one.
func BenchmarkDoneAndNext(b *testing.B) {
	by := account.User{ID: "u1", Name: "Ann", Role: account.Broker}
	for _, n := range sizes {
		b.Run(fmt.Sprintf("notes=%d", n), func(b *testing.B) {
			s, id := scaled(b, n)
			docs := withText(b, s, id, n)
			if _, err := s.Workspace(id); err != nil {
				b.Fatal(err)
			}
			for i := 0; b.Loop(); i++ {
				doc := docs[i%len(docs)]
				note, err := s.Note(b.Context(), by, id, doc)
				if err != nil {
					b.Fatal(err)
				}
				edit := annotate.Edit{Verb: annotate.VerbFinish}
				if note.Layer.State == annotate.Done {
					edit.Verb = annotate.VerbReopen
				}
				if _, err := s.EditNote(b.Context(), by, id, note, note.Layer.Revision, edit); err != nil {
					b.Fatal(err)
				}
				if _, err := s.Next(b.Context(), by, id, doc); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// withText gives some notes of a project texts and layers.
func withText(b *testing.B, s *Service, id ID, n int) (docs []annotate.DocumentID) {
	err := s.Update(id, testEvent, func(tx *store.Tx) error {
		for i := range 200 {
			doc, st := annotate.DocumentID(1+i*7919%n), scaleStatus(i*7919%n)
			docs = append(docs, doc)
			err := store.PutJSON(tx, bucketDocuments, docKey(doc), annotate.Document{Name: st.Name, Text: "Mr. Smith was seen on 3/4 for a cough."})
			if err == nil {
				err = store.PutJSON(tx, bucketLayers, docKey(doc), annotate.Layer{State: annotate.New, Revision: st.Revision})
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	return docs
}
