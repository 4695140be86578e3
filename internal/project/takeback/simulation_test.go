// SPDX-License-Identifier: Apache-2.0

package takeback_test

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/project/projecttest"
	"hide/internal/project/takeback"
	"hide/internal/testsize"
)

// simNote is a note of the model.
type simNote struct {
	name, patient string
	batch         uint64
	spans         int
	revision      int
	done          bool
	undone        uint64 // the import that it was undone with, in the bin
}

// simulation is a project and a simple model of it: notes in the project and in the bin.
type simulation struct {
	*projecttest.Bench
	id        project.ID
	rng       *rand.Rand
	live, bin map[annotate.DocumentID]simNote
	next      annotate.DocumentID
	batch     uint64
}

// TestRemovalsAgreeWithASimpleModel imports, edits, finishes, deletes, restores, erases,
// undoes and removes at random. After each step the queue, the counts, the export and the
// notes to train on are those of the model, and so they are after a new start.
func TestRemovalsAgreeWithASimpleModel(t *testing.T) {
	sim := &simulation{Bench: projecttest.New(t), rng: rand.New(rand.NewPCG(7, 11)), live: map[annotate.DocumentID]simNote{}, bin: map[annotate.DocumentID]simNote{}}
	sim.id = sim.NewProject(nil, false)
	for step := range testsize.Of(45, 600) {
		sim.step()
		if step%15 == 14 {
			sim.Reopen()
		}
		sim.compare(step)
	}
}

func (s *simulation) one(of map[annotate.DocumentID]simNote) (annotate.DocumentID, simNote, bool) {
	if len(of) == 0 {
		return 0, simNote{}, false
	}
	docs := slices.Sorted(maps.Keys(of))
	doc := docs[s.rng.IntN(len(docs))]
	return doc, of[doc], true
}

func (s *simulation) step() {
	t, ctx, by := s.T, s.T.Context(), projecttest.Broker
	doc, n, some := s.one(s.live)
	binned, b, inBin := s.one(s.bin)
	switch p := s.rng.IntN(100); {
	case p < 25 || !some:
		s.importSome()
	case p < 45:
		s.edit(doc, n)
	case p < 65:
		must(t, s.DeleteNote(ctx, by, s.id, doc, n.name))
		delete(s.live, doc)
		s.bin[doc] = n
	case p < 73 && inBin:
		must(t, s.RestoreNote(ctx, by, s.id, binned))
		s.restored(binned)
	case p < 78 && b.undone > 0:
		must(t, s.RestoreImport(ctx, by, s.id, b.undone))
		s.restored(s.undoneWith(b.undone)...)
	case p < 82 && inBin:
		must(t, s.EraseNote(ctx, by, s.id, binned, b.name))
		delete(s.bin, binned)
	case p < 84 && b.undone > 0:
		must(t, s.EraseImport(ctx, by, s.id, b.undone, takeback.ImportWords(b.undone)))
		for _, other := range s.undoneWith(b.undone) {
			delete(s.bin, other)
		}
	case p < 92:
		must(t, s.UndoImport(ctx, by, s.id, n.batch, takeback.ImportWords(n.batch)))
		for other, o := range s.live {
			if o.batch == n.batch {
				o.undone = n.batch
				s.bin[other] = o
			}
		}
		maps.DeleteFunc(s.live, func(_ annotate.DocumentID, o simNote) bool { return o.batch == n.batch })
	default:
		must(t, removePatient(s.Bench, s.id, n.patient))
		for _, notes := range []map[annotate.DocumentID]simNote{s.live, s.bin} {
			maps.DeleteFunc(notes, func(_ annotate.DocumentID, o simNote) bool { return o.patient == n.patient })
		}
	}
}

func (s *simulation) undoneWith(batch uint64) (docs []annotate.DocumentID) {
	for doc, b := range s.bin {
		if b.undone == batch {
			docs = append(docs, doc)
		}
	}
	return docs
}

func (s *simulation) restored(docs ...annotate.DocumentID) {
	for _, doc := range docs {
		n := s.bin[doc]
		n.undone = 0
		s.live[doc] = n
		delete(s.bin, doc)
	}
}

func (s *simulation) importSome() {
	s.batch++
	finished := s.rng.IntN(2) == 0
	docs := projecttest.Notes(1 + s.rng.IntN(4))
	for i := range docs {
		s.next++
		docs[i].Name, docs[i].Patient = fmt.Sprint("n", s.next), fmt.Sprint("p", s.rng.IntN(8))
		s.live[s.next] = simNote{name: docs[i].Name, patient: docs[i].Patient, batch: s.batch, spans: len(docs[i].Spans), done: finished}
	}
	s.MustImport(s.id, docs, finished)
}

func (s *simulation) edit(doc annotate.DocumentID, n simNote) {
	if n.done {
		return
	}
	verb := annotate.Edit{Verb: annotate.VerbFinish}
	s.MustEdit(projecttest.Annotator, s.id, doc, n.revision, verb)
	n.done, n.revision = true, n.revision+1
	s.live[doc] = n
}

func (s *simulation) compare(step int) {
	t, ctx, by := s.T, s.T.Context(), projecttest.Broker
	t.Helper()
	var want, finished []annotate.DocumentID
	spans := 0
	var lines bytes.Buffer
	for _, doc := range slices.Sorted(maps.Keys(s.live)) {
		want = append(want, doc)
		spans += s.live[doc].spans
		if s.live[doc].done {
			finished = append(finished, doc)
		}
	}
	q, err := s.Queue(ctx, by, s.id, project.QueueFilter{Limit: 500})
	must(t, err)
	var got []annotate.DocumentID
	for _, item := range q.Items {
		got = append(got, item.Document)
	}
	o, err := s.Project(ctx, by, s.id)
	must(t, err)
	must(t, s.Export(ctx, by, s.id, project.ExportOptions{Format: "jsonl"}, &lines))
	c, err := s.MustWorkspace(s.id).Snapshot(ctx)
	must(t, err)
	var trained []annotate.DocumentID
	for _, d := range c.Docs {
		trained = append(trained, d.ID)
	}
	bin, err := s.Bin(s.id)
	must(t, err)
	if !slices.Equal(got, want) || o.Documents != len(want) || o.Done != len(finished) || o.Annotations != spans ||
		bytes.Count(lines.Bytes(), []byte("\n")) != len(want) || !slices.Equal(trained, finished) || len(bin) != len(s.bin) {
		t.Fatalf("step %d: queue %v, %d notes, %d finished, %d spans, %d in the bin; want %v, %d finished, %d spans, %d in the bin",
			step, got, o.Documents, o.Done, o.Annotations, len(bin), want, len(finished), spans, len(s.bin))
	}
}
