// SPDX-License-Identifier: Apache-2.0

package training

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/annotate/format"
	"hide/internal/crf"
	"hide/internal/project"
	"hide/internal/store"
)

// bench is the services that a model needs.
type bench struct {
	*Service
	t     testing.TB
	dir   string
	store *store.Store
}

var broker = account.User{ID: "u-broker", Name: "Bea", Role: account.Broker}

func (b *bench) open() {
	b.t.Helper()
	var err error
	if b.store, err = store.Open(store.Options{Dir: b.dir, Create: true}); err != nil {
		b.t.Fatal(err)
	}
	projects, err := project.New(b.store, project.Options{Releases: filepath.Join(b.dir, "releases"), Version: "test"})
	if err != nil {
		b.t.Fatal(err)
	}
	b.Service = New(projects)
}

func (b *bench) close() {
	b.t.Helper()
	if err := errors.Join(b.projects.Close(context.Background()), b.store.Close()); err != nil {
		b.t.Error(err)
	}
}

// trained waits until no training runs or waits.
func (b *bench) trained(id project.ID) Status {
	b.t.Helper()
	for deadline := time.Now().Add(3 * time.Minute); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		tr, err := b.Training(b.t.Context(), broker, id)
		if err != nil {
			b.t.Fatal(err)
		}
		if tr.Model > 0 && !tr.Running && !tr.Queued {
			return tr
		}
	}
	b.t.Fatal("waited too long for a model")
	return Status{}
}

// trainable are n notes of as many patients.
func trainable(n int) string {
	var b strings.Builder
	for i := range n {
		name := []string{"Abel", "Brandt", "Castro", "Dupont", "Egger", "Farkas"}[i%6]
		text := fmt.Sprintf("Patient: %s seen on %d/%d/2019 for cough and fever. Mr. %s left well.", name, i%12+1, i%27+1, name)
		last := strings.LastIndex(text, name)
		fmt.Fprintf(&b, `{"id":"note-%d","patient":"p%d","text":%q,"spans":[{"start":9,"end":%d,"label":"PATIENT"},{"start":%d,"end":%d,"label":"PATIENT"}]}`+"\n", i, i, text, 9+len(name), last, last+len(name))
	}
	return b.String()
}

// trained is a project with a model that is shown, and what it was trained on.
func trained(t testing.TB) (b *bench, ws *workspace, c project.Corpus, docs []annotate.View) {
	t.Helper()
	return trainedOn(t, trainable(6))
}

// trainedOn is a project with a model of these notes, and what it was trained on.
func trainedOn(t testing.TB, notes string) (b *bench, ws *workspace, c project.Corpus, docs []annotate.View) {
	t.Helper()
	b = &bench{t: t, dir: filepath.Join(t.TempDir(), "data")}
	b.open()
	t.Cleanup(func() { b.close() })
	p, err := b.projects.Create(t.Context(), broker, "Ward 7", nil)
	if err != nil {
		t.Fatal(err)
	}
	b.add(p.ID, notes)
	b.trained(p.ID)
	if ws, err = b.enter(broker, account.ManageWork, p.ID); err != nil {
		t.Fatal(err)
	}
	if c, err = ws.Snapshot(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !ws.known().Shown {
		t.Fatalf("the first model is not shown: %+v", ws.known())
	}
	return b, ws, c, c.Views()
}

// add imports finished notes.
func (b *bench) add(id project.ID, notes string) {
	b.t.Helper()
	file := format.File{Name: "notes.jsonl", Size: int64(len(notes)), Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(notes)), nil }}
	if _, err := b.projects.Import(b.t.Context(), broker, id, []format.File{file}, project.ImportOptions{Finished: true}); err != nil {
		b.t.Fatal(err)
	}
}

// known is what is known of the newest model.
func (ws *workspace) known() modelInfo {
	ws.mu.RLock()
	defer ws.mu.RUnlock()
	return ws.model.info
}

func TestAModelTrainedOtherwiseIsNotMeasuredYet(t *testing.T) {
	b, ws, c, docs := trained(t)
	before := ws.known()
	if err := b.learn(t.Context(), ws, c, len(docs), nil, optionsOf(ws.Settings())); err != nil {
		t.Fatal(err)
	}
	if again := ws.known(); !again.Shown || again.Scores != before.Scores || again.Number != before.Number+1 {
		t.Errorf("trained alike: %+v, before it %+v", again, before)
	}
	other := optionsOf(ws.Settings())
	other.Features = crf.Term
	if err := b.learn(t.Context(), ws, c, len(docs), nil, other); err != nil {
		t.Fatal(err)
	}
	if got := ws.known(); got.Shown || got.Scores != (Scores{}) {
		t.Errorf("trained otherwise, it is shown: %v, with scores of %d notes", got.Shown, got.Scores.Documents)
	}
}

func TestALevelThatIsRaisedDuringATrainingHolds(t *testing.T) {
	b, ws, _, _ := trained(t)
	info, model := ws.known(), ws.model.model
	info.Scores.Recall.Value = 0.9
	info.Number++
	set := ws.Settings()
	set.MinRecall = 1
	if err := b.projects.SetSettings(t.Context(), broker, ws.ID, set); err != nil {
		t.Fatal(err)
	}
	ws.swap(info, model)
	if ws.known().Shown {
		t.Error("a model with a recall of 90 % is shown at a level of 100 %")
	}
}

func TestACheckThatIsNotStoredChangesNothing(t *testing.T) {
	b, ws, c, docs := trained(t)
	nowhere := &workspace{Workspace: &project.Workspace{ID: "p99"}, service: b.Service, train: ws.train, check: ws.check}
	nowhere.model.model, nowhere.model.info = ws.model.model, modelInfo{Number: 7}
	if err := b.checkOn(t.Context(), nowhere, c, len(docs), optionsOf(ws.Settings())); err == nil {
		t.Fatal("a check was stored in no project")
	}
	if got := nowhere.known(); got.Shown || got.Scores != (Scores{}) {
		t.Errorf("shown: %v, with scores of %d notes", got.Shown, got.Scores.Documents)
	}
}

func TestACheckMeasuresTheOptionsOfItsTraining(t *testing.T) {
	b, ws, c, docs := trained(t)
	before := ws.known().Scores.Recall.Value
	weak := optionsOf(ws.Settings())
	weak.C2 = 1000 // the most that settings allow
	if err := b.checkOn(t.Context(), ws, c, len(docs), weak); err != nil {
		t.Fatal(err)
	}
	if after := ws.known().Scores.Recall.Value; after >= before {
		t.Errorf("recall %.2f with hardly any weights, %.2f before", after, before)
	}
}

func TestAModelOfAnEarlierProgramLeavesItsNumber(t *testing.T) {
	b, ws, _, _ := trained(t)
	id, number := ws.ID, ws.known().Number
	err := b.projects.Update(id, project.EventBy(broker, "test", id.Object("models")), func(tx *store.Tx) error {
		raw, err := tx.Get(bucketModels, modelKey)
		if err != nil {
			return err
		}
		raw = slices.Clone(raw)
		raw[len("HIDECRF\n")] = 1 // the version
		return tx.Put(bucketModels, modelKey, raw)
	})
	if err != nil {
		t.Fatal(err)
	}
	b.close()
	b.open()
	if tr, err := b.Training(t.Context(), broker, id); err != nil || tr.Model != 0 {
		t.Errorf("before it is trained anew: model %d, %v", tr.Model, err)
	}
	n, err := b.projects.Note(t.Context(), broker, id, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, verb := range []annotate.Verb{annotate.VerbReopen, annotate.VerbFinish} {
		if n, err = b.projects.Edit(t.Context(), broker, id, 1, n.Layer.Revision, annotate.Edit{Verb: verb}); err != nil {
			t.Fatal(err)
		}
	}
	if got := b.trained(id).Model; got <= number {
		t.Errorf("the next model is number %d, after number %d", got, number)
	}
}
