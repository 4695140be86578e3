// SPDX-License-Identifier: Apache-2.0

package columns_test

import (
	"iter"
	"slices"
	"strings"
	"testing"

	"hide/internal/publish/link/columns"
	"hide/internal/publish/link/compare"
)

// samples are values that support each kind.
var samples = map[compare.Kind][]string{
	compare.Given: {"Anna", "Robert"}, compare.Middle: {"Maria", "J"}, compare.Surname: {"Smith", "Jones"}, compare.FullName: {"Anna Smith", "Jones, Robert"},
	compare.BirthDate: {"1971-06-24", "1980-02-11"}, compare.Sex: {"m", "f"}, compare.Identifier: {"1804974", "6089216"},
	compare.Phone: {"555-123-4567", "555-765-4321"}, compare.Email: {"a@x.org", "b@y.org"}, compare.StreetNumber: {"7", "177"},
	compare.Street: {"Main Street", "Elm Road"}, compare.Place: {"Boston", "Madrid"}, compare.Postcode: {"02139", "10115"},
	compare.State: {"MA", "NY"}, compare.BirthYear: {"1971", "1980"}, compare.BirthMonth: {"6", "12"}, compare.BirthDay: {"24", "7"}, compare.Number: {"41", "52"}, compare.Text: {"married", "single"},
}

// recognise recognises columns from a header and rows with cells between bars.
func recognise(header string, o columns.Options, rows ...string) []columns.Column {
	return columns.Recognise(strings.Split(header, "|"), o, source(rows))
}

func source(rows []string) iter.Seq[[]string] {
	return func(yield func([]string) bool) {
		for _, row := range rows {
			if !yield(strings.Split(row, "|")) {
				return
			}
		}
	}
}

func TestNamesOfColumns(t *testing.T) {
	for kind, names := range map[compare.Kind]string{
		compare.Given:        "first_name|FirstName|GIVEN NAME|given-names|patient_first_name|forename|fname|fname_c1|Vorname|prénom|primer_nombre|FIRST",
		compare.Middle:       "middle_name|MiddleInitial|segundo_nombre|mi",
		compare.Surname:      "last_name|LastName|surname|family name|lname_c2|pat_lname|Nachname|Familienname|apellido1|Apellidos|nom de famille|maiden name",
		compare.FullName:     "full_name|PatientName|nombre completo|Nombre y apellidos",
		compare.BirthDate:    "dob|DOB|date_of_birth|BirthDate|patient.birth_date|birth date (text)|fecha_nacimiento|fecha de nacimiento|date de naissance|date_naiss|dt_birth|fec. nac.|Geburtsdatum|GEB_DATUM",
		compare.Sex:          "sex|Gender|gender_source_value|sexo|sexe|Geschlecht|administrative_sex",
		compare.Identifier:   "ssn|soc_sec_id|SocialSecurityNumber|MRN|patient_id|medical record number|NHS Number|DNI|nhc|Versichertennummer|numéro de sécurité sociale|hospital_number",
		compare.Phone:        "phone|home_phone|Mobile|cell phone|phone_1|PHONE2|full_phone_num|teléfono|Telefonnummer|Handy|tel. portable",
		compare.Email:        "email|e-mail|EmailAddress|email address|correo electrónico|courriel",
		compare.StreetNumber: "street_number|house number|HouseNo|Hausnummer|número de calle",
		compare.Street:       "street|address|address_1|ADDRESS2|address_line_1|addr|Adresse|st_name|home address|calle|dirección|rue|Straße|street_name",
		compare.Place:        "city|town|suburb|birth_place|Wohnort|ciudad|municipio|ville|Ort|addr_city|county",
		compare.Postcode:     "zip|ZIP code|postcode|postal_code|postcode_fake|addr_zip|PLZ|código postal|code postal|cp",
		compare.State:        "state|Province|provincia|Bundesland|state_code",
		compare.BirthYear:    "birth_year|yob|by|Geburtsjahr|year of birth|año de nacimiento",
		compare.BirthMonth:   "month_of_birth|bm|mes_nacimiento",
		compare.BirthDay:     "day_of_birth|bd|jour de naissance",
		compare.Number:       "age|Alter|edad",
		compare.Text:         "race|marital_status|mother's maiden name|Familienstand|país|suffix|father_first_name|blood type",
	} {
		for _, name := range strings.Split(names, "|") {
			c := recognise(name, columns.Options{}, samples[kind]...)[0]
			if c.Use != columns.Compared || c.Kind != kind || !strings.HasPrefix(c.Reason, "the name says "+string(kind)) {
				t.Errorf("%q is %s, %q: %s", name, c.Use, c.Kind, c.Reason)
			}
		}
	}
}

func TestNamesOfColumnsThatAreNotCompared(t *testing.T) {
	for use, names := range map[columns.Use]string{
		columns.RecordID: "rec_id|record_id|RowID|unique_id|uuid|Unnamed: 0|index",
		columns.Truth:    "cluster|cluster_id|ent_id|truth|entity_id|true_cluster",
		columns.Ignored:  "source_dataset|created_at|admission_date|register_date|date_of_death|title|prefix|notes|attending physician|doctor_name|ward|blocking_number|last_update_date",
	} {
		for _, name := range strings.Split(names, "|") {
			for kind, values := range samples {
				if c := recognise(name, columns.Options{}, values...)[0]; c.Use != use || c.Kind != "" || c.Clean(values[0]) != "" {
					t.Errorf("%q with values of kind %s is %s, %q: %s", name, kind, c.Use, c.Kind, c.Reason)
				}
			}
		}
	}
}

// TestOneWordForSeveralNames has "name", whose meaning the other columns decide.
func TestOneWordForSeveralNames(t *testing.T) {
	for _, c := range []struct {
		header string
		row    string
		want   []compare.Kind
	}{
		{"Name|Vorname", "Schmidt|Anna", []compare.Kind{compare.Surname, compare.Given}},
		{"nom|prénom", "Dupont|Anne", []compare.Kind{compare.Surname, compare.Given}},
		{"nombre|apellidos", "Ana|García Lorca", []compare.Kind{compare.Given, compare.Surname}},
		{"nombre|apellido1|apellido2", "Ana|García|Lorca", []compare.Kind{compare.Given, compare.Surname, compare.Surname}},
		{"name|dob", "Smith, John A.|1971-06-24", []compare.Kind{compare.FullName, compare.BirthDate}},
		{"nombre|sexo", "Ana García Lorca|M", []compare.Kind{compare.FullName, compare.Sex}},
		{"name|first_name|last_name", "John Smith|John|Smith", []compare.Kind{"", compare.Given, compare.Surname}},
		{"yob|dob|surname", "1971|1971-06-24|Smith", []compare.Kind{"", compare.BirthDate, compare.Surname}},
		{"by|bm|bd", "1971|6|24", []compare.Kind{compare.BirthYear, compare.BirthMonth, compare.BirthDay}},
		{"name|sex", "Smith|M", []compare.Kind{compare.Surname, compare.Sex}},
		{"name|sex", "Kateryna|F", []compare.Kind{compare.Given, compare.Sex}},
	} {
		var got []compare.Kind
		for _, col := range recognise(c.header, columns.Options{}, c.row) {
			got = append(got, col.Kind)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.header, got, c.want)
		}
	}
}

// TestValuesContradictNames has names that say something else than the values.
func TestValuesContradictNames(t *testing.T) {
	for _, c := range []struct {
		name, reason string
		rows         []string
		want         compare.Kind
	}{
		{"email", "the name says email, but 2 of 2 values are telephone numbers", samples[compare.Phone], compare.Phone},
		{"surname", "the name says surname, but 2 of 2 values are dates", samples[compare.BirthDate], compare.BirthDate},
		{"ssn2", "the name says identifier", []string{"41.878114", "40.712776"}, compare.Identifier},
		{"c1", "2 of 2 values are telephone numbers", []string{"+16175551234", "+16175554321"}, compare.Phone},
		{"c1", "2 of 2 values are numbers", []string{"41.878114", "40.712776"}, compare.Number},
		{"dob", "the name says birth date, but its values are not", []string{"blue", "green"}, compare.Text},
	} {
		if got := recognise(c.name, columns.Options{}, c.rows...)[0]; got.Kind != c.want || got.Reason != c.reason {
			t.Errorf("%s is %q: %s", c.name, got.Kind, got.Reason)
		}
	}
}
