// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"hide/internal/annotate"
)

func target(text string) Target {
	return Target{Start: 100, Text: text, Placeholders: placeholders(text)}
}

func someTargets() []Target {
	return []Target{
		target("Seen by [NAME] on the ward, then discharged home."), target("The cough began in May and was worse at night."),
		target("[DATE]: seen again by cardiology on 3/4 for follow up"), target("[NAME] [DATE]."), target("Plan: aspirin (81 mg), heparin; no call."),
	}
}

func TestShapeKeepsNoLetter(t *testing.T) {
	for in, want := range map[string]string{"Dr. Weiß": "Xx. Xxxx", "3/4/2019": "d/d/dddd", "HN-12A3 ": "XX-ddXd", "O'Neil\n van  Aa": "X'Xxxx xxx Xx", "": "", strings.Repeat("a", 99): strings.Repeat("x", 60)} {
		if got := ShapeOf(in); got != want {
			t.Errorf("%q has shape %q, want %q", in, got, want)
		}
	}
}

func TestMissesAreDescribedWithoutTheirWords(t *testing.T) {
	text := "Seen by Dr. Weiss on the ward with Kim"
	n := annotate.NewNote(annotate.Annotated{Document: annotate.Document{Text: text}, Spans: []annotate.Span{{Start: 8, End: 17, Label: "NAME"}, {Start: 35, End: 38, Label: "KIN"}}})
	common := func(word string) bool { return word != "ward" }
	if got, want := DescribeMiss(n.View(), 2, 5, common), (Miss{"NAME", "Xx. Xxxxx", "by", "on"}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	hidden := annotate.View{Note: &n, Redacted: []bool{false, true, false, false, false, false, false, false, false, false}}
	if got, want := DescribeMiss(hidden, 4, 5, common), (Miss{"NAME", "Xxxxx", "", "on"}); got != want {
		t.Errorf("%+v, want %+v", got, want) // "." before it is part of the identifier
	}
	if got, want := DescribeMiss(hidden, 9, 10, common), (Miss{"KIN", "Xxx", "with", ""}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestPlantsHaveShapeAndPlaceOfMisses(t *testing.T) {
	misses := []Miss{{"NAME", "Xxxxxx", "by", ""}, {"NAME", "XXXXX", "", ""}, {"DATE", "dd/dd/dddd", "On", "for"}, {"ID", "ddddddd", "", "call"}}
	for seed := range byte(40) {
		shown := Plants([32]byte{seed}, 9, someTargets(), misses, nil)
		planted := 0
		for i, s := range shown {
			checkPlant(t, someTargets()[i], s)
			if s.Plant == nil {
				continue
			}
			planted++
			word := s.Text[s.Plant.Start:s.Plant.End]
			switch s.Plant.Label {
			case "NAME":
				if upper := word == strings.ToUpper(word); utf8.RuneCountInString(word) < 3 || strings.Contains(word, " ") || !upper && word[1:] != strings.ToLower(word[1:]) {
					t.Errorf("a name like %q", word)
				}
			case "DATE":
				if ShapeOf(word) != "dd/dd/dddd" {
					t.Errorf("%q in %q", word, s.Text)
				}
			case "ID":
				if ShapeOf(word) != "ddddddd" {
					t.Errorf("%q in %q", word, s.Text)
				}
			}
		}
		if planted != 4 {
			t.Errorf("%d plants, want one in each passage with a word", planted)
		}
		if again := Plants([32]byte{seed}, 9, someTargets(), misses, nil); !reflect.DeepEqual(again, shown) {
			t.Error("another result for the same seed")
		}
	}
	for _, s := range Plants([32]byte{1}, 2, someTargets(), misses[2:3], nil) {
		if s.Plant != nil && !strings.Contains(s.Text, "on "+s.Text[s.Plant.Start:s.Plant.End]) {
			t.Errorf("no date after \"on\": %q", s.Text)
		}
	}
	if some := Plants([32]byte{1}, 2, someTargets(), misses, nil); countPlants(some) != 2 {
		t.Errorf("%d plants, want 2", countPlants(some))
	}
	if none := Plants([32]byte{1}, 2, someTargets(), nil, nil); countPlants(none) != 0 {
		t.Error("plants without a miss to copy")
	}
}

func countPlants(shown []Shown) int {
	n := 0
	for _, s := range shown {
		n += point(s.Plant != nil)
	}
	return n
}

// TestPlantsAreNobodys: no word of the project's identifiers, and no ordinary word, becomes
// a plant.
func TestPlantsAreNobodys(t *testing.T) {
	many := slices.Repeat(someTargets(), 100)
	asked := map[string]bool{}
	taken := func(word string) bool {
		asked[word] = true
		return len(word)%2 == 0
	}
	shown := Plants([32]byte{7}, 300, many, GenericMisses(), taken)
	for _, s := range shown {
		if s.Plant == nil {
			continue
		}
		word := s.Text[s.Plant.Start:s.Plant.End]
		for _, token := range annotate.Tokenize(word) {
			if w := word[token.Start:token.End]; len(w) > 2 && len(w)%2 == 0 {
				t.Errorf("%q is taken", w)
			}
		}
	}
	if n := countPlants(shown); n != 300 {
		t.Errorf("%d plants, want 300", n)
	}
	if len(asked) < 100 {
		t.Errorf("only %d words were asked about", len(asked))
	}
	if n := countPlants(Plants([32]byte{7}, 300, many, GenericMisses()[:2], func(string) bool { return true })); n != 0 {
		t.Errorf("%d plants where everything is taken", n)
	}
}

// checkPlant removes what was inserted, and compares.
func checkPlant(t *testing.T, p Target, s Shown) {
	t.Helper()
	text := s.Text
	if s.Plant != nil {
		text = text[:s.Plant.At] + text[int(s.Plant.At)+s.Plant.Size:]
	}
	if text != p.Text || s.Start != p.Start || !utf8.ValidString(s.Text) {
		t.Fatalf("%q is shown as %q", p.Text, s.Text)
	}
	for i, h := range s.Placeholders {
		o := p.Placeholders[i]
		if s.Text[h.Start:h.End] != p.Text[o.Start:o.End] {
			t.Fatalf("placeholder %q is at %q", p.Text[o.Start:o.End], s.Text[h.Start:h.End])
		}
		if s.Plant != nil && s.Plant.Start < h.End && h.Start < s.Plant.End {
			t.Fatalf("%q: planted in a placeholder", s.Text)
		}
	}
}

func TestSelectionsAreDivided(t *testing.T) {
	s := Shown{Start: 10, Text: "seen by Weber and [X] Kim today", Placeholders: []annotate.Span{{Start: 18, End: 21}}, Plant: &Plant{Label: "NAME", Start: 8, End: 13, At: 7, Size: 6}}
	for _, c := range []struct {
		from, to annotate.ByteOff
		caught   bool
		want     []annotate.Span
	}{
		{8, 13, true, nil}, {9, 10, true, nil}, {7, 8, false, nil}, {13, 14, false, nil},
		{5, 13, true, []annotate.Span{{Start: 15, End: 17}}},                         // by
		{6, 15, true, []annotate.Span{{Start: 15, End: 17}, {Start: 18, End: 21}}},   // by, and
		{22, 25, false, []annotate.Span{{Start: 26, End: 29}}},                       // Kim
		{14, 31, false, []annotate.Span{{Start: 18, End: 21}, {Start: 26, End: 35}}}, // and, Kim today
		{18, 21, false, nil}, {0, 2, false, []annotate.Span{{Start: 10, End: 14}}}, {-5, 99, true, []annotate.Span{{Start: 10, End: 17}, {Start: 18, End: 21}, {Start: 26, End: 35}}}, {40, 50, false, nil},
	} {
		if caught, got := s.Selected(c.from, c.to); caught != c.caught || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%d to %d: %t %v, want %t %v", c.from, c.to, caught, got, c.caught, c.want)
		}
	}
}

// FuzzSelected checks the way from the shown text back to the note: every selected word is
// found there, except those of the plant.
func FuzzSelected(f *testing.F) {
	f.Add("Seen by [NAME] on 3/4, süd 🙂 end", uint64(1), uint(3), uint(20))
	f.Add("x", uint64(4), uint(0), uint(9))
	f.Fuzz(func(t *testing.T, text string, seed uint64, from, size uint) {
		if !utf8.ValidString(text) {
			t.Skip("no document is invalid")
		}
		p := Target{Start: 7, Text: text, Placeholders: placeholders(text)}
		random := rand.New(rand.NewPCG(seed, 1))
		misses := GenericMisses()
		for i := range misses {
			if words := strings.Fields(text); len(words) > 0 {
				misses[i].Before, misses[i].After = words[random.IntN(len(words))], words[random.IntN(len(words))]
			}
		}
		s := Plants([32]byte{byte(seed)}, 1, []Target{p}, misses, nil)[0]
		checkPlant(t, p, s)
		start := annotate.ByteOff(from % uint(len(s.Text)+1))
		end := min(start+annotate.ByteOff(size%200), annotate.ByteOff(len(s.Text)))
		_, spans := s.Selected(start, end)
		var got, want []string
		for _, span := range spans {
			part := text[span.Start-7 : span.End-7]
			for _, w := range keptWords(part, nil) {
				got = append(got, part[w.Start:w.End])
			}
		}
		for _, w := range keptWords(s.Text, s.Placeholders) {
			planted := s.Plant != nil && s.Plant.Start <= w.Start && w.End <= s.Plant.End
			if w.Start < end && start < w.End && !planted {
				want = append(want, s.Text[w.Start:w.End])
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%q, %d to %d of %q: %q, want %q", text, start, end, s.Text, got, want)
		}
	})
}

// TestPunctuationIsNotPlanted: models miss commas inside of addresses, but no reader can mark
// one, so a plant like it would be missed by everybody.
func TestPunctuationIsNotPlanted(t *testing.T) {
	passages := []Target{{Text: "Seen again on the ward today."}, {Text: "Goes home with tablets."}}
	for _, misses := range [][]Miss{{{Label: "CITY", Shape: ","}}, {{Label: "CITY", Shape: ",", Before: "the"}, {Label: "CITY", Shape: "Xxxxx"}}} {
		planted := 0
		for _, s := range Plants([32]byte{7}, 2, passages, misses, nil) {
			if s.Plant == nil {
				continue
			}
			planted++
			if word := s.Text[s.Plant.Start:s.Plant.End]; !strings.ContainsFunc(word, unicode.IsLetter) && !strings.ContainsFunc(word, unicode.IsDigit) {
				t.Errorf("%q was planted", word)
			}
		}
		if planted != 2 {
			t.Errorf("%d plants, want 2", planted)
		}
	}
}
