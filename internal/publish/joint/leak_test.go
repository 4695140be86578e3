// SPDX-License-Identifier: Apache-2.0

package joint

import (
	"context"
	"strings"
	"testing"
)

// The tests of this file are about defects of the program that rx-anon's authors
// published (notes on each); this package must not have them.

// leakConfig is a person's number, a place, an age, a date and a text.
const leakConfig = `
attributes:
  id: {anonymization_type: direct_identifier}
  city: {type: nominal, anonymization_type: quasi_identifier, entities: [GPE]}
  age: {type: numerical, anonymization_type: quasi_identifier, entities: [AGE, DATE]}
  seen: {type: date, anonymization_type: quasi_identifier, entities: [DATE]}
  text: {type: text, anonymization_type: text}
`

// released gives the texts of all rows as they leave, for one class of all.
func released(t *testing.T, v *View) []string {
	t.Helper()
	p := Partition{Classes: [][]int{v.everybody()}}
	r := recode(v, p)
	out := make([]string, v.Rows())
	for row := range out {
		out[row], _ = r.Rewrite(row, 0, 0)
	}
	return out
}

func wantTexts(t *testing.T, got []string, want ...string) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d texts, want %d", len(got), len(want))
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("text %d is %q, want %q", i+1, got[i], want[i])
		}
	}
}

// Leak A: where a redundant term of a type stands in one note of a person, the
// published rewriter leaves all terms of that type in the person's other notes in
// clear: "Four days ago" stays, because "2004" of another note is replaced.
func TestLeakA_TermOfATypeThatIsRedundantInAnotherNoteGoes(t *testing.T) {
	v := viewOf(t, leakConfig, []string{
		"1|Ulm|30|2004-01-17|<DATE:Four days ago> it began.",
		"1|Ulm|30|2004-01-19|The year <DATE:2004> is fine.",
		"2|Ulm|30|2004-03-01|Nothing here.",
	})
	wantTexts(t, released(t, v), "[DATE] it began.", "The year 2004 is fine.", "Nothing here.")
}

// Leak B: the published rewriter matches kept terms by their text alone, so a kept
// place brings back a suppressed person of the same name.
func TestLeakB_KeptPlaceDoesNotBringBackAPersonOfItsName(t *testing.T) {
	v := viewOf(t, leakConfig, []string{
		"1|Ulm|30|2004-01-17|<PERSON:Paris> went to <ORG:Paris>.",
		"2|Ulm|30|2004-01-17|She likes <ORG:Paris>.",
	})
	wantTexts(t, released(t, v), "[PERSON] went to Paris.", "She likes Paris.")
}

// Leak C: the published rewriter keeps each person's own spelling of a kept term,
// by which members of a class can be told apart.
func TestLeakC_KeptTermHasOneSpellingInItsClass(t *testing.T) {
	v := viewOf(t, leakConfig, []string{
		"1|Ulm|30|2004-01-17|An <JOB:Engineer>.",
		"2|Ulm|30|2004-01-17|The <JOB:engineer >\nas ever an <JOB:ENGINEER>.",
		"3|Ulm|30|2004-01-17|She is <JOB:engineer>, \"<JOB:engineer>\".",
	})
	wantTexts(t, released(t, v), "An engineer.", "The engineer\nas ever an engineer.", `She is engineer, "engineer".`)
}

// What a person marked of a word only tells the word by what is left of it.
func TestATermWithinAWordIsTheWholeWord(t *testing.T) {
	v := viewOf(t, leakConfig, []string{
		"1|Ulm|30|2004-01-17|<PERSON:Weiss>mann of <ORG:Haus>-<JOB:Ober><PERSON:arzt>, <AGE:3>0, <PERSON:,>.",
		"2|Ulm|31|2004-01-17|None.",
	})
	wantTexts(t, released(t, v), "[PERSON] of [ORG]-[JOB], [30-31], [PERSON].", "None.")
}

// The published program takes a term for redundant when any word of it is a word
// of the attribute's value, and writes the other words in clear.
func TestTermThatSaysMoreThanTheAttributeGoesWhole(t *testing.T) {
	v := viewOf(t, leakConfig, []string{
		"1|New York|30|2004-01-17|At <GPE:York Street 7>, <GPE:New York>, <AGE:30, like Anna Weiss>, <AGE:30 years old>.",
		"2|New York|31|2004-01-17|None.",
	})
	wantTexts(t, released(t, v), "At [GPE], New York, [AGE], [30-31] years old.", "None.")
}

// The published program takes a term for a redundant date when it is a substring of
// the date as printed: "00", "1" and "19" are.
func TestPiecesOfADateAreNotTheDate(t *testing.T) {
	v := viewOf(t, leakConfig, []string{
		"1|Ulm|30|2004-01-19|<DATE:00> <DATE:1> <DATE:19> <DATE:04> <DATE:-01-> <DATE:200>.",
		"2|Ulm|30|2005-02-07|None.",
	})
	wantTexts(t, released(t, v), "[DATE] [DATE] [DATE] [DATE] [DATE] [DATE].", "None.")
}

func TestDateIsRedundantInWhateverFormItIsWritten(t *testing.T) {
	forms := []string{"2004-01-19", "19.1.2004", "01/19/2004", "January 19, 2004", "19th of January 2004", "19 de enero de 2004", "19. Januar 2004", "le 19 janvier 2004", "Monday, Jan. 19 2004", "Jan 2004", "1/2004", "January", "2004"}
	for _, form := range forms {
		v := viewOf(t, leakConfig, []string{"1|Ulm|30|2004-01-19|On <DATE:" + form + ">.", "2|Ulm|30|2005-02-07|None."})
		wantTexts(t, released(t, v), "On [2004-2005].", "None.")
	}
	for _, form := range []string{"2004-01-20", "20.1.2004", "February 2004", "2003", "1/2005", "19 January 2004, Anna", "Monday", "10:30"} {
		v := viewOf(t, leakConfig, []string{"1|Ulm|30|2004-01-19|On <DATE:" + form + ">.", "2|Ulm|30|2005-02-07|None."})
		wantTexts(t, released(t, v), "On [DATE].", "None.")
	}
}

// A class with one date releases the date; a text that gave the year alone must
// not come to say more.
func TestBareYearStaysAYear(t *testing.T) {
	v := viewOf(t, leakConfig, []string{
		"1|Ulm|30|2004-01-19|In <DATE:2004>, on <DATE:Jan 19, 2004>.",
		"2|Ulm|30|2004-01-19|None.",
	})
	wantTexts(t, released(t, v), "In 2004, on 2004-01-19.", "None.")
}

// The published program deletes whatever is not ASCII, and white space.
func TestTextOutsideTermsStaysByteForByte(t *testing.T) {
	const odd = "I’m  überaus\r\n müde, 東京 \x00e\u0301 <GPE:Köln>\t—\u00a0ja."
	v := viewOf(t, leakConfig, []string{"1|Ulm|30|2004-01-19|" + odd, "2|Ulm|30|2004-01-19|None."})
	wantTexts(t, released(t, v), strings.Replace(odd, "<GPE:Köln>", "[GPE]", 1), "None.")
}

// The published program drops stop words before it compares, so that "the" and "a"
// are one term.
func TestStopWordsAreWords(t *testing.T) {
	v := viewOf(t, leakConfig, []string{
		"1|Ulm|30|2004-01-19|<ORG:The Who> and <ORG:the>.",
		"2|Ulm|30|2004-01-19|<ORG:A Who> and <ORG:a>.",
	})
	wantTexts(t, released(t, v), "[ORG] and [ORG].", "[ORG] and [ORG].")
}

// The published program's intersection of terms keeps, of a class of three or more,
// those of the first person and the last alone, and counts the others as lost.
func TestTermOfAWholeClassOfFourIsKeptByAllFour(t *testing.T) {
	lines := []string{"1|Ulm|30|2004-01-19|<ORG:Acme>.", "2|Ulm|30|2004-01-19|<ORG:acme>.", "3|Ulm|30|2004-01-19|<ORG:Acme>.", "4|Ulm|30|2004-01-19|<ORG:Acme>."}
	v := viewOf(t, leakConfig, lines)
	wantTexts(t, released(t, v), "Acme.", "Acme.", "Acme.", "Acme.")
	r := recode(v, Partition{Classes: [][]int{v.everybody()}})
	if l := r.Loss(); l.Textual != 0 {
		t.Errorf("the loss is %g, want none", l.Textual)
	}
	if _, textual := r.PublishedLoss(); textual != 0.5 {
		t.Errorf("the program's loss is %g, want half: that of the two in the middle", textual)
	}
}

// The published program drops rows with a missing value.
func TestMissingValuesAreACategory(t *testing.T) {
	v := viewOf(t, leakConfig, []string{
		"1||30|2004-01-19|One.", "2|Ulm||2004-01-19|Two.", "3|Ulm|30||Three, <DATE:2004>.", "4|Ulm|30|2004-01-19|Four, <AGE:30>.",
	})
	wantTexts(t, released(t, v), "One.", "Two.", "Three, [DATE].", "Four, [AGE].")
	r := recode(v, Partition{Classes: [][]int{v.everybody()}})
	var cells []string
	for _, c := range r.Cells[0] {
		cells = append(cells, c.Text)
	}
	if got, want := strings.Join(cells, " | "), "{Ulm, na} | * | *"; got != want {
		t.Errorf("the class is %q, want %q", got, want)
	}
}

// A term that is a direct identifier of the person goes, even where all of a class
// have it: two patients of one name.
func TestDirectIdentifierInATextIsNeverKept(t *testing.T) {
	config := strings.Replace(leakConfig, "  city:", "  name: {anonymization_type: direct_identifier, entities: [PERSON]}\n  city:", 1)
	v := viewOf(t, config, []string{
		"1|Ann Lee|Ulm|30|2004-01-19|<PERSON:Ann Lee> and <PERSON:Dr. Fox>.",
		"2|Ann Lee|Ulm|30|2004-01-19|<PERSON:ANN  LEE> saw <PERSON:Dr. Fox>.",
	})
	wantTexts(t, released(t, v), "[PERSON] and Dr. Fox.", "[PERSON] saw Dr. Fox.")
}

// A type that is misspelt, or called otherwise by the tagger, leaves its terms in
// clear: the publisher must be warned.
func TestTermsOfTypesThatAreNotListedAreWarnedAbout(t *testing.T) {
	v := viewOf(t, "entities: {native: [PERSON]}\n"+leakConfig, []string{
		"1|Ulm|30|2004-01-17|<PATIENT:Anna Weiss> saw <PERSON:Kern>.",
		"2|Ulm|30|2004-01-17|None.",
	})
	p := partition(t, v, Settings{K: 2, Lambda: 0.5})
	report, err := recode(v, p).Report(context.Background(), Settings{K: 2, Lambda: 0.5}, p, Exposure{})
	if err != nil {
		t.Fatal(err)
	}
	if w := report.Warnings(); report.Mentions.Unlisted != 1 || len(w) == 0 || !strings.Contains(w[0], "1 terms that were given or found remain") {
		t.Errorf("%d unlisted, warnings %q", report.Mentions.Unlisted, w)
	}
}

// A term that a whole class has stays, but not one that says who somebody is, even
// where no attribute maps its type.
func TestOnesOwnDirectIdentifierIsNeverKept(t *testing.T) {
	v := viewOf(t, leakConfig, []string{
		"Hans Weiss|Ulm|30|2004-01-17|<PERSON:Hans Weiss> came with <PERSON:Kern>.",
		"Jan Weiss|Ulm|30|2004-01-17|The father, <PERSON:HANS WEISS>, and <PERSON:Kern> came.",
	})
	wantTexts(t, released(t, v), "[PERSON] came with Kern.", "The father, [PERSON], and Kern came.")
}

// Who is there twice counts twice towards k.
func TestBlanksAroundAKeyDoNotMakeAnotherPerson(t *testing.T) {
	v := viewOf(t, leakConfig, []string{"1|Ulm|30|2004-01-17|One.", "1 |Ulm|30|2004-01-17|Two.", " 1|Ulm|30|2004-01-17|Three."})
	if v.Persons() != 1 {
		t.Errorf("one person is %d", v.Persons())
	}
}
