// SPDX-License-Identifier: Apache-2.0

package linear

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"hide/internal/annotate"
	"hide/internal/greedy"
)

// text makes a document of words, of which those with a star are sensitive.
func text(group, words string) *annotate.Note {
	d := &annotate.Note{Group: group}
	spans := 0
	for _, w := range strings.Fields(words) {
		name, sensitive := strings.CutPrefix(w, "*")
		span := -1
		if sensitive {
			span, spans = spans, spans+1
		}
		d.Words, d.Sensitive, d.SpanOf = append(d.Words, name), append(d.Sensitive, sensitive), append(d.SpanOf, span)
	}
	return d
}

// notes are documents in which a name follows "dr", and now and then a word that
// looks like one does not.
func notes(n int) []annotate.View {
	r := rand.New(rand.NewPCG(9, 9))
	views := make([]annotate.View, n)
	for i := range views {
		var words []string
		for range 12 {
			name := fmt.Sprintf("N%c%c%c", 'a'+rune(r.IntN(26)), 'a'+rune(r.IntN(26)), 'a'+rune(r.IntN(26)))
			switch r.IntN(4) {
			case 0:
				words = append(words, "dr", "*"+name)
			case 1:
				words = append(words, "the", name)
			default:
				words = append(words, fmt.Sprintf("w%d", r.IntN(30)))
			}
		}
		views[i] = annotate.View{Note: text(fmt.Sprint("g", i), strings.Join(words, " "))}
	}
	return views
}

func trained(t *testing.T, l SVM, views []annotate.View) greedy.Classifier {
	t.Helper()
	h, err := l.Train(t.Context(), views)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestSVMLearnsFromNeighboursWhatWordsDoNotTell(t *testing.T) {
	views := notes(60)
	h := trained(t, SVM{}, views[:40])
	for i, v := range views[40:] {
		if got := h.Hard(v); !slices.Equal(got, v.Sensitive) {
			t.Errorf("document %d: %v, want %v", i, got, v.Sensitive)
		}
	}
}

// The middle of a long span reads like the middle of what is none: only the
// labels before it tell.
func TestSVMUsesTheHistoryOfItsOwnLabels(t *testing.T) {
	var views []annotate.View
	for i := range 30 {
		views = append(views, annotate.View{Note: text(fmt.Sprint("g", i), "q q q q *s *q *q *q *q *q *q *q . q q q q q q q q q .")})
	}
	h := trained(t, SVM{C: 10}, views).(*Model)
	if got := h.Hard(views[0]); !slices.Equal(got, views[0].Sensitive) {
		t.Fatalf("got %v", got)
	}
	other := annotate.View{Note: text("other", "q q q q q q q q q q q q . q q q q q q q q q .")}
	if got := h.Hard(other); slices.Contains(got, true) {
		t.Errorf("without its beginning the rest of the span is marked: %v", got)
	}
}

func TestSVMScoresAreProbabilitiesThatHold(t *testing.T) {
	views := notes(200)
	for _, v := range views { // one label in ten is wrong
		for x := range v.Sensitive {
			if (x+len(v.Words))%10 == 0 {
				v.Sensitive[x] = !v.Sensitive[x]
				v.SpanOf[x] = -1
				if v.Sensitive[x] {
					v.SpanOf[x] = 100 + x
				}
			}
		}
	}
	h := trained(t, SVM{}, views[:120])
	sum, left := 0.0, 0.0
	for _, v := range views[120:] {
		for x, p := range h.Scores(v) {
			if !(p >= 0 && p <= 1) {
				t.Fatalf("a score is %g", p)
			}
			sum += p
			if v.Remaining(x) {
				left++
			}
		}
	}
	if math.Abs(sum-left) > 0.15*left {
		t.Errorf("%g expected, %g there", sum, left)
	}
}

func TestSVMNeverReadsRedactedWords(t *testing.T) {
	views := notes(20)
	for i := range views {
		views[i].Redacted = make([]bool, len(views[i].Words))
		views[i].Redacted[3] = true
	}
	h := trained(t, SVM{}, views)
	changed := *views[0].Note
	changed.Words = slices.Clone(changed.Words)
	changed.Words[3] = "Otherwise"
	changed.Sensitive = make([]bool, len(changed.Words))
	if a, b := h.Scores(views[0]), h.Scores(annotate.View{Note: &changed, Redacted: views[0].Redacted}); !slices.Equal(a, b) {
		t.Error("scores depend on a redacted word or on the annotation")
	}
}

func TestSVMThatPaysMoreForSensitiveTokensMarksMore(t *testing.T) {
	views := notes(60)
	for i, v := range views { // names without "dr" are sensitive in every fourth document
		for x := range v.Words {
			if i%4 == 0 && v.Words[x][0] == 'N' && !v.Sensitive[x] {
				v.Sensitive[x], v.SpanOf[x] = true, 100+x
			}
		}
	}
	count := func(l SVM) int {
		h, n := trained(t, l, views[:40]), 0
		for _, v := range views[40:] {
			for _, marked := range h.Hard(v) {
				if marked {
					n++
				}
			}
		}
		return n
	}
	if plain, costly := count(SVM{}), count(SVM{Sensitive: 50}); costly <= plain {
		t.Errorf("%d marked, %d when sensitive tokens cost 50 times as much", plain, costly)
	}
}

// Words tell nothing; only what another classifier says does.
func TestSVMJudgesWhatAnotherClassifierSays(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	var views []annotate.View
	var doubts []Doubt
	for i := range 40 {
		var words []string
		d := Doubt{Only: make([]bool, 30), Odds: make([]float64, 30)}
		for x := range 30 {
			d.Odds[x] = r.NormFloat64() * 3
			word := "w"
			if d.Odds[x] > 1 {
				word = "*w"
			}
			d.Only[x] = x%2 == 0
			words = append(words, word)
		}
		views, doubts = append(views, annotate.View{Note: text(fmt.Sprint("g", i), strings.Join(words, " "))}), append(doubts, d)
	}
	m, err := SVM{C: 1}.TrainOn(t.Context(), views[:30], doubts[:30])
	if err != nil {
		t.Fatal(err)
	}
	for i := 30; i < 40; i++ {
		for x, margin := range m.Judge(views[i], doubts[i]) {
			if doubts[i].Only[x] && (margin > 0) != views[i].Remaining(x) {
				t.Errorf("document %d, token %d: odds %g, margin %g", i, x, doubts[i].Odds[x], margin)
			}
		}
	}
}

func TestSVMLearnsNothingFromTokensThatAreNoQuestion(t *testing.T) {
	train := func(lastIsSensitive, lastAsked bool) []float64 {
		views := notes(30)
		doubts := make([]Doubt, len(views))
		for i, v := range views { // the last token is nobody's history
			last := len(v.Words) - 1
			v.Sensitive[last], v.SpanOf[last] = lastIsSensitive, -1
			if lastIsSensitive {
				v.SpanOf[last] = 99
			}
			doubts[i].Only = slices.Repeat([]bool{true}, len(v.Words))
			doubts[i].Only[last] = lastAsked
		}
		m, err := SVM{}.TrainOn(t.Context(), views, doubts)
		if err != nil {
			t.Fatal(err)
		}
		return m.Margins(views[0])
	}
	if !slices.Equal(train(true, false), train(false, false)) {
		t.Error("the label of a token that is no question makes a difference")
	}
	if slices.Equal(train(true, true), train(false, true)) {
		t.Error("the label of a token that is a question makes none")
	}
}

// A token that is not in question is nothing in the history of the next, in training
// as in judging.
func TestSVMLearnsTheHistoryThatItJudgesBy(t *testing.T) {
	doc := text("g", "*a b *c d")
	rows := func(d *annotate.Note, only []bool) []Row {
		table, err := newTable(t.Context(), []annotate.View{{Note: d}}, []Doubt{{Only: only}})
		if err != nil {
			t.Fatal(err)
		}
		return table.rows[0]
	}
	asked, none := []bool{false, true, true, true}, text("g", "a b *c d")
	if got, want := rows(doc, asked), rows(none, asked); !reflect.DeepEqual(got, want) {
		t.Errorf("after a sensitive token that is not in question: %v, want %v", got, want)
	}
	if reflect.DeepEqual(rows(doc, nil), rows(none, nil)) {
		t.Error("the history says nothing")
	}
}

func TestSVMIsTheSameEachTimeAndForAll(t *testing.T) {
	views := notes(30)
	a, b := trained(t, SVM{Seed: 3}, views), trained(t, SVM{Seed: 3}, views)
	want := a.Scores(views[0])
	var running sync.WaitGroup
	got := make([][]float64, 8)
	for i := range got {
		running.Go(func() { got[i] = b.Scores(views[0]) })
	}
	running.Wait()
	for _, scores := range got {
		if !reflect.DeepEqual(scores, want) {
			t.Error("scores differ")
		}
	}
}

func TestSVMOfOneDocumentOneGroupAndOneKind(t *testing.T) {
	one := []annotate.View{{Note: text("g", "dr *Nx went")}}
	kind := []annotate.View{{Note: text("a", "*x *y")}, {Note: text("b", "*z")}}
	for name, views := range map[string][]annotate.View{"one document": one, "one kind": kind, "one group": {one[0], one[0]}} {
		for _, p := range trained(t, SVM{}, views).Scores(one[0]) {
			if math.IsNaN(p) || p < 0 || p > 1 {
				t.Errorf("%s: a score is %g", name, p)
			}
		}
	}
}

func TestSVMRefusesOptionsThatMeanNothing(t *testing.T) {
	for _, l := range []SVM{{C: -1}, {C: math.NaN()}, {Sensitive: -1}, {Folds: 1}, {Loss: "log"}} {
		if _, err := l.Train(t.Context(), notes(4)); err == nil {
			t.Errorf("%+v: no error", l)
		}
	}
}
