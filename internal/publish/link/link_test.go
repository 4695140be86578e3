// SPDX-License-Identifier: Apache-2.0

package link_test

import (
	"context"
	"slices"
	"testing"

	"hide/internal/publish/link"
	"hide/internal/publish/link/compare"
)

// people are fields with a row for each record. Records 0, 1 and 4 are one person, 2 and 3
// another; 5 is the sister of 2.
var peopleFields = []link.Field{
	{Name: "given", Kind: compare.Given}, {Name: "surname", Kind: compare.Surname}, {Name: "born", Kind: compare.BirthDate},
	{Name: "street", Kind: compare.Street}, {Name: "number", Kind: compare.StreetNumber}, {Name: "city", Kind: compare.Place},
}

var people = [][]string{
	{"Robert", "Miller", "1971-06-24", "Station Road", "12", "Leeds"},
	{"Bob", "Miller", "1971-06-24", "Station Rd", "12", "Leeds"},
	{"Grace", "Kelly", "1988-02-03", "Mill Lane", "7", "Hull"},
	{"Kelly", "Grace", "1988-02-03", "Mill Lane", "7", ""},
	{"Robert", "Millar", "1971-06-24", "Church Street", "88", "Oxford"},
	{"Anna", "Kelly", "1991-11-17", "Mill Lane", "7", "Hull"},
}

func recordsOf(fields []link.Field, rows [][]string) *link.Records {
	records := link.NewRecords(fields)
	for _, row := range rows {
		cells := make([][]string, len(row))
		for i, v := range row {
			cells[i] = []string{v}
		}
		records.Add(cells...)
	}
	return records
}

func run(t *testing.T, records *link.Records, options link.Options) *link.Result {
	t.Helper()
	result, err := link.Run(context.Background(), records, link.Default(records.Fields()), options)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func TestAFewPeople(t *testing.T) {
	result := run(t, recordsOf(peopleFields, people), link.Options{})
	got, want := result.Clusters, [][]int{{0, 1, 4}, {2, 3}}
	if !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("clusters %v, want %v", got, want)
	}
}
