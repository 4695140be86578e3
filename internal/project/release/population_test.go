// SPDX-License-Identifier: Apache-2.0

package release_test

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/project/projecttest"
	"hide/internal/project/release"
	"hide/internal/publish/idview"
	"hide/internal/publish/table"
	"hide/internal/store"
)

// village is everybody of cohort, and n neighbours of each.
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

func (b *bench) setPopulation(by account.User, id project.ID, file io.Reader, replaces string) error {
	b.T.Helper()
	_, err := b.SetPopulation(b.T.Context(), by, id, file, replaces)
	return err
}

// storedPopulation is the file that is kept.
func (b *bench) storedPopulation(id project.ID) string {
	b.T.Helper()
	var text []byte
	err := b.View(id, func(tx *store.Tx) (err error) {
		text, err = tx.Get(release.BucketPopulation, release.PopulationKey)
		return err
	})
	if err != nil {
		b.T.Fatal(err)
	}
	return string(text)
}

func TestAPopulationKeepsOnlyWhatIsCoarsened(t *testing.T) {
	b := newBench(t)
	id := b.FinishedProject(projecttest.Cohort(4))
	file := strings.NewReplacer("Name,", "mrn,Name,", "\nx,", "\n4711,Wilma Flint,").Replace(village(4, 1))
	p, err := b.SetPopulation(t.Context(), projecttest.Broker, id, strings.NewReader(file), "")
	if err != nil {
		t.Fatal(err)
	}
	kept := b.storedPopulation(id)
	for _, gone := range []string{"4711", "Wilma", "mrn", "Name"} {
		if strings.Contains(kept, gone) {
			t.Errorf("%s is kept", gone)
		}
	}
	if !slices.Equal(p.Left, []string{"mrn", "Name"}) || len(p.Columns) != 4 || strings.Count(kept, "\n") != 9 {
		t.Errorf("%+v of\n%s", p, kept)
	}
	got := b.MustIdentifiers(id).Population
	if got.By != projecttest.Broker.ID || !slices.Equal(got.Left, p.Left) || got.Lacking != nil {
		t.Errorf("%+v", got)
	}
}

// detailsOf are what the audit trail says of an action, newest first.
func (b *bench) detailsOf(id project.ID, action string) (details []string) {
	b.T.Helper()
	rows, err := b.Audit(b.T.Context(), projecttest.Broker, id, 0, 100)
	if err != nil {
		b.T.Fatal(err)
	}
	for _, r := range rows {
		if r.Action == action {
			details = append(details, r.Detail)
		}
	}
	return details
}

func TestAPopulationIsReplacedOnlyByWhoSaysWhich(t *testing.T) {
	ada := account.User{ID: "u-ada", Name: "Ada", Role: account.Admin}
	b := newBench(t)
	id := b.FinishedProject(projecttest.Cohort(4))
	first, err := b.SetPopulation(t.Context(), projecttest.Broker, id, strings.NewReader(village(4, 1)), "")
	if err != nil {
		t.Fatal(err)
	}
	before := b.storedPopulation(id)
	var conflict *release.PopulationConflict
	for _, replaces := range []string{"", "another"} {
		if err := b.setPopulation(projecttest.Broker, id, strings.NewReader(village(4, 2)), replaces); !errors.As(err, &conflict) || conflict.Stored.People != 8 || conflict.Stored.By != projecttest.Broker.ID {
			t.Fatalf("%q: %v", replaces, err)
		}
	}
	if b.storedPopulation(id) != before {
		t.Fatal("it was replaced all the same")
	}
	if same, err := b.SetPopulation(t.Context(), ada, id, strings.NewReader(village(4, 1)), ""); err != nil || same.Version() != first.Version() {
		t.Errorf("the same file again: %+v, %v", same, err)
	}
	Second, err := b.SetPopulation(t.Context(), ada, id, strings.NewReader(village(4, 2)), first.Version())
	if err != nil || Second.People != 12 || b.MustIdentifiers(id).Population.People != 12 {
		t.Fatalf("%+v, %v", Second, err)
	}
	if err := b.RemovePopulation(t.Context(), projecttest.Broker, id, first.Version()); !errors.As(err, &conflict) || conflict.Stored.People != 12 || b.MustIdentifiers(id).Population == nil {
		t.Fatalf("another than the one that was seen is forgotten: %v", err)
	}
	for range 2 { // the second time there is nothing to forget
		if err := b.RemovePopulation(t.Context(), projecttest.Broker, id, Second.Version()); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{
		"forgotten",
		"added: 12 people, 4 columns kept, 1 left out; in the place of 8 people, added " + first.Added.Format(time.RFC3339),
		"added: 8 people, 4 columns kept, 1 left out",
	}
	if got := b.detailsOf(id, "population"); !slices.Equal(got, want) {
		t.Errorf("audit trail %q, want %q", got, want)
	}
}

func TestAPopulationThatLacksANewQuasiIdentifierSaysSo(t *testing.T) {
	b := newBench(t)
	id := b.FinishedProject(projecttest.Cohort(4))
	age := identifier(b.MustIdentifiers(id), "AGE").Attribute
	left := age
	left.Role = table.Direct
	b.role(id, left)
	if err := b.setPopulation(projecttest.Broker, id, strings.NewReader(village(4, 1)), ""); err != nil {
		t.Fatal(err)
	}
	b.role(id, age)
	if got := b.MustIdentifiers(id).Population.Lacking; !slices.Equal(got, []string{"AGE"}) {
		t.Errorf("lacking %q", got)
	}
	set := release.TableSettings{K: 2, Among: true}
	for name, err := range map[string]error{
		"preview": b.StartTablePreview(t.Context(), projecttest.Broker, id, []release.TableSettings{set}),
		"publish": b.StartPublishTable(t.Context(), projecttest.Broker, id, release.Publish, set, 4),
	} {
		projecttest.WantKind(t, err, project.Invalid)
		if !strings.Contains(project.ErrorWords(err), "8 people, added ") || !strings.Contains(project.ErrorWords(err), "lacks the quasi-identifiers: AGE; replace the population by a file with these columns") {
			t.Errorf("%s: %s", name, project.ErrorWords(err))
		}
	}
	b.role(id, left)
	if err := b.StartPublishTable(t.Context(), projecttest.Broker, id, release.Publish, set, 4); err != nil {
		t.Errorf("without it again: %v", err)
	}
	b.Published(id)
}

func TestAPopulationAddsItsRisks(t *testing.T) {
	b := newBench(t)
	id := b.FinishedProject(projecttest.Cohort(12))
	for name, file := range map[string]string{"no column": "age\n1\n", "empty": "", "quotes": "\"age"} {
		projecttest.WantKind(t, b.setPopulation(projecttest.Broker, id, strings.NewReader(file), ""), project.Invalid)
		if got := b.MustIdentifiers(id).Population; got != nil {
			t.Fatalf("%s: %+v", name, got)
		}
	}
	if err := b.setPopulation(projecttest.Broker, id, strings.NewReader(village(12, 3)), ""); err != nil {
		t.Fatal(err)
	}
	if got := b.MustIdentifiers(id).Population; got == nil || got.People != 48 || got.Beyond != 0 {
		t.Fatalf("%+v; want 48 people, and every patient among them", got)
	}
	set := release.TableSettings{K: 3, Among: true, People: 48}
	both := []release.TableSettings{set, set}
	both[1].Map = true
	if err := b.StartTablePreview(t.Context(), projecttest.Broker, id, both); err != nil {
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
	if err := b.StartPublishTable(t.Context(), projecttest.Broker, id, release.Publish, both[1], 12); err != nil {
		t.Fatal(err)
	}
	b.Published(id)
	if r, err := b.Release(t.Context(), projecttest.Broker, id, 1); err != nil || !r.Verified || r.Table.Report.Population.People != 48 {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestAPopulationIsTheBrokersAndCanGo(t *testing.T) {
	b := newBench(t)
	id := b.FinishedProject(projecttest.Cohort(4))
	for _, by := range []account.User{projecttest.Annotator, projecttest.Reviewer} {
		projecttest.WantKind(t, b.setPopulation(by, id, strings.NewReader(village(4, 0)), ""), project.Forbidden)
		projecttest.WantKind(t, b.RemovePopulation(t.Context(), by, id, ""), project.Forbidden)
	}
	if err := b.setPopulation(projecttest.Broker, id, strings.NewReader(village(4, 0)), ""); err != nil {
		t.Fatal(err)
	}
	if err := b.RemovePopulation(t.Context(), projecttest.Broker, id, b.MustIdentifiers(id).Population.Version()); err != nil || b.MustIdentifiers(id).Population != nil {
		t.Errorf("it stays: %v", err)
	}
	if err := b.StartTablePreview(t.Context(), projecttest.Broker, id, []release.TableSettings{{K: 2, Among: true}}); err != nil {
		t.Fatal(err)
	}
	if p := b.previewed(id); !strings.Contains(p.Error, "no population") {
		t.Errorf("%+v", p)
	}
	projecttest.WantKind(t, b.StartTablePreview(t.Context(), projecttest.Broker, id, []release.TableSettings{{K: 2, Map: true}}), project.Invalid)
	projecttest.WantKind(t, b.StartTablePreview(t.Context(), projecttest.Broker, id, []release.TableSettings{{K: 2, People: -1}}), project.Invalid)
	projecttest.WantKind(t, b.StartTablePreview(t.Context(), projecttest.Broker, id, []release.TableSettings{{K: 2}, {K: 2, Among: true}}), project.Invalid)
}

func TestAPopulationNeedsSomethingCoarsened(t *testing.T) {
	b := newBench(t)
	id := b.FinishedProject(projecttest.Cohort(4))
	for _, a := range b.MustIdentifiers(id).Attributes {
		b.role(id, idview.Attribute{Key: a.Key, Role: table.Direct})
	}
	projecttest.WantKind(t, b.setPopulation(projecttest.Broker, id, strings.NewReader(village(4, 0)), ""), project.Invalid)
}
