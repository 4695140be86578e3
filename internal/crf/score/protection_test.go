// SPDX-License-Identifier: Apache-2.0

package score

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"hide/internal/annotate"
	"hide/internal/annotate/entities"
)

func placed(note int, s annotate.Span) entities.Place { return entities.Place{Note: note, Span: s} }

// The example has 8 words without case: ann 3, at 2, the, kent, inn. The model masks the
// second Ann as a place, "at" before Kent, and Kent.
func TestProtectionWorkedByHand(t *testing.T) {
	text := "Ann, at the Inn. ANN at Kent; Ann"
	word := func(from, to annotate.ByteOff, l annotate.Label) annotate.Span {
		return annotate.Span{Start: from, End: to, Label: l}
	}
	first, second, third := word(0, 3, "PERSON"), word(17, 20, "PERSON"), word(30, 33, "PERSON")
	kent, inn := word(24, 28, "LOC"), word(8, 15, "LOC")
	list := []entities.Entity{
		{Label: "PERSON", Identifier: entities.Direct, Places: []entities.Place{placed(0, first), placed(0, second), placed(0, third)}},
		{Label: "LOC", Identifier: entities.Quasi, Places: []entities.Place{placed(0, kent)}},
		{Label: "LOC", Identifier: entities.Quasi, Places: []entities.Place{placed(0, inn)}},
	}
	predicted := []annotate.Span{word(17, 20, "LOC"), word(21, 23, "LOC"), kent}
	p := Protect([]Prediction{document(text, nil, predicted)}, list)
	wantShare(t, "direct", p.Direct.Entities, 0, 1)
	wantShare(t, "mentions of direct", p.Direct.Mentions, 1, 3)
	wantShare(t, "quasi", p.Quasi.Entities, 1, 2)
	wantShare(t, "quasi LOC", p.Quasi.Labels["LOC"], 1, 2)
	wantShare(t, "documents", p.Documents, 0, 1)
	wantShare(t, "precision", p.Precision.Words, 2, 3)
	// 8 words: w(ann) = log2(8/3), w(at) = log2(8/2) = 2, w(kent) = log2(8/1) = 3.
	want := (math.Log2(8./3) + 3) / (math.Log2(8./3) + 2 + 3)
	if math.Abs(p.Precision.Weighted-want) > 1e-12 {
		t.Errorf("weighted precision %v, want %v", p.Precision.Weighted, want)
	}

	predicted = append(predicted, first, third)
	p = Protect([]Prediction{document(text, nil, predicted)}, list)
	wantShare(t, "direct, all mentions masked", p.Direct.Entities, 1, 1)
	wantShare(t, "documents with all direct masked", p.Documents, 1, 1)
}

func TestMarksNeedNotBeMasked(t *testing.T) {
	text := "no. 12/99 and --"
	span := func(from, to annotate.ByteOff) annotate.Span { return annotate.Span{Start: from, End: to, Label: "X"} }
	list := []entities.Entity{
		{Label: "CODE", Identifier: entities.Direct, Places: []entities.Place{placed(0, span(4, 9))}},
		{Label: "MISC", Identifier: entities.Quasi, Places: []entities.Place{placed(0, span(14, 16))}},
	}
	p := Protect([]Prediction{document(text, nil, []annotate.Span{span(4, 6), span(7, 9), span(2, 3)})}, list)
	wantShare(t, "a number without its slash", p.Direct.Entities, 1, 1)
	wantShare(t, "marks only, not masked", p.Quasi.Entities, 0, 1)
	wantShare(t, "masked words", p.Precision.Words, 2, 2)
	p = Protect([]Prediction{document(text, nil, []annotate.Span{span(14, 16)})}, list)
	wantShare(t, "marks only, masked", p.Quasi.Entities, 1, 1)
	if p.Precision.Words.Of != 0 || p.Precision.Weighted != 0 {
		t.Errorf("a mask without a word: %+v", p.Precision)
	}
}

func TestNotesOfOneWordHaveAWeightedPrecision(t *testing.T) {
	s := annotate.Span{Start: 0, End: 3, Label: "X"}
	list := []entities.Entity{{Label: "X", Identifier: entities.Direct, Places: []entities.Place{placed(0, s)}}}
	if p := Protect([]Prediction{document("Ann", nil, []annotate.Span{s})}, list); p.Precision.Weighted != 1 {
		t.Errorf("got %v", p.Precision.Weighted)
	}
}

func wantShare(t *testing.T, name string, got Share, count, of int) {
	t.Helper()
	want := 0.0
	if of > 0 {
		want = float64(count) / float64(of)
	}
	if got.Count != count || got.Of != of || got.Share != want {
		t.Errorf("%s: %+v, want %d of %d", name, got, count, of)
	}
}

// slow counts with the characters of the ten tokens, each of which is a word that occurs
// once. A character is masked if any span of the note covers its token.
type slow struct{ masked, hidden [3][len(tenTokens)]bool }

func (s *slow) masks(e entities.Entity) (all bool, mentions int) {
	for _, p := range e.Places {
		whole := true
		for c := p.Span.Start; c < p.Span.End; c++ {
			s.hidden[p.Note][c] = true
			whole = whole && (tenTokens[c] == ' ' || s.masked[p.Note][c])
		}
		if whole {
			mentions++
		}
	}
	return mentions == len(e.Places), mentions
}

func TestProtectionAgreesWithCountingCharacters(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 2000 {
		var s slow
		docs := make([]Prediction, 3)
		for i := range docs {
			predicted := someSpans(r, true)
			for _, p := range predicted {
				for c := p.Start; c < p.End; c++ {
					s.masked[i][c] = true
				}
			}
			docs[i] = document(tenTokens, nil, predicted)
		}
		list := someEntities(r)
		var direct, quasi, directMentions, quasiMentions [2]int
		bad, has := map[int]bool{}, map[int]bool{}
		for _, e := range list {
			all, mentions := s.masks(e)
			counts, ofMentions := &quasi, &quasiMentions
			if e.Identifier == entities.Direct {
				counts, ofMentions = &direct, &directMentions
				for _, p := range e.Places {
					has[p.Note], bad[p.Note] = true, bad[p.Note] || !all
				}
			}
			counts[0] += count(all)
			counts[1]++
			ofMentions[0] += mentions
			ofMentions[1] += len(e.Places)
		}
		right, masked := 0, 0
		for i := range docs {
			for c := range tenTokens {
				if c%3 == 0 && s.masked[i][c] {
					masked++
					right += count(s.hidden[i][c])
				}
			}
		}
		good := 0
		for i := range has {
			good += count(!bad[i])
		}
		got := Protect(docs, list)
		wantShare(t, "direct", got.Direct.Entities, direct[0], direct[1])
		wantShare(t, "quasi", got.Quasi.Entities, quasi[0], quasi[1])
		wantShare(t, "direct mentions", got.Direct.Mentions, directMentions[0], directMentions[1])
		wantShare(t, "quasi mentions", got.Quasi.Mentions, quasiMentions[0], quasiMentions[1])
		wantShare(t, "documents", got.Documents, good, len(has))
		wantShare(t, "precision", got.Precision.Words, right, masked)
		// All words are equally frequent, so weights change nothing.
		if math.Abs(got.Precision.Weighted-got.Precision.Words.Share) > 1e-12 {
			t.Errorf("weighted %v, precision %v", got.Precision.Weighted, got.Precision.Words.Share)
		}
		if t.Failed() {
			t.FailNow()
		}
	}
}

func someEntities(r *rand.Rand) []entities.Entity {
	list := make([]entities.Entity, r.IntN(5))
	for i := range list {
		list[i] = entities.Entity{Label: "A", Identifier: []entities.Identifier{entities.Direct, entities.Quasi}[r.IntN(2)]}
		for range 1 + r.IntN(3) {
			from := r.IntN(9)
			list[i].Places = append(list[i].Places, placed(r.IntN(3), span(from, from+1+r.IntN(min(2, 10-from)), "A")))
		}
	}
	return list
}

// The weighted precision must equal that of every word weighed by counting it in the text.
func TestWeightsAgreeWithCountingWords(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	vocabulary := []string{"a", "A", "b", "c", "d", "-"}
	for range 500 {
		words := make([]string, 12)
		for i := range words {
			words[i] = vocabulary[r.IntN(len(vocabulary))]
		}
		text := strings.Join(words, " ")
		one := func(i int) annotate.Span {
			return annotate.Span{Start: annotate.ByteOff(2 * i), End: annotate.ByteOff(2*i + 1), Label: "X"}
		}
		var predicted []annotate.Span
		var list []entities.Entity
		n, right, all := float64(len(words)-strings.Count(text, "-")), 0.0, 0.0
		for i, w := range words {
			masked, hidden := r.IntN(2) == 0, r.IntN(3) == 0
			if hidden {
				list = append(list, entities.Entity{Label: "X", Identifier: entities.Quasi, Places: []entities.Place{placed(0, one(i))}})
			}
			if !masked {
				continue
			}
			predicted = append(predicted, one(i))
			if w != "-" {
				weight := math.Log2(n / float64(strings.Count(strings.ToLower(text), strings.ToLower(w))))
				all += weight
				if hidden {
					right += weight
				}
			}
		}
		got := Protect([]Prediction{document(text, nil, predicted)}, list).Precision
		if all > 0 && math.Abs(got.Weighted-right/all) > 1e-9 {
			t.Fatalf("%q: %v, want %v", text, got.Weighted, right/all)
		}
	}
}
