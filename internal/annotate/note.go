// SPDX-License-Identifier: Apache-2.0

package annotate

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Note is an annotated document cut into tokens, the type that every engine reads. [NewNote]
// makes it; it never changes and can be shared. Words, Tokens, Sensitive, SpanOf and Labels
// have one element per token. Tokens may be nil where nobody needs positions in the text:
// words then count as separated by one space. Labels may be nil where labels do not matter.
type Note struct {
	ID      DocumentID // 0 outside a project
	Name    string     // its id outside hide
	Text    string
	Patient string   // the person it is about; empty when unknown
	Group   string   // notes of one group are never split between training and testing
	Known   []string // identifiers of the patient from structured fields; the publisher knows them, attackers do not
	Spans   []Span   // in order and without overlap

	Identities []Identity // what structured data says of the people in it, by label; Known has the values too

	Attributes map[string]string // structured fields that came with it; may be nil

	Tokens    []Token
	Words     []string // surface of each token
	Sensitive []bool   // the token belongs to a span
	SpanOf    []int    // index of the span that the token belongs to; -1 for none
	Labels    []Label  // label of a sensitive token; "" for the others and where it is unknown

	// Selected says that the note was selected for its content, as in active learning, and not
	// sampled at random. Training and the choice of thresholds use it, but no estimate counts
	// it: its selection probability is unknown, so no weight makes it represent the notes that
	// were not selected.
	Selected bool
}

// NewNote cuts a document into tokens and lays its spans over them. A token that two
// spans share belongs to the earlier.
func NewNote(a Annotated) Note {
	tokens := Tokenize(a.Text)
	n := Note{Name: a.Name, Text: a.Text, Patient: a.Person(), Known: a.Known(), Identities: a.About(), Attributes: a.Attributes, Tokens: tokens, Words: make([]string, len(tokens))}
	if a.Patient != "" || a.Name != "" {
		n.Group = a.Group()
	}
	for i, t := range tokens {
		n.Words[i] = a.Text[t.Start:t.End]
	}
	return n.WithSpans(a.Spans)
}

// NewNotes calls [NewNote] for each document.
func NewNotes(all []Annotated) []Note {
	notes := make([]Note, len(all))
	for i, a := range all {
		notes[i] = NewNote(a)
	}
	return notes
}

// WithSpans is n with other spans. It shares text and tokens with n.
func (n Note) WithSpans(spans []Span) Note {
	n.Spans = spans
	n.Sensitive, n.SpanOf, n.Labels = make([]bool, len(n.Words)), make([]int, len(n.Words)), make([]Label, len(n.Words))
	for i := range n.SpanOf {
		n.SpanOf[i] = -1
	}
	for index, s := range spans {
		from, to := Covered(n.Tokens, s)
		for i := from; i < to; i++ {
			if n.SpanOf[i] < 0 {
				n.Sensitive[i], n.SpanOf[i], n.Labels[i] = true, index, s.Label
			}
		}
	}
	return n
}

// Only is n with the spans whose label is sensitive; nil keeps all. It shares text and
// tokens with n.
func (n Note) Only(sensitive func(Label) bool) Note {
	if sensitive == nil {
		return n
	}
	var spans []Span
	for _, s := range n.Spans {
		if sensitive(s.Label) {
			spans = append(spans, s)
		}
	}
	return n.WithSpans(spans)
}

// Label is the label of token i, "" when none is known.
func (n *Note) Label(i int) Label {
	if n.Labels == nil {
		return ""
	}
	return n.Labels[i]
}

// Opens reports whether sensitive token i is the first of its span.
func (n *Note) Opens(i int) bool { return i == 0 || n.SpanOf[i-1] != n.SpanOf[i] }

// TokenSpans are the spans widened to whole tokens, as taggers see them.
func (n *Note) TokenSpans() []Span {
	begins := make([]bool, len(n.Words))
	for i, s := range n.SpanOf {
		begins[i] = s >= 0 && n.Opens(i)
	}
	return SpansOf(n.Tokens, n.Labels, begins)
}

// View is the note with nothing redacted.
func (n *Note) View() View { return View{Note: n} }

// Views are the notes with nothing redacted.
func Views(notes []Note) []View {
	views := make([]View, len(notes))
	for i := range notes {
		views[i].Note = &notes[i]
	}
	return views
}

// CountSensitive counts the sensitive tokens.
func (n *Note) CountSensitive() int {
	count := 0
	for _, s := range n.Sensitive {
		if s {
			count++
		}
	}
	return count
}

// Check reports whether the parts of n fit together.
func (n *Note) Check() error {
	size := len(n.Words)
	if len(n.Sensitive) != size || len(n.SpanOf) != size || n.Tokens != nil && len(n.Tokens) != size {
		return errors.New("words, tokens, flags and spans differ in number")
	}
	if n.Labels != nil && len(n.Labels) != size {
		return errors.New("words and labels differ in number")
	}
	for i, s := range n.Sensitive {
		if s != (n.SpanOf[i] >= 0) {
			return fmt.Errorf("token %d: sensitive flag and span disagree", i)
		}
		if !s && n.Label(i) != "" {
			return fmt.Errorf("token %d: a label without a sensitive flag", i)
		}
	}
	return nil
}

// String names a note without showing any of it.
func (n Note) String() string { return fmt.Sprintf("note of %d tokens", len(n.Words)) }

// GoString is String: %#v must not show text either.
func (n Note) GoString() string { return n.String() }

// Placeholder is what a learner reads in place of a redacted token (GreedySanitize, TKDE
// 2018, figure 2).
const Placeholder = "[NAME]"

// View is a note as a learner or a reader of a publication sees it: some tokens read as
// [Placeholder]. It is a separate type because one note is read under many masks.
type View struct {
	*Note
	Redacted []bool // per token; nil when nothing is redacted

	// Skip marks the tokens that training leaves out; nil for none. The features of
	// their neighbours still see them, and classifiers score them like any other.
	Skip []bool
}

// Hidden reports whether token i is redacted.
func (v View) Hidden(i int) bool { return v.Redacted != nil && v.Redacted[i] }

// Skipped reports whether training leaves token i out.
func (v View) Skipped(i int) bool { return v.Skip != nil && v.Skip[i] }

// InTraining reports whether token i is visible and training uses it.
func (v View) InTraining(i int) bool { return !v.Hidden(i) && !v.Skipped(i) }

// Remaining reports whether token i is sensitive and visible: the class that a learner is
// trained on.
func (v View) Remaining(i int) bool { return v.Sensitive[i] && !v.Hidden(i) }

// Word is the text of token i in this view.
func (v View) Word(i int) string {
	if v.Hidden(i) {
		return Placeholder
	}
	return v.Words[i]
}

// VisibleWords are the words in this view. The caller must not change them.
func (v View) VisibleWords() []string {
	if v.Redacted == nil {
		return v.Words
	}
	words := make([]string, len(v.Words))
	for i := range words {
		words[i] = v.Word(i)
	}
	return words
}

// Published is the text that a reader of the publication sees, and the position of each
// token in it. Neighbouring redacted tokens share a [Placeholder].
func (v View) Published() (string, []Token) {
	var text strings.Builder
	tokens := make([]Token, len(v.Words))
	for i := range v.Words {
		if v.Hidden(i) && i > 0 && v.Hidden(i-1) {
			tokens[i] = tokens[i-1]
			continue
		}
		text.WriteString(v.spaceBefore(i))
		start := text.Len()
		text.WriteString(v.Word(i))
		tokens[i] = Token{Start: ByteOff(start), End: ByteOff(text.Len())}
	}
	return text.String(), tokens
}

func (v View) spaceBefore(i int) string {
	switch {
	case v.Tokens != nil && i == 0:
		return v.Text[:v.Tokens[0].Start]
	case v.Tokens != nil:
		return v.Text[v.Tokens[i-1].End:v.Tokens[i].Start]
	case i == 0:
		return ""
	}
	return " "
}

// State is the progress of work on a document.
type State string

// The states of a document, in order.
const (
	New        State = "new"
	InProgress State = "in progress"
	Done       State = "done"
)

// Source says how an annotation was made.
type Source string

// The sources of an annotation.
const (
	Manual     Source = "manual"     // a person marked it
	Accepted   Source = "accepted"   // a person accepted a suggestion
	Propagated Source = "propagated" // a person tagged all matches of another
	Imported   Source = "imported"   // it came with the file
)

// Annotation is a span confirmed by a person.
type Annotation struct {
	ID     uint64    `json:"id"` // unique in its layer, never reused
	Span   Span      `json:"span"`
	Source Source    `json:"source"`
	By     string    `json:"by"` // account id
	At     time.Time `json:"at"`
	Model  int       `json:"model,omitempty"` // of the accepted suggestion
	Score  float64   `json:"score,omitempty"` // of the accepted suggestion
}

// Suggestion is a model's span. It is not an annotation until accepted.
type Suggestion struct {
	Span  Span    `json:"span"`
	Score float64 `json:"score"`           // mean marginal probability of its label over its tokens, 0 to 1
	Model int     `json:"model"`           // number of the model that proposed it; 0 for a rule or a known identifier
	Known bool    `json:"known,omitempty"` // structured data gives it
}

// Layer has the annotations and decisions of people on one document.
type Layer struct {
	Revision    int          `json:"revision"` // raised by one with every change
	State       State        `json:"state"`
	Annotations []Annotation `json:"annotations"` // in text order, without overlap
	Rejected    []Span       `json:"rejected"`    // permanently rejected suggestions
	History     []Change     `json:"history"`     // oldest first, at most historyLimit
	LastID      uint64       `json:"last_id"`

	renames Renames // of [Layer.Rename], for names in the history
}

// Change is one step of a layer's history: what one action of one person removed and added.
// Undo swaps the two.
type Change struct {
	By       string       `json:"by"`
	At       time.Time    `json:"at"`
	Verb     Verb         `json:"verb"`
	Removed  []Annotation `json:"removed,omitempty"`
	Added    []Annotation `json:"added,omitempty"`
	Rejected []Span       `json:"rejected,omitempty"`
	From, To State        // states before and after; equal when unchanged
	Undone   bool         `json:"undone,omitempty"`
	Revision int          `json:"revision,omitempty"` // set by the change or its last undo or redo; 0 in old layers without it
}

// historyLimit is how many changes a layer remembers for undo. The audit trail
// keeps all of them.
const historyLimit = 500

// Spans lists the spans in text order.
func (l *Layer) Spans() []Span {
	spans := make([]Span, len(l.Annotations))
	for i, a := range l.Annotations {
		spans[i] = a.Span
	}
	return spans
}

// Find returns the annotation with the id.
func (l *Layer) Find(id uint64) (Annotation, bool) {
	i := slices.IndexFunc(l.Annotations, func(a Annotation) bool { return a.ID == id })
	if i < 0 {
		return Annotation{}, false
	}
	return l.Annotations[i], true
}

// Since lists the changes made, undone or redone after a revision, oldest first, as far as
// the history reaches.
func (l *Layer) Since(revision int) []Change {
	later := slices.DeleteFunc(slices.Clone(l.History), func(c Change) bool { return c.Revision <= revision })
	slices.SortStableFunc(later, func(a, b Change) int { return cmp.Compare(a.Revision, b.Revision) })
	return later
}

// Finished is the change that finished a document; false when it is not finished or was
// imported as finished.
func (l *Layer) Finished() (Change, bool) {
	for _, c := range slices.Backward(l.History) {
		if l.State == Done && !c.Undone && c.From != Done && c.To == Done {
			return c, true
		}
	}
	return Change{}, false
}

// Last is this person's newest change that is not undone, the one that [Layer.Undo] undoes.
func (l *Layer) Last(by string) (Change, bool) {
	i := l.newest(by)
	if i < 0 {
		return Change{}, false
	}
	return l.History[i], true
}

// newest is the index of that change in the history, or -1.
func (l *Layer) newest(by string) int {
	for i, c := range slices.Backward(l.History) {
		if c.By == by && !c.Undone {
			return i
		}
	}
	return -1
}

// Clone is a copy that shares no mutable data with l.
func (l *Layer) Clone() *Layer {
	c := *l
	c.Annotations = slices.Clone(l.Annotations)
	c.Rejected = slices.Clone(l.Rejected)
	c.History = slices.Clone(l.History)
	return &c
}

// By is a copy of the layer in which each person is replaced by who gives for them.
func (l *Layer) By(who func(string) string) *Layer {
	c := l.Clone()
	people := func(all []Annotation) []Annotation {
		all = slices.Clone(all)
		for i := range all {
			all[i].By = who(all[i].By)
		}
		return all
	}
	c.Annotations = people(c.Annotations)
	for i, change := range c.History {
		c.History[i].By, c.History[i].Added, c.History[i].Removed = who(change.By), people(change.Added), people(change.Removed)
	}
	return c
}

// Open returns the undecided suggestions: those that overlap no annotation and were not
// rejected.
func (l *Layer) Open(suggestions []Suggestion) []Suggestion {
	var open []Suggestion
	for _, s := range suggestions {
		taken := slices.ContainsFunc(l.Annotations, func(a Annotation) bool { return a.Span.Overlaps(s.Span) })
		if !taken && !slices.Contains(l.Rejected, s.Span) {
			open = append(open, s)
		}
	}
	return open
}
