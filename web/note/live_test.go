// SPDX-License-Identifier: Apache-2.0

package note

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/project"
	"hide/web/webtest"
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

// beside is an open page of note 5 in a list of 300.
func beside(t *testing.T, f *fakeNotes) *webtest.Viewer {
	t.Helper()
	base := webtest.Serve(t, f, features(f)...)
	v := webtest.Look(t, base, account.Broker, "p1", "training,queue,queue-best,note", url.Values{"doc": {"5"}, "from": {"0"}})
	v.Until("all parts", func() bool {
		return v.Part("training") != "" && v.Part("queue") != "" && v.Part("queue-best") != "" && v.Part("note") != ""
	})
	return v
}

// TestAForeignEditCostsAViewerLittle counts the bytes that a page receives when somebody
// else finishes a note of its list.
func TestAForeignEditCostsAViewerLittle(t *testing.T) {
	f := manyNotes(t, 300)
	v := beside(t, f)
	before, frames := v.Bytes(), v.Frames
	f.mu.Lock()
	f.docs[7].layer.State = annotate.Done
	f.mu.Unlock()
	f.tell(project.TopicDocument, 7)
	f.tell(project.TopicQueue, 0)
	v.Until("the row of the note", func() bool { return strings.Contains(rowOf(v.Part("queue"), 7), `data-state="done"`) })
	if cost := v.Bytes() - before; cost > 1000 {
		t.Errorf("one edit took %d bytes in %d frames, want at most 1000", cost, v.Frames-frames)
	} else {
		t.Logf("one edit took %d bytes in %d frames; the first state took %d", cost, v.Frames-frames, before)
	}
}

// rowOf is the list from the row of a note to the next.
func rowOf(list string, doc int) string {
	_, row, _ := strings.Cut(list, fmt.Sprintf(`id="queue-%d"`, doc))
	row, _, _ = strings.Cut(row, "</li>")
	return row
}

// TestAPageThatMissedAFrameAsksForTheWholePart lets a page lose a change of its list.
func TestAPageThatMissedAFrameAsksForTheWholePart(t *testing.T) {
	f := manyNotes(t, 60)
	v := openNote(t, f)
	v.Wait("live connection", `document.getElementById("live-state").hidden`)
	v.Eval(`window.lost = 0;
		window.addEventListener("htmx:ws:before:message:incoming", (event) => {
			const frame = JSON.parse(event.detail.message.data);
			if (frame.part !== "queue" || window.lost++ > 0) return;
			event.detail.cancelled = true;
			event.stopImmediatePropagation();
		}, true);`, nil)
	finish := func(doc annotate.DocumentID) {
		f.mu.Lock()
		f.docs[doc].layer.State = annotate.Done
		f.mu.Unlock()
		f.tell(project.TopicQueue, 0)
	}
	finish(7)
	v.Wait("a lost frame", `window.lost > 0`)
	finish(8)
	for _, doc := range []int{7, 8} {
		v.Wait(fmt.Sprintf("note %d as finished", doc), fmt.Sprintf(`document.querySelector("#queue-%d .state").dataset.state === "done"`, doc))
	}
	if n := v.Count(`#queue-list a[aria-current="page"]`); n != 1 {
		t.Errorf("%d notes of the list are marked as the open one", n)
	}
}
