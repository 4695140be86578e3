// SPDX-License-Identifier: Apache-2.0

package note

import (
	"testing"

	"hide/internal/project"
)

func TestSuggestionsOfANewModelArriveAtAPause(t *testing.T) {
	f := letterNotes(t)
	v := openNote(t, f)
	v.Wait("live connection", `document.getElementById("live-state").hidden`)
	v.selectText("teacher", 0, 0)
	before := v.place("mark[data-kind=HOSPITAL]")
	if by := v.Text("#suggested-by"); by != "6 suggestions by model 12." {
		t.Errorf("the page says whose suggestions they are: %q", by)
	}
	f.propose(t, 1, "9 March 2021", "DATE", 0.91)
	f.mu.Lock()
	f.detector = 2
	f.mu.Unlock()
	f.tell(project.TopicDocument, 1)
	v.Wait("the news", `document.querySelector("#note-newest").dataset.suggestions !== document.querySelector(".note-head").dataset.suggestions`)
	v.Wait("a pause, in which the selection holds the news back", `document.getElementById("annotate").hasAttribute("data-behind")`)
	if v.Count("mark[data-suggested]") != 6 {
		t.Error("suggestions changed while something was selected")
	}
	v.Press("Escape")
	v.Wait("the new suggestion", `document.querySelectorAll("mark[data-suggested]").length === 7 && !document.getElementById("annotate").hasAttribute("data-behind")`)
	if after := v.place("mark[data-kind=HOSPITAL]"); after != before {
		t.Errorf("text moved from %s to %s", before, after)
	}
	v.WaitText("#suggested-by", "7 suggestions by model 12 and the detector of run 2")
	if said := v.Text("#note-status"); said != "Suggestions changed: 7 now, by model 12 and the detector of run 2." {
		t.Errorf("the page says %q", said)
	}
	v.Shots("note-suggestions-changed")
}

func TestTaggingMovesNoWord(t *testing.T) {
	f := letterNotes(t)
	v := openNote(t, f)
	before := v.place("mark[data-kind=HOSPITAL]")
	v.caretTo(t, "Frank")
	v.Press("o")
	v.saved(1)
	v.Press("Escape", "n", "a")
	v.saved(2)
	if after := v.place("mark[data-kind=HOSPITAL]"); after != before {
		t.Errorf("text moved from %s to %s", before, after)
	}
}

func TestTrainingIsShownAsItGoes(t *testing.T) {
	f := letterNotes(t)
	v := openNote(t, f)
	v.WaitText("#training", "Model 12, 214 notes, recall 94 % [92–96]")
	v.Click("#training form button")
	v.WaitText("#training", "Training on 215 notes: iteration 17, objective 4,213, 4 s so far")
	f.mu.Lock()
	f.training.Iteration = 18
	f.mu.Unlock()
	f.tell(project.TopicTraining, 0)
	v.WaitText("#training", "iteration 18")
	v.Click("#training form button")
	v.WaitText("#training", "Train now")
}
