// SPDX-License-Identifier: Apache-2.0

package training_test

import (
	"bytes"
	"encoding/hex"
	"io"
	"slices"
	"testing"

	"hide/internal/account"
	"hide/internal/crf"
	"hide/internal/project"
	"hide/internal/project/projecttest"
	"hide/internal/project/training"
)

func (b *bench) mustCard(id project.ID) training.ModelCard {
	b.T.Helper()
	c, err := b.ModelCard(b.T.Context(), projecttest.Reviewer, id)
	if err != nil {
		b.T.Fatal(err)
	}
	return c
}

func TestCardOfAProjectIsThatOfItsNewestModel(t *testing.T) {
	b := newBench(t)
	id := b.NewProject(projecttest.Notes(6), true)
	tr := b.Trained(id)
	c, m := b.mustCard(id), b.newestModel(id)
	if c.Model != tr.Model || c.Finished != tr.Finished || c.Card.Data.Documents != 6 || c.Card.Program != "test" || !slices.Equal(c.Labels, m.Labels()) {
		t.Errorf("card %+v of training %+v", c, tr)
	}
	if hash := m.Hash(); c.Identity != hex.EncodeToString(hash[:]) {
		t.Errorf("identity %s, of the stored model %x", c.Identity, hash)
	}
	if c.Preset != "default" || len(c.Without) != 0 {
		t.Errorf("preset %s without %v", c.Preset, c.Without)
	}
	if c.By != (project.SuggestedBy{Model: tr.Model}) {
		t.Errorf("suggestions are by %+v", c.By)
	}
	if r := c.Check.Report; r == nil || c.Check.Model != tr.Model || r.Binary.Recall != tr.Scores.Recall.Value || r.Calibration.Tokens == nil {
		t.Errorf("check %+v", c.Check)
	}
}

func TestBeforeTheFirstModelACardIsEmptyAndSaysWhatIsMissing(t *testing.T) {
	b := newBench(t)
	id := b.NewProject(projecttest.Notes(2), true)
	c := b.mustCard(id)
	if c.Model != 0 || c.NeedMore != training.TrainFrom-2 || c.Bytes != 0 || c.Identity != "" || c.Check.Report != nil || c.Check.NeedMore != training.TrainFrom-2 || c.By != (project.SuggestedBy{}) {
		t.Errorf("card %+v", c)
	}
	projecttest.WantKind(t, b.WriteModel(t.Context(), projecttest.Broker, id, io.Discard), project.NotFound)
}

func TestAModelThatIsNotShownIsNobodysSuggestion(t *testing.T) {
	b := newBench(t)
	id := b.NewProject(projecttest.Notes(6), true)
	b.Trained(id)
	ws, err := b.Workspace(id)
	if err != nil {
		t.Fatal(err)
	}
	training.HideSuggestions(ws)
	if c := b.mustCard(id); c.By != (project.SuggestedBy{}) || c.Model == 0 {
		t.Errorf("suggestions are by %+v of model %d", c.By, c.Model)
	}
}

func TestModelIsHandedOutToBrokersAndOnRecord(t *testing.T) {
	b := newBench(t)
	id := b.NewProject(projecttest.Notes(6), true)
	b.Trained(id)
	for _, by := range []account.User{projecttest.Annotator, projecttest.Reviewer} {
		var out bytes.Buffer
		projecttest.WantKind(t, b.WriteModel(t.Context(), by, id, &out), project.Forbidden)
		if out.Len() > 0 {
			t.Errorf("%s got %d bytes", by.Role, out.Len())
		}
	}
	_, err := b.ModelCard(t.Context(), projecttest.Annotator, id)
	projecttest.WantKind(t, err, project.Forbidden)
	var out bytes.Buffer
	if err := b.WriteModel(t.Context(), projecttest.Broker, id, &out); err != nil {
		t.Fatal(err)
	}
	c := b.mustCard(id)
	if out.Len() != c.Bytes {
		t.Errorf("%d bytes, the card says %d", out.Len(), c.Bytes)
	}
	m, err := crf.Decode(&out)
	if err != nil {
		t.Fatal(err)
	}
	if hash := m.Hash(); c.Identity != hex.EncodeToString(hash[:]) || len(m.Card().Scores) != 1 {
		t.Errorf("another model than the card's, or one without scores: %+v", m.Card().Scores)
	}
	rows, err := b.Audit(t.Context(), projecttest.Broker, id, 0, 50)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(rows, func(r project.AuditRow) bool {
		return r.Action == "download model" && r.Object == id.Object("models", c.Model)
	}) {
		t.Error("nothing is on record")
	}
}

func TestPresetIsTheOneWithFewestFamiliesLeftOut(t *testing.T) {
	f, _ := crf.Preset("hide")
	usual, _ := crf.Preset("default")
	for _, c := range []struct {
		families []string
		preset   string
		without  []string
	}{
		{f.Names(), "hide", nil},
		{f.Names()[1:], "hide", f.Names()[:1]},
		{f.Names()[:2], "hide", f.Names()[2:]},
		{usual.Names(), "default", nil},
		{[]string{"affix", "shape"}, "", nil},
	} {
		if preset, without := training.PresetOf(c.families); preset != c.preset || !slices.Equal(without, c.without) {
			t.Errorf("%v: preset %q without %v, want %q without %v", c.families, preset, without, c.preset, c.without)
		}
	}
}
