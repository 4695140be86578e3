// SPDX-License-Identifier: Apache-2.0

package personname

import "testing"

func TestNamesAreWrittenInTheFormOfTheMention(t *testing.T) {
	smith := Person{Given: "John", Middle: "A", Family: "Smith", Nick: "Johnny", Gender: Male}
	miller := Person{Given: "Robert", Middle: "C", Family: "Miller", Nick: "Bob", Gender: Male}
	davis := Person{Given: "Laura", Family: "Davis", Gender: Female}
	dhote := Person{Given: "Jean-François", Family: "D'Hôte", Gender: Male}
	karl := Person{Given: "Karl-Heinz", Family: "Müller", Gender: Male}
	tests := []struct {
		text           string
		real, invented Person
		want           string
	}{
		{"Mr. J. Smith", smith, miller, "Mr. R. Miller"},
		{"Smith, John A.", smith, miller, "Miller, Robert C."},
		{"Smith , John A .", smith, miller, "Miller , Robert C ."},
		{"JOHN SMITH", smith, miller, "ROBERT MILLER"},
		{"john smith", smith, miller, "robert miller"},
		{"J.S.", smith, miller, "R.M."},
		{"J. A. S.", smith, miller, "R. C. M."},
		{"JS", smith, miller, "RM"},
		{"JAS", smith, miller, "RCM"},
		{"JAS", smith, davis, "LD"},
		{"J.A.S.", smith, davis, "L.D."},
		{"J", smith, miller, "R"},
		{"LOW, ANN", Person{Given: "Ann", Family: "Low"}, davis, "DAVIS, LAURA"},
		{"SKY LOW", Person{Given: "Sky", Family: "Low"}, davis, "LAURA DAVIS"},
		{"LOW", Person{Given: "Ann", Family: "Low"}, davis, "DAVIS"},
		{"ALB", Person{Given: "Ann", Middle: "L", Family: "Brown"}, miller, "RCM"},
		{"S.", smith, miller, "M."},
		{"Johnny", smith, miller, "Bob"},
		{"Jack", smith, miller, "Bob"},
		{"John", smith, miller, "Robert"},
		{"Smith's", smith, miller, "Miller's"},
		{"Smith’s", smith, miller, "Miller’s"},
		{"SMITH'S", smith, miller, "MILLER'S"},
		{"Smiths'", smith, miller, "Millers'"},
		{"Smiths", smith, miller, "Millers"},
		{"Dr Smith, MD", smith, miller, "Dr Miller, MD"},
		{"Smith, M.D.", smith, miller, "Miller, M.D."},
		{"Prof. Dr. med. Smith", smith, miller, "Prof. Dr. med. Miller"},
		{"John A. Smith Jr., MD, PhD", smith, miller, "Robert C. Miller Jr., MD, PhD"},
		{"John A. Smith", smith, davis, "Laura Davis"},
		{"Smith, John A.", smith, davis, "Davis, Laura"},
		{"John S.", smith, miller, "Robert M."},
		{"Jonh Smith", smith, miller, "Robert Miller"},
		{"John Smtih", smith, miller, "Robert Miller"},
		{"John \"Johnny\" Smith", smith, miller, "Robert \"Bob\" Miller"},
		{"Mr. Smith", smith, davis, "Ms. Davis"},
		{"MR SMITH", smith, davis, "MS DAVIS"},
		{"Mr. and Mrs. Smith", smith, davis, "Mr. and Mrs. Davis"},
		{"John and Mary Smith", smith, miller, "Robert Miller"},
		{"Smith-Jones", Person{Family: "Smith-Jones"}, miller, "Miller"},
		{"Smith-Jones", Person{Family: "Smith-Jones"}, Person{Family: "Miller-Davis"}, "Miller-Davis"},
		{"Smith Jones", Person{Family: "Smith-Jones"}, Person{Family: "Miller-Davis"}, "Miller Davis"},
		{"Smith", Person{Family: "Smith-Jones"}, Person{Family: "Miller-Davis"}, "Miller"},
		{"Ms. Jones", Person{Family: "Smith-Jones"}, Person{Family: "Miller-Davis"}, "Ms. Davis"},
		{"Anne-Marie", Person{Given: "Anne-Marie", Family: "O'Brien"}, davis, "Laura"},
		{"Anne O'Brien", Person{Given: "Anne-Marie", Family: "O'Brien"}, Person{Given: "Eva-Lotte", Family: "McAllister"}, "Eva McAllister"},
		{"Dr. McDonald", Person{Given: "Ann", Family: "McDonald"}, Person{Given: "Eva", Family: "O'Hara"}, "Dr. O'Hara"},
		{"van der Berg", Person{Given: "Jan", Family: "van der Berg"}, miller, "Miller"},
		{"Berg, Jan van der", Person{Given: "Jan", Family: "van der Berg"}, miller, "Miller, Robert"},
		{"Herr Berg", Person{Given: "Jan", Family: "van der Berg", Gender: Male}, Person{Family: "von Thal", Gender: Male}, "Herr Thal"},
		{"Herrn von Berg", Person{Family: "von Berg", Gender: Male}, Person{Family: "Thal", Gender: Female}, "Frau Thal"},
		{"María García Lorca", garcia, ruiz, "Elena Ruiz Soler"},
		{"García Lorca, María", garcia, ruiz, "Ruiz Soler, Elena"},
		{"Sra. García", garcia, ruiz, "Sra. Ruiz"},
		{"Sra. Lorca", garcia, ruiz, "Sra. Soler"},
		{"MARIA GARCIA", garcia, Person{Given: "Inés", Family: "Núñez Soler"}, "INES NUNEZ"},
		{"Garcia", garcia, Person{Given: "Inés", Family: "Núñez Soler"}, "Nunez"},
		{"M.G.L.", garcia, ruiz, "E.R.S."},
		{"Dra. García", garcia, Person{Given: "Luis", Family: "Ruiz", Gender: Male}, "Dr. Ruiz"},
		{"de la Cruz", Person{Given: "Ana", Family: "de la Cruz"}, ruiz, "Ruiz Soler"},
		{"יוסי כהן", Person{Given: "יוסי", Family: "כהן"}, miller, "Robert Miller"},
		{"محمد علي", Person{Given: "محمد", Family: "علي"}, miller, "Robert Miller"},
		{"И. ИВАНОВ", Person{Given: "Иван", Family: "Иванов"}, miller, "R. MILLER"},
		{"James'", Person{Given: "Ann", Family: "James"}, miller, "Miller's"},
		{"Wm. Smith", Person{Given: "William", Family: "Smith"}, miller, "R. Miller"},
		{"M.ª José García", Person{Given: "María", Middle: "José", Family: "García"}, ruiz, "E. Ruiz Soler"},
		{"Mª García", Person{Given: "María", Family: "García"}, davis, "L. Davis"},
		{"Geo. Smith", Person{Given: "George", Family: "Smith"}, miller, "R. Miller"},
		{"Thom Smith", Person{Given: "Thomas", Family: "Smith"}, miller, "Bob Miller"},
		{"hermana Ana Ruiz", Person{Given: "Ana", Family: "Ruiz"}, davis, "hermana Laura Davis"},
		{"Uncle John", smith, miller, "Uncle Robert"},
		{"john.smith@example.org", smith, miller, "robert.miller"},
		{"SMITH^JOHN^A", smith, miller, "MILLER^ROBERT^C"},
		{"Smith, Jr., John A.", smith, miller, "Miller, Jr., Robert C."},
		{"Smith Jr., John", smith, miller, "Miller Jr., Robert"},
		{"Pastor Otero", Person{Given: "Pastor", Family: "Otero"}, miller, "Robert Miller"},
		{"Nieto Juan", Person{Given: "Juan", Family: "Nieto"}, miller, "Miller Robert"},
		{"J.A.Smith", smith, davis, "L. Davis"},
		{"M.G.L.", garcia, davis, "L.D."},
		{"Ms. Jones", Person{Family: "Smith-Jones"}, Person{Family: "Vu-Le"}, "Ms. Le"},
		{"Thomas", Person{Family: "Lee"}, miller, "Miller"},
		{"Thomas", Person{Given: "Ann", Family: "Lee"}, davis, "Davis"},
		{"Jonh", smith, miller, "Robert"},
		{"John A.", smith, miller, "Robert C."},
		{"mr smith", smith, davis, "ms davis"},
		{"John Smith", smith, Person{}, ""},
		{"John Smith", smith, Person{Family: "Miller"}, "Miller"},
		{"John Smith", smith, Person{Given: "Robert"}, "Robert"},
		{"John", smith, Person{Family: "Miller"}, "Miller"},
		{"Wm. Smith", Person{Given: "William", Family: "Smith"}, Person{Family: "Miller"}, "Miller"},
		{"J.S.", smith, Person{Family: "Miller"}, "M."},
		{"Smith 's", smith, miller, "Miller 's"},
		{"Tracy Flynn - Scott", Person{Given: "Tracy", Family: "Flynn-Scott"}, miller, "Robert Miller"},
		{"John ( Johnny ) Smith", smith, miller, "Robert ( Bob ) Miller"},
		{"Judge", Person{Given: "Ann", Family: "Judge"}, davis, "Davis"},
		{"Thomas", Person{Given: "Ann", Family: "Thomas"}, davis, "Davis"},
		{"Thomas", Person{Given: "Thomas", Family: "Lee"}, miller, "Robert"},
		{"M. Jean-François D'Hôte", dhote, miller, "M. Robert Miller"},
		{"M. Smith", Person{Given: "Mary", Family: "Smith"}, davis, "L. Davis"},
		{"El Sr. D. Juan García", Person{Given: "Juan", Family: "García"}, miller, "El Sr. D. Robert Miller"},
		{"la paciente García", Person{Family: "García"}, davis, "la paciente Davis"},
		{"the Smiths", smith, miller, "the Millers"},
		{"Karl Heinz Müller", karl, Person{Given: "Jan-Ole", Family: "Bauer"}, "Jan Ole Bauer"},
		{"KARL HEINZ", karl, Person{Given: "Jan-Ole", Family: "Bauer"}, "JAN OLE"},
		{"Karl-Heinz", karl, Person{Given: "Jan-Ole", Family: "Bauer"}, "Jan-Ole"},
		{"Karl Heinz", karl, miller, "Robert"},
		{"K.-H. Müller", karl, Person{Given: "Jan-Ole", Family: "Bauer"}, "J.-O. Bauer"},
		{"K.-H. Müller", karl, davis, "L. Davis"},
		{"Ann Smith née Jones", Person{Given: "Ann", Family: "Smith"}, davis, "Laura Davis"},
		{"12345", smith, miller, "Robert C Miller"},
		{"Smith 12345", smith, miller, "Miller"},
		{"", smith, miller, "Robert C Miller"},
	}
	for _, test := range tests {
		if got := Write(Mention{Text: test.text}, test.real, test.invented); got != test.want {
			t.Errorf("%q is written %q, want %q", test.text, got, test.want)
		}
	}
}

func TestMonsieurIsATitleInFrenchNotes(t *testing.T) {
	dhote := Person{Given: "Marc", Family: "D'Hôte", Gender: Male}
	perrin := Person{Given: "Luc", Family: "Perrin", Gender: Male}
	for text, want := range map[string]string{"M. D'Hôte": "M. Perrin", "M D'Hôte": "M Perrin", "M . Marc D'Hôte": "M . Luc Perrin", "M. M. D'Hôte": "M. L. Perrin", "M. D'Hôte, M.": "M. Perrin, L."} {
		if got := Write(Mention{Text: text, French: true}, dhote, perrin); got != want {
			t.Errorf("%q is written %q, want %q", text, got, want)
		}
	}
	if got := Write(Mention{Text: "M. D'Hôte"}, dhote, perrin); got != "L. Perrin" {
		t.Errorf("without French notes the letter is written %q", got)
	}
	if got := Fullest([]Mention{{Text: "M. D'Hôte", French: true}}); got != (Person{Family: "D'Hôte", Gender: Male}) {
		t.Errorf("the fullest name is %q", []any{got.Given, got.Family, got.Gender})
	}
}

var (
	garcia = Person{Given: "María", Family: "García Lorca", Gender: Female}
	ruiz   = Person{Given: "Elena", Family: "Ruiz Soler", Gender: Female}
)
