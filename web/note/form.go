// SPDX-License-Identifier: Apache-2.0

package note

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"hide/internal/annotate"
	"hide/internal/project"
	"hide/web/ui"
)

// noteForm is an edit as the page sends it. Places are in code points. The text at each
// place comes along as its surface, so that an edit from a browser that counts
// differently is refused.
type noteForm struct {
	revision     int
	model        string   // of the suggestions on the page
	shown        string   // the key of the suggestions on the page; "" from a page without a script
	do           string   // what to do: a verb of annotate, or one of the words below
	ids          []string // of marks, see mark.id
	starts, ends []string
	surfaces     []string // of ids, or of starts and ends; checked where the page sends them
	label        annotate.Label
	threshold    float64 // of "accept-above", 0 to 1
	exact        bool    // edges move by a character, not by a word
	ignoreCase   bool    // of "tag-all"
	tickedPlaces []string
	reopens      bool                // the person knows that the note is done, and that this opens it again
	undecided    int                 // suggestions that the person leaves undecided when finishing the note
	next         annotate.DocumentID // announced as the next note when finishing this one; 0 for none
}

// readNoteForm reads the form. The value of a label's button is the verb and the label:
// "label DATE".
func readNoteForm(values url.Values) (noteForm, error) {
	f := noteForm{
		ids: values["id"], starts: values["start"], ends: values["end"], surfaces: values["surface"],
		label: annotate.Label(values.Get("label")), exact: values.Get("exact") == "1",
		ignoreCase: values.Get("fold") == "1", tickedPlaces: values["place"],
		model: values.Get("model"), shown: values.Get("shown"), do: values.Get("do"), reopens: values.Get("reopens") == "1",
	}
	f.undecided, _ = strconv.Atoi(values.Get("undecided")) // none is 0
	f.next, _ = parseDocument(values.Get("next"))          // none is 0
	if label, found := strings.CutPrefix(f.do, "label "); found {
		f.do, f.label = "label", annotate.Label(label)
	}
	var err error
	if f.revision, err = strconv.Atoi(values.Get("revision")); err != nil {
		return f, ui.Refuse("The form does not say which version of the note it was made on.", "Reload the note and try again.")
	}
	percent, err := strconv.ParseFloat(cmp.Or(values.Get("threshold"), "90"), 64)
	if err != nil || percent < 0 || percent > 100 {
		return f, ui.Refuse("The score is not a number from 0 to 100.", "Give a percentage, for example 90.")
	}
	f.threshold = percent / 100
	return f, nil
}

// edit turns the form into an edit of the note.
func (f noteForm) edit(n *project.Note) (annotate.Edit, error) {
	switch f.do {
	case "tag":
		spans, err := f.spans(n)
		return annotate.Edit{Verb: annotate.VerbTag, Spans: spans}, err
	case "tag-all":
		spans, err := f.places(n)
		return annotate.Edit{Verb: annotate.VerbTagAll, Spans: spans}, err
	case "label":
		return f.relabel(n)
	case "remove":
		ids, err := f.annotations(n)
		return annotate.Edit{Verb: annotate.VerbRemove, IDs: ids}, err
	case "accept", "reject":
		chosen, err := f.suggestions(n)
		return annotate.Edit{Verb: annotate.Verb(f.do), Suggestions: chosen}, err
	case "accept-above":
		chosen, err := f.above(n)
		return annotate.Edit{Verb: annotate.VerbAccept, Suggestions: chosen}, err
	case "finish", "reopen":
		return annotate.Edit{Verb: annotate.Verb(f.do)}, nil
	}
	if edge, ok := edges[f.do]; ok {
		return f.resize(n, edge)
	}
	return annotate.Edit{}, ui.Refuse("The form does not say what to do.", "Reload the note and try again.")
}

// spans reads start, end and surface of each span.
func (f noteForm) spans(n *project.Note) ([]annotate.Span, error) {
	if len(f.starts) == 0 || len(f.starts) != len(f.ends) || len(f.starts) != len(f.surfaces) {
		return nil, ui.Refuse("No words are selected.", "Select the words to tag first.")
	}
	offsets := annotate.NewOffsets(n.Document.Text)
	spans := make([]annotate.Span, len(f.starts))
	for i := range spans {
		span, err := readSpan(offsets, f.starts[i], f.ends[i], f.label)
		if err != nil {
			return nil, err
		}
		if err := sameSurface(span.Surface(n.Document.Text), f.surfaces[i]); err != nil {
			return nil, err
		}
		spans[i] = span
	}
	return spans, nil
}

// places reads the ticked places of a preview. The first surface is the text at all of
// them, except for its case.
func (f noteForm) places(n *project.Note) ([]annotate.Span, error) {
	if len(f.tickedPlaces) == 0 || len(f.surfaces) == 0 {
		return nil, ui.Refuse("No place is ticked.", "Tick at least one, or close the list.")
	}
	offsets := annotate.NewOffsets(n.Document.Text)
	spans := make([]annotate.Span, len(f.tickedPlaces))
	for i, place := range f.tickedPlaces {
		start, end, _ := strings.Cut(place, "-")
		span, err := readSpan(offsets, start, end, f.label)
		if err != nil {
			return nil, err
		}
		here := span.Surface(n.Document.Text)
		if !strings.EqualFold(wireText(here), wireText(f.surfaces[0])) {
			return nil, sameSurface(here, f.surfaces[0])
		}
		spans[i] = span
	}
	return spans, nil
}

func readSpan(offsets *annotate.Offsets, start, end string, label annotate.Label) (annotate.Span, error) {
	from, err := strconv.Atoi(start)
	if err != nil {
		return annotate.Span{}, ui.Refuse("A place is not a number.", "Select the words again.")
	}
	to, err := strconv.Atoi(end)
	if err != nil {
		return annotate.Span{}, ui.Refuse("A place is not a number.", "Select the words again.")
	}
	span, err := offsets.Span(annotate.RuneOff(from), annotate.RuneOff(to), label)
	if err != nil {
		return span, ui.Refuse(fmt.Sprintf("The note has %d characters; %d to %d is not a part of it.", offsets.Runes(), from, to), "Select the words again.")
	}
	return span, nil
}

// sameSurface refuses an edit whose words differ from the note's text at that place. The
// message gives lengths only, no text.
func sameSurface(here, sent string) error {
	if wireText(here) == wireText(sent) {
		return nil
	}
	return &ui.Error{
		Status: http.StatusConflict, Title: "The words do not match the note",
		What: fmt.Sprintf("At this place the note holds %d characters, and your browser sent %d others. Nothing was changed.",
			utf8.RuneCountInString(here), utf8.RuneCountInString(sent)),
		Next: "Reload the note and select the words again.",
	}
}

// wireText is what a form makes of text: line ends become CR LF, NUL is lost.
func wireText(s string) string {
	return strings.NewReplacer("\r\n", "\n", "\r", "\n", "\x00", "\uFFFD").Replace(s)
}

// annotations reads ids, and checks their surfaces where the form has them.
func (f noteForm) annotations(n *project.Note) ([]uint64, error) {
	if len(f.ids) == 0 {
		return nil, ui.Refuse("No span is chosen.", "Choose a span in the text or in the list first.")
	}
	ids := make([]uint64, len(f.ids))
	for i, text := range f.ids {
		id, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			return nil, ui.Refuse("This works on spans that are in the note, not on suggestions.", "Accept the suggestion first.")
		}
		a, found := n.Layer.Find(id)
		if !found {
			return nil, ui.Refuse("The span no longer exists.", "Reload the note.")
		}
		if len(f.surfaces) == len(f.ids) {
			if err := sameSurface(a.Span.Surface(n.Document.Text), f.surfaces[i]); err != nil {
				return nil, err
			}
		}
		ids[i] = id
	}
	return ids, nil
}

// suggestions finds the open suggestions that ids name.
func (f noteForm) suggestions(n *project.Note) ([]annotate.Suggestion, error) {
	if len(f.ids) == 0 {
		return nil, ui.Refuse("No suggestion is chosen.", "Choose one in the text or in the list first.")
	}
	named := make(map[string]annotate.Suggestion, len(n.Suggestions))
	offsets := annotate.NewOffsets(n.Document.Text)
	for _, s := range n.Suggestions {
		start, end := offsets.Range(s.Span)
		named[suggestionID(start, end, s.Span.Label)] = s
	}
	var chosen []annotate.Suggestion
	for i, id := range f.ids {
		s, found := named[presentID(n, id)]
		if !found {
			return nil, ui.Refuse("The suggestion no longer exists: a newer model does not make it, or the words are tagged.", "Reload the note.")
		}
		if len(f.surfaces) == len(f.ids) {
			if err := sameSurface(s.Span.Surface(n.Document.Text), f.surfaces[i]); err != nil {
				return nil, err
			}
		}
		chosen = append(chosen, s)
	}
	return chosen, nil
}

// presentID is the id of a suggestion under the present name of its label, for a page that
// is older than a rename.
func presentID(n *project.Note, id string) string {
	parts := strings.SplitN(id, "-", 3)
	if len(parts) < 3 {
		return id
	}
	return parts[0] + "-" + parts[1] + "-" + string(n.Renamed.Of(annotate.Label(parts[2])))
}

// above chooses the open suggestions with at least the threshold, if they are those that
// the page shows. A new model's suggestions, which the person has not seen, come without
// a new revision of the note.
func (f noteForm) above(n *project.Note) ([]annotate.Suggestion, error) {
	if f.model != suggestedBy(n) {
		return nil, &ui.Error{
			Status: http.StatusConflict, Title: "The suggestions have changed",
			What: "A new model, or the detector of another run, has read the note since you opened it. Nothing was accepted, because these are not the suggestions that you saw.",
			Next: "Reload the note, look at the suggestions as they are now, and accept them again.",
		}
	}
	return slices.DeleteFunc(slices.Clone(n.Suggestions), func(s annotate.Suggestion) bool { return s.Score < f.threshold }), nil
}

// suggestedBy names the source of the open suggestions as the form sends it: the number of
// the model, with that of the run whose detector adds to them, or "rules", or "known" when all
// are known identifiers, or "0" when there are none. Besides known identifiers, all
// suggestions of a note have one source.
func suggestedBy(n *project.Note) string {
	switch {
	case len(n.Suggestions) == 0:
		return "0"
	case n.By.KnownOnly:
		return "known"
	case n.By.Model == 0:
		return "rules"
	case n.By.Detector:
		return fmt.Sprintf("%d with %d", n.By.Model, n.By.Run)
	}
	return strconv.Itoa(n.By.Model)
}

// suggesterWords names the source of the suggestions.
func suggesterWords(by project.SuggestedBy) string {
	switch {
	case by.KnownOnly:
		return "known identifiers"
	case by.Known:
		by.Known = false
		return "known identifiers and " + suggesterWords(by)
	}
	words := "model " + ui.Number(by.Model)
	switch {
	case by.Model == 0:
		return "rules"
	case by.Run > 0:
		return words + " and the detector of run " + ui.Number(by.Run)
	case by.Detector:
		return words + " and the detector of an earlier run"
	}
	return words
}

// relabel gives annotations another label; a suggestion becomes an annotation
// with that label instead of its own.
func (f noteForm) relabel(n *project.Note) (annotate.Edit, error) {
	if len(f.starts) > 0 {
		spans, err := f.spans(n)
		return annotate.Edit{Verb: annotate.VerbTag, Spans: spans}, err
	}
	if len(f.ids) == 1 && strings.HasPrefix(f.ids[0], "s") {
		chosen, err := f.suggestions(n)
		if err != nil {
			return annotate.Edit{}, err
		}
		span := chosen[0].Span
		span.Label = f.label
		return annotate.Edit{Verb: annotate.VerbTag, Spans: []annotate.Span{span}}, nil
	}
	ids, err := f.annotations(n)
	return annotate.Edit{Verb: annotate.VerbRelabel, IDs: ids, Label: f.label}, err
}

func (f noteForm) resize(n *project.Note, e edge) (annotate.Edit, error) {
	ids, err := f.annotations(n)
	if err != nil {
		return annotate.Edit{}, err
	}
	if len(ids) > 1 {
		return annotate.Edit{}, ui.Refuse("Several spans are chosen.", "Choose only the span whose ends should move.")
	}
	old, _ := n.Layer.Find(ids[0])
	span, ok := e.move(n.Document.Text, old.Span, f.exact)
	if !ok {
		return annotate.Edit{}, ui.Refuse("There is no further word on that side.", "Widen or narrow the other side, or remove the span.")
	}
	for _, a := range n.Layer.Annotations {
		if a.ID != old.ID && a.Span.Overlaps(span) {
			return annotate.Edit{}, ui.Refuse("The next word belongs to another span.", "Narrow or remove that span first.")
		}
	}
	return annotate.Edit{Verb: annotate.VerbResize, IDs: ids[:1], Spans: []annotate.Span{span}}, nil
}
