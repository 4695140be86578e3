// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"hide/internal/annotate"
)

// marked reads "seen on [[date 3/4/2019]]": the text, and the expected findings.
func marked(t *testing.T, s string) (text string, want []Finding) {
	t.Helper()
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(s, "[[")
		b.WriteString(before)
		if !found {
			return b.String(), want
		}
		inner, after, closed := strings.Cut(rest, "]]")
		kind, surface, named := strings.Cut(inner, "|")
		if !closed || !named {
			t.Fatalf("bad markup in a case")
		}
		start := annotate.ByteOff(b.Len())
		b.WriteString(surface)
		want = append(want, Finding{start, annotate.ByteOff(b.Len()), Kind(kind)})
		s = after
	}
}

func say(text string, all []Finding) string {
	var out []string
	for _, f := range all {
		out = append(out, fmt.Sprintf("%s|%s", f.Kind, text[f.Start:f.End]))
	}
	return strings.Join(out, "; ")
}

func TestFindMarksWhatIsWrittenInTheUsualWays(t *testing.T) {
	for _, s := range []string{
		// dates
		"Seen on [[date|3/4/2019]] and [[date|2019-03-04]], [[date|04.03.19]].",
		"Seen on [[date|3/4]]; strength [[day and month|5/5]], pressure 120/80, 1/2/3/4 and 13/45.",
		"[[date|March 3, 2019]], [[date|3 March 2019]], [[date|Mar-04]], [[date|March 3rd]] and [[date|June 2018]].",
		"She may take 2 tablets. They march 3 miles. On [[date|may 5]] she came, [[day of the week|Sunday]].",
		"El [[date|3 de marzo de 2019]], le [[date|3 mars 2019]], am [[date|3. März 2019]], [[date|12 août]].",
		"1.5 mg, 10-12 weeks, version 1.2.3.4.5, 2019 and T 37.5.",
		// numbers
		"Tel. [[telephone number|(605) 979-7913]], [[telephone number|605-979-7913]], [[telephone number|+34 91 234 56 78]], fax: [[fax number|605-979-7914]].",
		"Teléfono: [[telephone number|91 234 56 78]]. Pager [[telephone number|59040]]. Call [[telephone number|x4175]]. Range 150-4000.",
		"SSN [[social security number|123-45-6789]], MRN: [[record number|00-4471-92]], Unit No: [[record number|046 77 00]], Account # [[other number|AB12345]].",
		"NHC: [[record number|368503]]. NASS: [[other number|26 63514095]]. DNI [[other number|12345678Z]].",
		"Platelets 250000, sodium 140, glucose 169 mg/dl, 4 of 10.",
		// addresses
		"Mail [[e-mail address|ana.ruiz@example.org]], see [[web address|https://www.example.org/a?b=1]]. From [[network address|10.0.0.1]].",
		"Alone @ home, a@b and 1.2.3 or 300.1.1.1.",
		"Lives at [[street|12 Rose Street]], [[town from a list|Springfield]], [[state from a list|IL]] [[postal code|62701]].",
		"Domicilio: [[street|Calle Mayor 3, 2A]].\nCP: [[postal code|28016]].\nWohnhaft in der Hauptstraße.",
		"[[street|Calle Miguel Benitez 90]]. Vive en la calle. [[street|Hauptstraße 12]].",
		// names
		"Seen by Dr. [[name after a clinician's title|Frank O'Hara]] and Mrs. [[name after a title or field|Anna-Maria Weiss]] today.",
		"dr. [[name after a clinician's title|langworthy-levy]] advised. The doctor advised rest. Dr advised.",
		"Name: [[name after a title or field|WEISS, ANNA]]\nProvider: [[name after a clinician's title|J. R. Levy]]\n[[name after a clinician's title|Gordon Vorce]], M.D.",
		"La Sra. [[name after a title or field|María de la Cruz Núñez]] y el Dr. [[name after a clinician's title|Jürgen Ñu]].",
		"Her husband [[name after a title or field|Karl]] and her son were here. Signed by [[name after a clinician's title|Kelli M. Stevens]] today.",
		"[[first name from a list, and another|Susan Pool]] came with [[first name from a list, alone|Carmen]]. May be. Will come. In the grace period.",
		// places and ages
		"Born in [[state from a list|New York]] or [[town from a list|Chicago]], [[country from a list|España]], lives in [[state from a list|Castilla-La Mancha]]; IL and in IL are no state, nor is reading.",
		"Moved to [[hospital|York Haven Medical Center]], then [[hospital|Hospital Clínico San Carlos]]. The hospital is far.\nHOSPITAL COURSE: good.",
		"A [[age|42]]-year-old, then [[age over 89|91]] y/o, edad: [[age|70]], [[age|7]] años. Back in 3 days.",
		"",
	} {
		text, want := marked(t, s)
		if got := Find(text); !slices.Equal(got, want) {
			t.Errorf("%q\n got %s\nwant %s", text, say(text, got), say(text, want))
		}
	}
}

// wellFormed checks the guarantees of Find for any text.
func wellFormed(t *testing.T, text string) {
	t.Helper()
	starts, ends := map[annotate.ByteOff]bool{}, map[annotate.ByteOff]bool{}
	for _, token := range annotate.Tokenize(text) {
		starts[token.Start], ends[token.End] = true, true
	}
	at := annotate.ByteOff(0)
	for _, f := range Find(text) {
		if f.Start < at || f.End <= f.Start || !starts[f.Start] || !ends[f.End] || !slices.Contains(kinds, f.Kind) {
			t.Fatalf("%s at %d to %d does not follow %d on the borders of tokens", f.Kind, f.Start, f.End, at)
		}
		at = f.End
	}
}

func FuzzFind(f *testing.F) {
	for _, s := range []string{"", "3/4/2019", "a@b.c", "http://", "Dr. ", "fax:", "MRN #", "12 Rose St", "(", "+1", "1.1.1.1", "Name:", "año 91 años", "Calle", "\xff@\xff.\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) { wellFormed(t, strings.ToValidUTF8(text, "?")) })
}

// TestFindTakesTimeLinearInTheText has texts on which a rule that scans ahead from every
// token would take far too long.
func TestFindTakesTimeLinearInTheText(t *testing.T) {
	for _, s := range []string{"A1-", "http://", "a.", "a@b.", "1-", "1/1/", "(1", "Dr. ", "fax ", "Name: ", "St ", "Calle A", "1 A ", "Hospital ", "MRN no "} {
		wellFormed(t, strings.Repeat(s, 60_000/len(s)))
	}
}
