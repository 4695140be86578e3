// SPDX-License-Identifier: Apache-2.0

package known

import (
	"fmt"
	"strings"
	"testing"

	"hide/internal/annotate"
)

// people are the identities of the worked examples.
func people() []annotate.Identity {
	return []annotate.Identity{
		{Of: annotate.OfPatient, Label: "PATIENT", Value: "Anna-Lena Maria Müller"},
		{Of: annotate.OfPatient, Label: "DATE", Value: "1961-05-14"},
		{Of: annotate.OfPatient, Label: "SSN", Value: "123-45-6789"},
		{Of: annotate.OfPatient, Label: "MEDICALRECORD", Value: "000456781"},
		{Of: annotate.OfPatient, Label: "PHONE", Value: "(617) 555-0143"},
		{Of: annotate.OfPatient, Label: "STREET", Value: "12 Elm Street Apt 4"},
		{Of: annotate.OfPatient, Label: "CITY", Value: "Reading"},
		{Of: annotate.OfPatient, Label: "STATE", Value: "OR"},
		{Of: annotate.OfPatient, Label: "ZIP", Value: "02139-1234"},
		{Of: annotate.OfPatient, Label: "EMAIL", Value: "anna.m@example.org"},
		{Of: annotate.OfClinician, Label: "DOCTOR", Value: "Dr. Seamus O'Callaghan, MD"},
		{Of: annotate.OfClinician, Label: "DOCTOR", Value: "May Wu"},
		{Of: annotate.OfRelative, Label: "PATIENT", Value: "Will Brown"},
		{Of: annotate.OfPlace, Label: "HOSPITAL", Value: "St. Mary's Regional Medical Center"},
		{Of: annotate.OfRelative, Label: "PATIENT", Value: "Jan van der Berg"},
		{Of: annotate.OfPatient, Label: "DATE", Value: "2024-03-04"},
		{Of: annotate.OfPatient, Label: "STREET", Value: "Hauptstraße 12"},
		{Of: annotate.OfPatient, Label: "PROFESSION", Value: "glazier"},
		{Of: annotate.OfClinician, Label: "DOCTOR", Value: "Peter North"},
		{Of: annotate.OfPlace, Label: "ORGANIZATION", Value: "House of Hope"},
	}
}

// shown puts brackets around what is found, and names the form.
func shown(text string, found []Match) string {
	short := map[How]string{Exact: "e", Date: "d", Number: "n", Part: "p", Typo: "t"}
	var b strings.Builder
	at := annotate.ByteOff(0)
	for _, m := range found {
		fmt.Fprintf(&b, "%s[%s:%s]", text[at:m.Span.Start], short[m.How], m.Span.Surface(text))
		at = m.Span.End
	}
	b.WriteString(text[at:])
	return b.String()
}

func TestForms(t *testing.T) {
	index := New(people())
	for _, c := range []struct{ name, want string }{
		{"whole name", "Seen: [e:Anna-Lena Maria Müller]."},
		{"without accents or case", "[e:ANNA-LENA MULLER], [e:anna lena müller]"},
		{"family first", "[e:Müller, Anna-Lena M]. was; [e:MÜLLER,ANNALENA]"},
		{"initials", "[p:A. M. Müller] and [p:A.M. Müller] and [p:Müller, A]"},
		{"parts", "Mrs. [p:Müller]'s friend calls her [p:Lena], or [p:Annalena], not Marian or [p:Maria]"},
		{"one letter wrong", "[t:Mueller] [t:Müllers] [t:Mülelr] [t:Mülle]-r mülelr"},
		{"titles and credentials", "Dr. [e:Seamus O'Callaghan], MD; [p:OCallaghan]; [t:O'Calaghan]; [p:Seamus]; md"},
		{"short part after a title", "Dr. [p:Wu] and wu and Wu"},
		{"common words", "He [p:May] come, may not; will brown [p:Brown]; [e:Will Brown] will; [p:Will] you"},
		{"common words and initials", "w. brown, a [p:W. Brown] stain"},
		{"particles", "[e:Jan van der Berg], van, der, [p:van der Berg, J]., Mr. [p:Berg]"},
		{"dates", "[d:1961-05-14]; [d:14 May 1961]; [d:5/14/61]; [d:14.05.1961]; [d:May 14]; [d:May 14th, 1961]; [d:19610514]; [d:14-May-61]; [d:14. Mai 1961]; [d:05/1961]; [d:196105141230]; [d:14 de mayo de 1961]; [d:5/14] [d:14th of May]"},
		{"ambiguous", "[d:3/4/24] [d:4/3/2024] [d:04.03.2024] [d:March 4], [d:4 March]"},
		{"other days", "1961, May 14, 1962; 5/15/61; 4 May; 3/4; 15 May 1961; May 1962"},
		{"scores", "pain 3/4, strength 5/5"},
		{"numbers", "[e:123456789] [n:123.45.6789] [n:123 45 6789] 1234567890 123-45-678"},
		{"leading zeros", "[e:456781] [n:0456781] [n:000456781] 4567810"},
		{"telephone", "[n:617-555-0143] +[n:1 (617) 555-0143] [n:555-0143] [n:617.555.0143] [n:16175550143]"},
		{"streets", "[e:12 Elm Street Apt 4], [e:12 Elm St., Apt. 4], [p:12 ELM STREET], [p:Elm St], [p:12 Elm], elm, [p:Hauptstr]., [e:Hauptstraße 12], [e:Hauptstr. 12]"},
		{"places", "[e:Reading], [e:OR]; reading or not; OR, Salem, [e:OR]; [e:OR] 97301 IN OR"},
		{"postal codes", "[n:02139-1234], [n:02139] 2139"},
		{"hospital", "[e:St. Mary's Regional Medical Center], [e:Saint Mary's Regional Med Ctr], [p:St. Mary's]"},
		{"common words of a place", "the [e:House of Hope], a house of hope"},
		{"mail", "[e:anna.m@example.org]"},
		{"profession", "a [e:glazier]"},
		{"words of addresses in names", "N and W, Dr. [p:North]"},
		{"line break", "[e:Will\nBrown] but [p:Will]\n\n[p:Brown]"},
	} {
		text := strings.NewReplacer("[e:", "", "[p:", "", "[t:", "", "[d:", "", "[n:", "", "]", "").Replace(c.want)
		if got := shown(text, index.Find(text)); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}
