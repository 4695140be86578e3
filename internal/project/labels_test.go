// SPDX-License-Identifier: Apache-2.0

package project_test

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"hide/internal/annotate"
	"hide/internal/crf"
	"hide/internal/project"
	"hide/internal/project/projecttest"
	"hide/internal/testsize"
)

// labelModel is the simplest project with labels: a map for each note.
type labelModel struct {
	t       *testing.T
	b       *bench
	id      project.ID
	labels  []annotate.Label
	retired map[annotate.Label]bool
	places  map[annotate.Label]int            // of the labels, also after others were merged
	alias   map[annotate.Label]annotate.Label // every earlier name
	notes   []map[int]annotate.Label          // word -> label
	words   int
	undo    [][]map[int]annotate.Label // of each note, the states before each edit
	fresh   int
}

func newLabelModel(t *testing.T, notes, words int) *labelModel {
	m := &labelModel{t: t, b: newBench(t), words: words, retired: map[annotate.Label]bool{}, alias: map[annotate.Label]annotate.Label{}}
	m.labels = []annotate.Label{"A", "B", "C", "D", "E"}
	m.places = map[annotate.Label]int{"A": 0, "B": 1, "C": 2, "D": 3, "E": 4}
	p, err := m.b.Create(t.Context(), projecttest.Broker, "labels", annotate.LabelSet{}.With(m.labels...))
	if err != nil {
		t.Fatal(err)
	}
	m.id = p.ID
	texts := make([]string, notes)
	for i := range texts {
		texts[i] = strings.Repeat("abc ", words)
	}
	m.b.MustImport(m.id, projecttest.Plain(texts...), false)
	m.notes, m.undo = make([]map[int]annotate.Label, notes), make([][]map[int]annotate.Label, notes)
	for i := range m.notes {
		m.notes[i] = map[int]annotate.Label{}
	}
	return m
}

// anyName is a label under its present name or an earlier one, as a page that was opened
// before may send it.
func (m *labelModel) anyName(r *rand.Rand) annotate.Label {
	names := slices.Concat(m.labels, slices.Sorted(maps.Keys(m.alias)))
	return names[r.IntN(len(names))]
}

func (m *labelModel) now(l annotate.Label) annotate.Label {
	if now, ok := m.alias[l]; ok {
		return now
	}
	return l
}

func (m *labelModel) rename(from, to annotate.Label, merge bool) {
	for was, now := range m.alias {
		if now == from {
			m.alias[was] = to
		}
	}
	m.alias[from] = to
	delete(m.alias, to)
	for i := range m.notes {
		for _, state := range append(m.undo[i], m.notes[i]) {
			for w, l := range state {
				if l == from {
					state[w] = to
				}
			}
		}
	}
	if at := slices.Index(m.labels, from); merge {
		m.labels = slices.Delete(m.labels, at, at+1)
	} else {
		m.labels[at], m.places[to] = to, m.places[from]
		m.retired[to] = m.retired[from]
	}
	delete(m.retired, from)
	delete(m.places, from)
}

func (m *labelModel) version() int {
	t, err := m.b.LabelTable(m.t.Context(), projecttest.Broker, m.id)
	if err != nil {
		m.t.Fatal(err)
	}
	return t.Version
}

// step makes one random change on both sides. Both must accept it, or both refuse it.
func (m *labelModel) step(r *rand.Rand) {
	ctx, by, l := m.t.Context(), projecttest.Broker, m.labels[r.IntN(len(m.labels))]
	other := m.labels[r.IntN(len(m.labels))]
	var err error
	var possible bool
	switch what := r.IntN(12); what {
	case 0:
		to := annotate.Label(fmt.Sprint("N", m.fresh))
		if r.IntN(2) == 0 {
			to = m.anyName(r) // back to an earlier name, or to one that is taken
		}
		m.fresh++
		possible = !slices.Contains(m.labels, to) && m.now(to) == to || to != l && m.now(to) == l
		if err = m.b.RenameLabel(ctx, by, m.id, m.version(), l, to); possible {
			m.rename(l, to, false)
		}
	case 1:
		possible = l != other && !m.retired[other] && len(m.labels) > 2
		if len(m.labels) > 2 {
			err = m.b.MergeLabel(ctx, by, m.id, m.version(), l, other, string(l))
		} else {
			err = errors.New("the simulation keeps two labels")
		}
		if possible {
			m.rename(l, other, true)
		}
	case 2:
		offered := slices.DeleteFunc(slices.Clone(m.labels), func(l annotate.Label) bool { return m.retired[l] })
		possible = !m.retired[l] && len(offered) > 1
		if err = m.b.RetireLabel(ctx, by, m.id, m.version(), l); possible {
			m.retired[l] = true
		}
	case 3:
		possible = m.retired[l]
		if err = m.b.RestoreLabel(ctx, by, m.id, m.version(), l); possible {
			delete(m.retired, l)
		}
	case 4:
		if r.IntN(4) == 0 {
			m.b.Reopen()
		}
		return
	default:
		err, possible = m.edit(r, what)
	}
	if (err == nil) != possible {
		m.t.Fatalf("the model says possible: %v; the project says %v", possible, err)
	}
}

func (m *labelModel) edit(r *rand.Rand, what int) (err error, possible bool) {
	i := r.IntN(len(m.notes))
	n := m.b.MustNote(projecttest.Annotator, m.id, annotate.DocumentID(i+1))
	before := maps.Clone(m.notes[i])
	if what == 5 {
		if possible = len(m.undo[i]) > 0; possible {
			last := len(m.undo[i]) - 1
			m.notes[i], m.undo[i] = m.undo[i][last], m.undo[i][:last]
		}
		_, err = m.b.Undo(m.t.Context(), projecttest.Annotator, m.id, n.ID, n.Layer.Revision)
		return err, possible
	}
	l, w := m.anyName(r), r.IntN(m.words)
	if possible = !m.retired[m.now(l)]; possible {
		m.notes[i][w] = m.now(l)
		m.undo[i] = append(m.undo[i], before)
	}
	_, err = m.b.EditNote(m.t.Context(), projecttest.Annotator, m.id, n, n.Layer.Revision, projecttest.Tag(4*w, 4*w+3, l))
	return err, possible
}

func (m *labelModel) compare() {
	m.t.Helper()
	table, err := m.b.LabelTable(m.t.Context(), projecttest.Broker, m.id)
	if err != nil {
		m.t.Fatal(err)
	}
	spans, notes := map[annotate.Label]int{}, map[annotate.Label]int{}
	for i, want := range m.notes {
		n := m.b.MustNote(projecttest.Annotator, m.id, annotate.DocumentID(i+1))
		got := map[int]annotate.Label{}
		for _, s := range n.Layer.Spans() {
			got[int(s.Start)/4] = s.Label
		}
		if !maps.Equal(got, want) {
			m.t.Fatalf("note %d has %v, want %v", i+1, got, want)
		}
		if !maps.Equal(n.Places, m.places) {
			m.t.Fatalf("the labels have the places %v, want %v", n.Places, m.places)
		}
		for _, l := range n.Labels.Labels() {
			if m.retired[l] {
				m.t.Fatalf("the retired label %s is offered", l)
			}
		}
		in := map[annotate.Label]bool{}
		for _, l := range want {
			spans[l]++
			in[l] = true
		}
		for l := range in {
			notes[l]++
		}
	}
	for i, u := range table.All {
		if u.Label != m.labels[i] || u.Retired != m.retired[u.Label] || u.Spans != spans[u.Label] || u.Notes != notes[u.Label] {
			m.t.Fatalf("the table has %+v, want %s with %d spans in %d notes", u, m.labels[i], spans[u.Label], notes[u.Label])
		}
	}
}

func TestLabelsFollowASimpleModel(t *testing.T) {
	testsize.Slow(t)
	for seed := range uint64(3) {
		m, r := newLabelModel(t, 3, 4), rand.New(rand.NewPCG(seed, 1))
		for range 120 {
			m.step(r)
		}
		m.compare()
	}
}

// A page that was opened before a rename sends the old name. The edit gets the new one, and a
// rejected suggestion stays rejected.
func TestEditsInFlightMeanTheRenamedLabel(t *testing.T) {
	b := newBench(t)
	id := b.NewProject(projecttest.Plain("Anna saw Bert"), false)
	b.Set(id, func(s *project.Settings) { s.Blind = 0 })
	n := b.MustNote(projecttest.Annotator, id, 1)
	old := annotate.Suggestion{Span: annotate.Span{Start: 9, End: 13, Label: "DOCTOR"}, Score: 1}
	n = b.MustEdit(projecttest.Annotator, id, 1, n.Layer.Revision, annotate.Edit{Verb: annotate.VerbReject, Suggestions: []annotate.Suggestion{old}})
	rename(t, b, id, "PATIENT", "PERSON")
	rename(t, b, id, "DOCTOR", "CLINICIAN")
	n, err := b.EditNote(t.Context(), projecttest.Annotator, id, n, n.Layer.Revision, projecttest.Tag(0, 4, "PATIENT"))
	if err != nil || n.Layer.Annotations[0].Span.Label != "PERSON" {
		t.Fatalf("the edit gave %+v, %v", n, err)
	}
	if n.Layer.Rejected[0].Label != "CLINICIAN" || len(n.Layer.Open([]annotate.Suggestion{{Span: n.Layer.Rejected[0]}})) != 0 {
		t.Errorf("the rejection is of %v", n.Layer.Rejected)
	}
	for range 2 { // undo restores what was rejected under its old name
		if n, err = b.Undo(t.Context(), projecttest.Annotator, id, 1, n.Layer.Revision); err != nil {
			t.Fatal(err)
		}
	}
	if len(n.Layer.Rejected) != 0 {
		t.Errorf("after undo %v is still rejected", n.Layer.Rejected)
	}
	if c := n.Layer.History[0]; c.Rejected[0].Label != "DOCTOR" {
		t.Errorf("the history says %v, want the name of its time", c.Rejected)
	}
}

// A page compares the state of its note to know whether to show it again.
func TestARenameChangesTheStateOfNotesWithoutSuggestions(t *testing.T) {
	b := newBench(t)
	id := b.NewProject(projecttest.Plain("Anna saw Bert"), false)
	before := b.MustNote(projecttest.Annotator, id, 1)
	rename(t, b, id, "PATIENT", "PERSON")
	now, err := b.NoteState(t.Context(), projecttest.Annotator, id, 1)
	if err != nil || now.Suggestions == before.SuggestionsKey {
		t.Errorf("the state is %+v, %v after a rename, the page has %d", now, err, before.SuggestionsKey)
	}
	after := b.MustNote(projecttest.Annotator, id, 1)
	if after.SuggestionsKey != now.Suggestions {
		t.Errorf("the note has the key %d, its state %d", after.SuggestionsKey, now.Suggestions)
	}
}

func rename(t *testing.T, b *bench, id project.ID, from, to annotate.Label) {
	t.Helper()
	table, err := b.LabelTable(t.Context(), projecttest.Broker, id)
	if err == nil {
		err = b.RenameLabel(t.Context(), projecttest.Broker, id, table.Version, from, to)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestExportAndImportUseTheNewName(t *testing.T) {
	b := newBench(t)
	b1 := projecttest.Notes(2)
	id := b.FinishedProject(b1[:1])
	rename(t, b, id, "PATIENT", "PERSON")
	table, err := b.LabelTable(t.Context(), projecttest.Broker, id)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.MergeLabel(t.Context(), projecttest.Broker, id, table.Version, "DOCTOR", "PERSON", "doctor"); err != nil {
		t.Fatal(err)
	}
	report, err := b.Import(t.Context(), projecttest.Broker, id, projecttest.JSONL(b1[1:]), project.ImportOptions{})
	if said := strings.Join(report.Notes, "; "); err != nil || !strings.Contains(said, "PATIENT is now PERSON: 2 spans") || !strings.Contains(said, "DOCTOR is now PERSON: 1 span") {
		t.Errorf("the report says %q, %v", said, err)
	}
	var out bytes.Buffer
	if err := b.Export(t.Context(), projecttest.Broker, id, project.ExportOptions{Format: "jsonl"}, &out); err != nil {
		t.Fatal(err)
	}
	if s := out.String(); strings.Contains(s, `"PATIENT"`) || strings.Contains(s, `"DOCTOR"`) || strings.Count(s, `"PERSON"`) != 6 {
		t.Errorf("the export is %s", s)
	}
	if labels := b.MustWorkspace(id).Labels(); labels.Has("PATIENT") || labels.Has("DOCTOR") {
		t.Error("the import brought an old label back")
	}
	rows, err := b.Audit(t.Context(), projecttest.Broker, id, 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	for _, r := range rows {
		if r.Action == "change labels" {
			said = append(said, r.Detail)
		}
	}
	if want := []string{"merge label DOCTOR into PERSON, 1 span in 1 note", "rename label PATIENT to PERSON, 2 spans in 1 note"}; !slices.Equal(said, want) {
		t.Errorf("the audit trail says %q", said)
	}
}

func TestChangesOfLabelsAreRefused(t *testing.T) {
	b := newBench(t)
	id := b.NewProject(projecttest.Plain("Anna"), false)
	b.Set(id, func(s *project.Settings) {
		s.Sampling = crf.Sampling{Cost: map[annotate.Label]float64{"DATE": 2, "AGE": 3}}
	})
	rename(t, b, id, "DATE", "WHEN")
	ctx, by := t.Context(), projecttest.Broker
	for name, try := range map[string]func() error{
		"a bad name":               func() error { return b.RenameLabel(ctx, by, id, 1, "AGE", "no label") },
		"a taken name":             func() error { return b.RenameLabel(ctx, by, id, 1, "AGE", "CITY") },
		"another's earlier name":   func() error { return b.RenameLabel(ctx, by, id, 1, "AGE", "DATE") },
		"its own name":             func() error { return b.RenameLabel(ctx, by, id, 1, "AGE", "AGE") },
		"merging into itself":      func() error { return b.MergeLabel(ctx, by, id, 1, "AGE", "AGE", "AGE") },
		"merging into nothing":     func() error { return b.MergeLabel(ctx, by, id, 1, "AGE", "DATE", "AGE") },
		"merging without its name": func() error { return b.MergeLabel(ctx, by, id, 1, "AGE", "WHEN", "WHEN") },
		"bringing back an offered": func() error { return b.RestoreLabel(ctx, by, id, 1, "AGE") },
	} {
		t.Run(name, func(t *testing.T) { projecttest.WantKind(t, try(), project.Invalid) })
	}
	projecttest.WantKind(t, b.RetireLabel(ctx, by, id, 0, "AGE"), project.Stale)
	projecttest.WantKind(t, b.RetireLabel(ctx, projecttest.Annotator, id, 1, "AGE"), project.Forbidden)
	if err := b.MergeLabel(ctx, by, id, 1, "AGE", "WHEN", "AGE"); err != nil {
		t.Fatal(err)
	}
	if s, err := b.Settings(ctx, by, id); err != nil || !maps.Equal(s.Sampling.Cost, map[annotate.Label]float64{"WHEN": 3}) {
		t.Errorf("the costs are %v, %v, want the higher one", s.Sampling.Cost, err)
	}
}
