// SPDX-License-Identifier: Apache-2.0

package compare_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"hide/internal/publish/link/compare"
	"hide/internal/publish/value"
)

// odd are raw values of every kind, to be compared with each other.
var odd = strings.Split(`Mr. Robert|Bob|rob|William "Bill"|J.|John A.|Mary-Ann|Mary Ann|García Lorca|Lorca-García|O'Brien|van der Berg|Smith Jr.|Иванов|Иванова|יוסף
Smith, John A.|John Smith|Smith John|J Smith|SMITH^JOHN|李小龍|محمد|1971-06-24|24.6.1971|06/24/1971|June 1971|1971|24 June 1971|19711306|M|f|mujer
123-45-6789|MRN 0012345|12345.0|+1 (617) 555-1234 x12|617.555.1234|030 123456|+49 30 123456|a.smith@x.org|a.smith+list@y.net|asmith@x.org|7|12a|No. 12
12 Main Street|main st|Hauptstr. 5|St. John's Road|Ft Worth|Saint Louis|02139-1234|2139|SW1A 1AA|Massachusetts|nsw|1,500.5|-3|0|0.0000001|unknown|-|`, "|")

func cleaned(k compare.Kind) []string {
	var all []string
	for _, raw := range odd {
		if v := k.Clean(strings.TrimSpace(raw)); v != "" {
			all = append(all, v)
		}
	}
	return all
}

// TestLevelsOfEveryKind checks what holds for all kinds: symmetry, the first level for equal
// values alone, and an answer that does not depend on what was compared before.
func TestLevelsOfEveryKind(t *testing.T) {
	for _, k := range compare.Kinds() {
		values, used, levels := cleaned(k), k.NewComparer(), k.Levels()
		if len(values) < 3 || levels[len(levels)-1] != "else" || levels[0] != "equal" {
			t.Fatalf("%s: %d values, levels %v", k, len(values), levels)
		}
		for _, a := range values {
			for _, b := range values {
				got := used.Level(a, b)
				if got < 0 || got >= len(levels) {
					t.Fatalf("%s: Level(%q, %q) = %d of %d levels", k, a, b, got, len(levels))
				}
				if back, fresh := used.Level(b, a), k.NewComparer().Level(a, b); got != back || got != fresh {
					t.Errorf("%s: Level(%q, %q) = %d, the other way %d, alone %d", k, a, b, got, back, fresh)
				}
				partial := k == compare.BirthDate && strings.HasSuffix(a, "00")
				if (got == 0) != (a == b && !partial) {
					t.Errorf("%s: Level(%q, %q) = %d", k, a, b, got)
				}
			}
		}
	}
}

// TestCleaningTwice changes nothing, for values that a caller cleans as a column shows and a
// package cleans again.
func TestCleaningTwice(t *testing.T) {
	readings := []compare.Reading{{}, {Order: value.DayFirst, Sex: compare.SpanishCodes}, {Order: value.MonthFirst, Sex: compare.OpaqueCodes}}
	for _, k := range compare.Kinds() {
		for _, raw := range odd {
			for _, r := range readings {
				once := k.CleanAs(raw, r)
				if again := k.Clean(once); again != once {
					t.Errorf("%s: %q is cleaned to %q, and again to %q", k, raw, once, again)
				}
			}
		}
	}
}

func TestComparersDoNotAllocate(t *testing.T) {
	for _, k := range compare.Kinds() {
		values, c := cleaned(k), k.NewComparer()
		compareAll := func() {
			for _, a := range values {
				for _, b := range values {
					c.Level(a, b)
				}
			}
		}
		if n := testing.AllocsPerRun(3, compareAll); n != 0 {
			t.Errorf("%s: %v allocations", k, n)
		}
	}
}

// TestLevels are worked examples.
func TestLevels(t *testing.T) {
	for _, c := range []struct {
		kind compare.Kind
		a, b string
		want string
	}{
		{compare.Given, "Robert", "ROBERT", "equal"},
		{compare.Given, "José", "Jose", "equal"},
		{compare.Given, "Robert", "Bob", "nickname"},
		{compare.Given, "Rob", "Bob", "nickname"},
		{compare.Given, "Francisco", "Paco", "nickname"},
		{compare.Given, "Bill J.", "William", "nickname"},
		{compare.Given, "J.", "John", "part or initial"},
		{compare.Given, "John A.", "John Albert", "part or initial"},
		{compare.Given, "Oscar", "John O.", "else"},
		{compare.Given, "María José", "María Carmen", "Jaro-Winkler at least 0.8"},
		{compare.Given, "Jonathan", "Jonathon", "Jaro-Winkler at least 0.92"},
		{compare.Surname, "García Lorca", "García", "part or initial"},
		{compare.Surname, "Smith-Jones", "Jones", "part or initial"},
		{compare.Surname, "Smith Jones", "Jones-Smith", "part or initial"},
		{compare.Surname, "Robert", "Bob", "else"},
		{compare.Surname, "DUNNINGHAM", "CUNNIGHAM", "Jaro-Winkler at least 0.8"}, // .896 in Winkler's table
		{compare.Surname, "Иванов", "Иванова", "Jaro-Winkler at least 0.92"},
		{compare.FullName, "Smith, John A.", "John A. Smith", "equal"},
		{compare.FullName, "Smith, John A.", "Smith, John", "nickname, initial or part"},
		{compare.FullName, "Bob Smith", "Smith, Robert", "nickname, initial or part"},
		{compare.FullName, "Jon Smith", "John Smyth", "else"},
		{compare.FullName, "Jonathan Smith", "Jonathon Smith", "similar words"},
		{compare.FullName, "Mary Smith", "Peter Smith", "one name equal"},
		{compare.FullName, "Mary Smith", "Peter Jones", "else"},
		{compare.BirthDate, "1971-06-24", "24 June 1971", "equal"},
		{compare.BirthDate, "1971-06-05", "1971-05-06", "one edit, or day and month exchanged"},
		{compare.BirthDate, "1971-06-24", "1917-06-24", "one edit, or day and month exchanged"},
		{compare.BirthDate, "1971-06-24", "1971-06-03", "two parts of three"},
		{compare.BirthDate, "1971-06-24", "June 1971", "two parts of three"},
		{compare.BirthDate, "1971", "1971", "same year"},
		{compare.BirthDate, "1971-06-24", "1983-02-11", "else"},
		{compare.Sex, "F", "mujer", "equal"},
		{compare.Sex, "F", "Male", "else"},
		{compare.Identifier, "123-45-6780", "123456708", "one edit"},
		{compare.Identifier, "0012345", "MRN 12345", "equal"},
		{compare.Identifier, "1234567", "1324568", "two edits"},
		{compare.Phone, "+1 617 555 1234", "(617) 555-1234 ext. 5", "equal"},
		{compare.Phone, "+49 30 1234567", "030 1234567", "other prefix"},
		{compare.Phone, "555-1234", "617-555-1234", "other prefix"},
		{compare.Phone, "617-555-1234", "617-555-1243", "one edit"},
		{compare.Email, "A.Smith@X.org", "a.smith+lists@x.org", "equal"},
		{compare.Email, "a.smith@x.org", "a.smith@hospital.net", "same user"},
		{compare.Email, "roberta25@smith.net", "robert255@smith.net", "two edits"},
		{compare.Email, "jonathan.miller@x.org", "jonathan.muller@hospital.net", "user Jaro-Winkler at least 0.92"},
		{compare.Email, "mary@hospital.org", "peter@hospital.org", "else"},
		{compare.StreetNumber, "12", "7", "else"},
		{compare.StreetNumber, "8", "7", "else"},
		{compare.StreetNumber, "12", "12a", "one edit"},
		{compare.Street, "12 Main Street", "12 main st.", "equal"},
		{compare.Street, "Hauptstr. 5", "Hauptstraße 5", "equal"},
		{compare.Street, "5 Hauptstr.", "Hauptstraße 5", "other order or part"},
		{compare.Street, "pridhamstreet", "pridham street", "equal"},
		{compare.Street, "Elm Street 1", "Elm Street 12", "Jaro-Winkler at least 0.92"},
		{compare.Place, "St. Louis", "Saint Louis", "equal"},
		{compare.Place, "Frankfurt am Main", "Frankfurt", "other order or part"},
		{compare.Place, "London", "Lonon", "Jaro-Winkler at least 0.92"},
		{compare.Postcode, "02139-1234", "2139", "equal"},
		{compare.Postcode, "10115", "10151", "one edit"},
		{compare.Postcode, "10115", "10178", "same first half"},
		{compare.Postcode, "10115", "80331", "else"},
		{compare.State, "New South Wales", "NSW", "equal"},
		{compare.State, "Massachusetts", "ma", "equal"},
		{compare.State, "nsw", "nws", "one edit"},
		{compare.BirthYear, "1971", "1917", "one edit"},
		{compare.BirthMonth, "06", "6.0", "equal"},
		{compare.BirthDay, "1", "7", "else"},
		{compare.Number, "1,500.0", "1500", "equal"},
		{compare.Number, "71", "72", "within 1"},
		{compare.Number, "100", "91", "within 10 %"},
		{compare.Text, "never married", "Married, never", "other order or part"},
	} {
		level := c.kind.NewComparer().Level(c.kind.Clean(c.a), c.kind.Clean(c.b))
		if got := c.kind.Levels()[level]; got != c.want {
			t.Errorf("%s: %q and %q are %q, want %q", c.kind, c.a, c.b, got, c.want)
		}
	}
}

func TestUnknownKindIsText(t *testing.T) {
	k := compare.Kind("shoe size")
	if k.Known() || !compare.Given.Known() {
		t.Error("kinds are not known by their names")
	}
	if got := k.Clean(" Étoile-5 "); got != "etoile-5" || len(k.Levels()) != 5 {
		t.Errorf("an unknown kind has %q and levels %v", got, k.Levels())
	}
}

// TestLongValues compares values beyond every buffer.
func TestLongValues(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, k := range compare.Kinds() {
		c := k.NewComparer()
		for range 50 {
			a, b := randomPair(r, "ab 1-@,.éж漢", 2000)
			a, b = k.Clean(a), k.Clean(b)
			if len(a) > 256 || !utf8.ValidString(a) {
				t.Fatalf("%s: a cleaned value has %d bytes", k, len(a))
			}
			if a != "" && b != "" && c.Level(a, b) != c.Level(b, a) {
				t.Errorf("%s: not symmetric", k)
			}
		}
	}
}
