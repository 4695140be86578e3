// SPDX-License-Identifier: Apache-2.0

package model

import (
	"context"
	"fmt"
	"math"
	"net/url"
	"time"

	"github.com/a-h/templ"

	"hide/internal/account"
	"hide/internal/chart"
	"hide/internal/project"
	"hide/internal/project/training"
	"hide/web/ui"
)

// Training is the strip that says what the model is doing.
type Training struct {
	Project project.ID
	training.Status
	Now time.Time
}

func (h *Handlers) renderTraining(ctx context.Context, u account.User, id project.ID, _ url.Values) (templ.Component, error) {
	t, err := h.projects.Training(ctx, u, id)
	if err != nil {
		return nil, err
	}
	return Strip(Training{id, t, time.Now()}), nil
}

func (h *Handlers) startTraining(c ui.Context) error {
	return h.trainingAsked(c, h.projects.Train(c.Request().Context(), ui.User(c), ui.ProjectID(c)))
}

func (h *Handlers) trainOnAll(c ui.Context) error {
	err := h.projects.TrainOnAll(c.Request().Context(), ui.User(c), ui.ProjectID(c))
	return h.askedOnCard(c, err)
}

func (h *Handlers) checkNow(c ui.Context) error {
	err := h.projects.CheckNow(c.Request().Context(), ui.User(c), ui.ProjectID(c))
	return h.askedOnCard(c, err)
}

// askedOnCard shows the page of the model again.
func (h *Handlers) askedOnCard(c ui.Context, err error) error {
	if err != nil {
		return err
	}
	return ui.Back(c, "/p/"+string(ui.ProjectID(c))+"/model")
}

func (h *Handlers) cancelTraining(c ui.Context) error {
	return h.trainingAsked(c, h.projects.CancelTraining(c.Request().Context(), ui.User(c), ui.ProjectID(c)))
}

// trainingAsked answers a script with the strip, and sends a browser back to the notes.
func (h *Handlers) trainingAsked(c ui.Context, err error) error {
	if err != nil {
		return err
	}
	if !ui.IsFragment(c.Request()) {
		return ui.Back(c, "/p/"+string(ui.ProjectID(c))+"/annotate")
	}
	strip, err := h.renderTraining(c.Request().Context(), ui.User(c), ui.ProjectID(c), nil)
	if err != nil {
		return err
	}
	return ui.Fragment(c, strip)
}

// progressWords describes the running training and its progress.
func (t Training) progressWords() string {
	switch {
	case t.Running && t.Phase == "training" && t.Learning == 0:
		return "Preparing to train"
	case t.Running && t.Phase == "checking":
		return fmt.Sprintf("Checking on notes that were not used for training, %s so far", ui.Seconds(t.Elapsed))
	case t.Running && t.Phase == "suggesting":
		return fmt.Sprintf("Reading the open notes, %s so far", ui.Seconds(t.Elapsed))
	case t.Running:
		return fmt.Sprintf("Training on %s: iteration %d, objective %s, %s so far",
			ui.Count(t.Learning, "note", "notes"), t.Iteration, objective(t.Objective), ui.Seconds(t.Elapsed))
	case t.Queued:
		return "Waiting to train"
	}
	return ""
}

// modelWords describes the newest model and its recall.
func (t Training) modelWords() string {
	if t.Model == 0 {
		return ""
	}
	words := fmt.Sprintf("Model %d, %s", t.Model, ui.Count(t.Documents, "note", "notes"))
	if t.Of > t.Documents {
		words = fmt.Sprintf("Model %d, %s of %s notes", t.Model, ui.Number(t.Documents), ui.Number(t.Of))
	}
	if t.Scores.Documents > 0 {
		r := t.Scores.Recall
		words += fmt.Sprintf(", recall %s%s", ui.Percent(r.Value), chart.Bracket(r, ui.WholePercent))
	}
	if age := t.checkAge(); age != "" {
		words += " (" + age + ")"
	}
	return words
}

// checkAge says how old the figures are: "checked at 180 notes, 12 notes ago"; "" when they
// are of the newest model, or there are none.
func (t Training) checkAge() string {
	old := ui.CheckedModel(t.Status)
	switch at := t.Scores.Finished; {
	case old == 0:
		return ""
	case at == 0 || at >= t.Done:
		return fmt.Sprintf("checked with model %d", old)
	default:
		return fmt.Sprintf("checked at %s, %s ago", ui.Count(at, "note", "notes"), ui.Count(t.Done-at, "note", "notes"))
	}
}

// sampleWords says how the notes to train on were chosen; "" when there was no choice.
func (t Training) sampleWords() string {
	if t.Model == 0 || t.Of <= t.Documents {
		return ""
	}
	return fmt.Sprintf("Trained on %s of %s finished notes, chosen to hold every label, many patients and all kinds of note.", ui.Number(t.Documents), ui.Number(t.Of))
}

// scoresWords is the small print under modelWords.
func (t Training) scoresWords() string {
	p := t.Scores.Precision
	words := fmt.Sprintf("Precision %s%s. By token, cross-validated on %s in %d parts",
		ui.Percent(p.Value), chart.Bracket(p, ui.WholePercent), ui.Count(t.Scores.Documents, "note", "notes"), t.Scores.Folds)
	if !t.Scores.Random {
		words += ", " + ui.NotRandomWords
	}
	return words + "."
}

// modelWaits says why the model's suggestions are not shown; "" when they are shown or
// there is no model.
func (t Training) modelWaits() string {
	switch o := t.Offer; {
	case t.Model == 0 || o.Model:
		return ""
	case t.Scores.Documents > 0:
		r := t.Scores.Recall
		return fmt.Sprintf("Its suggestions are not shown yet: recall %s%s, required %s.", ui.Percent(r.Value), chart.Bracket(r, ui.WholePercent), ui.Percent(o.Level))
	case o.Patients < training.CheckFrom:
		return fmt.Sprintf("Its suggestions are not shown until it is checked. The check needs finished notes of %s.", ui.Count(training.CheckFrom-o.Patients, "more patient", "more patients"))
	}
	return "Its suggestions are not shown until it has been checked."
}

// rulesSuggest says what rules suggest; "" when they are off or a model suggests.
func (t Training) rulesSuggest() string {
	o := t.Offer
	var shown []string
	for _, r := range o.ByRules {
		if r.Shown {
			shown = append(shown, ui.LabelWords(r.Label))
		}
	}
	switch {
	case !o.Rules || o.Model:
		return ""
	case o.Level == 0:
		return "Rules suggest until there is a model."
	case t.NeedMore > 0 && len(o.ByRules) == 0:
		return "Rules suggest as soon as finished notes show their recall."
	case len(shown) == 0:
		return "The recall of the rules is too low to suggest anything yet."
	}
	return "Rules suggest " + ui.Listed(shown) + " meanwhile."
}

// ruleWords describes the rules' recall of one label.
func ruleWords(r training.RuleRecall) string {
	words := fmt.Sprintf("%s: recall %s%s in %s", ui.LabelWords(r.Label), ui.Percent(r.Recall.Value), chart.Bracket(r.Recall, ui.WholePercent), ui.Count(r.Documents, "note", "notes"))
	if !r.Shown {
		words += ", not shown"
	}
	return words
}

func objective(f float64) string {
	if f == 0 || math.IsNaN(f) {
		return "–"
	}
	return ui.Number(int(math.Round(f)))
}
