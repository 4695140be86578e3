// SPDX-License-Identifier: Apache-2.0

package personname

import (
	"fmt"
	"strings"
	"testing"
)

// roleLetters are the roles in the tables of tests, in their order.
const roleLetters = "TGMNPFSCO"

// rolesOf writes the pieces of a name with their roles: initials with a dot, unsure pieces
// with a question mark.
func rolesOf(text string) string {
	name, ok := Read(text)
	if !ok {
		return "not a name"
	}
	var parts []string
	for _, p := range name.Pieces {
		s := name.Of(p) + "/" + roleLetters[p.Role:p.Role+1]
		if p.Initial {
			s += "."
		}
		if p.Unsure {
			s += "?"
		}
		parts = append(parts, s)
	}
	return strings.Join(parts, " ")
}

func TestNamesAreRead(t *testing.T) {
	tests := []struct{ text, want string }{
		{"John A. Smith", "John/G A/M. Smith/F"},
		{"Smith, John A.", "Smith/F John/G A/M."},
		{"Kowalczyk Anna", "Kowalczyk/F Anna/G"},
		{"Kowalczyk A.", "Kowalczyk/F A/G."},
		{"Kowalczyk Anna M.", "Kowalczyk/F Anna/G M/M."},
		{"J.-P. Smith", "J/G. P/M. Smith/F"},
		{"JS", "J/G. S/F."},
		{"JAS", "J/G. A/M. S/F."},
		{"J", "J/G.?"},
		{"Dr. S.", "Dr/T S/F."},
		{"John S.", "John/G S/F.?"},
		{"John Y. Smith", "John/G Y/M. Smith/F"},
		{"Thomas", "Thomas/G?"},
		{"Watson", "Watson/F?"},
		{"Zzyzx", "Zzyzx/F?"},
		{"Prof. Dr. med. van der Berg", "Prof/T Dr/T med/T van/P der/P Berg/F"},
		{"Mr. and Mrs. Smith", "Mr/T and/T Mrs/T Smith/F"},
		{"John and Mary Smith", "John/G? and/O Mary/O Smith/O"},
		{"Don José", "Don/T José/G"},
		{"Don Smith", "Don/G Smith/F"},
		{"Sister Ann", "Sister/T Ann/G"},
		{"wife Mary", "wife/T Mary/G?"},
		{"Ben Smith", "Ben/G Smith/F"},
		{"Smith, M.D.", "Smith/F M.D/C"},
		{"Smith, J.D.", "Smith/F J/G. D/M."},
		{"John Smith, J.D., F.A.C.P.", "John/G Smith/F J.D/C F.A.C.P/C"},
		{"Anna Do", "Anna/G Do/F"},
		{"John Smith III", "John/G Smith/F III/S"},
		{"Smith, Jr., John", "Smith/F Jr/S John/G"},
		{"William (Bill) Smith", "William/G Bill/N Smith/F"},
		{"Jeff ( Rocky ) Skilling", "Jeff/G Rocky/N Skilling/F"},
		{"Smith 's", "Smith/F"},
		{"Tracy Flynn - Scott", "Tracy/G Flynn/F Scott/F"},
		{"María del Carmen García Lorca", "María/G del/M Carmen/M García/F Lorca/F"},
		{"María del Mar", "María/G del/M Mar/M"},
		{"Ana de la Cruz", "Ana/G de/P la/P Cruz/F"},
		{"Santiago Ramón y Cajal", "Santiago/G Ramón/F y/P Cajal/F"},
		{"Luis García de la Torre", "Luis/G García/F de/P la/P Torre/F"},
		{"Navarro Cabrera", "Navarro/F Cabrera/F"},
		{"Juan Carlos García", "Juan/G Carlos/M García/F"},
		{"Juan Ramón Torrecilla García-Ripoll", "Juan/G Ramón/M Torrecilla/F García-Ripoll/F"},
		{"M.ª José Ruiz", "M.ª/G José/M Ruiz/F"},
		{"O’Brien's", "O’Brien/F"},
		{"Berg, Jan van der", "Berg/F Jan/G van/P der/P"},
		{"יוסי כהן", "יוסי/G כהן/F"},
		{"12345", "not a name"},
		{"", "not a name"},
		{"\xff", "not a name"},
	}
	for _, test := range tests {
		if got := rolesOf(test.text); got != test.want {
			t.Errorf("%q: %s, want %s", test.text, got, test.want)
		}
	}
}

func TestGendersAndShortForms(t *testing.T) {
	tests := []struct {
		given string
		want  Gender
		short string
	}{
		{"William", Male, "Bill"}, {"bill", Male, ""}, {"MARÍA", Female, "Mari"}, {"Maria", Female, "Mari"}, {"Andrea", Unknown, "Andi"},
		{"Jean", Unknown, ""}, {"Jean-Pierre", Male, ""}, {"Marie-Claude", Female, ""}, {"Anna-Lena", Female, ""}, {"Kim", Unknown, ""},
		{"Gracelyn", Female, ""}, {"Filiberto", Male, ""}, {"Zzyzx", Unknown, ""}, {"", Unknown, ""}, {"Becca", Female, ""},
	}
	for _, test := range tests {
		short := append(Nicknames(test.given), "")[0]
		if got := GenderOf(test.given); got != test.want || short != test.short {
			t.Errorf("%s: %d %q, want %d %q", test.given, got, short, test.want, test.short)
		}
	}
}

func TestRelativesAreRecognisedByTheWordsBesideThem(t *testing.T) {
	tests := []struct {
		before, text, after string
		want                bool
	}{
		{"her daughter ", "May", "", true}, {"", "Orlando Cardenas", " (brother)", true}, {"su hija ", "Ana", "", true}, {"die Tochter, ", "Eva", "", true},
		{"his proxy is ", "Ann", "", true}, {"Seen with ", "May", "", false}, {"Mrs. ", "May", "", false}, {"", "", "", false},
	}
	for _, test := range tests {
		if got := IsRelative(Mention{Text: test.text, Before: test.before, After: test.after}); got != test.want {
			t.Errorf("%q %q %q: %v", test.before, test.text, test.after, got)
		}
	}
}

func TestEachGivenNameIsInOneListOfGenders(t *testing.T) {
	seen := map[string]string{}
	for list, text := range map[string]string{"female": femaleNames, "male": maleNames, "either": eitherNames} {
		for _, name := range listed(text) {
			if before := seen[name]; before != "" {
				t.Errorf("%s is in %s and in %s", name, before, list)
			}
			seen[name] = list
		}
	}
}

func TestNamesAreNotPrinted(t *testing.T) {
	name, _ := Read("Smith")
	for _, v := range []any{name, Person{Family: "Smith"}, Mention{Text: "Smith", Before: "Smith"}, []Mention{{Text: "Smith"}}} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s"} {
			if text := fmt.Sprintf(verb, v); strings.Contains(text, "Smith") {
				t.Errorf("%T prints %q", v, text)
			}
		}
	}
}
