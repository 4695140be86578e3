// SPDX-License-Identifier: Apache-2.0

package surrogate_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"hide/internal/annotate"
	"hide/internal/publish/personname"
	"hide/internal/publish/policy"
	"hide/internal/publish/surrogate"
)

// examples has a value of each kind that lists or patterns make.
var examples = map[annotate.Label]string{
	"CITY": "Undshaw, OH", "STREET": "98 Wexley Road", "HOSPITAL": "Wexley General Hospital", "DEPARTMENT": "Xenology", "ROOM": "B1234",
	"ORGANIZATION": "Wexley Textiles", "LOCATION-OTHER": "Lake Wexley", "PHONE": "617 253 1000 x12345", "FAX": "617 253 1001", "EMAIL": "wexley77@wexley.org",
	"URL": "wexley.org/77", "SSN": "123-45-6789", "MEDICALRECORD": "1234567", "HEALTHPLAN": "ABC12345678", "ACCOUNT": "12345678",
	"LICENSE": "A1234567", "VEHICLE": "ABC 1234", "DEVICE": "X491966", "BIOID": "FP-123456", "IDNUM": "12/345678", "USERNAME": "wexley77", "PROFESSION": "xenologist",
}

type real struct {
	label annotate.Label
	text  string
	name  personname.Person
}

// reals are the real values of a patient: surrogates of another key, so that they come from
// the same lists and collisions are likely.
func reals(t testing.TB, m *surrogate.Maker, id string, labels ...annotate.Label) []real {
	p := m.Patient(id, surrogate.Book{})
	var out []real
	for i := range 3 {
		name, err := p.Person("PATIENT", fmt.Sprint("person ", i), personname.Person{}, 1)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, real{"PATIENT", name.Given + " " + name.Family, name})
	}
	for _, i := range annotate.I2B2() {
		kind, ok := surrogate.KindOf(i.Label)
		if ok && examples[i.Label] != "" && (len(labels) == 0 || slices.Contains(labels, i.Label)) {
			out = append(out, real{label: i.Label, text: invented(t, p, kind, examples[i.Label], 1)})
		}
	}
	return out
}

// invent is the surrogate of a real value.
func invent(t testing.TB, p *surrogate.Patient, r real, place int) string {
	if r.label == "PATIENT" {
		got, err := p.Person("PATIENT", r.text, r.name, place)
		if err != nil {
			t.Fatal(err)
		}
		return got.Given + " " + got.Family
	}
	kind, _ := surrogate.KindOf(r.label)
	return invented(t, p, kind, r.text, place)
}

func TestNoSurrogateIsReal(t *testing.T) {
	const patients, every = 2000, 20 // every patient is in the corpus, some are looked at
	inventing := maker(t, surrogate.Options{Key: surrogate.Key{9}})
	corpus := surrogate.NewCorpus()
	all := make([][]real, patients)
	truth, words := map[string]bool{}, map[string]bool{}
	for i := range all {
		if i%every == 0 {
			all[i] = reals(t, inventing, fmt.Sprint(i))
		} else {
			all[i] = reals(t, inventing, fmt.Sprint(i), "CITY", "PROFESSION", "PHONE")
		}
		for _, r := range all[i] {
			corpus.Add(r.label, r.text)
			truth[squash(r.text)] = true
			if r.label == "PATIENT" {
				for w := range strings.FieldsSeq(strings.ToLower(r.text)) {
					words[w] = true
				}
			}
		}
	}
	m := maker(t, surrogate.Options{Real: corpus})
	for i := 0; i < patients; i += every {
		p := m.Patient(fmt.Sprint(i), surrogate.Book{})
		taken := map[annotate.Label]map[string]string{}
		for place, r := range all[i] {
			got := invent(t, p, r, place)
			if truth[squash(got)] {
				t.Errorf("%s: the surrogate %q is real", r.label, got)
			}
			for w := range strings.FieldsSeq(strings.ToLower(got)) {
				if words[w] && (r.label == "PATIENT" || r.label == "CITY" || r.label == "PROFESSION") {
					t.Errorf("%s: a word of the surrogate %q is a real name", r.label, got)
				}
			}
			if again := invent(t, p, r, place+100); again != got {
				t.Errorf("%s: %q, then %q", r.label, got, again)
			}
			if taken[r.label] == nil {
				taken[r.label] = map[string]string{}
			}
			if other, ok := taken[r.label][got]; ok && other != r.text {
				t.Errorf("%s: two values have the surrogate %q", r.label, got)
			}
			taken[r.label][got] = r.text
		}
	}
}

func TestRepeatPolicies(t *testing.T) {
	const places = 4000
	for _, c := range []struct {
		repeat policy.Repeat
		stay   float64
		want   float64 // share of places with the surrogate of the place before
	}{{policy.Consistent, 0, 1}, {policy.Random, 0, 0}, {policy.Markov, 0, .5}, {policy.Markov, .9, .9}} {
		p := maker(t, surrogate.Options{Repeat: c.repeat, Stay: c.stay}).Patient("1", surrogate.Book{})
		kept, last := 0, ""
		for i := range places + 1 {
			got := invented(t, p, surrogate.City, "Undshaw", i)
			if got == last {
				kept++
			}
			if again := invented(t, p, surrogate.City, "Undshaw", i); again != got {
				t.Fatalf("%s: the same place has %q and %q", c.repeat, got, again)
			}
			last = got
		}
		deviation := 4 * math.Sqrt(c.want*(1-c.want)/places)
		if got := float64(kept) / places; math.Abs(got-c.want) > deviation {
			t.Errorf("%s with %g: %g of the places keep the surrogate", c.repeat, c.stay, got)
		}
		if c.repeat != policy.Consistent && len(p.Book().Values) > 0 {
			t.Errorf("%s: the book has %v", c.repeat, p.Book())
		}
	}
}

func TestPersonsByRepeatPolicy(t *testing.T) {
	p := maker(t, surrogate.Options{Repeat: policy.Random}).Patient("1", surrogate.Book{})
	real := personname.Person{Given: "John", Family: "Smith"}
	var before personname.Person
	for place := range 50 {
		got, err := p.Person("PATIENT", "john smith", real, place)
		again, _ := p.Person("PATIENT", "john smith", real, place)
		if err != nil || got.Family == before.Family || got.Given == before.Given || got != again {
			t.Fatalf("place %d: %v", place, err)
		}
		before = got
	}
}

func TestExhaustedLists(t *testing.T) {
	corpus := surrogate.NewCorpus()
	source := maker(t, surrogate.Options{Key: surrogate.Key{9}, Repeat: policy.Random}).Patient("1", surrogate.Book{})
	for place := range 500 {
		corpus.Add("DEPARTMENT", invented(t, source, surrogate.Department, "XNGY", place))
	}
	p := maker(t, surrogate.Options{Real: corpus}).Patient("1", surrogate.Book{})
	_, err := p.Value(surrogate.Department, "XNGY", 1)
	if !errors.Is(err, surrogate.ErrExhausted) || !strings.Contains(err.Error(), "department") || !strings.Contains(err.Error(), "placeholder") {
		t.Errorf("error %v", err)
	}
	if strings.Contains(err.Error(), "XNGY") {
		t.Error("the error has the value")
	}
	// Every digit is real: no other room of one digit is left.
	for i := range 10 {
		corpus.Add("ROOM", fmt.Sprint(i))
	}
	if _, err := p.Value(surrogate.Room, "7", 1); !errors.Is(err, surrogate.ErrExhausted) {
		t.Errorf("error %v", err)
	}
}

// TestNamesThatAreCommonWords: names such as Will May must not block lists, and must not occur
// in surrogates.
func TestNamesThatAreCommonWords(t *testing.T) {
	corpus := surrogate.NewCorpus()
	names := strings.Fields("Will May Long Street Hill Park Hope Grace Small Brown Green White Lake Rose Summer Garden Market School Court General Hospital Hall")
	for i := range len(names) - 1 {
		corpus.Add("PATIENT", names[i]+" "+names[i+1])
	}
	m := maker(t, surrogate.Options{Real: corpus})
	for i := range 300 {
		p := m.Patient(fmt.Sprint(i), surrogate.Book{})
		street := invented(t, p, surrogate.Street, "12 Hope Street", 1)
		hospital := invented(t, p, surrogate.Hospital, "Grace General Hospital", 2)
		if !strings.HasSuffix(street, " Street") || !strings.HasSuffix(hospital, " General Hospital") {
			t.Fatalf("%q, %q", street, hospital)
		}
		made := strings.Fields(strings.TrimSuffix(street, " Street") + " " + strings.TrimSuffix(hospital, " General Hospital"))
		if i := slices.IndexFunc(made, func(w string) bool { return slices.Contains(names, w) }); i >= 0 {
			t.Errorf("%q is a real name", made[i])
		}
	}
	if !corpus.Has("STREET", "3 May Road") || corpus.Has("STATE", "May") || corpus.Has("CITY", "Undshaw") {
		t.Error("the corpus has other words than the names")
	}
}

func TestBooksKeepSurrogates(t *testing.T) {
	patient := reals(t, maker(t, surrogate.Options{Key: surrogate.Key{9}}), "1")
	first := maker(t, surrogate.Options{}).Patient("1", surrogate.Book{})
	var before []string
	for place, r := range patient {
		before = append(before, invent(t, first, r, place))
	}
	file, err := json.Marshal(first.Book())
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range patient {
		if strings.Contains(string(file), `"`+r.text+`"`) {
			t.Errorf("the book has an original of %s", r.label)
		}
	}
	var book surrogate.Book
	if err := json.Unmarshal(file, &book); err != nil {
		t.Fatal(err)
	}
	if printed := fmt.Sprintf("%v %+v %#v %s", book, book, book, book); strings.Contains(printed, before[0]) || strings.Count(printed, "book of") != 4 {
		t.Errorf("a book prints %q", printed)
	}
	// Notes that come later have the surrogates of the department and the town as real values.
	corpus := surrogate.NewCorpus()
	now := map[annotate.Label]bool{"DEPARTMENT": true, "CITY": true}
	for i, r := range patient {
		if now[r.label] {
			corpus.Add(r.label, before[i])
		}
	}
	second := maker(t, surrogate.Options{Real: corpus}).Patient("1", book)
	slices.Reverse(patient)
	slices.Reverse(before)
	for i, r := range patient {
		if got := invent(t, second, r, i); (got == before[i]) == now[r.label] {
			t.Errorf("%s: %q, then %q", r.label, before[i], got)
		}
	}
	if changed := second.Changed(); len(changed) != 2 || len(first.Changed()) != 0 {
		t.Errorf("changed: %v", changed)
	}
	if second.Shift() != first.Shift() || second.Book().Days != first.Shift() {
		t.Error("the shift of dates changed")
	}
}

func TestAccountsFollowNames(t *testing.T) {
	p := maker(t, surrogate.Options{}).Patient("1", surrogate.Book{})
	got, err := p.Person("PATIENT", "john smithson", personname.Person{Given: "John", Family: "Smithson", Gender: personname.Male}, 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Person("DOCTOR", "jack abel", personname.Person{Given: "Jack", Family: "Abel", Gender: personname.Male}, 2); err != nil {
		t.Fatal(err)
	}
	given, family := strings.ToLower(got.Given), strings.ToLower(got.Family)
	for text, want := range map[string]string{
		"john.smithson@clinic.org": given + "." + family + "@", "jsmithson@clinic.org": given[:1] + family + "@", "Smithson_John@clinic.org": got.Family + "_" + got.Given + "@",
	} {
		if s := invented(t, p, surrogate.Email, text, 2); !strings.HasPrefix(s, want) {
			t.Errorf("%q became %q, want %q", text, s, want)
		}
	}
}

func BenchmarkValues(b *testing.B) {
	inventing := maker(b, surrogate.Options{Key: surrogate.Key{9}})
	corpus := surrogate.NewCorpus()
	all := make([][]real, 500)
	for i := range all {
		all[i] = reals(b, inventing, fmt.Sprint(i))
		for _, r := range all[i] {
			corpus.Add(r.label, r.text)
		}
	}
	m := maker(b, surrogate.Options{Real: corpus})
	n := 0
	for b.Loop() {
		i := n % len(all)
		p := m.Patient(fmt.Sprint(i, n), surrogate.Book{})
		for place, r := range all[i] {
			invent(b, p, r, place)
		}
		n++
	}
	b.ReportMetric(float64(n*len(all[0]))/b.Elapsed().Seconds(), "values/s")
}
