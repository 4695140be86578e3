// SPDX-License-Identifier: Apache-2.0

package hospital

import (
	"maps"
	"math"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"hide/internal/annotate"
)

func TestSpansAreValid(t *testing.T) {
	labels := annotate.I2B2()
	for d := range Generate(Options{Patients: 300, Seed: 1}) {
		if err := annotate.CheckSpans(d.Text, slices.Clone(d.Spans)); err != nil {
			t.Fatalf("%s: %v", d.Name, err)
		}
		if !slices.IsSortedFunc(d.Spans, annotate.CompareSpans) {
			t.Fatalf("%s: spans are not in order", d.Name)
		}
		for _, s := range d.Spans {
			surface := s.Surface(d.Text)
			if !labels.Has(s.Label) {
				t.Errorf("%s: label %s is not in the set", d.Name, s.Label)
			}
			if surface != strings.TrimSpace(surface) || strings.ContainsAny(surface, "{}\n") {
				t.Errorf("%s: span %v covers %q", d.Name, s, surface)
			}
		}
		if strings.ContainsAny(d.Text, "{}") {
			t.Errorf("%s: braces of the grammar are left in the text", d.Name)
		}
	}
}

func TestNotesAreOfOrdinaryLength(t *testing.T) {
	for d := range Generate(Options{Patients: 400, Seed: 2}) {
		if n := len(d.Text); n < shortest || n > longest {
			t.Errorf("%s (%s) has %d bytes", d.Name, d.Attributes["note_type"], n)
		}
	}
}

// TestSurfacesMatchThePatient checks labelled text against the patient of the note, except
// for spelling mistakes.
func TestSurfacesMatchThePatient(t *testing.T) {
	for _, name := range []string{"a", "b"} {
		site := newInstitution(name, 3)
		for d := range Generate(Options{Patients: 100, Seed: 3, Institution: name}) {
			number, err := strconv.Atoi(d.Patient[2:])
			if err != nil {
				t.Fatal(err)
			}
			checkPatient(t, site.patient(number), d)
		}
	}
}

func checkPatient(t *testing.T, p *patient, d annotate.Annotated) {
	t.Helper()
	names := letters(p.first+p.middle+p.last) + letters(p.initials())
	for _, k := range p.kin {
		names += letters(k.first + k.middle + k.last)
	}
	found := false
	for _, s := range d.Spans {
		surface := s.Surface(d.Text)
		switch s.Label {
		case "MEDICALRECORD":
			found = true
			if !strings.EqualFold(surface, d.Attributes["mrn"]) {
				t.Errorf("%s: record number is not the patient's", d.Name)
			}
		case "HEALTHPLAN":
			if !strings.EqualFold(surface, p.planNumber) {
				t.Errorf("%s: plan number is not the patient's", d.Name)
			}
		case "PATIENT":
			for _, c := range letters(surface) {
				if !strings.ContainsRune(names, c) {
					t.Errorf("%s: %q is neither the patient nor a relative", d.Name, surface)
				}
			}
		}
	}
	if !found {
		t.Errorf("%s: no record number", d.Name)
	}
	if want := p.first + " " + p.last; d.Attributes["name"] != want {
		t.Errorf("%s: name is %q, want %q", d.Name, d.Attributes["name"], want)
	}
}

func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}

// TestNamesAreLabelledWhereverTheyStand looks for full names outside all spans.
func TestNamesAreLabelledWhereverTheyStand(t *testing.T) {
	for d := range Generate(Options{Patients: 200, Seed: 4}) {
		for _, key := range []string{"name", "mrn", "phone"} {
			for at := 0; ; {
				i := strings.Index(d.Text[at:], d.Attributes[key])
				if i < 0 {
					break
				}
				start := annotate.ByteOff(at + i)
				at += i + 1
				if !slices.ContainsFunc(d.Spans, func(s annotate.Span) bool { return s.Start <= start && start < s.End }) {
					t.Errorf("%s: %s at byte %d is not labelled", d.Name, key, start)
				}
			}
		}
	}
}

func TestInstitutionsShareNoHeader(t *testing.T) {
	fold := func(headers []string) map[string]bool {
		set := map[string]bool{}
		for _, h := range headers {
			set[strings.Trim(strings.ToLower(h), " :~.-")] = true
		}
		return set
	}
	a, b := fold(loadGrammar("common", "names", "a").headers), fold(loadGrammar("common", "names", "b").headers)
	if len(a) < 40 || len(b) < 40 {
		t.Fatalf("only %d and %d headers", len(a), len(b))
	}
	for h := range a {
		if b[h] {
			t.Errorf("both institutions use the header %q", h)
		}
	}
}

func TestInstitutionsShareNoFormat(t *testing.T) {
	a, b := newInstitution("a", 1), newInstitution("b", 1)
	for _, layout := range append(a.dates, a.short...) {
		if slices.Contains(b.dates, layout) || slices.Contains(b.short, layout) {
			t.Errorf("both write dates as %s", layout)
		}
	}
	shape := regexp.MustCompile(`[A-Z]`)
	form := func(s string) string {
		return shape.ReplaceAllString(regexp.MustCompile(`\d`).ReplaceAllString(s, "9"), "A")
	}
	for _, rule := range []string{"number.record", "number.phone", "number.plan", "number.account", "number.device"} {
		rng := a.random(1, 1)
		if x, y := form(a.say(rng, rule)), form(b.say(rng, rule)); x == y {
			t.Errorf("both write %s as %s", rule, x)
		}
	}
}

func TestHardCasesOccur(t *testing.T) {
	labelled := func(pattern string, labels ...annotate.Label) func(annotate.Annotated) bool {
		re := regexp.MustCompile(pattern)
		return func(d annotate.Annotated) bool {
			return slices.ContainsFunc(d.Spans, func(s annotate.Span) bool {
				return slices.Contains(labels, s.Label) && re.MatchString(s.Surface(d.Text))
			})
		}
	}
	outside := func(pattern string) func(annotate.Annotated) bool {
		re := regexp.MustCompile(pattern)
		return func(d annotate.Annotated) bool { return re.MatchString(blank(d)) }
	}
	cases := map[string]func(annotate.Annotated) bool{
		"name that is a word":           labelled(`^(May|Rose|Frank|Will|Grace|Hope|Mark)\b`, "PATIENT", "DOCTOR"),
		"word that is a name":           outside(`\b(may|rose|frank|will|grace|hope|mark)\b`),
		"capital word that is a name":   outside(`\b(Will|Mark|Long|May|Hope)\b`),
		"surname that is a word":        labelled(`\b(Long|Young|Payne|Little|Price|Sharp|White)$`, "PATIENT", "DOCTOR"),
		"eponym":                        outside(`\b(Foley|Gram|Babinski|Crohn|Parkinson|Homans|Murphy)\b`),
		"eponym that is a name":         labelled(`\b(Foley|Gram|Babinski|Crohn|Parkinson|Bell|Murphy)$`, "PATIENT", "DOCTOR"),
		"town that is a name":           labelled(`\b(Houston|Madison|Lincoln|Austin|York|Franklin)$`, "PATIENT", "DOCTOR"),
		"town":                          labelled(`^(Houston|Madison|Lincoln|York|Franklin|Denver)$`, "CITY"),
		"drug that is a name":           labelled(`\b(Reglan|Colace|Lasix|Zestril|Keflex|Mobic|Altace)$`, "PATIENT", "DOCTOR"),
		"drug":                          outside(`\b(Reglan|Colace|Lasix|Zestril|Keflex|Mobic|Altace)\b`),
		"street named after a person":   labelled(`\d+ (Smith|Washington|Lincoln|Madison|Adams|Jackson) `, "STREET"),
		"initials":                      labelled(`^[A-Z]{3}$`, "PATIENT", "DOCTOR"),
		"capitals":                      labelled(`^[A-Z]{4,}, [A-Z]{3,}$`, "PATIENT"),
		"small letters":                 labelled(`^[a-z]{4,}$`, "PATIENT", "DOCTOR"),
		"compound surname":              labelled(`[a-z]-[A-Z]`, "PATIENT", "DOCTOR"),
		"accents":                       labelled(`[é-ň]`, "PATIENT", "DOCTOR"),
		"age over 89":                   labelled(`^(9\d|1\d\d)$`, "AGE"),
		"age under 90":                  labelled(`^[1-8]\d$`, "AGE"),
		"relative date":                 outside(`\b(yesterday|two days ago|overnight|weeks ago|wks back)\b`),
		"day of the week":               labelled(`^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)(day|sday|nesday|rsday|urday)?$`, "DATE"),
		"feast":                         labelled(`^(Christmas|Thanksgiving|Easter)$`, "DATE"),
		"bare year":                     outside(`\b(19|20)\d\d\b`),
		"dose":                          outside(`\b\d+ mg\b`),
		"blood pressure like a date":    outside(`\b\d{2,3}/\d{2}\b`),
		"table":                         outside(`\| born  `),
		"relative with another surname": otherSurname(),
		"misspelt name":                 misspelt(),
	}
	for _, l := range []annotate.Label{
		"PATIENT", "DOCTOR", "HOSPITAL", "CITY", "STATE", "STREET", "ZIP", "DATE", "AGE", "PHONE", "FAX", "EMAIL", "MEDICALRECORD",
		"IDNUM", "PROFESSION", "USERNAME", "ORGANIZATION", "COUNTRY", "ROOM", "HEALTHPLAN", "DEVICE", "ACCOUNT",
	} {
		cases["label "+string(l)] = labelled(".", l)
	}
	for _, kind := range noteTypes() {
		cases["note "+kind] = func(d annotate.Annotated) bool { return d.Attributes["note_type"] == kind }
	}
	for d := range Generate(Options{Patients: 200, Seed: 5}) {
		maps.DeleteFunc(cases, func(_ string, holds func(annotate.Annotated) bool) bool { return holds(d) })
	}
	for name := range cases {
		t.Errorf("%s does not occur", name)
	}
}

// blank is the text with all spans replaced by "_".
func blank(d annotate.Annotated) string {
	text := []byte(d.Text)
	for _, s := range d.Spans {
		for i := s.Start; i < s.End; i++ {
			text[i] = '_'
		}
	}
	return string(text)
}

func otherSurname() func(annotate.Annotated) bool {
	return func(d annotate.Annotated) bool {
		name := d.Attributes["name"]
		last := name[strings.LastIndex(name, " ")+1:]
		return slices.ContainsFunc(d.Spans, func(s annotate.Span) bool {
			words := strings.Fields(s.Surface(d.Text))
			return s.Label == "PATIENT" && len(words) == 2 && !strings.EqualFold(words[1], last) && !strings.Contains(words[0], ",") && !strings.Contains(name, words[0])
		})
	}
}

func misspelt() func(annotate.Annotated) bool {
	return func(d annotate.Annotated) bool {
		name := d.Attributes["name"]
		last := name[strings.LastIndex(name, " ")+1:]
		return slices.ContainsFunc(d.Spans, func(s annotate.Span) bool {
			surface := s.Surface(d.Text)
			return s.Label == "PATIENT" && surface != last && len(surface) == len(last) && sorted(surface) == sorted(last)
		})
	}
}

func sorted(s string) string {
	b := []byte(s)
	slices.Sort(b)
	return string(b)
}

func TestSameSeedSameHospital(t *testing.T) {
	o := Options{Patients: 40, Seed: 6}
	first := slices.Collect(Generate(o))
	if again := slices.Collect(Generate(o)); !reflect.DeepEqual(first, again) {
		t.Error("a second run differs")
	}
	o.Seed = 7
	if other := slices.Collect(Generate(o)); first[0].Text == other[0].Text {
		t.Error("another seed gives the same note")
	}
}

func TestPatientsDoNotDependOnHowManyThereAre(t *testing.T) {
	many := slices.Collect(Generate(Options{Patients: 60, Seed: 8}))
	few := slices.Collect(Generate(Options{Patients: 10, Seed: 8}))
	if !reflect.DeepEqual(few, many[:len(few)]) {
		t.Error("the first 10 of 60 patients differ from 10 patients")
	}
	alone := slices.Collect(Generate(Options{Patients: 30, Seed: 8, Institution: "b"}))
	both := slices.DeleteFunc(slices.Clone(many), func(d annotate.Annotated) bool { return d.Attributes["institution"] != "b" })
	if !reflect.DeepEqual(alone, both) {
		t.Error("institution b alone differs from b beside a")
	}
}

func TestNumberOfNotesIsInRange(t *testing.T) {
	cases := []struct {
		name        string
		o           Options
		least, most int
	}{
		{"default", Options{}, 2, 5},
		{"one", Options{MinNotes: 1, MaxNotes: 1}, 1, 1},
		{"many", Options{MinNotes: 9}, 9, 9},
		{"range", Options{MinNotes: 3, MaxNotes: 6}, 3, 6},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			c.o.Patients = 60
			counts := map[string]int{}
			for d := range Generate(c.o) {
				counts[d.Patient]++
			}
			all := slices.Collect(maps.Values(counts))
			if len(all) != 60 || slices.Min(all) != c.least || slices.Max(all) != c.most {
				t.Errorf("%d patients with %d to %d notes, want 60 with %d to %d", len(all), slices.Min(all), slices.Max(all), c.least, c.most)
			}
		})
	}
}

func TestOptionsAreChecked(t *testing.T) {
	for _, o := range []Options{{Institution: "c"}, {Patients: -1}, {Split: -.1}, {Split: 1.1}, {Split: math.NaN()}, {MinNotes: -1}, {MaxNotes: -2}} {
		if o.Check() == nil {
			t.Errorf("%+v is accepted", o)
		}
	}
}

func TestStreamingStopsWhenAsked(t *testing.T) {
	n := 0
	for range Generate(Options{Patients: 1 << 40, Seed: 9}) {
		if n++; n == 5 {
			break
		}
	}
	if n != 5 {
		t.Errorf("got %d notes, want 5", n)
	}
}

func TestMemoryDoesNotGrowWithPatients(t *testing.T) {
	var heap []uint64
	n := 0
	for range Generate(Options{Patients: 900, Seed: 10}) {
		if n++; n%1000 == 0 {
			var m runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&m)
			heap = append(heap, m.HeapAlloc)
		}
	}
	if grown := int64(heap[len(heap)-1]) - int64(heap[0]); grown > 1<<20 {
		t.Errorf("live heap grew by %d bytes over %d notes", grown, n)
	}
}

// TestUnseenPatientsHaveUnseenNames checks that a tagger cannot simply memorize the names.
func TestUnseenPatientsHaveUnseenNames(t *testing.T) {
	seen := map[string]bool{}
	site := newInstitution("a", 11)
	for i := range 100 {
		seen[site.patient(i+1).last] = true
	}
	fresh := 0
	for i := range 100 {
		if !seen[site.patient(i+101).last] {
			fresh++
		}
	}
	if fresh < 60 {
		t.Errorf("only %d of 100 further patients have a new surname", fresh)
	}
}

// TestIdentitiesAreInTheText checks that identities are valid, and that the notes of a
// patient name what they say of her.
func TestIdentitiesAreInTheText(t *testing.T) {
	here := map[string]int{}
	notes := 0
	for d := range Generate(Options{Patients: 50, Seed: 4, Identities: true}) {
		notes++
		for _, i := range d.Identities {
			if err := annotate.CheckIdentity(i); err != nil {
				t.Fatalf("%s: %s: %v", d.Name, i, err)
			}
			family := i.Value[strings.LastIndexByte(i.Value, ' ')+1:]
			if strings.Contains(strings.ToLower(d.Text), strings.ToLower(family)) {
				here[i.From]++
			}
		}
	}
	if here["PID-3"] != notes || here["PID-5"] < notes/2 || here["TXA-9"] == 0 || here["NK1-2"] == 0 {
		t.Errorf("of %d notes, the text has %v", notes, here)
	}
	for d := range Generate(Options{Patients: 1, Seed: 4}) {
		if d.Identities != nil {
			t.Error("a note has identities that nobody asked for")
		}
	}
}
