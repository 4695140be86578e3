// SPDX-License-Identifier: Apache-2.0

package api

import (
	"flag"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"hide/internal/greedy"
	"hide/internal/option"
	"hide/internal/project/sanitize"
	"hide/web/ui"
)

// estimate is a figure with its 95 % interval.
type estimate struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

func estimateOf(e greedy.Estimate) estimate { return estimate{e.Value, e.Low, e.High} }

// run is a run of GreedySanitize, without text of notes.
type run struct {
	ID        string     `json:"id"`
	Name      string     `json:"name,omitempty"`
	State     string     `json:"state"`
	Mode      string     `json:"mode"`
	Started   time.Time  `json:"started"`
	Ended     *time.Time `json:"ended,omitempty"`
	By        string     `json:"by"`
	Notes     int        `json:"notes"`   // finished notes that it used
	Changed   bool       `json:"changed"` // notes have changed since
	Doing     string     `json:"doing,omitempty"`
	Share     float64    `json:"share"` // of the work that is done, from 0 to 1, approximate
	Error     string     `json:"error,omitempty"`
	Chosen    string     `json:"chosen,omitempty"`   // what was last chosen, in words
	Target    string     `json:"target,omitempty"`   // the target and its basis, in words
	Choosable bool       `json:"choosable"`          // an L/C of it can still be chosen
	Results   []result   `json:"results,omitempty"`  // by L/C; of one run only
	Warnings  []string   `json:"warnings,omitempty"` // of one run only
}

// result is what a run found for one L/C.
type result struct {
	LC     float64 `json:"lc"`
	Done   bool    `json:"done"`
	Rounds []round `json:"rounds"`
	figures
}

// figures are those of the text as it would be published; missing before the first round.
type figures struct {
	Loss              *estimate `json:"loss,omitempty"`               // T(H), with C = 1
	Residual          *estimate `json:"residual_tokens,omitempty"`    // FN(H)
	IdentifiersMissed *estimate `json:"identifiers_missed,omitempty"` // whole spans of which a token remains
	NotesWithLeak     *estimate `json:"notes_with_leak,omitempty"`
	OverRedacted      *estimate `json:"over_redacted_tokens,omitempty"` // FP(H)
	Published         *estimate `json:"published_share,omitempty"`
	Holds             bool      `json:"holds"`             // the figures hold for the notes to be published
	Because           string    `json:"because,omitempty"` // why they do not
}

type round struct {
	Number    int     `json:"number"`
	Learner   string  `json:"learner"`
	Threshold float64 `json:"threshold"`
	TP        int     `json:"tp"`
	FP        int     `json:"fp"`
	FN        int     `json:"fn"`
	TN        int     `json:"tn"`
	Accepted  bool    `json:"accepted"`
}

func runOf(r *sanitize.Run) run {
	out := run{
		ID: strconv.Itoa(r.Number), Name: r.Name, State: string(r.State), Mode: string(r.Params.Mode), Started: r.Started.UTC(), By: r.By,
		Notes: r.Documents, Changed: r.Changed, Doing: r.Progress.Doing, Share: r.Progress.Share, Error: r.Error, Chosen: r.ChosenWords(),
		Choosable: r.State == sanitize.Finished && !r.Forgotten,
	}
	if r.Target != nil && r.Target.Done() {
		out.Target = r.TargetWords()
	}
	if !r.Ended.IsZero() {
		ended := r.Ended.UTC()
		out.Ended = &ended
	}
	return out
}

func resultOf(r *sanitize.Run, c sanitize.Result) result {
	out := result{LC: c.LC, Done: c.Done, Rounds: []round{}}
	for _, k := range c.Rounds {
		out.Rounds = append(out.Rounds, round{k.Number, k.Learner, k.Threshold, k.Counts.TP, k.Counts.FP, k.Counts.FN, k.Counts.TN, k.Accepted})
	}
	validity := r.Validity(c.LC)
	out.Holds, out.Because = validity.Hold, validity.Because
	if c.Outcome.Tokens == 0 {
		return out
	}
	o := c.Outcome
	for _, f := range []struct {
		to   **estimate
		from greedy.Estimate
	}{{&out.Loss, o.Loss}, {&out.Residual, o.Residual}, {&out.IdentifiersMissed, o.IdentifiersMissed}, {&out.NotesWithLeak, o.DocumentsWithLeak},
		{&out.OverRedacted, o.FalsePositives}, {&out.Published, o.PublishedRatio}} {
		e := estimateOf(f.from)
		*f.to = &e
	}
	return out
}

// listRuns lists the runs, newest first.
func (h *Handlers) listRuns(c ui.Context) error {
	all, err := h.runs.Runs(c.Request().Context(), ui.User(c), ui.ProjectID(c))
	if err != nil {
		return err
	}
	out := []run{}
	for i := range all {
		out = append(out, runOf(&all[i]))
	}
	return c.JSON(http.StatusOK, map[string]any{"runs": out})
}

// run describes one run with its figures.
func (h *Handlers) run(c ui.Context) error {
	n, err := number(c, "run")
	if err != nil {
		return err
	}
	r, err := h.runs.RunFigures(c.Request().Context(), ui.User(c), ui.ProjectID(c), n)
	if err != nil {
		return err
	}
	out := runOf(r)
	out.Warnings, out.Results = append([]string{}, r.Warnings()...), []result{}
	for _, choice := range r.Choices {
		out.Results = append(out.Results, resultOf(r, choice))
	}
	return c.JSON(http.StatusOK, out)
}

// startRun starts a run with the options of hide sanitize, each a text as a flag takes it.
func (h *Handlers) startRun(c ui.Context) error {
	var asked struct {
		Options map[string]string `json:"options"`
	}
	if err := readJSON(c, &asked); err != nil {
		return err
	}
	p, err := readRunOptions(asked.Options)
	if err != nil {
		return err
	}
	n, err := h.runs.StartSanitize(c.Request().Context(), ui.User(c), ui.ProjectID(c), p)
	if err != nil {
		return err
	}
	c.Response().Header().Set("Location", at(c, "runs", n))
	return c.JSON(http.StatusAccepted, map[string]string{"id": strconv.Itoa(n)})
}

// readRunOptions reads options as the flags of hide sanitize.
func readRunOptions(asked map[string]string) (p sanitize.Params, err error) {
	f := flag.NewFlagSet("run", flag.ContinueOnError)
	sanitize.Options.Bind(f, &p)
	for name, text := range asked {
		if f.Lookup(name) == nil {
			return p, badRequest("options: at least one name is unknown.", "The options are "+ui.Listed(sanitize.Options.In(option.Command).Names())+".")
		}
		if err := f.Set(name, text); err != nil {
			return p, badOption(option.Refused(f), err)
		}
	}
	if unused := sanitize.Options.Unused(f, &p); unused != nil {
		return p, badOption(unused, nil)
	}
	return p, nil
}

func badOption(p *option.Problem, err error) error {
	if p == nil {
		return badRequest("options: "+err.Error()+".", "")
	}
	return refused(http.StatusUnprocessableEntity, "An option cannot be used", "options."+p.Name+": "+p.Text+".", "", map[string]any{"kind": "option", "option": p.Name})
}

// at is the address of a numbered thing of the project.
func at(c ui.Context, kind string, n int) string {
	return fmt.Sprintf(ui.APIBase+"/projects/%s/%s/%d", url.PathEscape(string(ui.ProjectID(c))), kind, n)
}

// choose makes a redaction model of an L/C of a run, or of its target.
func (h *Handlers) choose(c ui.Context) error {
	n, err := number(c, "run")
	if err != nil {
		return err
	}
	var asked struct {
		LC     *float64 `json:"lc"`
		Target bool     `json:"target"`
	}
	if err := readJSON(c, &asked); err != nil {
		return err
	}
	if (asked.LC != nil) == asked.Target {
		return badRequest(`The body names no choice, or two.`, `Send "lc" with an L/C of the run, or "target": true.`)
	}
	var b sanitize.Bundle
	if asked.Target {
		b, err = h.runs.ChooseTarget(c.Request().Context(), ui.User(c), ui.ProjectID(c), n)
	} else {
		b, err = h.runs.Choose(c.Request().Context(), ui.User(c), ui.ProjectID(c), n, *asked.LC)
	}
	if err != nil {
		return err
	}
	return c.JSON(http.StatusCreated, modelOf(b))
}

// cancelRun cancels the running run; its results so far stay.
func (h *Handlers) cancelRun(c ui.Context) error {
	return noContent(c, h.runs.CancelSanitize(c.Request().Context(), ui.User(c), ui.ProjectID(c)))
}

// resumeRun continues a run that was cancelled, or that the server did not finish.
func (h *Handlers) resumeRun(c ui.Context) error {
	n, err := number(c, "run")
	if err != nil {
		return err
	}
	if err := h.runs.ResumeSanitize(c.Request().Context(), ui.User(c), ui.ProjectID(c), n); err != nil {
		return err
	}
	return c.NoContent(http.StatusAccepted)
}

// noContent answers that something was done, unless err says that it was not.
func noContent(c ui.Context, err error) error {
	if err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}

// trainingStatus is the state of the training.
type trainingStatus struct {
	Model     string          `json:"model,omitempty"` // of the newest model; missing before the first
	Notes     int             `json:"notes"`           // that it was trained on
	Finished  int             `json:"finished"`        // finished notes now
	Running   bool            `json:"running"`
	Waiting   bool            `json:"waiting"`
	Phase     string          `json:"phase,omitempty"`
	Iteration int             `json:"iteration"`
	Error     string          `json:"error,omitempty"`
	NeedMore  int             `json:"need_more"` // finished notes that the first training still needs
	Scores    *trainingScores `json:"scores,omitempty"`
}

type trainingScores struct {
	Precision estimate  `json:"precision"`
	Recall    estimate  `json:"recall"`
	Notes     int       `json:"notes"`
	Folds     int       `json:"folds"`
	Random    bool      `json:"random"`
	Model     string    `json:"model"`
	At        time.Time `json:"at"`
}

func (h *Handlers) training(c ui.Context) error {
	t, err := h.runs.Training(c.Request().Context(), ui.User(c), ui.ProjectID(c))
	if err != nil {
		return err
	}
	out := trainingStatus{Notes: t.Documents, Finished: t.Done, Running: t.Running, Waiting: t.Queued, Phase: t.Phase, Iteration: t.Iteration, Error: t.Error, NeedMore: t.NeedMore}
	if t.Model > 0 {
		out.Model = strconv.Itoa(t.Model)
	}
	if s := t.Scores; s.Documents > 0 {
		out.Scores = &trainingScores{estimateOf(s.Precision), estimateOf(s.Recall), s.Documents, s.Folds, s.Random, strconv.Itoa(s.Model), s.At.UTC()}
	}
	return c.JSON(http.StatusOK, out)
}

// train starts a training of the model that suggests.
func (h *Handlers) train(c ui.Context) error {
	if err := h.runs.Train(c.Request().Context(), ui.User(c), ui.ProjectID(c)); err != nil {
		return err
	}
	return c.NoContent(http.StatusAccepted)
}

func (h *Handlers) cancelTraining(c ui.Context) error {
	return noContent(c, h.runs.CancelTraining(c.Request().Context(), ui.User(c), ui.ProjectID(c)))
}
