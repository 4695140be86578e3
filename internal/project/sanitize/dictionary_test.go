// SPDX-License-Identifier: Apache-2.0

package sanitize_test

import (
	"testing"

	"hide/internal/annotate/dictionary"
	"hide/internal/crf"
	"hide/internal/project/projecttest"
	"hide/internal/project/training"
)

func TestTheModelThatNamesPlaceholdersKnowsTheDictionaries(t *testing.T) {
	b := newBench(t)
	id := b.FinishedProject(projecttest.Notes(6))
	lists := []dictionary.List{{Name: "surnames", Phrases: []string{"Abel", "Brandt", "Castro"}}}
	if err := b.AddDictionaries(t.Context(), projecttest.Broker, id, []training.DictionaryFile{{Name: "names", Lists: lists}}); err != nil {
		t.Fatal(err)
	}
	ws, err := b.Workspace(id)
	if err != nil {
		t.Fatal(err)
	}
	c, err := ws.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	namer, err := b.Namer(t.Context(), ws, c)
	if err != nil {
		t.Fatal(err)
	}
	if got := namer.Card().Features.Dictionaries; len(got) != 1 || got[0] != (crf.CardDictionary{Name: "surnames", Phrases: 3}) {
		t.Errorf("the model that names placeholders keeps %+v", got)
	}
}
