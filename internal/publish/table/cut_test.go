// SPDX-License-Identifier: Apache-2.0

package table

import (
	"bytes"
	"encoding/csv"
	"slices"
	"strings"
	"testing"
)

func TestAPopulationIsCutToTheColumnsAskedFor(t *testing.T) {
	for name, c := range map[string]struct {
		file          string
		names, others []string
		want          string
	}{
		"order and letters":  {"Name;city;Age\nWilma;Arden, x;3\n", []string{"age", "city"}, []string{"Name"}, "age,city\n3,\"Arden, x\"\n"},
		"an empty value":     {"a,b\n,1\n2,3\n", []string{"a"}, []string{"b"}, "a\n\"\"\n2\n"},
		"quotes and lines":   {"a,b\n\"x \"\"y\"\"\n z\",1\n", []string{"a"}, []string{"b"}, "a\n\"x \"\"y\"\"\n z\"\n"},
		"another separator":  {"\"a;b;c\",d\n1,2\n", []string{"a;b;c", "d"}, nil, "\"a;b;c\",d\n1,2\n"},
		"the same once more": {"a,b\n1,2\n", []string{"a", "b"}, nil, "a,b\n1,2\n"},
	} {
		var out bytes.Buffer
		others, err := CutPeople(&out, strings.NewReader(c.file), c.names)
		if err != nil || out.String() != c.want || !slices.Equal(others, c.others) {
			t.Errorf("%s: %q without %q, %v; want %q without %q", name, out.String(), others, err, c.want, c.others)
		}
	}
}

func TestAPopulationWithoutAnyColumnIsRefusedUnread(t *testing.T) {
	var out bytes.Buffer
	_, err := CutPeople(&out, strings.NewReader("Wilma,1950\nFred,1951\n"), []string{"age", "city"})
	if err == nil || !strings.Contains(err.Error(), "so none at all") || strings.Contains(err.Error(), "Wilma") || out.Len() > 0 {
		t.Errorf("%v, wrote %q", err, out.String())
	}
}

// FuzzCutPeople checks that what is cut reads as the file itself does.
func FuzzCutPeople(f *testing.F) {
	f.Add("a,b,c\n1,,\"x;\n\"\n")
	f.Add("a;b\n \t;\"\"\n")
	f.Fuzz(func(t *testing.T, file string) {
		read := func(text string, comma rune) (all [][]string, err error) {
			err = EachPerson(strings.NewReader(text), comma, []string{"a", "b"}, func(v []string) error {
				all = append(all, slices.Clone(v))
				return nil
			}, nil)
			return all, err
		}
		want, err := read(file, 0)
		if err != nil {
			return
		}
		var out bytes.Buffer
		if _, err := CutPeople(&out, strings.NewReader(file), []string{"a", "b"}); err != nil {
			t.Fatal(err)
		}
		got, err := read(out.String(), 0)
		if err != nil || !slices.EqualFunc(got, want, slices.Equal) {
			t.Errorf("%q, %v; want %q", got, err, want)
		}
		if records, err := csv.NewReader(&out).ReadAll(); err == nil && len(records) != len(want)+1 {
			t.Errorf("%d records", len(records))
		}
	})
}
