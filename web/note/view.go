// SPDX-License-Identifier: Apache-2.0

package note

import (
	"fmt"
	"strconv"

	"hide/internal/annotate"
	"hide/internal/project"
	"hide/web/ui"
)

// noteView is a note prepared for its page.
type noteView struct {
	*project.Note
	projectID project.ID
	marks     []mark
	chunks    []chunk
	codes     map[annotate.Label]string
	tints     map[annotate.Label]int
	chosen    *mark         // named by the address, for browsers without scripts
	question  *noteQuestion // about an edit that was not made; nil mostly
	finished  string        // who finished it and when, in words; "" of a note that is not done
}

func newNoteView(id project.ID, n *project.Note) noteView {
	offsets := annotate.NewOffsets(n.Document.Text)
	v := noteView{Note: n, projectID: id, marks: noteMarks(n, offsets)}
	v.chunks = cutNote(n.Document.Text, v.marks)
	v.codes, v.tints = codesOf(n.Labels.With(usedLabels(n)...), n.Places)
	return v
}

// noteView is a note ready to be shown to the reader.
func (h *Handlers) noteView(c ui.Context, n *project.Note) noteView {
	v := newNoteView(ui.ProjectID(c), n)
	v.finished = h.finishedWords(ui.User(c), n)
	return v
}

// choose makes the mark with this id the chosen one, if there is one.
func (v *noteView) choose(id string) {
	for i := range v.marks {
		if v.marks[i].id == id {
			v.chosen = &v.marks[i]
		}
	}
}

// usedLabels lists labels that came with a file and may be missing in the set.
func usedLabels(n *project.Note) []annotate.Label {
	labels := annotate.Labels([]annotate.Annotated{{Spans: n.Layer.Spans()}})
	for _, s := range n.Suggestions {
		labels = append(labels, s.Span.Label)
	}
	return labels
}

// path is the note's address, with more behind it.
func (v noteView) path(more string) string { return ui.NotePath(v.projectID, v.ID) + more }

// surface is what a mark covers, on one line and not too long for a list.
func (v noteView) surface(m mark) string { return ui.OneLine(m.span.Surface(v.Document.Text), 80) }

// suggestedAtLeast counts the open suggestions with at least this score.
func (v noteView) suggestedAtLeast(score float64) int {
	n := 0
	for _, s := range v.Suggestions {
		if s.Score >= score {
			n++
		}
	}
	return n
}

// suggestionsKey is how pages write the key of [project.Note].
func suggestionsKey(key uint64) string { return strconv.FormatUint(key, 16) }

// suggestionsNews is what a page says when it has replaced suggestions by these.
func (v noteView) suggestionsNews() string {
	if len(v.Suggestions) == 0 {
		return "Suggestions changed: none is open now."
	}
	return fmt.Sprintf("Suggestions changed: %s now, by %s.", ui.Number(len(v.Suggestions)), suggesterWords(v.By))
}

// itemKey changes with everything that the list shows of a mark.
func (v noteView) itemKey(m mark) string {
	return fmt.Sprintf("%s-%s-%s-%s-%v-%v", m.id, m.span.Label, ui.ScorePercent(m.score), m.source, m.rule, m.known)
}

func stateName(s annotate.State) string {
	switch s {
	case annotate.New:
		return "Not started"
	case annotate.Done:
		return "Finished"
	}
	return "In progress"
}

// keyedLabels lists the labels that have a key, or those that have none.
func (v noteView) keyedLabels(with bool) []annotate.LabelInfo {
	var labels []annotate.LabelInfo
	for _, info := range v.Labels {
		if (info.Key != "") == with {
			labels = append(labels, info)
		}
	}
	return labels
}
