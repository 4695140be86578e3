// SPDX-License-Identifier: Apache-2.0

package review

import (
	"net/http"
	"net/url"
	"strconv"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/project/release"
	"hide/internal/project/review"
	"hide/web/ui"
)

// listView is the list of reviews.
type listView struct {
	Project    project.Overview
	Me         account.User
	Reviews    []review.Session    // newest first
	Candidates []release.Candidate // that can be reviewed, for brokers
	Chosen     string              // number of the candidate that the form begins with
	Problem    string
	Typed      url.Values
}

func (h *Handlers) list(c ui.Context) error { return h.showList(c, http.StatusOK, listView{}) }

func (h *Handlers) showList(c ui.Context, status int, v listView) error {
	ctx := c.Request().Context()
	var err error
	if v.Project, err = ui.Project(c, h.projects); err != nil {
		return err
	}
	v.Me = ui.User(c)
	if v.Reviews, err = h.projects.Reviews(ctx, v.Me, v.Project.ID); err != nil {
		return err
	}
	if v.Me.Role.Can(account.Sanitize) {
		all, err := h.readings.Candidates(ctx, v.Me, v.Project.ID)
		if err != nil {
			return err
		}
		for _, one := range all {
			if !one.Dropped && !one.Published {
				v.Candidates = append(v.Candidates, one)
			}
		}
	}
	v.Chosen = c.FormValue("candidate")
	p := ui.Page{Title: "Reviews · " + v.Project.Name, Project: &v.Project, Tab: "reviews"}
	return ui.ShowPageStatus(c, status, p, listPage(v))
}

// prepare opens a review on a candidate.
func (h *Handlers) prepare(c ui.Context) error {
	form, err := c.FormParams()
	if err != nil {
		return err
	}
	candidate, ask, err := readAsk(form)
	var s review.Session
	if err == nil {
		s, err = h.projects.PrepareReview(c.Request().Context(), ui.User(c), ui.ProjectID(c), candidate, ask)
	}
	if says := refusedWords(err); says != "" {
		return h.showList(c, http.StatusUnprocessableEntity, listView{Problem: says, Typed: form})
	}
	if err != nil {
		return err
	}
	return ui.Back(c, string(reviewURL(ui.ProjectID(c), s.Number, "")+"#members"))
}

// waits says what a review waits for from a person, "" for nothing.
func waits(s review.Session, me account.User) string {
	voted := votedOf(s, me.ID) != nil
	switch {
	case s.State == review.Prepared && me.Role.Can(account.Sanitize):
		return "invite members and open it"
	case s.State == review.Open && me.Role.Can(account.Sanitize):
		return "call the vote when everybody has read"
	case s.State == review.Open && s.Has(me.ID):
		return "look, read and ask"
	case s.State == review.Voting && s.Has(me.ID) && s.By != me.ID && !voted:
		return "your vote"
	case s.State == review.Voting && me.Role.Can(account.Sanitize):
		return "votes: " + strconv.Itoa(len(s.Votes)) + " of " + strconv.Itoa(s.Voters())
	}
	return ""
}
