// SPDX-License-Identifier: Apache-2.0

package dense

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"hide/internal/annotate"
	"hide/internal/annotate/dictionary"
	"hide/internal/crf"
	"hide/internal/greedy/boost"
)

// random are documents of few words, some sensitive, some hidden, in groups of
// about two.
func random(seed uint64, n int) []annotate.View {
	r := rand.New(rand.NewPCG(seed, 1))
	words := []string{"ana", "Ruiz", "saw", "dr.", "12", "Ana", ":", "fever", "Zoë"}
	views := make([]annotate.View, n)
	for i := range views {
		d := &annotate.Note{Group: fmt.Sprint(r.IntN(n/2 + 1))}
		size := 1 + r.IntN(12)
		hidden := make([]bool, size)
		for t := range size {
			d.Words = append(d.Words, words[r.IntN(len(words))])
			d.Sensitive = append(d.Sensitive, r.IntN(3) == 0)
			hidden[t] = r.IntN(5) == 0
		}
		views[i] = annotate.View{Note: d, Redacted: hidden}
	}
	return views
}

func all(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

func mustFit(t testing.TB, views []annotate.View, train []int) *Fitted {
	t.Helper()
	c, err := Prepare(context.Background(), views, crf.NewLists(nil))
	if err != nil {
		t.Fatal(err)
	}
	f, err := c.Fit(context.Background(), train)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func mustRows(t testing.TB, f *Fitted) (boost.Matrix, []bool) {
	t.Helper()
	x, y, err := f.Rows(context.Background(), false)
	if err != nil {
		t.Fatal(err)
	}
	return x, y
}

// TestRatesLeaveTheOwnFoldOut compares the rate of the word with what counting by
// hand gives, for each training row and for tokens to be scored.
func TestRatesLeaveTheOwnFoldOut(t *testing.T) {
	for seed := range uint64(40) {
		views := random(seed, 9)
		train := []int{0, 2, 3, 5, 6, 7}
		f := mustFit(t, views, train)
		byHand := func(word string, without int) float32 {
			var c, whole count
			for k, i := range train {
				v := views[i]
				for t := range v.Words {
					if v.Hidden(t) {
						continue
					}
					whole.add(v.Remaining(t))
					if v.Words[t] == word && f.fold[k] != without {
						c.add(v.Remaining(t))
					}
				}
			}
			return rate(c, (float64(whole.s)+0.5)/(float64(whole.n)+1))
		}
		x, y := mustRows(t, f)
		row := 0
		for k, i := range train {
			v := views[i]
			for at := range v.Words {
				if v.Hidden(at) {
					continue
				}
				if want := byHand(v.Words[at], f.fold[k]); x[keyWord][row] != want || y[row] != v.Remaining(at) {
					t.Fatalf("seed %d, document %d, token %d: rate %g, by hand %g", seed, i, at, x[keyWord][row], want)
				}
				row++
			}
		}
		if row != x.Rows() {
			t.Fatalf("%d rows of %d visible tokens", x.Rows(), row)
		}
		held := f.Columns(1)
		for at := range views[1].Words {
			if want := byHand(views[1].Word(at), -1); held[keyWord][at] != want {
				t.Fatalf("seed %d, held token %d: rate %g, by hand %g", seed, at, held[keyWord][at], want)
			}
		}
	}
}

// TestNoColumnSeesTheOwnGroupsLabels turns the labels of a group around: with the
// share of all tokens as it was, no column of its rows changes.
func TestNoColumnSeesTheOwnGroupsLabels(t *testing.T) {
	views := random(3, 12)
	const own = 4
	views[own].Note.Group = "own"
	fit := func(share float64) (boost.Matrix, float64) {
		f := mustFit(t, views, all(12))
		if share > 0 {
			f.share = share
			if err := f.fitLikeness(t.Context(), f.wordCounts()); err != nil {
				t.Fatal(err)
			}
		}
		x, _ := mustRows(t, f)
		return x, f.share
	}
	before, share := fit(0)
	for at := range views[own].Sensitive {
		views[own].Sensitive[at] = !views[own].Sensitive[at]
	}
	after, _ := fit(share)
	from, to, others := 0, 0, 0
	for _, v := range views[:own+1] {
		from = to
		for at := range v.Words {
			if !v.Hidden(at) {
				to++
			}
		}
	}
	for c := range before {
		for row := range before[c] {
			switch {
			case before[c][row] == after[c][row]:
			case row >= from && row < to:
				t.Errorf("column %d of the group's row %d changed", c, row-from)
			default:
				others++
			}
		}
	}
	if others == 0 {
		t.Error("nothing changed in the rows of other groups")
	}
}

func TestAnEncoderDescribesAsItsCorpusDid(t *testing.T) {
	views := random(5, 10)
	f := mustFit(t, views, []int{0, 1, 2, 3, 4, 5})
	e := f.Encoder()
	for i := 6; i < 10; i++ {
		if !reflect.DeepEqual(f.Columns(i), e.Columns(views[i])) {
			t.Errorf("document %d differs", i)
		}
	}
}

func TestHiddenWordsAreNotSeen(t *testing.T) {
	views := random(6, 8)
	for at := range views[7].Words {
		views[7].Redacted[at] = at%2 == 0
	}
	e := mustFit(t, views, all(6)).Encoder()
	before := e.Columns(views[7])
	changed := *views[7].Note
	changed.Words, changed.Sensitive = slices.Clone(changed.Words), nil
	hidden := 0
	for at := range changed.Words {
		if views[7].Hidden(at) {
			changed.Words[at] = "Saavedra"
			hidden++
		}
	}
	if after := e.Columns(annotate.View{Note: &changed, Redacted: views[7].Redacted}); hidden == 0 || !reflect.DeepEqual(before, after) {
		t.Errorf("columns depend on %d hidden words", hidden)
	}
}

// Neither rows nor rates know the labels of words that are left out, and there is a
// row for each of the others.
func TestWordsThatAreLeftOutAreNotCounted(t *testing.T) {
	skipping := func(lie bool) []annotate.View {
		views, r := random(5, 12), rand.New(rand.NewPCG(6, 1))
		for i := range views {
			views[i].Skip = make([]bool, len(views[i].Words))
			for w := range views[i].Words {
				if views[i].Skip[w] = r.IntN(3) == 0; views[i].Skip[w] && lie {
					views[i].Sensitive[w] = !views[i].Sensitive[w]
				}
			}
		}
		return views
	}
	views := skipping(false)
	told, lied := mustFit(t, views, all(10)), mustFit(t, skipping(true), all(10))
	x, y := mustRows(t, told)
	otherX, otherY := mustRows(t, lied)
	if !reflect.DeepEqual(x, otherX) || !slices.Equal(y, otherY) || !reflect.DeepEqual(told.Columns(11), lied.Columns(11)) {
		t.Error("labels of words that are left out show")
	}
	rows := 0
	for _, v := range views[:10] {
		for w := range v.Words {
			if v.InTraining(w) {
				rows++
			}
		}
	}
	if x.Rows() != rows || len(y) != rows {
		t.Errorf("%d rows, %d labels, want %d", x.Rows(), len(y), rows)
	}
	if got := told.Columns(11).Rows(); got != len(views[11].Words) {
		t.Errorf("%d of %d words are described", got, len(views[11].Words))
	}
}

func TestLikenessGeneralisesToNewWords(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	grams, counts := [][]uint16(nil), []count(nil)
	ends := map[bool][]string{true: {"ez", "ić", "sson"}, false: {"tion", "ly", "osis"}}
	word := func(sensitive bool) string {
		s := ""
		for range 2 + r.IntN(2) {
			s += string([]byte{"bdfgklmnprst"[r.IntN(12)], "aeiou"[r.IntN(5)]})
		}
		return s + ends[sensitive][r.IntN(3)]
	}
	for i := range 600 {
		grams = append(grams, gramsOf(spelling(word(i%2 == 0))))
		c := count{n: int32(1 + r.IntN(4))}
		if i%2 == 0 {
			c.s = c.n
		}
		counts = append(counts, c)
	}
	l, right := fitLikeness(grams, counts, 0), 0
	for i := range 400 {
		if f := l.logOdds(gramsOf(spelling(word(i%2 == 0)))); f > 0 == (i%2 == 0) {
			right++
		}
	}
	if right < 380 {
		t.Errorf("%d of 400 new words are right", right)
	}
}

// TestPatternsAreToldByForm reads one line of each.
func TestPatternsAreToldByForm(t *testing.T) {
	for text, want := range map[string]Pattern{
		"12/03/1984": FullDate, "3 de marzo de 1984": FullDate, "March 3, 1984": FullDate, "3. März 1984": FullDate, "le 3 mars 1984": FullDate,
		"ana.ruiz@example.org": Email, "https://example.org/a": URL, "(312) 555-0188": Phone,
		"blood pressure 120/80": NoPattern, "12/03/1984.": NoPattern, "ana.ruiz@example.org,": NoPattern,
	} {
		d := doc(text)
		x := mustFit(t, random(1, 4), all(4)).Encoder().Columns(annotate.View{Note: &d})
		if got := PatternOf(x, len(d.Words)-1); got != want {
			t.Errorf("%q is %d, want %d", text, got, want)
		}
	}
}

func TestEncodersReadBackAsTheyWere(t *testing.T) {
	e := mustFit(t, random(8, 10), all(10)).Encoder()
	raw := e.Append(nil)
	back, err := Decode(raw)
	if err != nil || !reflect.DeepEqual(e, back) || !slices.Equal(raw, back.Append(nil)) {
		t.Fatalf("it came back different: %v", err)
	}
	r := rand.New(rand.NewPCG(9, 9))
	for range 300 {
		cut := r.IntN(len(raw))
		if _, err := Decode(raw[:cut]); !errors.Is(err, ErrEncoder) {
			t.Fatalf("cut at %d: %v", cut, err)
		}
	}
	for name, change := range map[string]func([]byte){
		"version":  func(b []byte) { b[0]++ },
		"lists":    func(b []byte) { b[1]++ },
		"user's":   func(b []byte) { b[34]++ },
		"share":    func(b []byte) { copy(b[35:], make([]byte, 8)) },
		"NaN":      func(b []byte) { copy(b[51:], []byte{0, 0, 192, 127}) },
		"last key": func(b []byte) { clear(b[len(b)-10 : len(b)-2]) },
	} {
		damaged := slices.Clone(raw)
		change(damaged)
		if _, err := Decode(damaged); !errors.Is(err, ErrEncoder) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAUsersListsAreColumnsThatReadBack(t *testing.T) {
	lists := crf.NewLists([]dictionary.List{{Name: "wards", Phrases: []string{"Zoë", "dr. 12"}}, {Name: "staff", Phrases: []string{"ruiz"}}})
	views := random(8, 10)
	c, err := Prepare(t.Context(), views, lists)
	if err != nil {
		t.Fatal(err)
	}
	f, err := c.Fit(t.Context(), all(10))
	if err != nil {
		t.Fatal(err)
	}
	e := f.Encoder()
	back, err := Decode(e.Append(nil))
	if err != nil || !slices.Equal(e.Append(nil), back.Append(nil)) {
		t.Fatalf("it came back different: %v", err)
	}
	d := doc("Ruiz saw Zoë, dr . 12")
	x := back.Columns(annotate.View{Note: &d})
	if !reflect.DeepEqual(x, e.Columns(annotate.View{Note: &d})) {
		t.Error("it describes differently")
	}
	if own := mustFit(t, views, all(10)).Encoder(); e.Width() != own.Width()+2 || len(x) != e.Width() {
		t.Errorf("%d columns with two lists, %d without, %d in a matrix", e.Width(), own.Width(), len(x))
	}
	for list, want := range [][]float32{{0, 0, 1, 0, 3, 3, 3}, {1, 0, 0, 0, 0, 0, 0}} {
		if got := x[len(x)-2+list]; !slices.Equal(got, want) {
			t.Errorf("list %d: %v, want %v", list, got, want)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(mustFit(f, random(8, 4), all(4)).Encoder().Append(nil))
	f.Fuzz(func(t *testing.T, raw []byte) {
		e, err := Decode(raw)
		if err != nil {
			return
		}
		if !slices.Equal(e.Append(nil), raw) {
			t.Fatal("two files of one encoder")
		}
		for _, column := range e.Columns(random(1, 1)[0]) {
			for _, v := range column {
				if math.IsInf(float64(v), 0) || v != v {
					t.Fatalf("a column has %g", v)
				}
			}
		}
	})
}

func doc(text string) annotate.Note {
	return annotate.NewNote(annotate.Annotated{Document: annotate.Document{Text: text}})
}

// TestRatesDoNotTellTheOwnLabel has many documents of one and the same word. Rates
// that left out each document alone would have one value for sensitive tokens and
// another for the rest.
func TestRatesDoNotTellTheOwnLabel(t *testing.T) {
	views := make([]annotate.View, 200)
	for i := range views {
		views[i] = annotate.View{Note: &annotate.Note{Group: fmt.Sprint(i), Words: []string{"ana"}, Sensitive: []bool{i%7 == 0}}}
	}
	x, y := mustRows(t, mustFit(t, views, all(len(views))))
	for c := range x {
		kinds := map[float32][2]bool{}
		for row, v := range x[c] {
			k := kinds[v]
			k[map[bool]int{true: 1}[y[row]]] = true
			kinds[v] = k
		}
		for v, k := range kinds {
			if !k[0] || !k[1] {
				t.Errorf("column %d: %g is of one kind of token alone", c, v)
			}
		}
	}
}
