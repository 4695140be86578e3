// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"hide/internal/annotate"
	"hide/internal/annotate/dictionary"
)

func TestExpressionsMatchAsTable43Means(t *testing.T) {
	tests := map[string]string{
		"a":        "ALPHA SINGLECHAR",
		"I":        "ALPHA INITCAPS ALLCAPS SINGLECHAR ROMAN",
		"rash":     "ALPHA",
		"Ana":      "ALPHA INITCAPS UPPER-LOWER",
		"Núñez":    "ALPHA INITCAPS UPPER-LOWER",
		"Ángel":    "ALPHA INITCAPS UPPER-LOWER",
		"李":        "ALPHA SINGLECHAR",
		"McDonald": "ALPHA INITCAPS UPPER-LOWER MIXEDCAPS",
		"MRN":      "ALPHA INITCAPS ALLCAPS",
		"XIV":      "ALPHA INITCAPS ALLCAPS ROMAN",
		"7":        "SINGLEDIGIT NUMBER HASDIGIT REALNUMBER",
		"42":       "DOUBLEDIGIT NUMBER HASDIGIT REALNUMBER",
		"911":      "TRIPLEDIGIT NUMBER HASDIGIT REALNUMBER",
		"1984":     "QUADDIGIT NUMBER HASDIGIT REALNUMBER",
		"12345":    "NUMBER HASDIGIT REALNUMBER",
		"12a":      "HASDIGIT ALPHANUMERIC NUMBERS_LETTERS",
		"12ab":     "HASDIGIT ALPHANUMERIC",
		"B12":      "INITCAPS HASDIGIT ALPHANUMERIC LETTERS_NUMBERS",
		"b1c":      "HASDIGIT ALPHANUMERIC",
		"-":        "HASDASH ISPUNCT STARTMINUS",
		"+":        "ISPUNCT STARTPLUS",
		",":        "NUMBER HASCOMMA ISPUNCT REALNUMBER",
		"'":        "HASQUOTE ISPUNCT",
		"/":        "HASSLASH ISPUNCT",
		"%":        "ISPUNCT ENDPERCENT",
		"[NAME]":   "",
		"-3.5%":    "HASDIGIT HASDASH REALNUMBER STARTMINUS ENDPERCENT",
		"3-4":      "HASDIGIT HASDASH",
	}
	for word, want := range tests {
		if got := strings.Join(expressions(word), " "); got != want {
			t.Errorf("%q: %s, want %s", word, got, want)
		}
	}
}

func TestShapes(t *testing.T) {
	tests := []struct{ word, shape, collapsed string }{
		{"Ana", "Xx+", "Xx"}, {"McDonald", "XxXx+", "XxXx"}, {"MRN", "X+", "X"}, {"ÁNGEL", "X+", "X"},
		{"1984", "dddd", "d"}, {"1234567890", "dddddddd", "d"}, {"B12", "Xdd", "Xd"},
		{"李明", "a+", "a"}, {"[NAME]", "[X+]", "[X]"}, {"_", "_", "_"}, {"", "", ""},
	}
	for _, test := range tests {
		if got := shapeOf(test.word); got != test.shape || collapse(got) != test.collapsed {
			t.Errorf("%q: %s and %s, want %s and %s", test.word, got, collapse(got), test.shape, test.collapsed)
		}
	}
}

func TestAffixesCountCharactersAndStopAtTheWord(t *testing.T) {
	var a attributes
	affixes(&a, "PRE", "SUF", "né", 1, 3)
	want := []string{"PRE1_n", "SUF1_é", "PRE2_né", "SUF2_né"}
	if got := a.list(); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func (a *attributes) list() []string {
	var names []string
	for i := range a.ends {
		names = append(names, string(a.name(i)))
	}
	return names
}

func TestClipNeverCutsACharacter(t *testing.T) {
	for _, word := range []string{strings.Repeat("é", 100), strings.Repeat("x", 63) + "é", strings.Repeat("\x80", 200), "short"} {
		got := clip(word)
		if len(got) > maxWord || len(got) < min(len(word), maxWord-utf8.UTFMax) || !strings.HasPrefix(word, got) || utf8.ValidString(word) != utf8.ValidString(got) {
			t.Errorf("%d bytes cut to %d", len(word), len(got))
		}
	}
}

// recorder is a sink that remembers names.
type recorder struct{ bundles [][]string }

func (r *recorder) number(a *attributes, to []int32) { a.each(to, r.bundle) }

func (r *recorder) bundle(a *attributes) int32 {
	r.bundles = append(r.bundles, a.list())
	return int32(len(r.bundles) - 1)
}

// featuresOf gives the attributes of each token of a text.
func featuresOf(text string, f Families, lists ...dictionary.List) [][]string {
	r := &recorder{}
	d := noteSequence(annotate.Annotated{Document: annotate.Document{Text: text}})
	out := make([][]string, len(d.words))
	newExtractor(f, Options{Features: f, Dictionaries: lists}.gazetteer(), r).extract(d, func(t int, bundles []int32) {
		for _, b := range bundles {
			out[t] = append(out[t], r.bundles[b]...)
		}
	})
	return out
}

func TestHIDEFeaturesAreTheFourFamiliesAndTheTerm(t *testing.T) {
	got := featuresOf("saw Ana today", HIDE)[1]
	want := []string{
		"TERM_Ana", "ALPHA", "INITCAPS", "UPPER-LOWER",
		"PRE1_A", "SUF1_a", "PRE2_An", "SUF2_na", "PRE3_Ana", "SUF3_Ana",
		"PREV0_saw", "NEXT0_today", "TERMOCCNUM",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

func TestContextIsFourWordsEachWay(t *testing.T) {
	got := featuresOf("a b c d e f g h i j k", Term|Context)[5]
	want := []string{"TERM_f", "PREV3_b", "PREV2_c", "PREV1_d", "PREV0_e", "NEXT0_g", "NEXT1_h", "NEXT2_i", "NEXT3_j", "TERMOCCNUM"}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

func TestOccurrenceCountIsScaledByLength(t *testing.T) {
	doc := sequence{words: []string{"a", "b", "a", "c"}}
	c := newCorpus(Context, nil)
	seen, err := c.look(t.Context(), []sequence{doc})
	if err != nil {
		t.Fatal(err)
	}
	occurs := c.collector.ids["TERMOCCNUM"]
	for token, want := range []float32{0.5, 0.25, 0.5, 0.25} {
		for _, b := range seen[0].bundles.row(token) {
			for i := c.collector.bundles.start[b]; i < c.collector.bundles.start[b+1]; i++ {
				if c.collector.bundles.items[i] == occurs && c.collector.values[i] != want {
					t.Errorf("token %d has %g, want %g", token, c.collector.values[i], want)
				}
			}
		}
	}
}

func TestDictionariesMatchTheLongestPhrase(t *testing.T) {
	places := dictionary.List{Name: "places", Phrases: []string{"York", "New York", "New York City"}}
	names := dictionary.List{Name: "names", Phrases: []string{"york", "Ana María"}}
	got := featuresOf("in NEW York city, Ana María", Term|Dictionary, places, names)
	want := [][]string{
		{"TERM_in"},
		{"TERM_NEW", "IN_places", "LPMPOSIT_places:0", "LPMLENGTH_places:3"},
		{"TERM_York", "IN_names", "LPMPOSIT_names:0", "LPMLENGTH_names:1", "IN_places", "LPMPOSIT_places:1", "LPMLENGTH_places:3"},
		{"TERM_city", "IN_places", "LPMPOSIT_places:2", "LPMLENGTH_places:3"},
		{"TERM_,"},
		{"TERM_Ana", "IN_names", "LPMPOSIT_names:0", "LPMLENGTH_names:2"},
		{"TERM_María", "IN_names", "LPMPOSIT_names:1", "LPMLENGTH_names:2"},
	}
	for i := range want {
		slices.Sort(got[i])
		slices.Sort(want[i])
		if !slices.Equal(got[i], want[i]) {
			t.Errorf("token %d: %q, want %q", i, got[i], want[i])
		}
	}
}

func TestLayoutGivesTheHeaderBeforeTheColon(t *testing.T) {
	got := featuresOf("Apellidos: Rivera Edad: 70\n\nRemitido por:\nAna Ruiz\nfin", Layout)
	tests := []struct {
		token int
		want  []string
	}{
		{0, []string{"at=0", "part"}},
		{2, []string{"h=apellidos", "h,d=apellidos|1", "hs=apellidos|Xx+"}},
		{5, []string{"h=edad", "last", "hs=edad|dd", "at=5"}},
		{6, []string{"part"}},
		{9, []string{"h=por", "at=0"}},
		{10, []string{"h=por", "h,d=por|2", "last"}},
	}
	for _, test := range tests {
		for _, name := range test.want {
			if !slices.Contains(got[test.token], name) {
				t.Errorf("token %d lacks %q: %q", test.token, name, got[test.token])
			}
		}
	}
	for _, name := range got[11] {
		if strings.HasPrefix(name, "h=") {
			t.Errorf("the header reaches two lines down: %q", got[11])
		}
	}
}

func TestPatternsSeeTheWholeChunk(t *testing.T) {
	tests := []struct {
		text  string
		token int
		want  string
	}{
		{"on 12/03/1984, again", 3, "k=DATE"},
		{"on 1984-03-12", 1, "k=DATE"},
		{"nacida el 3.4.98", 4, "k=DATE"},
		{"ana.ruiz@example.org,", 2, "k=EMAIL"},
		{"see https://example.org", 2, "k=URL"},
		{"see www.example.org", 3, "k=URL"},
		{"from 10.0.0.7", 2, "k=IP"},
		{"call (404) 555-1234 now", 2, "run=10"},
		{"call (404) 555-1234 now", 6, "run|s=10|dddd"},
		{"Tel. +34 91 587 65 43", 3, "run=11"},
		{"on 12/03/1984", 1, "c@=dd/dd/dddd|0"},
	}
	for _, test := range tests {
		if got := featuresOf(test.text, Pattern)[test.token]; !slices.Contains(got, test.want) {
			t.Errorf("%q token %d lacks %q: %q", test.text, test.token, test.want, got)
		}
	}
	for _, text := range []string{"2/3", "1.5", "a-b-c", "10/20/30/40", "12/345/67"} {
		for i, names := range featuresOf(text, Pattern) {
			if slices.Contains(names, "k=DATE") {
				t.Errorf("%q token %d is taken for a date", text, i)
			}
		}
	}
}

func TestRareAttributesAreLeftOut(t *testing.T) {
	docs := []sequence{{words: strings.Fields("a a b"), labels: []annotate.Label{"X", "", ""}}}
	m, _ := train(t, docs, Options{Features: Affix | Term, MinCount: 2})
	if got, want := sortedNames(m), []string{"PRE1_a", "SUF1_a", "TERM_a"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func FuzzExtract(f *testing.F) {
	f.Add("Name: Ana\r\n\r\n12/3/84", "Ana")
	f.Add(":::\n:", ":")
	f.Add("\xff\xfe İ ﷺ 👩‍👩‍👧", "İ")
	f.Fuzz(func(t *testing.T, text, phrase string) {
		d := sequence{words: strings.Fields(text)}
		r := &recorder{}
		x := newExtractor(Default, newGazetteer([]dictionary.List{{Name: "d", Phrases: []string{phrase}}}), r)
		for _, d := range []sequence{d, noteSequence(annotate.Annotated{Document: annotate.Document{Text: text}})} {
			x.extract(d, func(int, []int32) {})
		}
		for _, b := range r.bundles {
			for _, name := range b {
				if len(name) > maxName {
					t.Fatalf("a name of %d bytes", len(name))
				}
			}
		}
	})
}
