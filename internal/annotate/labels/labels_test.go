// SPDX-License-Identifier: Apache-2.0

package labels

import (
	"bytes"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"hide/internal/annotate"
)

func TestSetsHaveValidLabelsAndDistinctKeys(t *testing.T) {
	sizes := map[string]int{"i2b2-2014": 31, "i2b2-2006": 8, "hipaa-18": 18, "names": 1, "tab": 8, "direct-quasi": 2}
	for _, s := range Sets() {
		if len(s.Labels) != sizes[s.Name] {
			t.Errorf("%s has %d labels, want %d", s.Name, len(s.Labels), sizes[s.Name])
		}
		keys, seen := map[string]bool{}, map[annotate.Label]bool{}
		for _, l := range s.Labels {
			if err := annotate.CheckLabel(l.Label); err != nil || seen[l.Label] || l.Help == "" || l.Key != "" && keys[l.Key] {
				t.Errorf("%s: %+v, %v", s.Name, l, err)
			}
			seen[l.Label], keys[l.Key] = true, true
		}
	}
	if _, found := FindSet("own"); found {
		t.Error("there is a set of this name")
	}
}

// Every built-in mapping covers its source and ends inside its target.
func TestBuiltinMappingsEndInTheirSet(t *testing.T) {
	all := Builtin()
	if len(all) < 40 {
		t.Errorf("%d mappings", len(all))
	}
	for _, m := range all {
		set, _ := FindSet(m.To)
		if err := m.Check(); err != nil {
			t.Error(err)
		}
		for _, l := range sourceLabels(m.From) {
			if to := m.Of(l); to != "" && !set.Labels.Has(to) {
				t.Errorf("%s: %s becomes %s, which is not in the set", m.Name(), l, to)
			}
		}
		again, err := Find(m.Name())
		if err != nil || !reflect.DeepEqual(again, m) {
			t.Errorf("%s: %v", m.Name(), err)
		}
	}
	for _, bad := range []string{"", "names", "names-to-names", "x-to-names", "names-to-x", "-to-"} {
		if _, err := Find(bad); err == nil {
			t.Errorf("%q is a mapping", bad)
		}
	}
}

func TestSuggestKnowsOtherSpellingsAndSynonyms(t *testing.T) {
	i2b2, small, names := annotate.I2B2(), i2b2006(), annotate.LabelSet(nil).With("NAME")
	for _, c := range []struct {
		from annotate.Label
		to   annotate.LabelSet
		want annotate.Label // "-" for none
	}{
		{"patient", i2b2, "PATIENT"}, {"Medical_Record", i2b2, "MEDICALRECORD"}, {"mrn", i2b2, "MEDICALRECORD"}, {"PHONE_NUMBER", i2b2, "PHONE"},
		{"NOMBRE_SUJETO_ASISTENCIA", i2b2, "PATIENT"}, {"FECHAS", i2b2, "DATE"}, {"PER", i2b2, "PATIENT"}, {"location", i2b2, "LOCATION-OTHER"},
		{"PATIENT", i2b2, "-"}, {"WARD_CAT", i2b2, "-"}, {"ID", i2b2, "IDNUM"},
		{"CITY", small, "LOCATION"}, {"EMAIL", small, "ID"}, {"PROFESSION", small, "-"}, {"FAX", small, "PHONE"},
		{"PERSON", names, "NAME"}, {"DOCTOR", names, "NAME"}, {"AGE", names, "-"},
		{"AGE", annotate.LabelSet(nil).With("DATE", "NAME"), "-"}, {"fecha", annotate.LabelSet(nil).With("birth_date"), "birth_date"},
	} {
		m := Suggest([]annotate.Label{c.from}, c.to)
		if got, found := m.Pairs[c.from]; c.want == "-" && found || c.want != "-" && got != c.want {
			t.Errorf("%s: %q, want %q", c.from, got, c.want)
		}
	}
}

// Whatever is proposed is in the set, and a label of the set is never renamed.
func TestSuggestStaysInTheSet(t *testing.T) {
	draw := rand.New(rand.NewPCG(1, 2))
	var known []annotate.Label
	for _, s := range sources() {
		known = append(known, sourceLabels(s)...)
	}
	for range 300 {
		var to annotate.LabelSet
		for range 1 + draw.IntN(6) {
			to = to.With(known[draw.IntN(len(known))])
		}
		for from, fit := range Suggest(known, to).Pairs {
			if !to.Has(fit) || to.Has(from) {
				t.Fatalf("%s becomes %s of %v", from, fit, to.Labels())
			}
		}
	}
}

// A model by hand: one span at a time.
func TestSpansAreRenamedDroppedAndCounted(t *testing.T) {
	draw := rand.New(rand.NewPCG(3, 4))
	pool := []annotate.Label{"A", "B", "C", "D"}
	for range 500 {
		m := Mapping{Pairs: pairs{}}
		for _, l := range pool {
			if draw.IntN(2) == 0 {
				m.Pairs[l] = []annotate.Label{"", "A", "X"}[draw.IntN(3)]
			}
		}
		var spans, want []annotate.Span
		changed := Changed{}
		for i := range draw.IntN(6) {
			s := annotate.Span{Start: annotate.ByteOff(i), End: annotate.ByteOff(i + 1), Label: pool[draw.IntN(4)]}
			spans = append(spans, s)
			to, mapped := m.Pairs[s.Label]
			if !mapped {
				to = s.Label
			}
			if to != s.Label {
				changed[Change{s.Label, to}]++
			}
			if to != "" {
				want = append(want, annotate.Span{Start: s.Start, End: s.End, Label: to})
			}
		}
		before, got := slices.Clone(spans), Changed{}
		if mapped := m.Spans(spans, got); !slices.Equal(mapped, want) || !maps.Equal(got, changed) || !slices.Equal(spans, before) {
			t.Fatalf("%v: %v, %v, want %v, %v", m.Pairs, mapped, got, want, changed)
		}
	}
	lines := Changed{{"B", ""}: 1, {"A", "X"}: 2}.Lines()
	if !slices.Equal(lines, []string{"A is now X: 2 spans renamed", "B: 1 span dropped"}) {
		t.Error(lines)
	}
}

func TestAMappingIsReadAsItWasWritten(t *testing.T) {
	m, err := Find("meddocan-to-i2b2-2006")
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := m.Write(&b); err != nil {
		t.Fatal(err)
	}
	got, err := Read(&b)
	if err != nil || !reflect.DeepEqual(got, m) {
		t.Errorf("%v, %+v", err, got)
	}
}

var badMappings = map[string]string{
	"empty": "", "no labels": `{"from":"a"}`, "no pair": `{"labels":{}}`, "unknown field": `{"labels":{"A":"B"},"x":1}`, "field in capitals": `{"Labels":{"A":"B"}}`,
	"bad source": `{"labels":{"1":"B"}}`, "bad target": `{"labels":{"A":"b c"}}`, "twice": `{"labels":{"A":"B","A":"C"}}`, "more": `{"labels":{"A":"B"}} {}`,
	"null": `{"labels":null}`, "number": `{"labels":{"A":1}}`, "negative": `{"labels":{"A":"B"},"version":-1}`, "list": `[]`, "long": `{"labels":{"A":"` + strings.Repeat("x", 65) + `"}}`,
	"large": `{"from":"` + strings.Repeat("x", maxFile) + `"}`,
}

func TestBadMappingsAreRefused(t *testing.T) {
	for name, text := range badMappings {
		if _, err := Read(strings.NewReader(text)); err == nil {
			t.Errorf("%s is read", name)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, text := range badMappings {
		if len(text) < 1000 {
			f.Add([]byte(text))
		}
	}
	f.Add([]byte(`{"from":"a","to":"b","version":3,"labels":{"A":"B","C":""}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := Read(bytes.NewReader(text))
		if err != nil {
			return
		}
		var b bytes.Buffer
		if err := m.Write(&b); err != nil {
			t.Fatal(err)
		}
		if again, err := Read(&b); err != nil || !reflect.DeepEqual(again, m) {
			t.Fatalf("%v: %+v, %+v", err, m, again)
		}
	})
}

func TestLabelsAreParsed(t *testing.T) {
	for text, want := range map[string][]annotate.Label{"": nil, " , ": {}, "NAME": {"NAME"}, " NAME ,, DATE,": {"NAME", "DATE"}} {
		if got := Parse(text); !slices.Equal(got, want) || (got == nil) != (want == nil) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	named, _ := FindSet("names")
	if got := ParseSet("names"); !slices.Equal(got.Labels(), named.Labels.Labels()) {
		t.Errorf("the set by its name: %q", got.Labels())
	}
	if got := ParseSet("NAME, DATE").Labels(); !slices.Equal(got, []annotate.Label{"NAME", "DATE"}) || ParseSet("") != nil {
		t.Errorf("a set of labels: %q", got)
	}
}
