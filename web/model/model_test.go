// SPDX-License-Identifier: Apache-2.0

package model

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/project/training"
	"hide/web/ui"
	"hide/web/webtest"
)

// fakeModel answers the page of the model.
type fakeModel struct {
	*frame
	card training.ModelCard
}

func (f *fakeModel) ModelCard(context.Context, account.User, project.ID) (training.ModelCard, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.card, nil
}

func (f *fakeModel) Training(context.Context, account.User, project.ID) (training.Status, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.card.Status, nil
}

func (f *fakeModel) WriteModel(_ context.Context, _ account.User, _ project.ID, w io.Writer) error {
	_, err := io.WriteString(w, "HIDECRF\n"+webtest.Canary)
	return err
}

// noModel is a project before its first model.
func noModel(t training.Status) *fakeModel {
	return &fakeModel{frame: newFrame(), card: training.ModelCard{Status: t}}
}

// madeModel has a model that has not been checked.
func madeModel() *fakeModel {
	f := noModel(training.Status{Model: 3, Documents: 40, Finished: checkedAt, Took: 12 * time.Second, Offer: training.Offer{Level: 0.8, Patients: 2}})
	c := &f.card
	c.Card.Program, c.Card.Learner = "0.1.0", "crf"
	c.Card.Data.Documents, c.Card.Data.Words, c.Card.Data.TrainedOn, c.Card.Data.Patients = 40, 14334, 14334, 31
	c.Card.Data.Spans = map[annotate.Label]int{"DATE": 90, "DOCTOR": 1204}
	c.Card.Features.Families = []string{"term", "shape", "dictionary"}
	c.Card.Features.Dictionaries = append(c.Card.Features.Dictionaries, struct {
		Name    string `json:"name"`
		Phrases int    `json:"phrases"`
	}{"wards", 41})
	c.Card.Options.MinCount, c.Card.Options.C2, c.Card.Options.Pairs, c.Card.Options.MaxIterations = 2, 0.3, "auto", 150
	c.Card.Training.Status, c.Card.Training.Iterations, c.Card.Training.Attributes = "converged", 48, 80214
	c.Card.Training.Objective, c.Card.Training.Weights, c.Card.Training.Kept = 1204.7, 401070, 212345
	c.Labels = []annotate.Label{"DATE", "DOCTOR"}
	c.Preset, c.Without = "default", []string{"list"}
	c.Identity, c.Bytes = strings.Repeat("0a1b2c3d", 8), 3<<20
	c.Check.Patients = 1
	return f
}

// checkedModel has a checked model whose suggestions are shown.
func checkedModel() *fakeModel {
	f := madeModel()
	f.card.Check = madeErrors().page.Check
	f.card.Check.Report.Token = f.card.Check.Report.Entity
	f.card.Check.Entities = madeEntities()
	f.card.Scores = training.Scores{Folds: 3, Documents: 40, Model: 3, At: checkedAt}
	f.card.Offer.Model, f.card.By = true, project.SuggestedBy{Model: 3}
	return f
}

func modelText(t *testing.T, f *fakeModel, role account.Role) string {
	t.Helper()
	w := newServer(t, f).Get(role, "/p/p1/model")
	if w.Code != http.StatusOK {
		t.Fatalf("status %d", w.Code)
	}
	return w.Body.String()
}

func wantAll(t *testing.T, page string, all ...string) {
	t.Helper()
	for _, want := range all {
		if !strings.Contains(page, want) {
			t.Errorf("no %q", want)
		}
	}
}

func TestBeforeTheFirstModelThePageSaysWhenThereIsOne(t *testing.T) {
	for want, training := range map[string]training.Status{
		"after 2 more finished notes":  {NeedMore: 2},
		"being trained":                {Running: true},
		"after the next finished note": {},
	} {
		page := modelText(t, noModel(training), account.Reviewer)
		wantAll(t, page, "There is no model yet", want)
		if strings.Contains(page, `id="file"`) {
			t.Errorf("%s: there is a file of no model", want)
		}
	}
}

func TestAModelThatWasNotCheckedIsShownWithoutFigures(t *testing.T) {
	page := modelText(t, madeModel(), account.Broker)
	wantAll(t, page,
		"Model 3 was trained on 40 finished notes of 31 patients in 12 s, with hide 0.1.0.", "Annotators do not see its suggestions yet.", "finished notes of 1 more patient",
		"40 documents, 14,334 words, 31 patients.", `DOCTOR</th><td class="number">1,204</td>`,
		"The standard features, without list.", `shape</th><td>the order of capitals, small letters`, `wards</th><td class="number">41</td>`,
		"minimum count 2, c2 0.3, pairs auto, at most 150 iterations", "converged, 48 iterations", "80,214 attributes",
		"3 MB (3,145,728 bytes)", strings.Repeat("0a1b2c3d", 8),
		"The model has not been checked yet. The model is tested on notes of patients that it has not seen. Finish notes of 1 more patient.",
	)
	if strings.Contains(page, `id="calibration"`) || strings.Contains(page, `#calibration`) {
		t.Error("there is calibration of what was not checked")
	}
	if first, second := strings.Index(page, "DOCTOR</th>"), strings.Index(page, "DATE</th>"); first > second {
		t.Error("the label with most spans is not first")
	}
}

func TestACheckedModelIsShownWithItsFigures(t *testing.T) {
	page := modelText(t, checkedModel(), account.Broker)
	wantAll(t, page,
		"Annotators see its suggestions.", "4 of 40 notes (10.0 % [2.0–20.0])", "40 finished notes, in 3 parts", "with model 3.",
		ui.NotRandomWords, `aria-label="Spans by label, table"`, `aria-label="Words by label, table"`, "90.0 % [80.0–95.0]",
		"Expected calibration error", `id="reliability-tokens-title"`, `href="/p/p1/errors"`,
	)
	if strings.Contains(page, "The figures are of model") {
		t.Error("figures of this model are said to be another's")
	}
}

func TestThePageSaysWhichModelItsFiguresAreOf(t *testing.T) {
	f := checkedModel()
	f.card.Model = 4
	wantAll(t, modelText(t, f, account.Broker), "The figures are of model 3, which was trained with the same settings.")
	f.card.Scores = training.Scores{}
	wantAll(t, modelText(t, f, account.Broker), "The figures are of model 3, which was trained with other settings. This model has not been checked.")
}

func TestThePageSaysWhoseSuggestionsAreSeen(t *testing.T) {
	f := checkedModel()
	f.card.By = project.SuggestedBy{Model: 3, Detector: true, Run: 2}
	wantAll(t, modelText(t, f, account.Reviewer), "those of the detector of run 2 where it finds more. The figures below are of the model alone.")
}

// TestReviewersGetTheFiguresAndNoFile: a model contains words of notes.
func TestReviewersGetTheFiguresAndNoFile(t *testing.T) {
	f := checkedModel()
	page := modelText(t, f, account.Reviewer)
	for _, beyond := range []string{"/download/model", "/p/p1/errors"} {
		if strings.Contains(page, beyond) {
			t.Errorf("reviewers are led to %s", beyond)
		}
	}
	s := newServer(t, f)
	for role, want := range map[account.Role]int{account.Reviewer: http.StatusForbidden, account.Annotator: http.StatusForbidden, account.Broker: http.StatusOK} {
		w := s.Get(role, "/p/p1/download/model")
		if w.Code != want || strings.Contains(w.Body.String(), webtest.Canary) != (want == http.StatusOK) {
			t.Errorf("%s: status %d, want %d", role, w.Code, want)
		}
	}
	if w := s.Get(account.Broker, "/p/p1/download/model"); w.Header().Get("Content-Disposition") != `attachment; filename="p1-model"` {
		t.Errorf("it is handed out as %q", w.Header().Get("Content-Disposition"))
	}
	wantAll(t, modelText(t, f, account.Broker), `href="/p/p1/download/model"`, "The file contains words of the notes, also names")
}

var textWord = regexp.MustCompile(`[\p{L}]{4,}`)

// TestTheModelsPageHasNoWordOfItsNotes reads, as a reviewer, the page of a real model. The
// words of its notes are in no text of a page.
func TestTheModelsPageHasNoWordOfItsNotes(t *testing.T) {
	s, id := webtest.RealNotes(t, t.TempDir(), webtest.HardNotes(9))
	webtest.Checked(t, s, id)
	w := newServer(t, s).Get(account.Reviewer, "/p/"+string(id)+"/model")
	page := w.Body.String()
	if w.Code != http.StatusOK || !strings.Contains(page, "9 documents") || !strings.Contains(page, ">Accuracy</h2>") || !strings.Contains(page, "with hide test.") {
		t.Fatalf("status %d, and not the page of a checked model", w.Code)
	}
	seen := map[string]bool{}
	for _, word := range textWord.FindAllString(page, -1) {
		seen[word] = true
	}
	for _, name := range []string{"Abel", "Brandt", "Castro", "Dupont", "Egger", "Farkas", "Gruber", "cough", "rash", "Lungs", "Seen", "note-0"} {
		if seen[name] || strings.Contains(page, "Dr. "+name) {
			t.Errorf("the page has %q", name)
		}
	}
}

func TestTheModelsPageHearsOfANewerModelAndCheck(t *testing.T) {
	f := checkedModel()
	s := newServer(t, f)
	page := s.Get(account.Reviewer, "/p/p1/model").Body.String()
	asked := url.Values{"model": {"3"}, "checked": {stamp(checkedAt)}}
	wantAll(t, page, "model=3", "checked="+url.QueryEscape(stamp(checkedAt)))
	shown := func() string {
		return webtest.LivePart(t, New(f), account.Reviewer, "model", asked)
	}
	if strings.Contains(shown(), "<p") {
		t.Errorf("there is news of nothing: %s", shown())
	}
	f.change(func() { f.card.Running = true })
	wantAll(t, shown(), "being trained or checked")
	f.change(func() { f.card.Scores.At = checkedAt.Add(time.Second) })
	wantAll(t, shown(), "The model has been checked again.")
	f.change(func() { f.card.Model = 4 })
	wantAll(t, shown(), "There is a newer model: model 4.", `href="/p/p1/model"`)
	asked.Set("model", "0")
	wantAll(t, shown(), "The first model is ready.")
}

func TestModelSaysThatItsNotesAreNotEnglish(t *testing.T) {
	const said = "The notes are not English"
	f := madeModel()
	if strings.Contains(modelText(t, f, account.Broker), said) {
		t.Error("a model of English notes says so")
	}
	f.card.Card.Features.NotEnglish = true
	wantAll(t, modelText(t, f, account.Broker), said)
}
