// SPDX-License-Identifier: Apache-2.0

package draft_test

import (
	"slices"
	"strings"
	"testing"

	"hide/internal/project"
	"hide/internal/project/draft"
	"hide/internal/publish/policy"
	"hide/internal/publish/transform"
)

func TestCohortsAreReadByLine(t *testing.T) {
	for text, want := range map[string][]string{
		"":                         {},
		"a-1\n\n  pa \r\n":         {"a-1", "pa"},
		"\ufeffone name\nanother":  {"one name", "another"},
		strings.Repeat("x", 70000): nil, // no such long line
	} {
		got, err := draft.ReadCohort(strings.NewReader(text))
		if (err != nil) != (want == nil) || !slices.Equal(got, want) {
			t.Errorf("%.20q: %q, %v", text, got, err)
		}
		if err != nil && project.KindOf(err) != project.Invalid {
			t.Errorf("%.20q: %v", text, err)
		}
	}
}

const tableHead = "draft,place,action,to,replacement,person,decided\n"

func TestTablesAreReadByRow(t *testing.T) {
	var rows []draft.TableRow
	err := draft.ReadTable(strings.NewReader("decided,words,person,place,replacement,action,to,draft\nyes,Abel,2,1:4-13,'=x,generalize,year,p1/draft/3\n,,,12:0-1,,keep,,\n"), func(r draft.TableRow) error {
		rows = append(rows, r)
		return nil
	})
	want := []draft.TableRow{
		{Draft: "p1/draft/3", Place: transform.Place{Note: 1, Start: 4, End: 13}, Action: policy.Generalize, To: policy.Year, Text: "=x", Person: 2, Decided: true},
		{Place: transform.Place{Note: 12, End: 1}, Action: policy.Keep},
	}
	if err != nil || !slices.Equal(rows, want) {
		t.Errorf("%+v, %v", rows, err)
	}
	for name, text := range map[string]string{
		"empty": "", "no column": "draft,place,action\n", "no draft": tableHead[len("draft,"):] + "1:0-2,keep,,,,\n", "letters": tableHead + "p1/draft/3,1:x-2,keep,,,,\n", "negative": tableHead + "p1/draft/3,1:-3-2,keep,,,,\n",
		"huge": tableHead + "p1/draft/3,1:0-99999999999999999999,keep,,,,\n", "person": tableHead + "p1/draft/3,1:0-2,keep,,,-1,\n", "fields": tableHead + "p1/draft/3,1:0-2\n", "quote": tableHead + "p1/draft/3,\"1:0-2\n",
	} {
		if err := draft.ReadTable(strings.NewReader(text), func(draft.TableRow) error { return nil }); project.KindOf(err) != project.Invalid {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzReadTable(f *testing.F) {
	f.Add(tableHead + "p1/draft/3,1:26-36,placeholder,,[DATE],,\n")
	f.Add(tableHead + "p1/draft/3,1:4-13,numbered,,[PATIENT 1],2,yes\np1/draft/3,1:4-13,'=a,,,,\n")
	f.Add("draft;place;action;to;replacement;person;decided\np1/draft/3;3:23-25;generalize;age-5;90+;;yes\n")
	f.Add("place,action\n1:2-3,keep\n")
	f.Add(tableHead + "p1/draft/3,-1:99-3,,,,x,\n\"")
	f.Fuzz(func(t *testing.T, table string) {
		err := draft.ReadTable(strings.NewReader(table), func(r draft.TableRow) error {
			if r.Place.Start < 0 || r.Place.End < 0 || r.Person < 0 {
				t.Errorf("%+v", r)
			}
			return nil
		})
		if err != nil && project.KindOf(err) != project.Invalid {
			t.Errorf("%v", err)
		}
	})
}
