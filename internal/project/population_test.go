// SPDX-License-Identifier: Apache-2.0

package project

import (
	"fmt"
	"strings"
	"testing"

	"hide/internal/account"
	"hide/internal/publish/idview"
	"hide/internal/publish/table"
)

// village is everybody of cohort, and so many neighbours of each.
func village(n, neighbours int) string {
	towns, sexes := []string{"Arden", "Bilton", "Corley"}, []string{"F", "M"}
	var b strings.Builder
	b.WriteString("Name,CITY,Sex,age,date\n")
	for i := range n {
		for range 1 + neighbours {
			fmt.Fprintf(&b, "x,%s,%s,%d,%d/%d/2019\n", strings.ToUpper(towns[i%3]), sexes[i%2], 20+(i*7+1)%70, i%12+1, i%27+1)
		}
	}
	return b.String()
}

func TestAPopulationAddsItsRisks(t *testing.T) {
	b := newBench(t)
	id := b.project(cohort(12), true)
	for name, file := range map[string]string{"no column": "age\n1\n", "empty": "", "quotes": "\"age"} {
		wantKind(t, b.SetPopulation(t.Context(), broker, id, strings.NewReader(file)), Invalid)
		if got := b.identifiers(id).Population; got != nil {
			t.Fatalf("%s: %+v", name, got)
		}
	}
	if err := b.SetPopulation(t.Context(), broker, id, strings.NewReader(village(12, 3))); err != nil {
		t.Fatal(err)
	}
	if got := b.identifiers(id).Population; got == nil || got.People != 48 || got.Beyond != 0 {
		t.Fatalf("%+v; want 48 people, and every patient among them", got)
	}
	set := TableSettings{K: 3, Among: true, People: 48}
	both := []TableSettings{set, set}
	both[1].Map = true
	if err := b.StartTablePreview(t.Context(), broker, id, both); err != nil {
		t.Fatal(err)
	}
	p := b.previewed(id)
	if p.Error != "" || p.Rows != 12 || p.Before.Journalist.Highest != .25 || *p.Before.Alone != 0 {
		t.Fatalf("%+v, before %+v", p, p.Before)
	}
	rows, people := p.Choices[0], p.Choices[1]
	if rows.Error != "" || rows.After.Prosecutor.Highest > 1./3 || rows.After.Journalist.Highest > 1./12 || rows.Estimated.Before.Unique <= 0 {
		t.Errorf("k of rows: %+v", rows)
	}
	if people.Error != "" || people.Utility.NCP != 0 || people.After.Journalist.Highest > 1./3 {
		t.Errorf("k of people: %+v; want nothing lost, four are alike as they are", people)
	}
	if err := b.StartPublishTable(t.Context(), broker, id, both[1], 12); err != nil {
		t.Fatal(err)
	}
	b.published(id)
	if r, err := b.Release(t.Context(), broker, id, 1); err != nil || !r.Verified || r.Table.Report.Population.People != 48 {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestAPopulationIsTheBrokersAndCanGo(t *testing.T) {
	b := newBench(t)
	id := b.project(cohort(4), true)
	for _, by := range []account.User{annotator, reviewer} {
		wantKind(t, b.SetPopulation(t.Context(), by, id, strings.NewReader(village(4, 0))), Forbidden)
		wantKind(t, b.RemovePopulation(t.Context(), by, id), Forbidden)
	}
	if err := b.SetPopulation(t.Context(), broker, id, strings.NewReader(village(4, 0))); err != nil {
		t.Fatal(err)
	}
	if err := b.RemovePopulation(t.Context(), broker, id); err != nil || b.identifiers(id).Population != nil {
		t.Errorf("it stays: %v", err)
	}
	if err := b.StartTablePreview(t.Context(), broker, id, []TableSettings{{K: 2, Among: true}}); err != nil {
		t.Fatal(err)
	}
	if p := b.previewed(id); !strings.Contains(p.Error, "no population") {
		t.Errorf("%+v", p)
	}
	wantKind(t, b.StartTablePreview(t.Context(), broker, id, []TableSettings{{K: 2, Map: true}}), Invalid)
	wantKind(t, b.StartTablePreview(t.Context(), broker, id, []TableSettings{{K: 2, People: -1}}), Invalid)
	wantKind(t, b.StartTablePreview(t.Context(), broker, id, []TableSettings{{K: 2}, {K: 2, Among: true}}), Invalid)
}

func TestAPopulationNeedsSomethingCoarsened(t *testing.T) {
	b := newBench(t)
	id := b.project(cohort(4), true)
	for _, a := range b.identifiers(id).Attributes {
		b.role(id, idview.Attribute{Key: a.Key, Role: table.Direct})
	}
	wantKind(t, b.SetPopulation(t.Context(), broker, id, strings.NewReader(village(4, 0))), Invalid)
}
