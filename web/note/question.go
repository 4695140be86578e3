// SPDX-License-Identifier: Apache-2.0

package note

import (
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/a-h/templ"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/project"
	"hide/web/ui"
)

// noteQuestion is about an edit that was not made, and how the person can go on.
// Enter says yes and Escape says no, but where careful is set both say no.
type noteQuestion struct {
	title  string
	why    string
	status string   // for the line about saving
	mine   string   // the edit in words; "" when the title says it
	since  []string // what was done since the revision that it was made on
	theirs []string // the annotations at that place now
	open   []string // suggestions that nobody has decided about
	yes    string   // "" when there is nothing to say yes to
	no     string
	back   templ.SafeURL // where no leads without a script
	// careful makes no the first answer, because yes may publish identifiers.
	careful bool
	path    string // where yes sends fields
	fields  []formField
	next    templ.SafeURL // where yes leads when it sends nothing
}

type formField struct{ name, value string }

// questionNames is how many changes or suggestions a question names.
const questionNames = 5

// ask is the question to answer before an edit is made, with the current note, or nil.
// Two edits raise one: to change a finished note, which opens it again, and to finish a
// note with undecided suggestions.
func (h *Handlers) ask(c ui.Context, n *project.Note, f noteForm, mine annotate.Edit) (noteView, *noteQuestion) {
	finishing := mine.Verb == annotate.VerbFinish
	switch {
	case f.revision != n.Layer.Revision: // a conflict, which the service finds
	case n.Layer.State == annotate.Done && !finishing && mine.Verb != annotate.VerbReopen && !f.reopens:
		v := h.noteView(c, n)
		return v, askReopening(ui.User(c), v, mine)
	case n.Layer.State != annotate.Done && finishing && len(n.Suggestions) > f.undecided:
		v := h.noteView(c, n)
		return v, askUndecided(v, f, mine)
	}
	return noteView{}, nil
}

func askReopening(u account.User, v noteView, mine annotate.Edit) *noteQuestion {
	q := &noteQuestion{
		title: "This note is finished", why: v.finished + " Nothing was changed.",
		status: "Not saved: the note is finished. Choose above.",
		mine:   v.editWords(u, mine), yes: "Open it again and make this change", no: "Leave it finished",
	}
	q.path, q.fields = v.retryForm(mine)
	return q
}

func askUndecided(v noteView, f noteForm, mine annotate.Edit) *noteQuestion {
	n := len(v.Suggestions)
	q := &noteQuestion{
		title: ui.Count(n, "suggestion is undecided", "suggestions are undecided"), status: "Not finished yet: choose above.",
		why: "Suggestions that nobody accepts count as not sensitive once the note is finished. The model learns them as not sensitive, and they are not marked when the note is published.",
		yes: "Finish all the same", no: fmt.Sprintf("Look at the %d undecided", n), careful: true,
	}
	if n == 1 {
		q.no = "Look at the undecided suggestion"
	}
	for _, m := range v.marks {
		if m.suggested {
			if q.back == "" {
				q.back = templ.URL(v.path("?span=" + m.id))
			}
			q.open = append(q.open, fmt.Sprintf("“%s” as %s", v.surface(m), m.say()))
		}
	}
	q.open = upToFive(q.open)
	q.path, q.fields = v.retryForm(mine)
	q.fields = append(q.fields, formField{"undecided", fmt.Sprint(n)})
	if f.next > 0 {
		q.fields = append(q.fields, formField{"next", fmt.Sprint(f.next)})
	}
	return q
}

// askConflict shows an edit that was made on an older revision, and the note as it is
// now.
func (h *Handlers) askConflict(u account.User, v noteView, revision int, mine annotate.Edit) *noteQuestion {
	since := v.Layer.Since(revision)
	who := "Somebody"
	if names := h.names(u, since); len(names) > 0 {
		who = ui.Capitalized(ui.Listed(names))
	}
	q := &noteQuestion{
		title: who + " changed this note meanwhile", why: "Your last change was made on an older version and is not saved. The text shows the note as it is now.",
		status: "Not saved: the note was changed meanwhile. Choose above.",
		mine:   v.editWords(u, mine), yes: "Make my change on this version", no: "Keep the note as it is now",
	}
	for _, c := range since {
		q.since = append(q.since, h.changeWords(u, v, c))
	}
	slices.Reverse(q.since)
	q.since = upToFive(q.since)
	for _, place := range v.editPlaces(mine) {
		for _, m := range v.marks {
			if m.span.Overlaps(place) && !m.suggested {
				q.theirs = append(q.theirs, fmt.Sprintf("“%s” is %s", v.surface(m), m.say()))
			}
		}
	}
	q.theirs = upToFive(q.theirs)
	q.path, q.fields = v.retryForm(mine)
	if q.path == "" {
		q.yes = ""
	}
	if v.Layer.State == annotate.Done {
		askConflictOnDone(v, mine, q)
	}
	return q
}

func askConflictOnDone(v noteView, mine annotate.Edit, q *noteQuestion) {
	q.title, q.no = "This note was finished meanwhile", "Leave it finished"
	q.why = v.finished + " Your last change was made on an older version and is not saved. The text shows the note as it is now."
	switch {
	case mine.Verb == annotate.VerbFinish:
		q.yes, q.path, q.next, q.no = "Go on to the next note", "", ui.ProjectURL(v.projectID, "/annotate"), "Look at it"
	case q.yes != "":
		q.yes = "Open it again and make my change"
	}
}

// noteAsked shows the question on the current note.
func (h *Handlers) noteAsked(c ui.Context, v noteView, q *noteQuestion) error {
	v.question = q
	if ui.IsFragment(c.Request()) {
		return ui.FragmentStatus(c, http.StatusConflict, noteFragment(v))
	}
	return h.notePage(c, http.StatusConflict, v)
}

// noteRefused asks what to do with an edit that came too late. Other refusals are errors.
func (h *Handlers) noteRefused(c ui.Context, revision int, err error) error {
	var conflict *project.ConflictError
	if !errors.As(err, &conflict) {
		return err
	}
	v := h.noteView(c, conflict.Theirs)
	return h.noteAsked(c, v, h.askConflict(ui.User(c), v, revision, conflict.Mine))
}

// finishedWords say who finished a note and when; "" of one that is not done.
func (h *Handlers) finishedWords(u account.User, n *project.Note) string {
	if n.Layer.State != annotate.Done {
		return ""
	}
	c, known := n.Layer.Finished()
	if !known {
		return "It was imported as finished."
	}
	return fmt.Sprintf("Finished by %s on %s.", ui.NameFor(u, h.people, c.By), ui.Moment(c.At))
}

// names are those who made the changes, each once.
func (h *Handlers) names(u account.User, changes []annotate.Change) []string {
	var names []string
	for _, c := range changes {
		if name := ui.NameFor(u, h.people, c.By); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// changeWords describes a change and who made it: "Ann Lee tagged “Ulm” as city, 22 Nov 2026, 10:31".
func (h *Handlers) changeWords(u account.User, v noteView, c annotate.Change) string {
	words := ui.Capitalized(ui.NameFor(u, h.people, c.By)) + " "
	if c.Undone {
		words += "undid: "
	}
	words += v.doneWords(c)
	if !c.Undone {
		words += ", " + ui.Moment(c.At)
	}
	return words
}

// upToFive shortens a list to [questionNames] entries.
func upToFive(all []string) []string {
	if len(all) <= questionNames {
		return all
	}
	return append(all[:questionNames:questionNames], fmt.Sprintf("and %d more", len(all)-questionNames))
}
