// SPDX-License-Identifier: Apache-2.0

package retrieve_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"hide/internal/annotate"
	"hide/internal/greedy/attack/retrieve"
)

func run(t *testing.T, released []retrieve.Released, known []retrieve.Known) retrieve.Result {
	t.Helper()
	r, err := retrieve.Run(context.Background(), released, known, retrieve.Params{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func best(t *testing.T, r retrieve.Result, k retrieve.Knowledge) retrieve.Row {
	t.Helper()
	row, is := r.Best(k)
	if !is {
		t.Fatalf("no attacker has %s", k)
	}
	return row
}

// corpus has patients with some notes each; text gives the words of a note.
func corpus(patients int, notes func(p int) int, text func(p, n int) string) ([]retrieve.Released, []retrieve.Known) {
	var released []retrieve.Released
	var known []retrieve.Known
	for p := range patients {
		k := retrieve.Known{Patient: fmt.Sprint("p", p)}
		for n := range notes(p) {
			name, words := fmt.Sprint(n), strings.Fields(text(p, n))
			k.Notes = append(k.Notes, retrieve.Note{Name: name, Words: words})
			released = append(released, retrieve.Released{Patient: k.Patient, Note: name, Words: words})
		}
		known = append(known, k)
	}
	return released, known
}

func TestANoteThatNamesItsPatientIsLinked(t *testing.T) {
	released, known := corpus(40, func(int) int { return 2 }, func(_, n int) string { return "no acute distress seen again today" })
	for p := range known {
		known[p].Table = []string{fmt.Sprint("surname", p), "woman", "boston"}
	}
	released = released[10:11]
	released[0].Words = append(released[0].Words, "surname5")
	r := run(t, released, known)
	for _, row := range r.Rows {
		if row.Knowledge != retrieve.Siblings && row.Top1.Hits != 1 {
			t.Errorf("%s by %s links %v notes, not the planted one", row.Knowledge, row.Ranker, row.Top1.Hits)
		}
	}
	if r.Patients != 40 || r.Chance1 != 1.0/40 || r.Chance10 != 0.25 {
		t.Errorf("chance is %v and %v of %d patients", r.Chance1, r.Chance10, r.Patients)
	}
}

func TestEqualNotesAreAtChance(t *testing.T) {
	notes := func(p int) int { return 2 + p%4 } // the numbers of notes differ, and must not matter
	released, known := corpus(30, notes, func(int, int) string { return "the patient was seen and sent home the same day" })
	for p := range known {
		known[p].Table = []string{"woman", "boston"}
	}
	r := run(t, released, known)
	if len(r.Rows) != 6 {
		t.Fatalf("%d attackers, not 6", len(r.Rows))
	}
	for _, row := range r.Rows {
		if math.Abs(row.Top1.Share-r.Chance1) > 1e-12 || math.Abs(row.Top10.Share-r.Chance10) > 1e-12 {
			t.Errorf("%s by %s links %v and %v, not %v and %v", row.Knowledge, row.Ranker, row.Top1.Share, row.Top10.Share, r.Chance1, r.Chance10)
		}
	}
}

func TestANoteDoesNotLinkItself(t *testing.T) {
	// Each note has a word of its own, which nothing but its original has.
	released, known := corpus(25, func(int) int { return 3 }, func(p, n int) string { return fmt.Sprintf("seen at home word%dx%d", p, n) })
	row := best(t, run(t, released, known), retrieve.Siblings)
	if math.Abs(row.Top1.Share-1.0/25) > 1e-12 {
		t.Errorf("%v of the notes are linked by their own words", row.Top1.Share)
	}
	for i := range released {
		released[i].Note = "" // she has the very note
	}
	if row = best(t, run(t, released, known), retrieve.Siblings); row.Top1.Share != 1 {
		t.Errorf("only %v of the notes are linked by their own text", row.Top1.Share)
	}
}

func TestTiesCountByExpectation(t *testing.T) {
	var known []retrieve.Known
	for p := range 20 {
		table := []string{"man"}
		if p < 4 {
			table = []string{"woman"}
		} else if p < 16 {
			table = []string{"child"}
		}
		known = append(known, retrieve.Known{Patient: fmt.Sprint("p", p), Table: table})
	}
	for _, c := range []struct {
		patient     string
		word        string
		top1, top10 float64
	}{
		{"p0", "woman", 1.0 / 4, 1},
		{"p5", "child", 1.0 / 12, 10.0 / 12},
		{"p18", "man", 1.0 / 4, 1},
		{"p5", "woman", 0, 6.0 / 16}, // four women first, then all others alike
		{"p5", "unheard", 1.0 / 20, 10.0 / 20},
	} {
		row := best(t, run(t, []retrieve.Released{{Patient: c.patient, Words: []string{c.word}}}, known), retrieve.Table)
		if math.Abs(row.Top1.Hits-c.top1) > 1e-12 || math.Abs(row.Top10.Hits-c.top10) > 1e-12 {
			t.Errorf("%s by %q: %v and %v, not %v and %v", c.patient, c.word, row.Top1.Hits, row.Top10.Hits, c.top1, c.top10)
		}
	}
}

func TestOnlyPatientsWhoFitAreRanked(t *testing.T) {
	released, known := corpus(20, func(int) int { return 1 }, func(p, _ int) string { return fmt.Sprint("w", p%4) })
	for p := range known {
		known[p].Table = known[p].Notes[0].Words
	}
	released[0].Among = []string{"p0", "p1", "p2", "p3", "p1", "nobody"} // p0 alone has w0
	released[1].Among = []string{"p1", "p5", "p2"}                       // p1 and p5 have w1
	released[2].Among = []string{"p3"}                                   // not the true patient
	released = released[:3]
	r := run(t, released, known)
	row := best(t, r, retrieve.Table)
	if row.Top1.Hits != 1.5 || row.Top10.Hits != 2 || math.Abs(r.Chance1-(1.0/4+1.0/3+0)/3) > 1e-12 || math.Abs(r.Chance10-2.0/3) > 1e-12 {
		t.Errorf("%+v, chance %v and %v", row, r.Chance1, r.Chance10)
	}
}

func TestPatientsWithoutDataAreMissed(t *testing.T) {
	known := []retrieve.Known{{Patient: "a", Table: []string{"woman"}}, {Patient: "b", Table: []string{"man"}}, {Patient: "empty"}}
	released := []retrieve.Released{
		{Patient: "a", Words: []string{"woman"}},
		{Patient: "unknown", Words: []string{"woman"}},
		{Patient: "empty", Words: []string{"woman"}},
	}
	r := run(t, released, known)
	row := best(t, r, retrieve.Table)
	if r.Patients != 4 || row.Known != 1 || row.Top1.Hits != 1 || row.Top10.Hits != 2 || row.Linked.Of != 3 {
		t.Errorf("%d patients, %+v", r.Patients, row)
	}
	if _, is := r.Best(retrieve.Both); is {
		t.Error("an attacker has notes that do not exist")
	}
}

func TestIntervalsAndPatients(t *testing.T) {
	known := []retrieve.Known{{Patient: "a", Table: []string{"x"}}, {Patient: "b", Table: []string{"y"}}}
	var released []retrieve.Released
	for i := range 10 {
		word := "x"
		if i < 4 {
			word = "y"
		}
		released = append(released, retrieve.Released{Patient: "a", Words: []string{word}})
	}
	row := best(t, run(t, released, known), retrieve.Table)
	// 6 of 10 by Clopper and Pearson: .2624 to .8784; 1 of 1: .025 to 1.
	if row.Top1.Hits != 6 || math.Abs(row.Top1.Low-.2624) > 5e-4 || math.Abs(row.Top1.High-.8784) > 5e-4 {
		t.Errorf("first guess %+v", row.Top1)
	}
	if row.Linked.Hits != 1 || row.Linked.Of != 1 || math.Abs(row.Linked.Low-.025) > 1e-6 || row.Linked.High != 1 {
		t.Errorf("patients %+v", row.Linked)
	}
}

func TestWithoutTextTheMostNotesAreGuessed(t *testing.T) {
	released, known := corpus(20, func(p int) int { return 1 + 20*((20-p)/20) }, func(int, int) string { return "x" })
	r := run(t, released, known)
	if r.Blind.Top1 != 21.0/40 || r.Blind.Top10 != 30.0/40 {
		t.Errorf("%+v", r.Blind)
	}
}

func TestBadInput(t *testing.T) {
	one := []retrieve.Known{{Patient: "secret-1"}}
	two := []retrieve.Known{{Patient: "secret-1"}, {Patient: "secret-2"}}
	note := []retrieve.Released{{Patient: "secret-1", Words: []string{"x"}}}
	for name, c := range map[string]struct {
		released []retrieve.Released
		known    []retrieve.Known
		is       error
	}{
		"no notes":           {nil, two, retrieve.ErrNoNotes},
		"one patient":        {note, one, retrieve.ErrOnePatient},
		"a patient twice":    {note, append(two[:2:2], two[0]), nil},
		"a note twice":       {note, []retrieve.Known{two[0], {Patient: "secret-2", Notes: []retrieve.Note{{Name: "n"}, {Name: "n"}}}}, nil},
		"no patient":         {[]retrieve.Released{{Words: []string{"x"}}}, two, nil},
		"known without name": {note, []retrieve.Known{{}, two[0]}, nil},
	} {
		_, err := retrieve.Run(context.Background(), c.released, c.known, retrieve.Params{})
		if err == nil || c.is != nil && !errors.Is(err, c.is) || strings.Contains(fmt.Sprint(err), "secret") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestNotesWithoutWordsAreAtChance(t *testing.T) {
	known := []retrieve.Known{{Patient: "a", Table: []string{"x"}}, {Patient: "b", Table: []string{"y"}}}
	row := best(t, run(t, []retrieve.Released{{Patient: "a"}}, known), retrieve.Table)
	if row.Top1.Hits != 0.5 || row.Top1.Low != 0 || row.Top1.High != 1 {
		t.Errorf("%+v", row.Top1)
	}
}

func TestCancelAndProgress(t *testing.T) {
	released, known := corpus(30, func(int) int { return 10 }, func(p, n int) string { return fmt.Sprint("w", p) })
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if _, err := retrieve.Run(ctx, released, known, retrieve.Params{Progress: func(int, int) { cancel() }}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	last := 0
	_, err := retrieve.Run(context.Background(), released, known, retrieve.Params{Workers: 3, Progress: func(done, total int) {
		if done <= last || total != 300 {
			t.Errorf("%d of %d after %d", done, total, last)
		}
		last = done
	}})
	if err != nil || last != 300 {
		t.Errorf("ended at %d: %v", last, err)
	}
}

func TestWorkersDoNotChangeTheResult(t *testing.T) {
	released, known := randomCorpus(rand.New(rand.NewPCG(5, 5)), 12)
	var first retrieve.Result
	for workers := 1; workers < 6; workers++ {
		r, err := retrieve.Run(context.Background(), released, known, retrieve.Params{Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		if workers > 1 && !reflect.DeepEqual(r, first) {
			t.Errorf("%d workers: %+v, not %+v", workers, r, first)
		}
		first = r
	}
}

func TestWords(t *testing.T) {
	text := "Señora GARCÍA, 41yo, seen by [DOCTOR 2] on 2019-03-04."
	at := annotate.ByteOff(strings.Index(text, "["))
	got := retrieve.Words(text, []annotate.Span{{Start: at, End: at + annotate.ByteOff(len("[DOCTOR 2]"))}})
	want := strings.Fields("senora garcia 41yo seen by on 2019 03 04")
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

func TestFields(t *testing.T) {
	got := retrieve.Fields([]map[string]string{
		{"sex": "F", "birth_date": "1980-06-15", "note_date": "2020-06-14", "city": "São Paulo"},
		{"sex": "F", "birth_date": "1980-06-15", "note_date": "2021-06-15", "city": "São Paulo"},
	})
	want := strings.Fields("06 14 15 1980 2020 2021 39 41 f female her paulo sao she woman")
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

func TestFieldsOfBirths(t *testing.T) {
	for _, field := range []string{"DOB", "birthDate", "fecha de nacimiento", "Date de naissance", "Geburtsdatum"} {
		got := retrieve.Fields([]map[string]string{{field: "1980-06-15", "seen": "2020-06-15T10:30:00"}})
		if !slices.Contains(got, "40") {
			t.Errorf("%s: %q has no age", field, got)
		}
	}
	if got := retrieve.Fields([]map[string]string{{"admitted": "1980-06-15", "seen": "2020-06-15"}}); slices.Contains(got, "40") {
		t.Errorf("%q has an age, but no birth", got)
	}
}

func TestReleaseLinksNotesToTheirDocuments(t *testing.T) {
	originals := []annotate.Document{
		{Name: "1", Patient: "a", Text: "Ann has asthma", Attributes: map[string]string{"city": "Lyon"}},
		{Name: "2", Patient: "a", Text: "asthma again"},
		{Name: "3", Patient: "b", Text: "Bob broke a leg", Attributes: map[string]string{"city": "Nice"}},
		{Name: "4", Text: "a note of nobody"},
		{Name: "5", Text: "another note of nobody"},
	}
	r, err := retrieve.Release(context.Background(), []retrieve.Published{
		{Name: "2", Text: "asthma again"},
		{Name: "3", Text: "[X] broke a leg in Nice", Hidden: []annotate.Span{{Start: 0, End: 3}}},
	}, originals, retrieve.Params{})
	if err != nil {
		t.Fatal(err)
	}
	if row := best(t, r, retrieve.Siblings); r.Patients != 4 || row.Known != 1 || row.Top1.Hits != 1 {
		t.Errorf("%d patients, %+v", r.Patients, row)
	}
	if row := best(t, r, retrieve.Table); row.Known != 2 || row.Top1.Hits != 1.5 {
		t.Errorf("%+v", row)
	}
	for name, c := range map[string][]annotate.Document{
		"a note without original": originals[1:],
		"a name twice":            append(originals[:2:2], originals[0]),
		"no name":                 append(originals[:1:1], annotate.Document{Patient: "c"}),
	} {
		if _, err := retrieve.Release(context.Background(), []retrieve.Published{{Name: "1"}}, c, retrieve.Params{}); err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
}

func TestSentences(t *testing.T) {
	released, known := corpus(200, func(int) int { return 1 }, func(p, _ int) string { return fmt.Sprint("w", max(p-30, 0)) })
	for p := range known {
		known[p].Table = []string{"town", fmt.Sprint("w", max(p-30, 0))}
	}
	got := run(t, released, known).Words()
	want := "An attacker who has the table links 170 of 200 notes to the right patient at the first guess (85.0 %, 79.3 to 89.6); guessing would link 0.5 %."
	if len(got) != 4 || got[0] != want {
		t.Errorf("%q", got)
	}
	for _, s := range (retrieve.Result{Patients: 2, Notes: 1}).Words() {
		if !strings.HasSuffix(s, ".") {
			t.Errorf("%q", s)
		}
	}
}

func TestTheHeadlineIsOfTheAttackerWithTheMostLinks(t *testing.T) {
	row := func(k retrieve.Knowledge, hits float64) retrieve.Row {
		return retrieve.Row{Knowledge: k, Top1: retrieve.Rate{Hits: hits, Of: 100, Share: hits / 100}}
	}
	for _, c := range []struct {
		table, siblings, both float64
		want                  retrieve.Knowledge
	}{
		{56, 9, 47, retrieve.Table},
		{9, 56, 47, retrieve.Siblings},
		{9, 47, 56, retrieve.Both},
		{56, 56, 56, retrieve.Both},
		{0, 0, 0, retrieve.Both},
	} {
		r := retrieve.Result{Rows: []retrieve.Row{row(retrieve.Table, c.table), row(retrieve.Siblings, c.siblings), row(retrieve.Both, c.both)}}
		if got, begin := r.Headline(), "An attacker who has "+c.want.Words()+" links "; !strings.HasPrefix(got, begin) {
			t.Errorf("%+v: %q, want %q", c, got, begin)
		}
	}
	if got := (retrieve.Result{}).Headline(); strings.Contains(got, "links") {
		t.Errorf("without attackers: %q", got)
	}
}

// Half of the notes name their patient. A random sample links about half, and says that it is
// one.
func TestASampleOfNotesIsLikeAllNotes(t *testing.T) {
	released, known := corpus(100, func(int) int { return 3 }, func(int, int) string { return "no acute distress" })
	for p := range known {
		known[p].Table = []string{fmt.Sprint("surname", p)}
	}
	for i := range released {
		if i%2 == 0 {
			released[i].Words = append(slices.Clone(released[i].Words), fmt.Sprint("surname", i/3))
		}
	}
	sample := func(size int) retrieve.Result {
		r, err := retrieve.Run(t.Context(), released, known, retrieve.Params{Sample: size})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	all, part := sample(0), sample(120)
	row := best(t, part, retrieve.Table)
	if part.Notes != 120 || part.Released != 300 || row.Top1.Of != 120 || row.Top1.Share < .38 || row.Top1.Share > .63 || part.Blind != all.Blind {
		t.Errorf("the sample gives %+v, %+v", part, row)
	}
	if said := strings.Join(part.Words(), "\n"); !strings.Contains(said, "a random sample of 120 of the 300 released notes") {
		t.Errorf("the words do not say that it is a sample: %s", said)
	}
	if !reflect.DeepEqual(part, sample(120)) {
		t.Error("a second sample of the same size differs")
	}
	if more := sample(301); !reflect.DeepEqual(more, all) || strings.Contains(strings.Join(all.Words(), "\n"), "sample") {
		t.Errorf("a sample of more notes than there are gives %+v", more)
	}
}
