// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"hide/internal/annotate"
	"hide/internal/annotate/dictionary"
)

func openTestState(t *testing.T, name string, f fingerprint) *state {
	t.Helper()
	s, err := openState(name, f)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestStateGivesBackWhatWasPut(t *testing.T) {
	name, print := filepath.Join(t.TempDir(), "state"), fingerprint{Format: stateVersion, In: "a"}
	row := rowOf(oneResult(), []int{25})
	s := openTestState(t, name, print)
	if err := s.put("result", "one", row); err != nil {
		t.Fatal(err)
	}
	if err := s.close(); err != nil {
		t.Fatal(err)
	}
	s = openTestState(t, name, print)
	defer s.close()
	var got Row
	if !s.get("result", "one", &got) || !reflect.DeepEqual(got, row) {
		t.Errorf("got %+v, want %+v", got, row)
	}
	if s.get("result", "two", &got) || s.get("frontier", "one", &got) {
		t.Error("the state has an entry that was never stored")
	}
}

// A crash may cut a line anywhere.
func TestStateDropsALineThatWasCutShort(t *testing.T) {
	name, print := filepath.Join(t.TempDir(), "state"), fingerprint{Format: stateVersion}
	s := openTestState(t, name, print)
	for _, key := range []string{"one", "two"} {
		if err := s.put("result", key, key); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for cut := range whole {
		if err := os.WriteFile(name, whole[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		s := openTestState(t, name, print)
		for _, key := range []string{"one", "two"} {
			var got string
			if !s.get("result", key, &got) {
				err = s.put("result", key, key)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := s.close(); err != nil {
			t.Fatal(err)
		}
		if again, err := os.ReadFile(name); err != nil || string(again) != string(whole) {
			t.Fatalf("file cut at byte %d: error %v, or the file differs after resuming", cut, err)
		}
	}
}

func TestStateRefusesWhatIsNotItsOwn(t *testing.T) {
	name, print := filepath.Join(t.TempDir(), "state"), fingerprint{Format: stateVersion, Version: "1", In: "a", Options: "x"}
	if err := openTestState(t, name, print).close(); err != nil {
		t.Fatal(err)
	}
	for what, other := range map[string]fingerprint{
		"another version":     {Format: stateVersion, Version: "2", In: "a", Options: "x"},
		"documents of --in":   {Format: stateVersion, Version: "1", In: "b", Options: "x"},
		"documents of --test": {Format: stateVersion, Version: "1", In: "a", Test: "t", Options: "x"},
		"of --transfer":       {Format: stateVersion, Version: "1", In: "a", Transfer: "t", Options: "x"},
		"other flags":         {Format: stateVersion, Version: "1", In: "a", Options: "y"},
		"another form":        {Format: stateVersion + 1, Version: "1", In: "a", Options: "x"},
	} {
		if _, err := openState(name, other); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: got error %v", what, err)
		}
	}
	if err := os.WriteFile(name, []byte(`{"hide_experiment":2,"version":"1","in":"a","options":"x"}`+"\n{\n{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := openState(name, print); err == nil || !strings.Contains(err.Error(), "line 2 is damaged") {
		t.Errorf("damaged file: got error %v", err)
	}
}

// An experiment resumes with the same content of dictionaries and structured fields,
// whatever folder the files are in.
func TestFingerprintCoversWhatWasRead(t *testing.T) {
	lists := func(phrases ...string) []dictionary.List {
		return []dictionary.List{{Name: "given", Phrases: phrases}}
	}
	prints := map[string]bool{}
	for _, l := range [][]dictionary.List{nil, lists("Ana"), lists("Ana", "Ruiz"), lists("Ana Ruiz"), append(lists("Ana"), lists("Ruiz")...)} {
		prints[string(hashLists(l))] = true
	}
	if len(prints) != 5 || !bytes.Equal(hashLists(lists("Ana")), hashLists(lists("Ana"))) {
		t.Errorf("%d fingerprints of five different lists, or equal lists differ", len(prints))
	}
	d := annotate.NewNote(annotate.Annotated{Document: annotate.Document{Text: "Ana"}})
	before := hashDocs([]annotate.Note{d})
	if d.Known = []string{"Ana"}; hashDocs([]annotate.Note{d}) == before {
		t.Error("known identifiers of the patient do not change the fingerprint")
	}
}
