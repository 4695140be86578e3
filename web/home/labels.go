// SPDX-License-Identifier: Apache-2.0

package home

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/project"
	"hide/web/ui"
)

// Labels is what the pages of labels ask.
type Labels interface {
	LabelTable(ctx context.Context, by account.User, id project.ID) (project.Labels, error)
	RenameLabel(ctx context.Context, by account.User, id project.ID, seen int, from, to annotate.Label) error
	MergeLabel(ctx context.Context, by account.User, id project.ID, seen int, from, into annotate.Label, typed string) error
	RetireLabel(ctx context.Context, by account.User, id project.ID, seen int, label annotate.Label) error
	RestoreLabel(ctx context.Context, by account.User, id project.ID, seen int, label annotate.Label) error
}

func (h *Handlers) labelRoutes() []ui.Route {
	return []ui.Route{
		ui.Get("/p/:project/labels", account.ManageWork, h.showLabels),
		ui.Get("/p/:project/labels/rename", account.ManageWork, h.askLabel(renaming)),
		ui.Post("/p/:project/labels/rename", account.ManageWork, h.changeLabel(renaming)),
		ui.Get("/p/:project/labels/merge", account.ManageWork, h.askLabel(merging)),
		ui.Post("/p/:project/labels/merge", account.ManageWork, h.changeLabel(merging)),
		ui.Get("/p/:project/labels/retire", account.ManageWork, h.askLabel(retiring)),
		ui.Post("/p/:project/labels/retire", account.ManageWork, h.changeLabel(retiring)),
		ui.Post("/p/:project/labels/restore", account.ManageWork, h.changeLabel(restoring)),
	}
}

// labelParts is the table: its counts arrive while somebody looks.
func (h *Handlers) labelParts() []ui.LivePart {
	return []ui.LivePart{{
		Name: "labels", Target: "#labels", Needs: account.ManageWork, Topics: []project.Topic{project.TopicLabels, project.TopicQueue},
		Pause: time.Second,
		Render: func(ctx context.Context, u account.User, id project.ID, _ url.Values) (templ.Component, error) {
			t, err := h.projects.LabelTable(ctx, u, id)
			return labelTable(labelsView{Labels: t, id: id}), err
		},
	}}
}

// labelAction is what can be done with a label. It is the last part of the path.
type labelAction string

const (
	renaming  labelAction = "rename"
	merging   labelAction = "merge"
	retiring  labelAction = "retire"
	restoring labelAction = "restore"
)

// labelsView is the table of labels.
type labelsView struct {
	project.Labels
	id   project.ID
	done string // what was changed, in words; "" mostly
}

func (v labelsView) counted() bool { return v.Counted >= v.Total }

func (h *Handlers) showLabels(c ui.Context) error {
	o, err := ui.Project(c, h.projects)
	if err != nil {
		return err
	}
	t, err := h.projects.LabelTable(c.Request().Context(), ui.User(c), o.ID)
	if err != nil {
		return err
	}
	p := ui.Page{Title: "Labels · " + o.Name, Project: &o, Tab: "overview", Live: []string{"labels"}}
	return ui.ShowPage(c, p, labelsPage(labelsView{Labels: t, id: o.ID, done: doneWords(c.QueryParam("done"))}))
}

func doneWords(done string) string {
	switch labelAction(done) {
	case renaming:
		return "The label has its new name in all notes. The model is trained again; until then it suggests under the new name."
	case merging:
		return "The labels are merged in all notes. The model is trained again."
	case retiring:
		return "The label is retired. Annotators see the change when they open their next note."
	case restoring:
		return "The label is offered again. Annotators see it when they open their next note."
	}
	return ""
}

// labelChange is the page that asks before a change.
type labelChange struct {
	labelsView
	action  labelAction
	label   project.LabelUse
	to      annotate.Label    // the new name, or the label to merge into, as far as chosen
	into    *project.LabelUse // the label to merge into; nil until it is chosen
	typed   string            // to confirm a merge
	problem string
}

// others are the labels to merge into.
func (v labelChange) others() []project.LabelUse {
	var all []project.LabelUse
	for _, u := range v.All {
		if u.Label != v.label.Label && !u.Retired {
			all = append(all, u)
		}
	}
	return all
}

func (h *Handlers) askLabel(action labelAction) func(ui.Context) error {
	return func(c ui.Context) error {
		return h.showChange(c, http.StatusOK, labelChange{action: action, to: annotate.Label(c.QueryParam("into"))}, c.QueryParam("label"))
	}
}

func (h *Handlers) showChange(c ui.Context, status int, v labelChange, label string) error {
	o, err := ui.Project(c, h.projects)
	if err != nil {
		return err
	}
	v.id = o.ID
	if v.Labels, err = h.projects.LabelTable(c.Request().Context(), ui.User(c), o.ID); err != nil {
		return err
	}
	var found bool
	if v.label, found = v.Find(annotate.Label(label)); !found {
		return project.NotFoundf("the project has no label of this name; it may have been renamed")
	}
	if into, found := v.Find(v.to); found && v.action == merging && v.to != v.label.Label {
		v.into = &into
	}
	return ui.ShowPageStatus(c, status, ui.Page{Title: v.title() + " · " + o.Name, Project: &o, Tab: "overview"}, labelChangePage(v))
}

// changeLabel makes a change. What is wrong with it is shown on the page that asked.
func (h *Handlers) changeLabel(action labelAction) func(ui.Context) error {
	return func(c ui.Context) error {
		label, to, typed := annotate.Label(c.FormValue("label")), annotate.Label(strings.TrimSpace(c.FormValue("to"))), c.FormValue("confirm")
		seen, err := strconv.Atoi(c.FormValue("seen"))
		if err != nil {
			return ui.Refuse("The form does not say which labels you saw.", "Open the page of the labels again.")
		}
		err = h.apply(c.Request().Context(), ui.User(c), ui.ProjectID(c), action, seen, label, to, typed)
		if wrong := ui.Refused(err); wrong != nil && action != restoring {
			v := labelChange{action: action, to: to, typed: typed, problem: strings.TrimSpace(wrong.What + " " + wrong.Next)}
			return h.showChange(c, http.StatusUnprocessableEntity, v, string(label))
		}
		if err != nil {
			return err
		}
		return ui.Back(c, string(ui.ProjectURL(ui.ProjectID(c), "/labels?done="+string(action))))
	}
}

func (h *Handlers) apply(ctx context.Context, by account.User, id project.ID, action labelAction, seen int, label, to annotate.Label, typed string) error {
	switch action {
	case renaming:
		return h.projects.RenameLabel(ctx, by, id, seen, label, to)
	case merging:
		return h.projects.MergeLabel(ctx, by, id, seen, label, to, typed)
	case retiring:
		return h.projects.RetireLabel(ctx, by, id, seen, label)
	}
	return h.projects.RestoreLabel(ctx, by, id, seen, label)
}

func (v labelsView) url(action labelAction, l annotate.Label) templ.SafeURL {
	return ui.ProjectURL(v.id, "/labels/"+string(action)+"?"+url.Values{"label": {string(l)}}.Encode())
}

func (v labelChange) title() string {
	name := string(v.label.Label)
	switch v.action {
	case merging:
		if v.into != nil {
			return "Merge " + name + " into " + string(v.into.Label)
		}
		return "Merge " + name + " into another label"
	case retiring:
		return "Retire " + name
	}
	return "Rename " + name
}

// useWords counts the spans of a label: "312 spans in 80 notes".
func useWords(u project.LabelUse) string {
	if u.Spans == 0 {
		return "no spans"
	}
	return ui.Count(u.Spans, "span", "spans") + " in " + ui.Count(u.Notes, "note", "notes")
}

// earlierWords lists names that files may still use for a label.
func earlierWords(u project.LabelUse) string { return project.Joined(u.Earlier) }

// consequences say what a change does, one sentence each.
func (v labelChange) consequences() []string {
	name := string(v.label.Label)
	switch {
	case v.action == retiring:
		return []string{
			"Annotators are no longer offered " + name + ". Unread notes get no suggestion for it: mark such identifiers under another label.",
			v.kept(),
			"You can bring the label back at any time.",
		}
	case v.action == renaming:
		return []string{
			"It has " + useWords(v.label) + ". All of them show the new name, also in exports.",
			"Files and models that use the name " + name + " will mean the renamed label.",
			oldPlaceholders,
			"The audit trail and earlier releases keep the old name. To undo, rename the label back.",
		}
	case v.into != nil:
		into := string(v.into.Label)
		return []string{
			v.moved("the label " + into),
			into + " has " + useWords(*v.into) + ". It will have " + ui.Count(v.label.Spans+v.into.Spans, "span", "spans") + ".",
			"The label " + name + " disappears. Files and models that use its name will mean " + into + ".",
			"A redaction model that redacts only one of the two labels can no longer publish: you choose its L/C again.",
			oldPlaceholders,
			"A merge cannot be undone.",
		}
	}
	return []string{v.moved("the label that you choose")}
}

const oldPlaceholders = "A redaction model that was chosen earlier keeps writing the old name. Choose its L/C again to write the new one."

// kept says what a retirement does to the spans of the label.
func (v labelChange) kept() string {
	has := "It has " + useWords(v.label) + "."
	if v.label.Spans == 0 {
		return has
	}
	return has + " All of them stay, and are redacted as before."
}

// moved says what a merge does to the spans of the label.
func (v labelChange) moved(to string) string {
	has := string(v.label.Label) + " has " + useWords(v.label) + "."
	if v.label.Spans == 0 {
		return has
	}
	return has + " All its spans get " + to + "."
}
