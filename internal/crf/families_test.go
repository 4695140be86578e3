// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"math/bits"
	"slices"
	"strings"
	"testing"

	"hide/internal/annotate"
	"hide/internal/annotate/dictionary"
)

// has and lacks are attributes that a token must or must not have.
type wanted struct {
	text  string
	token int
	has   string // separated by spaces
	lacks string
}

func checkFeatures(t *testing.T, f Families, tests []wanted) {
	t.Helper()
	for _, test := range tests {
		got := featuresOf(test.text, f)[test.token]
		for _, name := range strings.Fields(test.has) {
			if !slices.Contains(got, name) {
				t.Errorf("%q, token %d lacks %q: %q", test.text, test.token, name, got)
			}
		}
		for _, name := range strings.Fields(test.lacks) {
			if slices.ContainsFunc(got, func(s string) bool { return strings.HasPrefix(s, name) }) {
				t.Errorf("%q, token %d has %q: %q", test.text, test.token, name, got)
			}
		}
	}
}

func TestTheTableHasEveryFamilyOnce(t *testing.T) {
	var seen Families
	names := map[string]bool{}
	for _, row := range FamilyTable() {
		if bits.OnesCount32(uint32(row.Families)) != 1 || seen&row.Families != 0 || names[row.Name] {
			t.Errorf("%s (%#x) is not one family, or appears twice", row.Name, uint32(row.Families))
		}
		if row.Name != strings.ToLower(row.Name) || strings.ContainsAny(row.Name, " ,") || row.About == "" {
			t.Errorf("%q is a bad name, or has no description", row.Name)
		}
		if (row.Families&HIDE != 0) != (row.Section != "") {
			t.Errorf("%s: HIDE's families, and no others, have a section", row.Name)
		}
		seen |= row.Families
		names[row.Name] = true
	}
	if seen != allFamilies {
		t.Errorf("the table lacks %#x", uint32(allFamilies&^seen))
	}
}

func TestFamiliesAreReadAsTheyAreWritten(t *testing.T) {
	for _, f := range []Families{HIDE, Default, Regex, Term | Known} {
		if got, err := ParseFamilies(f.String()); err != nil || got != f {
			t.Errorf("%s reads as %s, %v", f, got, err)
		}
	}
	if got, err := ParseFamilies("regex, affix"); err != nil || got != Regex|Affix {
		t.Errorf("%s, %v", got, err)
	}
	for _, names := range []string{"", "regex,", "Regex", "regexes"} {
		if _, err := ParseFamilies(names); err == nil || !strings.Contains(err.Error(), "long-affix") {
			t.Errorf("%q: %v", names, err)
		}
	}
}

// Each family has its own features, and removing it removes no others.
func TestEachFamilyIsSwitched(t *testing.T) {
	const text = "To: Dr. Ana Ruiz, MD\nseen on 3 March 2024 at New York\nANA RUIZ"
	lists := dictionary.List{Name: "places", Phrases: []string{"New York"}}
	flat := func(f Families) []string {
		var all []string
		for _, names := range known(text, f, []string{"Ruiz"}, lists) {
			all = append(all, names...)
		}
		return all
	}
	whole := flat(allFamilies)
	for _, row := range FamilyTable() {
		if row.Families == Consistency {
			continue // describes documents that a first model has read
		}
		without := flat(allFamilies &^ row.Families)
		if len(without) >= len(whole) {
			t.Errorf("%s adds nothing", row.Name)
		}
		if row.Families == List || row.Families == Member {
			continue // others use the lists, too
		}
		for _, name := range without {
			if !slices.Contains(whole, name) {
				t.Errorf("%q appears without %s", name, row.Name)
			}
		}
	}
}

// known is featuresOf with known identifiers.
func known(text string, f Families, values []string, lists ...dictionary.List) [][]string {
	r := &recorder{}
	d := noteSequence(annotate.Annotated{Document: annotate.Document{Text: text}})
	d.known = values
	out := make([][]string, len(d.words))
	newExtractor(f, Options{Features: f, Dictionaries: lists}.gazetteer(), r).extract(d, func(t int, bundles []int32) {
		for _, b := range bundles {
			out[t] = append(out[t], r.bundles[b]...)
		}
	})
	return out
}

// The features of a document do not depend on earlier documents.
func TestFeaturesDoNotDependOnEarlierDocuments(t *testing.T) {
	texts := []string{
		"PLAN:\nDr. Ana Ruiz saw Smith on 3 March 2024 in New York", "smith and Ruiz", "", "Edad: 91 años\n\n\nMme Dupont, 12/3/84",
		"Dear Ana,\n\nAna", "a@b.org (404) 555-1234",
	}
	r := &recorder{}
	x := newExtractor(Default, Options{Features: Default}.gazetteer(), r)
	for round := range 2 {
		for _, text := range texts {
			d := noteSequence(annotate.Annotated{Document: annotate.Document{Text: text}})
			if round == 0 {
				d.known = []string{"Smith", "Ruiz"}
			}
			want := known(text, Default, d.known)
			x.extract(d, func(t2 int, bundles []int32) {
				var got []string
				for _, b := range bundles {
					got = append(got, r.bundles[b]...)
				}
				if !slices.Equal(got, want[t2]) {
					t.Errorf("round %d, %q, token %d: %q, alone %q", round, text, t2, got, want[t2])
				}
			})
		}
	}
}

func TestClassesOfWords(t *testing.T) {
	for word, want := range map[string]class{
		"Ana": title, "A": capital, "MRN": capitals, "rash": small, "McDonald": mixed, "iPad": mixed, "李": caseless, "Ñandú": title,
		"7": '1', "42": '2', "911": '3', "1984": '4', "123456": '5', "B12": both, ",": ',', "-": '-', "€": other, "_": '_', "": other, edgeText: edge,
	} {
		if got := classOf(word); got != want {
			t.Errorf("%q is %q, want %q", word, got, want)
		}
	}
	checkFeatures(t, Class, []wanted{
		{"saw Ana today", 1, "k=T k-1=l k+1=l", "accents"},
		{"Núñez", 0, "k=T accents", ""},
	})
}

func TestMembersNameListsWithCapitals(t *testing.T) {
	checkFeatures(t, List|Member, []wanted{
		{"saw Elizabeth Whitaker there", 1, "m=.given|T m=.given+T m+1=.surnames|T m-0=l|.given+T m0+=.given+T|.surnames+T", ""},
		{"saw elizabeth", 1, "m=.given|l", "m=.given|T"},
		{"saw Xyzzy", 1, "", "m="},
		{"in Xyzzy with Jürgen", 1, "m+2=.given|T", "m="},
		{"de Begoña", 1, "m-1=.particles|l", ""},
	})
}

func TestRunsAreReadAsAWhole(t *testing.T) {
	checkFeatures(t, Run, []wanted{
		{"seen by Ana Ruiz today", 2, "r-=1|by r--=1|seen|by r+=1|today r@=1|0|2 r#=1|2", ""},
		{"seen by Ana Ruiz today", 3, "r-=1|by r+=1|today r@=1|1|2", ""},
		{"Ana Maria-Ruiz, MD", 2, "r@=1|2|4", ""},
		{"seen by ana today", 2, "", "r"},
		{"chart number BC-6543.", 3, "r-=2|number r@=2|1|3 cue=number cue=chart", ""},
		{"chart number BC-6543.", 4, "r@=2|2|3", ""},
		{"chart number BC-6543.", 5, "", "r"},
		{"of 12 May", 2, "r-=1|12 r--=1|of|12", ""},
		{"by Xyzzy near Plugh", 3, "r-=1|near r--=1|T|near", ""},
	})
}

func TestIdentifiersOfFourLanguages(t *testing.T) {
	checkFeatures(t, PHI, []wanted{
		{"on March 3, 2024 at", 1, "f=DATE f@=DATE|0 f@n=DATE|0|4", ""},
		{"on March 3, 2024 at", 4, "f@=DATE|3", ""},
		{"on March 3, 2024 at", 0, "f+=DATE", "f="},
		{"on March 3, 2024 at", 5, "f-=DATE", "f="},
		{"Friday, 3rd March", 0, "f@=DAY|0 f@n=DAY|0|4", ""},
		{"el 3 de marzo de 2024", 1, "f=DATE", ""},
		{"le 1er août 1998", 2, "f@=DATE|1", ""},
		{"am 3. März 2024", 1, "f@n=DATE|0|4", ""},
		{"in March 2024", 1, "f=MONTH", ""},
		{"on 12/03/1984", 1, "f=DATE f@n=DATE|0|5", ""},
		{"on 1984-03-12", 1, "f=DATE", ""},
		{"at 10:42 today", 1, "f=TIME", ""},
		{"a 34-year-old man", 1, "f=AGE f@n=AGE|0|5", ""},
		{"a 93 year old man", 1, "f=AGE90", "f=AGE|"},
		{"de 104 años", 1, "f=AGE90", ""},
		{"âgé de 70 ans", 0, "f=AGE", ""},
		{"85 Jahre", 0, "f=AGE", ""},
		{"Edad: 70", 2, "f=AGE", ""},
		{"call (404) 555-1234", 1, "f=PHONE", ""},
		{"has 123-45-6789", 1, "f=SSN", ""},
		{"Atlanta, GA 30322", 2, "f=POSTAL", ""},
		{"MRN: 123456", 2, "f=RECORD", ""},
		{"NHC: 368503", 0, "f@=RECORD|0", ""},
		{"paid 500 for 3 apples", 1, "", "f"},
		{"March\n\n3", 0, "", "f=DAY"},
		{"May I", 0, "", "f"},
	})
}

func TestTitlesReachOverNames(t *testing.T) {
	checkFeatures(t, Title, []wanted{
		{"seen by Dr. Ana Ruiz today", 4, "t=dr|1 t@=1|T", ""},
		{"seen by Dr. Ana Ruiz today", 5, "t=dr|2", ""},
		{"seen by Dr. Ana Ruiz today", 6, "", "t"},
		{"la Dra. Begoña Iza", 3, "t=dra|1", ""},
		{"Mme Dupont", 1, "t=mme|1", ""},
		{"Herr von Weizsäcker", 2, "t=herr|2", ""},
		{"the dr smith", 2, "", "t"},
		{"Ana Ruiz, MD", 0, "cr=md|2", ""},
		{"Ana Ruiz, MD", 1, "cr=md|1 cr@=1|T", ""},
		{"she said, MD", 1, "", "cr"},
	})
}

func TestSectionsAreTheNearestHeaderAbove(t *testing.T) {
	const note = "PAST HISTORY\nknown for years\nno Change\n\nPlan: see again\nSmith"
	got := featuresOf(note, Section)
	for token, want := range map[int]string{0: "sec@=past history|0", 2: "sec@=past history|1", 6: "sec,k=past history|T", 7: "sec@=plan|0", 11: "sec@=plan|1"} {
		if !slices.Contains(got[token], want) {
			t.Errorf("token %d lacks %q: %q", token, want, got[token])
		}
	}
	checkFeatures(t, Section, []wanted{
		{note, 11, "line-=0 size=1|T line=4 sec,k=plan|T", "alone"},
		{"a\n\nSmith", 1, "alone=1|T line=1", "sec"},
		{"no header\nSmith", 2, "line=1", "sec"},
		{"this is much too long to be one: yes\nSmith", 10, "", "sec"},
	})
}

func TestElsewhereSpeaksOfOtherPlaces(t *testing.T) {
	way := func(n int, k class) string { return "e=" + string('0'+byte(n)) + "|" + string(rune(k)) }
	const note = "we saw Player in town. Player sat\nFrom: Player\nDr. Player"
	checkFeatures(t, Elsewhere, []wanted{
		{note, 2, "e#=2|T " + way(underHeader, title) + " " + way(afterTitle, title), way(inCapitals, title) + " " + way(inSmall, title)},
		{note, 6, way(inCapitals, title), way(inSmall, title)},
		{note, 0, "e#=0|l", "e="},
		{"the may flowers. May", 4, way(inSmall, title), way(inCapitals, title)},
		{"we know Ana Xyzzy. Xyzzy", 5, way(besideUpper, title), ""},
		{"Xyzzy\nsaid Xyzzy here", 2, way(onItsOwn, title), ""},
	})
	checkFeatures(t, Elsewhere|List, []wanted{{"we know Elizabeth Xyzzy. Xyzzy", 5, way(besideName, title), ""}})
}

func TestKnownIdentifiersAreMatchedWholeAndInParts(t *testing.T) {
	got := known("Sra. ANA Ruíz, Ruiz of 12 Main St; main ana", Known, []string{"Ana Ruiz", "12 Main St", "99"})
	for token, want := range []string{"", "", "2", "2", "", "1", "", "2", "2", "2", "", "1", "1"} {
		if want == "" && len(got[token]) != 0 || want != "" && !slices.Contains(got[token], "known="+want) {
			t.Errorf("token %d: %q, want %q", token, got[token], want)
		}
	}
	if got := known("Ana 99", Known, nil); len(got[0])+len(got[1]) != 0 {
		t.Errorf("%q is known without identifiers", got)
	}
}
