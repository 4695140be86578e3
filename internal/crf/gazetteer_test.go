// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"hide/internal/annotate"
	"hide/internal/annotate/dictionary"
)

// bruteMatches looks for the longest phrase of each list at each word by comparing
// words, and takes them from the left.
func bruteMatches(lists []dictionary.List, words []string) [][]match {
	found := make([][]match, len(words))
	for list, l := range lists {
		for t := 0; t < len(words); {
			longest := 0
			for _, phrase := range l.Phrases {
				p := foldedWords(phrase)
				if t+len(p) <= len(words) && slices.Equal(p, words[t:t+len(p)]) {
					longest = max(longest, len(p))
				}
			}
			for i := range longest {
				found[t+i] = append(found[t+i], match{uint16(list), uint8(min(i, 3)), uint8(min(longest, 5))})
			}
			t += max(longest, 1)
		}
	}
	return found
}

func randomWords(random *rand.Rand, most int) []string {
	words := make([]string, 1+random.IntN(most))
	for i := range words {
		words[i] = string([]rune("aÁbBcç")[random.IntN(6)])
	}
	return words
}

func TestPhrasesAreFoundAsByComparingEach(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for round := range 300 {
		lists := make([]dictionary.List, 1+random.IntN(4))
		for i := range lists {
			lists[i].Name = fmt.Sprint(i)
			for range random.IntN(6) {
				lists[i].Phrases = append(lists[i].Phrases, strings.Join(randomWords(random, 4), " "))
			}
		}
		words := randomWords(random, 20)
		for i := range words {
			words[i] = fold(words[i])
		}
		for name, g := range map[string]*gazetteer{"built": newGazetteer(lists), "read": rewritten(t, newGazetteer(lists))} {
			ids := make([]int32, len(words))
			for i, w := range words {
				ids[i] = g.words.Find(w)
			}
			var f finder
			if len(g.alone) > 0 {
				g.find([]int32{0, -1, 0, 0}, &f) // what another document leaves
			}
			g.find(ids, &f)
			want := bruteMatches(lists, words)
			for i := range words {
				slices.SortFunc(f.matches[i], func(a, b match) int { return int(a.list) - int(b.list) })
				if !slices.Equal(f.matches[i], want[i]) {
					t.Fatalf("round %d, %s: word %d of %q in %v: %v, want %v", round, name, i, words, lists, f.matches[i], want[i])
				}
			}
		}
	}
}

// rewritten is g as a model's file gives it back.
func rewritten(t *testing.T, g *gazetteer) *gazetteer {
	t.Helper()
	m, _ := Decode(bytes.NewReader(encoded(t, &Model{gazette: g, weights: make([]float32, states{}.transitions()), rows: []int32{int32(states{}.transitions())}})))
	if m == nil {
		t.Fatal("the file of a model with lists cannot be read")
	}
	return m.gazette
}

func TestListsAreWrittenAloneAndOnce(t *testing.T) {
	lists := []dictionary.List{{Name: "a", Phrases: []string{"New York", "York", "Ruiz"}}, {Name: "b", Phrases: []string{"RUÍZ", "new york city"}}, {Name: "none"}}
	g := newGazetteer(lists)
	var got []string
	for phrase, set := range g.phrases() {
		got = append(got, fmt.Sprint(phrase, g.sets[set]))
	}
	if want := []string{"new york[0]", "new york city[1]", "ruiz[0 1]", "york[0]"}; !slices.Equal(got, want) || g.size() != len(want) {
		t.Errorf("%q, %d of them, want %q", got, g.size(), want)
	}
}

func TestWordsOfListsAreFoundWithoutCaseAndAccents(t *testing.T) {
	list := dictionary.List{Name: "surnames", Phrases: []string{"García Márquez", "Núñez", "Weiß"}}
	for text, want := range map[string]int{"GARCIA MARQUEZ": 2, "garcía": 0, "nunez": 1, "WEISS": 1, "Weis": 0} {
		n := 0
		for _, names := range featuresOf(text, Dictionary, list) {
			if slices.Contains(names, "IN_surnames") {
				n++
			}
		}
		if n != want {
			t.Errorf("%q has %d words in the list, want %d", text, n, want)
		}
	}
}

func TestOwnListsAreCleanAndFolded(t *testing.T) {
	if len(dictionary.Own()) < 15 {
		t.Fatalf("%d lists", len(dictionary.Own()))
	}
	for _, list := range dictionary.Own() {
		seen := map[string]bool{}
		for _, term := range list.Phrases {
			if term == "" || term != strings.TrimSpace(term) || len(foldedWords(term)) == 0 || seen[term] {
				t.Errorf("%s has %q, which is empty, badly spaced or there twice", list.Name, term)
			}
			seen[term] = true
		}
		if !slices.IsSorted(list.Phrases) {
			t.Errorf("%s is not sorted", list.Name)
		}
	}
}

func TestListsReadBackAsTheyWere(t *testing.T) {
	for _, user := range [][]dictionary.List{nil, {{Name: "wards", Phrases: []string{"Ward Nine", "ward", "Ana"}}, {Name: "staff", Phrases: []string{"Ana"}}}} {
		lists := NewLists(user)
		raw := lists.Append([]byte("before"))[len("before"):]
		back, err := DecodeLists(raw)
		if err != nil || back.Len() != len(dictionary.Own())+len(user) || !slices.Equal(back.Append(nil), raw) {
			t.Fatalf("%d lists of a user's: %v", len(user), err)
		}
		d := noteSequence(annotate.Annotated{Document: annotate.Document{Text: "Ana on ward nine"}})
		if got := NewFactReader(back).Read(d.view()); !reflect.DeepEqual(got, NewFactReader(lists).Read(d.view())) {
			t.Errorf("%d lists of a user's: other facts", len(user))
		}
		for cut := 0; cut < len(raw); cut += 1 + len(raw)/50 {
			if _, err := DecodeLists(raw[:cut]); !errors.Is(err, ErrModel) {
				t.Fatalf("cut at %d: %v", cut, err)
			}
		}
		if _, err := DecodeLists(append(raw, 0)); !errors.Is(err, ErrModel) {
			t.Errorf("with a byte more: %v", err)
		}
	}
}

func TestListsOfAnotherProgramAreRefused(t *testing.T) {
	e := &bytes.Buffer{}
	w := newEncoder(e)
	w.gazetteer(newGazetteer([]dictionary.List{{Name: ".given", Phrases: []string{"Ana"}}}))
	if err := w.w.Flush(); err != nil {
		t.Fatal(err)
	}
	if _, err := DecodeLists(e.Bytes()); !errors.Is(err, ErrModel) {
		t.Errorf("%v", err)
	}
}

func TestOwnListsKnowNamesOfFourLanguages(t *testing.T) {
	for word, want := range map[string]string{
		"Elizabeth": ".given", "Begoña": ".given", "Jürgen": ".given", "Geneviève": ".given", "Whitaker": ".surnames",
		"Etxeberria": ".surnames", "Lefèvre": ".surnames", "Schäfer": ".surnames", "Zaragoza": ".cities", "août": ".months",
		"Donnerstag": ".weekdays", "Mme": ".titles", "Frau": ".titles", "Dra": ".titles", "Klinikum": ".hospital",
	} {
		g := ownGazetteer()
		id := g.words.Find(fold(word))
		if id < 0 || !slices.ContainsFunc(g.sets[g.alone[id]], func(list uint16) bool { return g.names[list] == want }) {
			t.Errorf("%s is not in %s", word, want)
		}
	}
}

// Models of a bundle that were trained with the same dictionaries analyse a note once.
func TestModelsReadWithEqualListsShareThem(t *testing.T) {
	given := []dictionary.List{{Name: "given", Phrases: []string{"Ana", "Mary John"}}}
	other := []dictionary.List{{Name: "given", Phrases: []string{"Ana", "Mary Joan"}}}
	read := func(user []dictionary.List) *gazetteer {
		l, err := DecodeLists(NewLists(user).Append(nil))
		if err != nil {
			t.Fatal(err)
		}
		return l.gazette
	}
	first := read(given)
	if read(given) != first {
		t.Error("equal lists are two")
	}
	if read(other) == first {
		t.Error("lists with other phrases are one")
	}
	runtime.GC()
	if read(given) != first {
		t.Error("lists in use were forgotten")
	}
	runtime.KeepAlive(first)
}
