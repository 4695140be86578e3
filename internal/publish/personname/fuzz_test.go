// SPDX-License-Identifier: Apache-2.0

package personname

import (
	"slices"
	"testing"
	"unicode/utf8"
)

// FuzzWrite checks that any text in any surroundings is read, clustered and written without
// a panic, that pieces lie in the text, and that no word of the real name survives.
func FuzzWrite(f *testing.F) {
	for _, seed := range [][3]string{
		{"Mr. J. Smith", "", "'s wife"}, {"Smith, John A., M.D.", "Dr. ", ""}, {"JS", "Pt ", " was"}, {"O’Brien-Smiths'", "", ""},
		{"María del Carmen García y Lorca", "Apellidos: ", ""}, {"Berg, Jan van der", "his wife ", " (son)"}, {"יוסי כהן", "", ""},
		{"William \"Bill\" Smith Jr., Ph.D.", "Mr. and Mrs. ", ", Jr."}, {"\xff J. \xc3", "M. ", "\xff"}, {"M.ª José", "Nombre: ", ""}, {"M. Jean-François D'Hôte", "", ""}, {"El Sr. D. Juan", "", ""}, {"Ann née Jones", "", ""}, {"la paciente la Rue", "", ""}, {"M. D'Hôte", "Mme ", ""},
		{"Ǆ ŉ ß ﬁ İ", "", ""}, {"de la", "", ""}, {"John & Mary", "", ""}, {"A.B.C.D.", "", ""}, {"a's's", "", ""}, {"1st 2", "", ""},
	} {
		f.Add(seed[0], seed[1], seed[2])
	}
	invented := []Person{
		{Given: "Quozzy", Middle: "Xylvo", Family: "Vuqqel", Nick: "Quozz", Gender: Female},
		{Given: "Quozzy-Wexx", Family: "von Vuqqel Jyxxer", Gender: Male},
		{Given: "Quozzy"}, {Family: "Vuqqel"},
	}
	f.Fuzz(func(t *testing.T, text, before, after string) {
		name, ok := Read(text)
		end := 0
		for _, p := range name.Pieces {
			if p.Start < end || p.End <= p.Start || p.End > len(text) {
				t.Fatalf("piece %d to %d behind %d", p.Start, p.End, end)
			}
			end = p.End
		}
		m := Mention{Text: text, Before: before, After: after}
		if got := Cluster([]Mention{m, {Text: "Smith"}, m}); got[0] != got[2] {
			t.Fatalf("equal mentions are two people: %v", got)
		}
		real := Fullest([]Mention{m})
		secret := slices.DeleteFunc(nameWords(real.Given+" "+real.Middle+" "+real.Family+" "+real.Nick), isPublicWord)
		for _, person := range invented {
			written := Write(m, real, person)
			if !utf8.ValidString(written) || ok && written == "" {
				t.Fatalf("%q became %q", text, written)
			}
			for _, w := range nameWords(written) {
				if utf8.RuneCountInString(w) > 2 && slices.Contains(secret, w) {
					t.Fatalf("%q of %q became %q", text, fullName(real), written)
				}
			}
		}
	})
}

// isPublicWord reports whether a word may stay: titles, particles, credentials, kinship.
func isPublicWord(w string) bool {
	l := lists()
	_, kin := kinGenders[w]
	return l.titles[w] || l.particles[w] || l.credentials[w] || suffixes[w] || connectors[w] || titleParts[w] || articles[w] || roleWords[w] || kin
}
