// SPDX-License-Identifier: Apache-2.0

package training_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"hide/internal/account"
	"hide/internal/annotate/dictionary"
	"hide/internal/project"
	"hide/internal/project/projecttest"
	"hide/internal/project/training"
	"hide/internal/store"
)

func phrases(name string, all ...string) []dictionary.List {
	return []dictionary.List{{Name: name, Phrases: all}}
}

func (b *bench) addDictionary(by account.User, id project.ID, name string, lists []dictionary.List) error {
	return b.AddDictionaries(b.T.Context(), by, id, []training.DictionaryFile{{name, lists}})
}

func (b *bench) mustAdd(id project.ID, name string, lists []dictionary.List) {
	b.T.Helper()
	if err := b.addDictionary(projecttest.Broker, id, name, lists); err != nil {
		b.T.Fatal(err)
	}
}

// dictionaryNames lists names and numbers of phrases.
func (b *bench) dictionaryNames(id project.ID) string {
	b.T.Helper()
	all, err := b.Dictionaries(b.T.Context(), projecttest.Annotator, id)
	if err != nil {
		b.T.Fatal(err)
	}
	var out []string
	for _, d := range all {
		if d.Added.IsZero() {
			b.T.Errorf("nobody knows when %s was added", d.Name)
		}
		out = append(out, fmt.Sprint(d.Name, " ", d.Phrases))
	}
	return strings.Join(out, ", ")
}

func TestDictionariesStayInTheOrderTheyCame(t *testing.T) {
	b := newBench(t)
	id := b.NewProject(projecttest.Plain("text"), false)
	b.mustAdd(id, "wards", phrases("wards", "Sunny Side", "West Wing"))
	b.mustAdd(id, "names", phrases("names", "Alma"))
	b.Reopen()
	if got := b.dictionaryNames(id); got != "wards 2, names 1" {
		t.Errorf("after reopening: %s", got)
	}
	if err := b.RemoveDictionary(t.Context(), projecttest.Broker, id, "wards"); err != nil {
		t.Fatal(err)
	}
	b.mustAdd(id, "wards", phrases("wards", "East Wing"))
	if got := b.dictionaryNames(id); got != "names 1, wards 1" {
		t.Errorf("after one was replaced: %s", got)
	}
}

func TestDictionariesComeTogetherOrNotAtAll(t *testing.T) {
	b := newBench(t)
	id := b.NewProject(projecttest.Plain("text"), false)
	err := b.AddDictionaries(t.Context(), projecttest.Broker, id, []training.DictionaryFile{{"wards", phrases("wards", "West Wing")}, {"names", phrases("wards", "Alma")}})
	if projecttest.WantKind(t, err, project.Invalid); !strings.HasPrefix(err.Error(), "dictionary names: another dictionary") {
		t.Errorf("it says %q", err)
	}
	if got := b.dictionaryNames(id); got != "" {
		t.Errorf("a refusal left %s", got)
	}
	if err := b.AddDictionaries(t.Context(), projecttest.Broker, id, []training.DictionaryFile{{"wards", phrases("wards", "West Wing")}, {"names", phrases("names", "Alma")}}); err != nil {
		t.Fatal(err)
	}
	if got := b.dictionaryNames(id); got != "wards 1, names 1" {
		t.Errorf("there are %s", got)
	}
}

func TestADictionaryFileIsReadOrRefusedByLine(t *testing.T) {
	f, err := training.ReadDictionary("wards.txt", strings.NewReader("# wards\nSunny Side\n\nWest Wing\n"))
	if err != nil || f.Name != "wards.txt" || len(f.Lists) != 1 || len(f.Lists[0].Phrases) != 2 {
		t.Errorf("read %+v, %v", f, err)
	}
	_, err = training.ReadDictionary("empty.txt", strings.NewReader("# nothing\n"))
	if projecttest.WantKind(t, err, project.Invalid); !strings.Contains(err.Error(), "empty.txt: not a usable dictionary: it contains no terms") {
		t.Errorf("it says %q", err)
	}
	_, err = training.ReadDictionary("bad.txt", strings.NewReader("Zyxname\nZyx\xff\n"))
	if projecttest.WantKind(t, err, project.Invalid); strings.Contains(err.Error(), "Zyx") {
		t.Errorf("it quotes: %q", err)
	}
}

func TestTheAuditTrailCountsPhrasesAndQuotesNothing(t *testing.T) {
	b := newBench(t)
	id := b.NewProject(projecttest.Plain("text"), false)
	b.mustAdd(id, "Zyxname", phrases("Zyxlist", "Zyxphrase", "Zyxother"))
	if err := b.RemoveDictionary(t.Context(), projecttest.Broker, id, "Zyxname"); err != nil {
		t.Fatal(err)
	}
	rows, err := b.Audit(t.Context(), projecttest.Broker, id, 0, 50)
	if err != nil {
		t.Fatal(err)
	}
	var actions []string
	for _, r := range rows {
		if strings.Contains(fmt.Sprint(r), "Zyx") {
			t.Errorf("row %+v quotes", r)
		}
		if strings.Contains(r.Action, "dictionary") {
			actions = append(actions, r.Action+" "+r.Detail)
		}
	}
	if want := []string{"remove dictionary lists 1, phrases 2", "add dictionary lists 1, phrases 2"}; !slices.Equal(actions, want) {
		t.Errorf("audited %q, want %q", actions, want)
	}
}

func TestOnlyWhoManagesTheProjectChangesItsDictionaries(t *testing.T) {
	b := newBench(t)
	id := b.NewProject(projecttest.Plain("text"), false)
	b.mustAdd(id, "wards", phrases("wards", "West Wing"))
	projecttest.WantKind(t, b.addDictionary(projecttest.Annotator, id, "names", phrases("names", "Alma")), project.Forbidden)
	projecttest.WantKind(t, b.RemoveDictionary(t.Context(), projecttest.Annotator, id, "wards"), project.Forbidden)
	_, err := b.Dictionaries(t.Context(), projecttest.Reviewer, id)
	projecttest.WantKind(t, err, project.Forbidden)
	projecttest.WantKind(t, b.addDictionary(projecttest.Broker, "p9", "names", phrases("names", "Alma")), project.NotFound)
	projecttest.WantKind(t, b.RemoveDictionary(t.Context(), projecttest.Broker, id, "names"), project.NotFound)
}

func TestDictionariesThatCannotBeAreRefused(t *testing.T) {
	b := newBench(t)
	id := b.NewProject(projecttest.Plain("text"), false)
	b.mustAdd(id, "wards", phrases("wards", "West Wing"))
	for what, add := range map[string]struct {
		name  string
		lists []dictionary.List
	}{
		"no name":                {"", phrases("a", "b")},
		"a long name":            {strings.Repeat("n", training.MaxDictionaryName+1), phrases("a", "b")},
		"a name of two lines":    {"a\nb", phrases("a", "b")},
		"a list of the program":  {"a", phrases(".given", "b")},
		"no list":                {"a", nil},
		"no phrase":              {"a", phrases("a")},
		"a long phrase":          {"a", phrases("a", strings.Repeat("b", training.MaxPhrase+1))},
		"no text":                {"a", phrases("a", "\xff")},
		"a name that is there":   {"wards", phrases("a", "b")},
		"a list that is there":   {"a", phrases("wards", "b")},
		"two lists of one name":  {"a", slices.Concat(phrases("a", "b"), phrases("a", "c"))},
		"a name that is no text": {"a\xff", phrases("a", "b")},
	} {
		err := b.addDictionary(projecttest.Broker, id, add.name, add.lists)
		if project.KindOf(err) != project.Invalid {
			t.Errorf("%s: %v", what, err)
		}
	}
	if got := b.dictionaryNames(id); got != "wards 1" {
		t.Errorf("refusals left %s", got)
	}
}

func TestDictionariesTogetherAreBounded(t *testing.T) {
	b := newBench(t)
	id := b.NewProject(projecttest.Plain("text"), false)
	full := training.DictionaryRecord{Dictionary: training.Dictionary{Name: "full", Phrases: training.MaxPhrases - 1, Bytes: training.MaxDictionaryBytes - 2}}
	put1 := func(n int, d training.DictionaryRecord) {
		t.Helper()
		err := b.Update(id, project.EventBy(projecttest.Broker, "test", id.Object()), func(tx *store.Tx) error {
			return store.PutJSON(tx, training.BucketDictionaries, store.Key(uint64(1000+n)), d)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	put1(0, full)
	projecttest.WantKind(t, b.addDictionary(projecttest.Broker, id, "phrases", phrases("phrases", "a", "b")), project.Invalid)
	projecttest.WantKind(t, b.addDictionary(projecttest.Broker, id, "bytes", phrases("bytes", "abc")), project.Invalid)
	b.mustAdd(id, "fits", phrases("fits", "ab"))
	put1(0, training.DictionaryRecord{Dictionary: training.Dictionary{Name: "small"}})
	for n := 2; n < training.MaxDictionaries; n++ {
		put1(n, training.DictionaryRecord{Dictionary: training.Dictionary{Name: fmt.Sprint(n)}})
	}
	projecttest.WantKind(t, b.addDictionary(projecttest.Broker, id, "one more", phrases("more", "a")), project.Invalid)
}

// cardLists are the lists that the newest model says it keeps.
func (b *bench) cardLists(id project.ID) []string {
	b.T.Helper()
	card, err := b.ModelCard(b.T.Context(), projecttest.Broker, id)
	if err != nil {
		b.T.Fatal(err)
	}
	var names []string
	for _, d := range card.Card.Features.Dictionaries {
		names = append(names, d.Name)
	}
	return names
}

func TestANewDictionaryIsInTheNextModel(t *testing.T) {
	b := newBench(t)
	id := b.NewProject(projecttest.Notes(6), true)
	first := b.Trained(id).Model
	b.mustAdd(id, "names", phrases("surnames", "Abel", "Brandt", "Castro"))
	b.Wait("a model with the dictionary", func() bool { return b.Trained(id).Model == first+1 })
	if got := b.cardLists(id); !slices.Equal(got, []string{"surnames"}) {
		t.Errorf("the new model keeps the lists %q", got)
	}
}

func TestOptionsDifferByTheDictionariesThatAreLookedAt(t *testing.T) {
	b := newBench(t)
	id := b.NewProject(projecttest.Plain("text"), false)
	ws, err := b.Workspace(id)
	if err != nil {
		t.Fatal(err)
	}
	fingerprint := func() string {
		t.Helper()
		mark, err := b.OptionsMark(ws)
		if err != nil {
			t.Fatal(err)
		}
		return mark
	}
	none := fingerprint()
	b.mustAdd(id, "names", phrases("names", "Alma"))
	one := fingerprint()
	if one == none {
		t.Error("options are alike with and without a dictionary")
	}
	if err := b.RemoveDictionary(t.Context(), projecttest.Broker, id, "names"); err != nil {
		t.Fatal(err)
	}
	b.mustAdd(id, "names", phrases("names", "Boris"))
	if other := fingerprint(); other == one || other == none {
		t.Error("options are alike with another dictionary of the same name")
	}
	if err := b.RemoveDictionary(t.Context(), projecttest.Broker, id, "names"); err != nil {
		t.Fatal(err)
	}
	if fingerprint() != none {
		t.Error("options differ though no dictionary is left")
	}
	b.Set(id, func(s *project.Settings) { s.Without = []string{"dictionary", "member"} })
	none = fingerprint()
	b.mustAdd(id, "names", phrases("names", "Boris"))
	if fingerprint() != none {
		t.Error("options differ by a dictionary that is not looked at")
	}
}
