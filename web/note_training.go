// SPDX-License-Identifier: Apache-2.0

package web

import (
	"context"
	"fmt"
	"math"
	"net/url"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"hide/internal/account"
	"hide/internal/chart"
	"hide/internal/project"
	"hide/internal/project/training"
)

// trainingView is the strip that says what the model is doing.
type trainingView struct {
	Project project.ID
	training.Status
	Now time.Time
}

func (s *Server) renderTraining(ctx context.Context, u account.User, id project.ID, _ url.Values) (templ.Component, error) {
	t, err := s.projects.Training(ctx, u, id)
	if err != nil {
		return nil, err
	}
	return trainingStrip(trainingView{id, t, s.now()}), nil
}

func (s *Server) startTraining(c echo.Context) error {
	return s.trainingAsked(c, s.projects.Train(c.Request().Context(), user(c), projectID(c)))
}

func (s *Server) cancelTraining(c echo.Context) error {
	return s.trainingAsked(c, s.projects.CancelTraining(c.Request().Context(), user(c), projectID(c)))
}

// trainingAsked answers with the strip as it is now, or sends a browser back to
// work.
func (s *Server) trainingAsked(c echo.Context, err error) error {
	if err != nil {
		return err
	}
	if !isFragment(c.Request()) {
		return s.back(c, "/p/"+string(projectID(c))+"/annotate")
	}
	strip, err := s.renderTraining(c.Request().Context(), user(c), projectID(c), nil)
	if err != nil {
		return err
	}
	return s.fragment(c, strip)
}

// doing says what the running training is at, and how far.
func (t trainingView) doing() string {
	switch {
	case t.Running && t.Phase == "checking":
		return fmt.Sprintf("Checking on notes it has not seen, %s so far", seconds(t.Elapsed))
	case t.Running && t.Phase == "suggesting":
		return fmt.Sprintf("Reading the open notes, %s so far", seconds(t.Elapsed))
	case t.Running:
		return fmt.Sprintf("Learning from %s: iteration %d, objective %s, %s so far",
			count(t.Learning, "note", "notes"), t.Iteration, objective(t.Objective), seconds(t.Elapsed))
	case t.Queued:
		return "Waiting to learn"
	}
	return ""
}

// knows says what the newest model is worth.
func (t trainingView) knows() string {
	if t.Model == 0 {
		return ""
	}
	words := fmt.Sprintf("Model %d, %s", t.Model, count(t.Documents, "note", "notes"))
	if t.Scores.Documents > 0 {
		r := t.Scores.Recall
		words += fmt.Sprintf(", recall %s%s", percent(r.Value), chart.Bracket(r, wholePercent))
	}
	if old := checkedWith(t.Status); old > 0 {
		words += fmt.Sprintf(" (checked with model %d)", old)
	}
	return words
}

// scoresWords is the small print under knows.
func (t trainingView) scoresWords() string {
	p := t.Scores.Precision
	words := fmt.Sprintf("Precision %s%s. Share of tokens, checked on %s in %d parts that the model had not seen",
		percent(p.Value), chart.Bracket(p, wholePercent), count(t.Scores.Documents, "note", "notes"), t.Scores.Folds)
	if !t.Scores.Random {
		words += ", " + notRandomWords
	}
	return words + "."
}

func objective(f float64) string {
	if f == 0 || math.IsNaN(f) {
		return "–"
	}
	return number(int(math.Round(f)))
}
