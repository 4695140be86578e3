// SPDX-License-Identifier: Apache-2.0

package review

import (
	"cmp"
	"context"
	"net/url"
	"slices"

	"hide/internal/account"
	"hide/internal/greedy/audit"
	"hide/internal/project"
	"hide/internal/project/release"
	"hide/internal/project/review"
	"hide/internal/project/sanitize"
	"hide/web/ui"
)

// live is what the live parts of a session show: the same to all members with a role.
type live struct {
	review.Session
	Broker   bool
	Progress *review.Progress // nil before passages are drawn, and when Gone is set
	Forecast review.Forecast
	Game     *review.GameState // the last one, nil for none
	Gone     string            // why the reading cannot be shown any more
	Present  []string          // names of members who have the page open
	Draw     *review.Draw      // that is not abandoned, nil for none
	Freezing release.Status    // for brokers
	names    func(id string) string
}

// view is the page of a session as one person sees it.
type view struct {
	live
	Project   project.Overview
	Me        account.User
	Candidate release.Candidate // for people who may see figures
	Figures   []sanitize.Result
	Plan      *audit.Outlook // before anybody reads
	Draws     []review.Draw  // of the session
	Repairs   []release.Candidate
	Finds     []review.Find    // of the last game, for the broker to judge
	Others    []project.Member // of the project, who can be added
	Missing   []string         // what publishing it lacks, after the decision
	Link      string           // for LinkFor, to be handed over; shown once
	LinkFor   string
	Refused   refusal
	Disagree  []review.Disagreement // of two readers, for brokers when all passages are read
}

// refusal is a form that was not accepted, and what was typed into it.
type refusal struct {
	Form  string
	Says  string
	Typed url.Values
}

// session is a review for one of its members, or for a broker of the project.
func (h *Handlers) session(ctx context.Context, u account.User, id project.ID, number string) (review.Session, error) {
	n, err := ui.AddressNumber(number)
	if err != nil {
		return review.Session{}, err
	}
	return h.projects.Review(ctx, u, id, n)
}

// admits lets only members of the review watch its parts.
func (h *Handlers) admits(ctx context.Context, u account.User, id project.ID, q url.Values) error {
	_, err := h.session(ctx, u, id, q.Get("review"))
	return err
}

// nameOf is a person's name, the same for all who look.
func (h *Handlers) nameOf(person string) string {
	if person == "" {
		return ""
	}
	name, err := h.names.NameOf(person)
	if err != nil {
		name = ""
	}
	return cmp.Or(name, "somebody")
}

func (h *Handlers) loadLive(ctx context.Context, u account.User, id project.ID, number string) (live, error) {
	v := live{Broker: u.Role.Can(account.Sanitize), names: h.nameOf}
	var err error
	if v.Session, err = h.session(ctx, u, id, number); err != nil {
		return v, err
	}
	present, err := h.projects.PresentInReview(ctx, u, id, v.Number)
	if err != nil {
		return v, err
	}
	for _, person := range present {
		v.Present = append(v.Present, h.nameOf(person))
	}
	draws, err := h.drawsOf(ctx, u, id, v.Number)
	if err != nil {
		return v, err
	}
	v.Draw = current(draws)
	if !v.Text() {
		return v, nil
	}
	if v.Forecast, err = h.readings.ReviewForecast(ctx, u, id, v.Number); err != nil {
		return v, err
	}
	if v.Game, err = h.games.GameState(ctx, u, id, v.Number); err != nil {
		return v, err
	}
	v.Progress, err = h.readings.ReadingProgress(ctx, u, id, v.Number)
	if project.KindOf(err) == project.NotFound { // the files of its candidate are deleted
		v.Gone, err = ui.Problem(err), nil
	}
	if err == nil && v.Broker && (v.complete() || v.confirmed()) {
		v.Freezing, err = h.readings.Publishing(ctx, u, id)
	}
	return v, err
}

// drawsOf are the draws of a session, oldest first.
func (h *Handlers) drawsOf(ctx context.Context, u account.User, id project.ID, number int) ([]review.Draw, error) {
	draws, err := h.readings.Draws(ctx, u, id)
	return slices.DeleteFunc(draws, func(d review.Draw) bool { return d.Session != number }), err
}

// current is the draw that is not abandoned.
func current(draws []review.Draw) *review.Draw {
	for i := range slices.Backward(draws) {
		if draws[i].Abandoned == nil {
			return &draws[i]
		}
	}
	return nil
}

func (h *Handlers) load(c ui.Context) (view, error) {
	ctx, u, id := c.Request().Context(), ui.User(c), ui.ProjectID(c)
	v := view{Me: u}
	var err error
	if v.Project, err = ui.Project(c, h.projects); err != nil {
		return v, err
	}
	if v.live, err = h.loadLive(ctx, u, id, c.Param("number")); err != nil {
		return v, err
	}
	if v.Draws, err = h.drawsOf(ctx, u, id, v.Number); err != nil {
		return v, err
	}
	if v.Figures, err = h.readings.ReviewFigures(ctx, u, id, v.Number); err != nil {
		return v, err
	}
	if u.Role.Can(account.SeeFigures) {
		if v.Candidate, err = h.readings.Candidate(ctx, u, id, v.Session.Candidate); err != nil {
			return v, err
		}
	}
	if v.Decision != nil {
		if v.Missing, err = h.projects.ReviewGate(ctx, u, id, v.Number); err != nil {
			return v, err
		}
	}
	if err := h.loadPlan(ctx, &v); err != nil {
		return v, err
	}
	if err := h.loadGame(ctx, &v); err != nil {
		return v, err
	}
	if v.Broker && v.complete() {
		if v.Disagree, err = h.readings.Disagreements(ctx, u, id, v.Number); err != nil {
			return v, err
		}
	}
	return v, h.loadForBroker(ctx, &v)
}

// loadPlan loads the plan of reading while it is of use.
func (h *Handlers) loadPlan(ctx context.Context, v *view) error {
	if !v.Text() || v.State.Over() || v.Draw != nil && v.Draw.Begun() {
		return nil
	}
	doubtful, plants := usualDoubtful, 0
	if v.Draw != nil {
		doubtful, plants = v.Draw.Parameters.Doubtful, v.Draw.Parameters.Plants
	}
	plan, err := h.readings.PlanReading(ctx, v.Me, v.Project.ID, v.Number, doubtful, plants)
	switch project.KindOf(err) {
	case project.NotFound, project.Invalid: // there is nothing to read
		return nil
	}
	v.Plan = &plan
	return err
}

// loadForBroker loads what brokers do next.
func (h *Handlers) loadForBroker(ctx context.Context, v *view) error {
	if !v.Broker || v.State.Over() {
		return nil
	}
	members, err := h.readings.Members(ctx, v.Me, v.Project.ID)
	if err != nil {
		return err
	}
	for _, m := range members {
		if !v.Has(m.ID) && !m.Disabled && m.ID != v.By {
			v.Others = append(v.Others, m)
		}
	}
	if !v.complete() && !v.confirmed() {
		return nil
	}
	all, err := h.readings.Candidates(ctx, v.Me, v.Project.ID)
	for _, c := range all {
		if c.Parent == v.Session.Candidate && !c.Dropped && c.Redacts != nil && c.Redacts.Review == v.Number {
			v.Repairs = append(v.Repairs, c)
		}
	}
	return err
}
