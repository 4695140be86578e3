// SPDX-License-Identifier: Apache-2.0

package known

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"hide/internal/annotate"
	"hide/internal/hospital"
)

// TestWrittenFormsOfGeneratedPeopleAreFound writes random people as people are written, and
// wants every word found.
func TestWrittenFormsOfGeneratedPeopleAreFound(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	pick := func(of ...string) string { return of[rng.IntN(len(of))] }
	for range 3000 {
		given, family := pick("Zdravka", "Jean-Luc", "Ángel", "Oyelaran", "Siobhán"), pick("O'Donoghue", "García-Lorca", "Nguyễn", "van der Vaart", "Weißmüller")
		middle := pick("", "Q", "Ximena")
		value := strings.Join(strings.Fields(given+" "+middle+" "+family), " ")
		first := string([]rune(given)[:1])
		form := pick(value, given+" "+family, family+", "+given, first+". "+family, strings.ToUpper(given+" "+family), given, family[strings.LastIndexByte(family, ' ')+1:])
		if middle != "" && rng.IntN(2) == 0 {
			form = fmt.Sprintf("%s %s. %s", given, middle[:1], family)
		}
		text := "Seen with " + form + " at noon."
		found := Find(text, []annotate.Identity{{Of: annotate.OfPatient, Label: "PATIENT", Value: value}})
		if len(found) == 0 {
			t.Fatalf("%q as %q is not found", value, form)
		}
		rest := form
		for _, m := range found {
			rest = strings.Replace(rest, m.Span.Surface(text), "", 1)
		}
		if strings.Trim(rest, " .,") != "" {
			t.Fatalf("%q as %q: not found %q", value, form, rest)
		}
	}
}

// TestHospital finds the identities of a generated hospital in their own notes, where nearly
// every name of a patient or relative must be covered, and in the notes of others, where
// nothing should be found outside of what people marked.
func TestHospital(t *testing.T) {
	for _, site := range []string{"a", "b"} {
		var notes []annotate.Annotated
		for d := range hospital.Generate(hospital.Options{Patients: 40, Seed: 5, Institution: site, Identities: true}) {
			notes = append(notes, d)
		}
		own, others := tally{}, tally{}
		for k, d := range notes {
			own.add(d, d.Identities)
			others.add(d, notes[(k+len(notes)/2)%len(notes)].Identities)
		}
		for label, least := range map[annotate.Label]float64{"PATIENT": 0.93, "MEDICALRECORD": 1, "ACCOUNT": 1, "HEALTHPLAN": 1} {
			if s := own.of[label]; float64(s.found) < least*float64(s.all) || s.all == 0 {
				t.Errorf("%s: %d of %d words of %s are found", site, s.found, s.all, label)
			}
		}
		if most := others.words / 1000; own.wrong > most || others.wrong > most {
			t.Errorf("%s: of %d words that nobody marked, %d are found as those of the patient and %d as those of another", site, own.words, own.wrong, others.wrong)
		}
	}
}

// tally counts words that are found.
type tally struct {
	of           map[annotate.Label]share
	words, wrong int // that nobody marked
}

type share struct{ found, all int }

func (n *tally) add(d annotate.Annotated, identities []annotate.Identity) {
	if n.of == nil {
		n.of = map[annotate.Label]share{}
	}
	note := annotate.NewNote(d)
	hit := make([]bool, len(note.Words))
	for _, m := range Find(d.Text, identities) {
		from, to := annotate.Covered(note.Tokens, m.Span)
		for i := from; i < to; i++ {
			hit[i] = true
		}
	}
	for i, label := range note.Labels {
		s := n.of[label]
		s.all++
		if hit[i] {
			s.found++
		}
		n.of[label] = s
		if label == "" {
			n.words++
			if hit[i] {
				n.wrong++
			}
		}
	}
}

// checkMatches checks what is true of the matches in any text.
func checkMatches(t *testing.T, text string, identities []annotate.Identity, found []Match) {
	t.Helper()
	var spans []annotate.Span
	for _, m := range found {
		if m.Identity < 0 || m.Identity >= len(identities) || m.Span.Label != identities[m.Identity].Label || !slices.Contains([]How{Exact, Date, Number, Part, Typo}, m.How) {
			t.Fatalf("a match of identity %d as %q", m.Identity, m.How)
		}
		spans = append(spans, m.Span)
	}
	if !slices.IsSortedFunc(spans, annotate.CompareSpans) {
		t.Fatal("the matches are not in order")
	}
	if err := annotate.CheckSpans(text, spans); err != nil {
		t.Fatal(err)
	}
}

func FuzzFind(f *testing.F) {
	f.Add("Seen: Dr. Wu, 5/14/61, 14. Mai 1961.", "Wu", "DOCTOR")
	f.Add("12 Elm St., Apt. 4, Hauptstr. 12", "12 Elm Street Apt 4", "STREET")
	f.Add("02139-1234 000 +1 (617) 555-0143", "02139-1234", "ZIP")
	f.Add("Ángel 'o'Brien ß İ 1٣", "ÁNGEL O’Brien-ß", "PATIENT")
	f.Add("196105141200 1961-05", "19610514", "DATE")
	f.Add("OR, OR 97301", "OR", "STATE")
	f.Fuzz(func(t *testing.T, text, value, label string) {
		if !utf8.ValidString(text) || !utf8.ValidString(value) {
			return
		}
		identities := []annotate.Identity{{Label: annotate.Label(label), Value: value}, {Label: "PATIENT", Value: value}, {Label: "PHONE", Value: "+1 617 555 0143"}}
		checkMatches(t, text, identities, Find(text, identities))
		checkMatches(t, value, identities, Find(value, identities))
	})
}

// BenchmarkFind reads 1 MB of notes with 300 identities.
func BenchmarkFind(b *testing.B) {
	var text strings.Builder
	var identities []annotate.Identity
	for d := range hospital.Generate(hospital.Options{Patients: 1000, Seed: 5, Identities: true}) {
		if text.Len() < 1<<20 {
			text.WriteString(d.Text)
		}
		if len(identities) < 300 {
			identities = append(identities, d.Identities...)
		}
	}
	index := New(identities)
	b.SetBytes(int64(text.Len()))
	for b.Loop() {
		index.Find(text.String())
	}
}
