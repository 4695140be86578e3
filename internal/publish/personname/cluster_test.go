// SPDX-License-Identifier: Apache-2.0

package personname

import (
	"fmt"
	"strings"
	"testing"
)

// mentionsOf reads mentions from a table: they are separated by bars, a group stands before
// a colon with two blanks, and the covered text in brackets if there is text around it.
func mentionsOf(line string) []Mention {
	var ms []Mention
	for _, s := range strings.Split(line, " | ") {
		m := Mention{Text: s, Group: "PATIENT"}
		if group, rest, ok := strings.Cut(s, ">"); ok {
			m.Group, m.Text = group, rest
		}
		if before, rest, ok := strings.Cut(m.Text, "["); ok {
			m.Before = before
			m.Text, m.After, _ = strings.Cut(rest, "]")
		}
		ms = append(ms, m)
	}
	return ms
}

func TestMentionsOfOnePersonAreFound(t *testing.T) {
	tests := []struct{ mentions, want string }{
		{"Mr. J. Smith | John | Smith, John A. | JOHN SMITH | Smith's | J.S. | Johnny | Jonh Smith", "0 0 0 0 0 0 0 0"},
		{"John Smith | Jane Smith", "0 1"},
		{"J. Smith | A. Smith", "0 1"},
		{"John A. Smith | John B. Smith | John Smith", "0 1 2"},
		{"John Smith Jr. | John Smith Sr.", "0 1"},
		{"[John Smith], Jr. | [John Smith], Sr.", "0 1"},
		{"Mr. Smith | Mrs. Smith", "0 1"},
		{"Mr. Smith | Mrs. Smith | Smith | Smith's", "0 1 2 2"},
		{"Mr. [Smith] | Mrs. [Smith] | [Smith] was", "0 1 2"},
		{"John Smith | Jane Smith | Mr. Smith | Mrs. Smith", "0 1 0 1"},
		{"John Smith | Jane Smith | Smith | Smith", "0 1 2 2"},
		{"John Smith | his wife [Smith]", "0 1"},
		{"Mrs. Smith | John Smith", "0 1"},
		{"María García Lorca | Sra. García | García Lorca, María | Garcia | GARCÍA LORCA | M.G.L. | Sra. Lorca", "0 0 0 0 0 0 0"},
		{"María García Lorca | María García Ruiz | García", "0 1 2"},
		{"PATIENT>Smith | DOCTOR>Smith", "0 1"},
		{"William Jones | Bill Jones | Will | Wm. Jones", "0 0 0 0"},
		{"William \"Buzz\" Jones | Buzz", "0 0"},
		{"Thomas Brown | Mary Thomas | Thomas", "0 1 2"},
		{"Thomas Brown | Thomas", "0 0"},
		{"Ann Thomas | Dr. Thomas", "0 0"},
		{"Thomas Brown | Dr. Thomas", "0 1"},
		{"Nombre: [Pedro]. | Apellidos: [De Miguel Rivera]. | Pedro De Miguel", "0 0 0"},
		{"First name: [Ann] | Last name: [Thomas] | Ann Thomas", "0 0 0"},
		{"Jan van der Berg | Berg | Mr. Van der Berg | Vanderberg", "0 0 0 0"},
		{"Anne-Marie O'Brien | Anne | OBrien | O’BRIEN, ANNEMARIE", "0 0 0 0"},
		{"Ann Smith-Jones | Mrs. Smith | Ann Smith Jones | Ms. Jones", "0 0 0 0"},
		{"Dr. Peterson | Dr. Petersen", "0 1"},
		{"Ann Kowalczyk | Ann Kowalcyzk | Dr. Kowalczky", "0 0 0"},
		{"Maria Lopez | Mario Lopez | Lopez", "0 1 2"},
		{"John | J. Smith", "0 1"},
		{"John | Smith", "0 1"},
		{"J.S. | J.S. | K.S.", "0 0 1"},
		{"JS | John Smith | JAS | J. A. Smith", "0 0 0 0"},
		{"John Smith | John S. | John A.", "0 0 0"},
		{"David J. Foti | John F.", "0 1"},
		{"Mary Kay Miller | MaryKay Miller | Mary Miller", "0 0 0"},
		{"Ms Betül Tanbay Tüten | Tanbay", "0 0"},
		{"Mary Kay Miller | Kay", "0 1"},
		{"Anna Bujons Tur | Anna Bujons | Tur", "0 0 0"},
		{"יוסי כהן | כהן", "0 0"},
		{"Иван Иванов | ИВАНОВ | И. Иванов", "0 0 0"},
		{"123 | 123 | 456 | Smith", "0 0 1 2"},
		{"", "0"},
		{"Mr. and Mrs. [Smith] | Mr. Smith", "0 0"},
		{"Ann Smith | daughter [Eve Smith] | Ms. Smith | Smith | Eve", "0 1 0 0 1"},
		{"Ann Smith | [Eve Smith] (daughter) | [Smith]'s daughter", "0 1 0"},
		{"Ann Smith | sister [Eve Smith] | daughter [Joy Smith] | daughter [Smith] | Smith", "0 1 2 3 0"},
		{"SMITH, ANN | Ann Smith | Ann | Eve Smith | Ms. Smith | Smith", "0 0 0 1 0 0"},
		{"SMITH, ANN | Ann Smith | Eve Smith | Ms. Smith", "0 0 1 2"},
		{"Charlotte Jones | Ms. Charlotte | Ms. [Charlotte] | Ms. Jones", "0 0 0 0"},
		{"Ann Brzezinski-Morris | Ms. [Brzezinski-Morris]", "0 0"},
		{"SMITH^JOHN^A | Mr. John A. Smith", "0 0"},
		{"Smith, Jr., John | John Smith Sr.", "0 1"},
		{"Betül Tanbay Tüten | Betül Tanbay | Ms. Tüten | Tanbay", "0 0 0 0"},
		{"Zzyzx | Zzyzx Smith", "0 0"},
		{"Zzyzx | Ann Zzyzx", "0 0"},
		{"Ann Smith | Contact: [Eve Smith] | Smith", "0 1 0"},
		{"Mr. and Mrs. Smith | Ann Smith | Bob Smith", "0 1 2"},
		{"Jonh Smith | John Smith | J. Smith", "0 0 0"},
		{"Berta Mohamud | B. Mohamud | B. Mohamuud", "0 0 1"},
		{"Anne Smith | Anne-Marie Smith | Anne-Louise Smith", "0 0 1"},
		{"Jonh | John Smith", "0 1"},
		{"Zzyzx | Dr. Zzyzx | Dr. Zzyzx's", "0 0 0"},
		{"Ana Kowalczyk-Zamojska | Ana Kowalcyzk-Zamojksa", "0 1"},
		{"Don [Thomas] | Thomas Ruiz | Ana Thomas", "0 0 1"},
		{"John Smith Junior | John Smith Sr. | John Smith Jr.", "0 1 0"},
		{"Ann Smith | daughter Eve Smith | Ms. Smith", "0 1 0"},
		{"John A. | John Smith", "0 0"},
		{"Galo Smith | proxy is [James Smith] | Mr. Smith", "0 1 0"},
		{"Nombre: [Maria del Mar] | Apellidos: [Garcia de Castro] | María del Mar García", "0 0 0"},
		{"Nombre: [Andreu] | Apellidos: [Llul Marquez]", "0 0"},
		{"Nombre: [Daniel Alejandro] | Apellidos: [Campos Espinosa]", "0 0"},
		{"Sister Ann | Ann Smith", "0 0"},
		{"Hanako Green | Osvaldo Green | Green", "0 1 2"},
		{"at 2 p.m. [Ann] | Ann Smith", "0 0"},
		{"M. [Dupont] | Marie Dupont", "0 1"},
		{"M. Jean-François D'Hôte | M. D'Hôte | D'Hôte | Mme D'Hôte", "0 0 1 2"},
		{"M. D'Hôte | Mme D'Hôte | M. D'Hôte", "0 1 0"},
		{"M. Dupont | Marie Dupont | Jean Dupont | le docteur Martin", "0 1 0 2"},
		{"M. Smith | Mary Smith | John Smith", "0 0 1"},
		{"M . Geoffrey Robins | Mme Margaret Robins | M . R . Bernhardt | M . Bernhardt | M . M . Eliasson | M . et Mme Robins", "0 1 2 2 3 4"},
		{"M. [Robins] | Mme Robins | M. Robins | M.G.R.", "0 1 0 2"},
		{"M. Elizabeth Smith | Elizabeth Smith", "0 1"},
		{"Don Juan García | D. Juan García | D. Juan | Juan", "0 0 0 0"},
		{"El Sr. García | Sr. García | García | Juan García | La Sra. García", "0 0 0 0 1"},
		{"el paciente Juan García | Juan | la paciente Ruiz | Ruiz", "0 0 1 1"},
		{"Die Patientin Müller | Frau Müller | Der Patient Bauer", "0 0 1"},
		{"Die Ärztin Dr. Müller | Dr. Müller | Herr Dr. Bauer", "0 0 1"},
		{"Le Dr Martin | Dr Martin | le docteur Martin", "0 0 0"},
		{"Karl-Heinz Müller | Karl Heinz Müller | KARL HEINZ | Karl-Heinz | K.-H. Müller", "0 0 0 0 0"},
		{"Lew Brown | Lewis Brown | Lew", "0 0 0"},
		{"Li | Li Na | Ms. Li | Na Li", "0 0 0 0"},
		{"Li Na | Li Wei", "0 1"},
		{"Mary Smith née Jones | Mrs. Smith | Mary Smith", "0 0 0"},
		{"Frau Müller | Mueller | Herr Müller", "0 1 2"},
	}
	for _, test := range tests {
		got := strings.Trim(fmt.Sprint(Cluster(mentionsOf(test.mentions))), "[]")
		if got != test.want {
			t.Errorf("%s: %s, want %s", test.mentions, got, test.want)
		}
	}
}

func TestTheFullestNameIsFound(t *testing.T) {
	tests := []struct {
		mentions string
		want     Person
	}{
		{"Mr. J. Smith | John | Smith, John A. | JOHN SMITH | Smith's | J.S. | Johnny | Jonh Smith", Person{"John", "A", "Smith", "Johnny", Male}},
		{"JOHN SMITH", Person{"John", "", "Smith", "", Male}},
		{"J.S.", Person{"J", "", "S", "", Unknown}},
		{"Mrs. Smith", Person{"", "", "Smith", "", Female}},
		{"his wife [Smith]", Person{"", "", "Smith", "", Female}},
		{"Bill Jones | William Jones | Bill", Person{"William", "", "Jones", "Bill", Male}},
		{"Bill Jones", Person{"Bill", "", "Jones", "", Male}},
		{"Garcia | María García Lorca | GARCIA LORCA, MARIA", Person{"María", "", "García Lorca", "", Female}},
		{"VAN DER BERG, JAN", Person{"Jan", "", "van der Berg", "", Unknown}},
		{"Berg, Jan van der | Berg", Person{"Jan", "", "van der Berg", "", Unknown}},
		{"Nombre: [Pedro]. | Apellidos: [De Miguel Rivera].", Person{"Pedro", "", "De Miguel Rivera", "", Male}},
		{"Thomas | Ann Thomas", Person{"Ann", "", "Thomas", "", Female}},
		{"Thomas | Thomas Brown", Person{"Thomas", "", "Brown", "", Male}},
		{"William \"Buzz\" Jones", Person{"William", "", "Jones", "Buzz", Male}},
		{"Anne-Marie O'Brien | O'BRIEN", Person{"Anne-Marie", "", "O'Brien", "", Female}},
		{"Dr. [Watson]", Person{"", "", "Watson", "", Unknown}},
		{"her niece, [Laleh]", Person{"Laleh", "", "", "", Female}},
		{"Zzyzx | Zzyzx Smith", Person{"Zzyzx", "", "Smith", "", Unknown}},
		{"John A.", Person{"John", "", "A", "", Male}},
		{"Watson", Person{"", "", "Watson", "", Unknown}},
		{"Lewis-Watanabe | Ann Lewis-Watanabe", Person{"Ann", "", "Lewis-Watanabe", "", Female}},
		{"Thomas", Person{"Thomas", "", "", "", Male}},
		{"Victoria de Juan Herráez", Person{"Victoria", "", "de Juan Herráez", "", Female}},
		{"Cristina Quicios Dorado", Person{"Cristina", "", "Quicios Dorado", "", Female}},
		{"Juan Carlos García", Person{"Juan", "Carlos", "García", "", Male}},
		{"Ana Martín López", Person{"Ana", "", "Martín López", "", Female}},
		{"Mary Kay Miller", Person{"Mary", "Kay", "Miller", "", Female}},
		{"12345", Person{}},
		{"M. Jean-François D'Hôte | M. D'Hôte", Person{"Jean-François", "", "D'Hôte", "", Male}},
		{"Karl Heinz Müller | Karl-Heinz Müller", Person{"Karl-Heinz", "", "Müller", "", Male}},
		{"El Sr. García | Juan García", Person{"Juan", "", "García", "", Male}},
		{"Mary Smith née Jones", Person{"Mary", "", "Smith", "", Female}},
	}
	for _, test := range tests {
		if got := Fullest(mentionsOf(test.mentions)); got != test.want {
			t.Errorf("%s: %q, want %q", test.mentions, []any{got.Given, got.Middle, got.Family, got.Nick, got.Gender}, []any{test.want.Given, test.want.Middle, test.want.Family, test.want.Nick, test.want.Gender})
		}
	}
}
