// SPDX-License-Identifier: Apache-2.0

package dense

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"hide/internal/annotate"
	"hide/internal/annotate/dictionary"
	"hide/internal/crf"
	"hide/internal/greedy/boost"
)

// plain describes tokens one by one, by the definitions of the keys and columns: it knows
// nothing of words from one token to the next.
type plain struct {
	of     *Encoder
	counts map[uint64]count
	facts  []crf.Fact
	view   annotate.View
}

func newPlain(e *Encoder) *plain {
	p := &plain{of: e, counts: map[uint64]count{}}
	for key, c := range e.counts.all() {
		p.counts[key] = c
	}
	return p
}

func (p *plain) columns(v annotate.View) boost.Matrix {
	p.view, p.facts = v, crf.NewFactReader(p.of.lists).Read(v)
	x, opening := newMatrix(p.of.Width(), len(v.Words)), ""
	for t := range v.Words {
		if p.facts[t].LinePlace == 0 {
			opening = p.facts[t].Lower
		}
		hashes := p.keys(t, opening)
		for k, h := range hashes {
			x[k][t] = rate(p.counts[h], p.of.share)
		}
		for i, k := range []int{keyWord, keyLower, keyPairBefore, keyPairAfter} {
			x[keys+i][t] = float32(math.Log1p(float64(p.counts[hashes[k]].n)))
		}
		for o := -1; o <= 1; o++ {
			if t+o >= 0 && t+o < len(v.Words) {
				x[firstLikeness+1+o][t] = float32(p.of.like.logOdds(gramsOf(spelling(v.Word(t + o)))))
			}
		}
		for c, value := range p.statics(t) {
			x[firstStatic+c][t] = value
		}
	}
	return x
}

func (p *plain) at(t int) crf.Fact {
	if t < 0 || t >= len(p.facts) {
		return edge
	}
	return p.facts[t]
}

// keys hashes the parts of each key from the start. A part is a text or a number.
func (p *plain) keys(t int, opening string) (hashes [keys]uint64) {
	b2, b1, w, a1, a2 := p.at(t-2), p.at(t-1), p.at(t), p.at(t+1), p.at(t+2)
	class := string(rune(w.Class))
	for kind, parts := range [keys][]any{
		keyWord: {p.view.Word(t)}, keyLower: {w.Lower}, keyPrefix: {head(w.Lower, 3)},
		keySuffix2: {tail(w.Lower, 2)}, keySuffix: {tail(w.Lower, 3), class},
		keyShape: {w.Shape}, keyMember: {w.Member}, keyRun: {w.Run, w.RunAt, w.RunLeft},
		keyKind:   {w.Kind, w.Place, w.Size, w.RunKind, w.Digits},
		keyBefore: {b1.Lower, class}, keyAfter: {a1.Lower, class},
		keyPairBefore: {b1.Lower, w.Lower}, keyPairAfter: {w.Lower, a1.Lower},
		keyAround:    {b1.Lower, a1.Lower, class},
		keyTwoBefore: {b2.Lower, b1.Lower, class}, keyTwoAfter: {a1.Lower, a2.Lower, class},
		keyShapesBefore: {b2.Shape, b1.Shape, w.Shape}, keyShapesAfter: {w.Shape, a1.Shape, a2.Shape},
		keyClasses:    {string([]byte{b2.Class, b1.Class, w.Class, a1.Class, a2.Class})},
		keyHead:       {w.Head, w.HeadDistance, w.Class},
		keyHeadNext:   {w.Head, b1.Lower, a1.Lower},
		keySection:    {w.Section, w.SectionAt, w.Class},
		keyLine:       {w.Above, w.LineSize, w.LinePlace, w.Class},
		keyOpening:    {opening, w.LinePlace, w.Class},
		keyBlurBefore: {b2.Blur, b1.Blur, w.Member}, keyBlurAfter: {w.Member, a1.Blur, a2.Blur},
	} {
		h := newKey(kind)
		for _, part := range parts {
			switch part := part.(type) {
			case string:
				h = h.text(part)
			case int:
				h = h.number(part)
			case int8:
				h = h.number(int(part))
			case byte:
				h = h.number(int(part))
			}
		}
		hashes[kind] = h.sum()
	}
	return hashes
}

func (p *plain) statics(t int) []float32 {
	w, row := p.at(t), make([]float32, statics(p.of.lists.Len()))
	row[colClass], row[colLength] = classNumber(w.Class), float32(utf8.RuneCountInString(p.view.Word(t)))
	row[colDigits], row[colNumber] = float32(w.Digits), float32(strings.Count(w.Shape, "d"))
	row[colGap], row[colGapAfter] = float32(w.Gap), 3
	if t+1 < len(p.facts) {
		row[colGapAfter] = float32(p.facts[t+1].Gap)
	}
	row[colLinePlace], row[colLineEnd], row[colLineSize] = float32(w.LinePlace), flag(w.LineEnd), float32(w.LineSize)
	row[colHeadDistance], row[colSectionAt] = float32(w.HeadDistance), float32(w.SectionAt)
	row[colAbove], row[colBelow] = float32(w.Above), float32(w.Below)
	row[colPosition] = float32(t) / float32(len(p.facts))
	times := 0
	for _, f := range p.facts {
		if f.Lower == w.Lower {
			times++
		}
	}
	row[colTimes] = float32(math.Log(float64(times)))
	row[colTitle], row[colCredit] = distance(w.Title), distance(w.Credit)
	row[colKind], row[colRunKind] = place(w.Kind, kindOrder), place(w.RunKind, runOrder)
	row[colRunAt], row[colRunLeft] = float32(w.RunAt), float32(w.RunLeft)
	hidden := func(t int) bool { return t >= 0 && t < len(p.facts) && p.view.Hidden(t) }
	row[colHidden], row[colHiddenNear] = flag(hidden(t)), flag(hidden(t-1))+2*flag(hidden(t+1))
	for way := range crf.Ways {
		row[colUsed+way] = float32(w.Used >> way & 1)
		row[colElsewhere+way] = float32(w.Elsewhere >> way & 1)
	}
	row[colNovelty] = p.novelty()
	for list, size := range w.Phrases {
		row[colLists+list] = float32(size)
	}
	return row
}

// novelty is the share of the visible words that count nothing, with four that do.
func (p *plain) novelty() float32 {
	words, unknown := 4, 0
	for t, f := range p.facts {
		if !p.view.Hidden(t) {
			words++
			if p.counts[newKey(keyLower).text(f.Lower).sum()].n == 0 {
				unknown++
			}
		}
	}
	return float32(unknown) / float32(words)
}

// odd are views with empty, long, broken and foreign words, and with none.
func odd() []annotate.View {
	long := strings.Repeat("Äbc", 60)
	views := []annotate.View{{Note: &annotate.Note{}}}
	for _, words := range [][]string{{""}, {"\x00"}, {"", "\x00", "", "Ana"}, {long, long + "x", strings.ToLower(long), "\xff\xfe", "患者", "Dr", "."},
		slices.Repeat([]string{"Ana", "ana", "ANA"}, 80)} {
		views = append(views, annotate.View{Note: &annotate.Note{Words: words}})
	}
	return views
}

// hiding are views of the same notes with some tokens hidden.
func hiding(views []annotate.View, seed uint64) []annotate.View {
	r, out := rand.New(rand.NewPCG(seed, 4)), slices.Clone(views)
	for i, v := range out {
		mask := make([]bool, len(v.Words))
		for t := range mask {
			mask[t] = r.IntN(6) == 0
		}
		out[i].Redacted = mask
	}
	return out
}

// differ says where two tables differ, in any bit; "" if nowhere.
func differ(got, want boost.Matrix) string {
	if len(got) != len(want) {
		return fmt.Sprintf("%d columns, want %d", len(got), len(want))
	}
	for c := range want {
		if len(got[c]) != len(want[c]) {
			return fmt.Sprintf("column %d has %d rows, want %d", c, len(got[c]), len(want[c]))
		}
		for row := range want[c] {
			if math.Float32bits(got[c][row]) != math.Float32bits(want[c][row]) {
				return fmt.Sprintf("column %d, token %d: %g, want %g", c, row, got[c][row], want[c][row])
			}
		}
	}
	return ""
}

// TestColumnsAreThoseOfTheirDefinitions scores each view with what was remembered of those
// before it.
func TestColumnsAreThoseOfTheirDefinitions(t *testing.T) {
	lists := crf.NewLists([]dictionary.List{{Name: "wards", Phrases: []string{"Zoë", "dr. 12"}}})
	train := slices.Concat(generated(1, 3), random(1, 9))
	c, err := Prepare(t.Context(), train, lists)
	if err != nil {
		t.Fatal(err)
	}
	f, err := c.Fit(t.Context(), all(len(train)))
	if err != nil {
		t.Fatal(err)
	}
	e := f.Encoder()
	views := slices.Concat(train, generated(2, 3), random(2, 9), odd())
	for i, v := range slices.Concat(views, hiding(views, 5), views) {
		want := newPlain(e).columns(v)
		e.Describe(v, func(x boost.Matrix) {
			if d := differ(x, want); d != "" {
				t.Fatalf("view %d: %s", i, d)
			}
			for c := range x {
				for row := range x[c] {
					x[c][row] = 7 // the next view must not see it
				}
			}
		})
		if d := differ(e.Columns(v), want); d != "" {
			t.Fatalf("view %d once more: %s", i, d)
		}
	}
}

// TestColumnsDoNotDependOnWhatElseIsScored scores views on several goroutines at once.
func TestColumnsDoNotDependOnWhatElseIsScored(t *testing.T) {
	train := random(3, 9)
	e := mustFit(t, train, all(len(train))).Encoder()
	views := hiding(slices.Concat(generated(4, 2), random(4, 9), odd()), 6)
	want := make([]boost.Matrix, len(views))
	for i, v := range views {
		want[i] = e.newScorer().columns(v)
	}
	var wait sync.WaitGroup
	for seed := range uint64(4) {
		wait.Go(func() {
			for _, i := range rand.New(rand.NewPCG(seed, 1)).Perm(len(views)) {
				if d := differ(e.Columns(views[i]), want[i]); d != "" {
					t.Errorf("view %d: %s", i, d)
				}
			}
		})
	}
	wait.Wait()
}

// TestAnEncoderForgetsWords: it gives up a scorer that knows many words, or has read much.
func TestAnEncoderForgetsWords(t *testing.T) {
	train := random(3, 9)
	e := mustFit(t, train, all(len(train))).Encoder()
	words, bytes, tokens, memory := e.newScorer(), e.newScorer(), e.newScorer(), e.newScorer()
	words.words = append(words.words, make([]word, mostWords)...)
	words.scores = append(words.scores, make([]wordScore, mostWords)...)
	bytes.columns(annotate.View{Note: &annotate.Note{Words: []string{strings.Repeat("a", mostBytes+1)}}})
	tokens.tokens = mostTokens
	memory.memory = make([]float32, mostMemory+1)
	for _, full := range []*scorer{words, bytes, tokens, memory} {
		e.scorers.Put(full)
		e.Columns(train[0])
		if s, kept := e.scorers.Get().(*scorer); kept && s == full {
			t.Errorf("it keeps a scorer with %d words of %d bytes, %d tokens and room for %d numbers", len(s.words), s.bytes, s.tokens, cap(s.memory))
		}
	}
}

// TestATableFindsWhatItHolds compares it with a map, with keys far apart, next to each other
// and at both ends.
func TestATableFindsWhatItHolds(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 8))
		want := map[uint64]count{}
		for range r.IntN(200) {
			key := r.Uint64()
			switch r.IntN(4) {
			case 0:
				key = math.MaxUint64 - uint64(r.IntN(20))
			case 1:
				key %= 20
			case 2:
				key = 1<<63 + key%20
			}
			want[key] = count{int32(1 + r.IntN(3)), int32(r.IntN(2))}
		}
		var sorted []uint64
		for key := range want {
			sorted = append(sorted, key)
		}
		slices.Sort(sorted)
		b := newTableBuilder(len(sorted)+r.IntN(3), 0.3)
		for _, key := range sorted {
			b.add(key, want[key])
		}
		table := b.done()
		for _, key := range sorted {
			for _, asked := range []uint64{key, key + 1, key - 1, r.Uint64()} {
				c := table.counts[table.find(asked)]
				if c.count != want[asked] || c.rate != rate(want[asked], 0.3) {
					t.Fatalf("seed %d, key %d: %+v, want %+v", seed, asked, c, want[asked])
				}
			}
		}
		var listed []uint64
		for key, c := range table.all() {
			if listed = append(listed, key); c != want[key] {
				t.Fatalf("seed %d: lists %+v for key %d, want %+v", seed, c, key, want[key])
			}
		}
		if !slices.Equal(listed, sorted) || table.len() != len(sorted) {
			t.Fatalf("seed %d: lists %d keys of %d", seed, len(listed), len(sorted))
		}
	}
}
