// SPDX-License-Identifier: Apache-2.0

package web

import (
	"fmt"

	"github.com/a-h/templ"

	"hide/internal/account"
	"hide/internal/project/sanitize"
	"hide/internal/project/training"
)

// step is one stage of a project on its home page.
type step struct {
	Title  string
	State  stepState
	Says   string // how it stands, in a sentence
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
func (h home) steps() []step {
	var steps []step
	add := func(needs account.Permission, s step) {
		if h.role.Can(needs) {
			steps = append(steps, s)
		}
	}
	add(account.ReadNotes, h.importStep())
	add(account.ReadNotes, h.annotateStep())
	add(account.ReadNotes, h.trainStep())
	add(account.SeeFigures, h.sanitizeStep())
	add(account.SeeFigures, h.publishStep())
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

func (h home) importStep() step {
	s := step{Title: "Import", State: stepLater, Says: "There are no notes yet."}
	if h.Documents > 0 {
		s.State, s.Says = stepDone, count(h.Documents, "note is here.", "notes are here.")
	}
	if h.role.Can(account.ManageWork) {
		s.Action, s.URL = "Import notes", projectURL(h.ID, "/import")
	}
	return s
}

// enoughFinished is when sanitizing can be tried: the model has learnt, and there are
// documents to measure on.
func (h home) enoughFinished() bool { return h.Documents > 0 && h.Done > 0 && h.training.Model > 0 }

func (h home) annotateStep() step {
	s := step{Title: "Annotate", State: stepLater, Says: "People mark what identifies somebody; the model proposes the rest."}
	if h.Documents == 0 {
		return s
	}
	s.Says = fmt.Sprintf("%s of %s finished", number(h.Done), count(h.Documents, "note", "notes"))
	if h.InProgress > 0 {
		s.Says += ", " + number(h.InProgress) + " begun"
	}
	s.Says += "; " + count(h.Annotations, "span.", "spans.")
	s.Done, s.Of = h.Done, h.Documents
	s.Action, s.URL = "Annotate the next note", projectURL(h.ID, "/annotate")
	if h.Done == h.Documents {
		s.Action = "Look at the notes"
	}
	switch enough := sanitize.EnoughDocuments(h.Documents); {
	case !h.enoughFinished():
	case h.Done < enough:
		s.Detail = fmt.Sprintf("Sanitizing can be tried. Finish at least %d: with fewer its figures are vague.", enough)
	default:
		s.State = stepDone
		if h.Done < h.Documents {
			s.Badge = "enough so far"
		}
	}
	return s
}

func (h home) trainStep() step {
	t := h.training
	s := step{Title: "Train", State: stepLater, Busy: t.Running}
	switch {
	case t.Running:
		s.Says = fmt.Sprintf("Learning from %s: %s.", count(t.Learning, "finished note", "finished notes"), t.Phase)
	case t.Error != "":
		s.Says = "The last training failed: " + sentence(t.Error)
	case t.Model == 0 && t.NeedMore > 0:
		s.Says = "Begins by itself after " + count(t.NeedMore, "more finished note.", "more finished notes.")
	case t.Model == 0:
		s.Says = "Begins by itself after the next finished note."
	default:
		s.Says = fmt.Sprintf("Model %d learnt from %s.", t.Model, count(t.Documents, "note", "notes"))
	}
	if t.Model > 0 {
		s.State, s.Detail = stepDone, checkedWords(t)
	}
	return s
}

// checkedWords are scoreWords, with the model that was scored where it is another
// than the one in use.
func checkedWords(t training.Status) string {
	words := scoreWords(t.Scores)
	if old := checkedWith(t); words != "" && old > 0 {
		words += fmt.Sprintf(" This was checked with model %d.", old)
	}
	return words
}

// checkedWith is the number of the model that the scores are about when it is
// another than the newest, else 0.
func checkedWith(t training.Status) int {
	if t.Scores.Documents == 0 || t.Scores.Model == t.Model {
		return 0
	}
	return t.Scores.Model
}

// scoreWords says how good the model is, with the interval, what it was measured
// on, and whether that speaks for other notes.
func scoreWords(s training.Scores) string {
	if s.Documents == 0 {
		return ""
	}
	words := fmt.Sprintf("It finds %s of what is sensitive (95 %% interval %s to %s), measured by cross-validation on %s",
		percent(s.Recall.Value), percent(s.Recall.Low), percent(s.Recall.High), count(s.Documents, "note", "notes"))
	if !s.Random {
		words += ", " + notRandomWords
	}
	return words + "."
}

// notRandomWords is about the notes that a model was checked on.
const notRandomWords = "not all of them drawn at random: other notes may come out worse"

// percent writes a share without decimals where it can: "94 %", "99.6 %".
func percent(share float64) string { return wholePercent(share) + " %" }

func (h home) sanitizeStep() step {
	s := step{Title: "Sanitize", State: stepLater, Says: "Measures what an attacker could still find, and redacts until it no longer pays."}
	if len(h.runs) > 0 || h.enoughFinished() || !h.role.Can(account.ReadNotes) {
		s.Action, s.URL = "Open the figures", projectURL(h.ID, "/sanitize")
	}
	if len(h.runs) == 0 {
		if s.Action != "" && h.role.Can(account.Sanitize) {
			s.Action = "Start sanitizing"
		}
		return s
	}
	newest := h.runs[0]
	switch newest.State {
	case sanitize.Running:
		s.Busy, s.Says = true, "Run "+number(newest.Number)+" is under way: "+sentence(newest.Progress.Doing)
	case sanitize.Failed:
		s.Says = "Run " + number(newest.Number) + " failed: " + sentence(newest.Error)
	default:
		s.Says = fmt.Sprintf("%s; the newest measured %s.", count(len(h.runs), "run", "runs"), count(newest.Documents, "note", "notes"))
	}
	if lc := h.chosen(); lc > 0 {
		s.State, s.Detail = stepDone, fmt.Sprintf("L/C %g is chosen.", lc)
	}
	return s
}

// chosen is the L/C that was last chosen, 0 when none was.
func (h home) chosen() float64 {
	for _, r := range h.runs {
		if r.Chosen > 0 {
			return r.Chosen
		}
	}
	return 0
}

func (h home) publishStep() step {
	s := step{Title: "Publish", State: stepLater, Says: "Nothing is released yet."}
	if h.Releases > 0 {
		s.State, s.Says = stepDone, count(h.Releases, "release.", "releases.")
	}
	if h.Releases > 0 || h.chosen() > 0 {
		s.Action, s.URL = "Open the releases", projectURL(h.ID, "/publish")
	}
	return s
}
