// SPDX-License-Identifier: Apache-2.0

package home

import (
	"fmt"

	"github.com/a-h/templ"

	"hide/internal/account"
	"hide/internal/project/sanitize"
	"hide/internal/project/training"
	"hide/web/ui"
)

// step is one stage of a project on its home page.
type step struct {
	Title  string
	State  stepState
	Says   string // its state, in a sentence
	Detail string // more, quieter; may be empty
	Done   int    // progress, of Of; no bar when Of is 0
	Of     int
	Action string // what its link says; "" for no link
	URL    templ.SafeURL
	Badge  string // instead of the word for the state, may be empty
	Busy   bool   // something is running
}

type stepState string

const (
	stepLater stepState = "later"
	stepNow   stepState = "next"
	stepDone  stepState = "done"
)

// steps are the stages that the person may see. The first one that is not done
// is the one to do next.
func (o overview) steps() []step {
	var steps []step
	add := func(needs account.Permission, s step) {
		if o.role.Can(needs) {
			steps = append(steps, s)
		}
	}
	add(account.ReadNotes, o.importStep())
	add(account.ReadNotes, o.annotateStep())
	add(account.ReadNotes, o.trainStep())
	add(account.SeeFigures, o.sanitizeStep())
	add(account.SeeFigures, o.publishStep())
	markNext(steps)
	return steps
}

func markNext(steps []step) {
	for i := range steps {
		if steps[i].State != stepDone {
			steps[i].State = stepNow
			return
		}
	}
}

func (o overview) importStep() step {
	s := step{Title: "Import", State: stepLater, Says: "There are no notes yet."}
	if o.Documents > 0 {
		s.State, s.Says = stepDone, ui.Count(o.Documents, "note imported.", "notes imported.")
	}
	if o.role.Can(account.ManageWork) {
		s.Action, s.URL = "Import notes", ui.ProjectURL(o.ID, "/import")
	}
	return s
}

// enoughFinished reports whether a run can be started: there are a model and finished
// notes to measure on.
func (o overview) enoughFinished() bool { return o.Documents > 0 && o.Done > 0 && o.training.Model > 0 }

func (o overview) annotateStep() step {
	s := step{Title: "Annotate", State: stepLater, Says: "People mark PHI; the model suggests spans."}
	if o.Documents == 0 {
		return s
	}
	s.Says = fmt.Sprintf("%s of %s finished", ui.Number(o.Done), ui.Count(o.Documents, "note", "notes"))
	if o.InProgress > 0 {
		s.Says += ", " + ui.Number(o.InProgress) + " begun"
	}
	s.Says += "; " + ui.Count(o.Annotations, "span.", "spans.")
	s.Done, s.Of = o.Done, o.Documents
	s.Action, s.URL = "Annotate the next note", ui.ProjectURL(o.ID, "/annotate")
	if o.Done == o.Documents {
		s.Action = "Look at the notes"
	}
	switch enough := sanitize.EnoughDocuments(o.Documents); {
	case !o.enoughFinished():
	case o.Done < enough:
		s.Detail = fmt.Sprintf("You can start a run. Finish at least %d notes: with fewer its figures are imprecise.", enough)
	default:
		s.State = stepDone
		if o.Done < o.Documents {
			s.Badge = "enough so far"
		}
	}
	return s
}

func (o overview) trainStep() step {
	t := o.training
	s := step{Title: "Train", State: stepLater, Busy: t.Running}
	switch {
	case t.Running:
		s.Says = fmt.Sprintf("Training on %s: %s.", ui.Count(t.Learning, "finished note", "finished notes"), t.Phase)
	case t.Error != "":
		s.Says = "The last training failed: " + ui.Sentence(t.Error)
	case t.Model == 0 && t.NeedMore > 0:
		s.Says = "Starts automatically after " + ui.Count(t.NeedMore, "more finished note.", "more finished notes.")
	case t.Model == 0:
		s.Says = "Starts automatically after the next finished note."
	default:
		s.Says = fmt.Sprintf("Model %d was trained on %s.", t.Model, ui.Count(t.Documents, "note", "notes"))
	}
	if t.Model > 0 {
		s.State, s.Detail = stepDone, checkedWords(t)
	}
	return s
}

// checkedWords are scoreWords. If an older model was scored, they name it.
func checkedWords(t training.Status) string {
	words := scoreWords(t.Scores)
	if old := ui.CheckedModel(t); words != "" && old > 0 {
		words += fmt.Sprintf(" Measured with model %d.", old)
	}
	return words
}

// scoreWords is the recall of the model with its interval, the notes it was measured on,
// and whether it holds for other notes.
func scoreWords(s training.Scores) string {
	if s.Documents == 0 {
		return ""
	}
	words := fmt.Sprintf("Its recall is %s (95 %% interval %s to %s), measured by cross-validation on %s",
		ui.Percent(s.Recall.Value), ui.Percent(s.Recall.Low), ui.Percent(s.Recall.High), ui.Count(s.Documents, "note", "notes"))
	if !s.Random {
		words += ", " + ui.NotRandomWords
	}
	return words + "."
}

func (o overview) sanitizeStep() step {
	s := step{Title: "Sanitize", State: stepLater, Says: "Redacts until no attack pays, and measures what an attacker could still find."}
	if len(o.runs) > 0 || o.enoughFinished() || !o.role.Can(account.ReadNotes) {
		s.Action, s.URL = "Open the figures", ui.ProjectURL(o.ID, "/sanitize")
	}
	if len(o.runs) == 0 {
		if s.Action != "" && o.role.Can(account.Sanitize) {
			s.Action = "Start sanitizing"
		}
		return s
	}
	newest := o.runs[0]
	switch newest.State {
	case sanitize.Running:
		s.Busy, s.Says = true, "Run "+ui.Number(newest.Number)+" is running: "+ui.Sentence(newest.Progress.Doing)
	case sanitize.Failed:
		s.Says = "Run " + ui.Number(newest.Number) + " failed: " + ui.Sentence(newest.Error)
	default:
		s.Says = fmt.Sprintf("%s; the newest measured %s.", ui.Count(len(o.runs), "run", "runs"), ui.Count(newest.Documents, "note", "notes"))
	}
	if run := o.chosen(); run != nil {
		s.State, s.Detail = stepDone, ui.Capitalized(run.ChosenWords())+" is chosen."
	}
	return s
}

// chosen is the newest run of which an L/C was chosen, nil if there is none.
func (o overview) chosen() *sanitize.Run {
	for i := range o.runs {
		if o.runs[i].Chosen > 0 {
			return &o.runs[i]
		}
	}
	return nil
}

func (o overview) publishStep() step {
	s := step{Title: "Publish", State: stepLater, Says: "Nothing is released yet."}
	if o.Releases > 0 {
		s.State, s.Says = stepDone, ui.Count(o.Releases, "release.", "releases.")
	}
	if o.Releases > 0 || o.chosen() != nil {
		s.Action, s.URL = "Open the releases", ui.ProjectURL(o.ID, "/publish")
	}
	switch {
	case o.read.Counts():
		s.Detail = o.read.Certificate
	case o.chosen() != nil:
		s.Detail = "Nobody has read a sample of what would be published now. To have one read, freeze a candidate for a review."
	}
	return s
}
