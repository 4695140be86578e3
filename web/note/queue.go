// SPDX-License-Identifier: Apache-2.0

package note

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"

	"github.com/a-h/templ"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/project"
	"hide/web/ui"
)

// queueSize is how many notes one page of the queue shows.
const queueSize = 50

// queueView is the queue page.
type queueView struct {
	projectID project.ID
	filter    project.QueueFilter
	project.QueuePage
	next *project.Choice // nil when every note is done
}

// showQueue is the list of notes.
func (h *Handlers) showQueue(c ui.Context) error {
	return h.queuePage(c, readQueueFilter(c.QueryParams()))
}

func (h *Handlers) queuePage(c ui.Context, filter project.QueueFilter) error {
	overview, err := ui.Project(c, h.projects)
	if err != nil {
		return err
	}
	page, err := h.projects.Queue(c.Request().Context(), ui.User(c), ui.ProjectID(c), filter)
	if err != nil {
		return err
	}
	next, err := h.nextChoice(c.Request().Context(), ui.User(c), ui.ProjectID(c), 0)
	if err != nil {
		return err
	}
	view := queueView{ui.ProjectID(c), filter, page, next}
	return ui.ShowPage(c, ui.Page{Title: "Notes", Project: &overview, Tab: "annotate"}, queuePage(view))
}

// readQueueFilter reads the valid parameters and ignores the others: a wrong filter is not
// worth an error page. It reads no name, which may be in a form only.
func readQueueFilter(q url.Values) project.QueueFilter {
	f := project.QueueFilter{Limit: queueSize}
	if state := annotate.State(q.Get("state")); slices.Contains([]annotate.State{annotate.New, annotate.InProgress, annotate.Done}, state) {
		f.State = state
	}
	if offset, err := strconv.Atoi(q.Get("from")); err == nil && offset > 0 {
		f.Offset = offset
	}
	return f
}

func (h *Handlers) nextChoice(ctx context.Context, u account.User, id project.ID, after annotate.DocumentID) (*project.Choice, error) {
	choice, err := h.projects.Next(ctx, u, id, after)
	if project.KindOf(err) == project.NotFound {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &choice, nil
}

// pageAt is the address of the list from another place. A list of found names has no
// address, but a form; see queueStep.
func (v queueView) pageAt(from int) templ.SafeURL {
	q := url.Values{}
	if v.filter.State != "" {
		q.Set("state", string(v.filter.State))
	}
	if from > 0 {
		q.Set("from", strconv.Itoa(from))
	}
	path := "/notes"
	if len(q) > 0 {
		path += "?" + q.Encode()
	}
	return ui.ProjectURL(v.projectID, path)
}

func (v queueView) filtered() bool { return v.filter.State != "" || v.filter.Query != "" }

// shown says which part of the list is on the page.
func (v queueView) shown() string {
	if len(v.Items) == 0 {
		return "none"
	}
	return fmt.Sprintf("%s to %s of %s", ui.Number(v.filter.Offset+1), ui.Number(v.filter.Offset+len(v.Items)), ui.Number(v.Matching))
}

// Uncertainty is shown as a bar with five steps, and in words for those who do not see
// the bar. The steps are uncertain tokens per hundred.
var doubtSteps = []struct {
	from  float64
	words string
}{{0, "none"}, {0.05, "very low"}, {0.5, "low"}, {2, "medium"}, {5, "high"}, {10, "very high"}}

func doubtLevel(uncertainty float64) int {
	level := 0
	for i, step := range doubtSteps {
		if uncertainty >= step.from {
			level = i
		}
	}
	return level
}

func doubtWords(uncertainty float64) string {
	if uncertainty <= 0 {
		return "not known yet"
	}
	return fmt.Sprintf("%s, %.1f per 100 tokens", doubtSteps[doubtLevel(uncertainty)].words, uncertainty)
}
