// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"hide/internal/annotate"
)

// ContextLabel is the category of contextual identifiers.
const ContextLabel annotate.Label = "CONTEXT"

// Context says when a word that is not sensitive itself reveals an identifier by its
// neighbourhood (tkde section 3, contextual information). A word and an identifier occur
// together in a document if the word is within Window tokens of the identifier there.
// Identifiers and words are compared in lower case; punctuation and common words are
// ignored.
type Context struct {
	Window     int     `json:"window"`      // tokens on either side, at most 1,000; 0 means 5
	MinSupport int     `json:"min_support"` // minimum of documents in which they occur together; 0 means 3
	MinLift    float64 `json:"min_lift"`    // 0 means 5; see [Association].Lift

	// Redact makes the words found sensitive, each a span of category [ContextLabel], so
	// that classifiers are trained on them and LossByLabel applies. Otherwise they are
	// only reported.
	Redact bool `json:"redact"`
}

// Association is a word that reveals an identifier: the rule "if the word occurs, so does
// the identifier".
type Association struct {
	Word       string         `json:"word"`
	Identifier string         `json:"identifier"` // its words, with a space between
	Label      annotate.Label `json:"label"`      // of the identifier at its first occurrence
	Support    int            `json:"support"`    // documents in which they occur together
	Confidence float64        `json:"confidence"` // P(together | word) over documents
	Lift       float64        `json:"lift"`       // P(together) / (P(word)*P(identifier)): how many times as often as by chance
}

// WithDefaults fills in the default for each field that is 0.
func (c Context) WithDefaults() Context {
	c.Window = cmp.Or(c.Window, 5)
	if c.MinSupport == 0 {
		c.MinSupport = 3
	}
	c.MinLift = cmp.Or(c.MinLift, 5)
	return c
}

// Check refuses invalid numbers; 0 is valid everywhere.
func (c Context) Check() error {
	c = c.WithDefaults()
	if c.Window < 1 || c.Window > 1000 || c.MinSupport < 1 || !(c.MinLift > 0) || math.IsInf(c.MinLift, 1) {
		return fmt.Errorf("contextual identifiers: a window of %d tokens, support %d and lift %g; they must be 1 to 1000, at least 1, and above 0", c.Window, c.MinSupport, c.MinLift)
	}
	return nil
}

// Associations finds the words of docs that are associated with identifiers,
// strongest lift first, then by support, word and identifier.
func Associations(docs []annotate.Note, c Context) ([]Association, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	c = c.WithDefaults()
	words, identifiers := map[string]int{}, map[string]*identifier{}
	for i := range docs {
		countOnce(words, contextWords(&docs[i]))
		for _, s := range spansOf(&docs[i]) {
			known := identifiers[s.surface]
			if known == nil {
				known = &identifier{label: s.label, last: -1, together: map[string]int{}}
				identifiers[s.surface] = known
			}
			known.seen(i)
		}
	}
	maps.DeleteFunc(identifiers, func(_ string, k *identifier) bool { return k.documents < c.MinSupport })
	for i := range docs {
		for surface, near := range neighbours(&docs[i], c.Window, identifiers) {
			countOnce(identifiers[surface].together, near)
		}
	}
	return c.strong(len(docs), words, identifiers), nil
}

// identifier is the occurrences of one surface.
type identifier struct {
	label     annotate.Label
	documents int
	last      int            // last document seen
	together  map[string]int // documents by word that occurs with it
}

func (k *identifier) seen(document int) {
	if k.last != document {
		k.documents, k.last = k.documents+1, document
	}
}

func countOnce(counts map[string]int, words map[string]bool) {
	for w := range words {
		counts[w]++
	}
}

// strong keeps the associations above the thresholds.
func (c Context) strong(n int, words map[string]int, identifiers map[string]*identifier) []Association {
	var out []Association
	for surface, k := range identifiers {
		for w, together := range k.together {
			confidence := float64(together) / float64(words[w])
			a := Association{w, surface, k.label, together, confidence, confidence * float64(n) / float64(k.documents)}
			if together >= c.MinSupport && a.Lift >= c.MinLift {
				out = append(out, a)
			}
		}
	}
	slices.SortFunc(out, func(a, b Association) int {
		return cmp.Or(cmp.Compare(b.Lift, a.Lift), cmp.Compare(b.Support, a.Support), cmp.Compare(a.Word, b.Word), cmp.Compare(a.Identifier, b.Identifier))
	})
	return out
}

// contextWords are the words of d that can be context.
func contextWords(d *annotate.Note) map[string]bool {
	words := map[string]bool{}
	for x := range d.Words {
		if w, can := contextWord(d, x); can {
			words[w] = true
		}
	}
	return words
}

// contextWord is token x in lower case, if it can be context: "The" is as common as
// "the".
func contextWord(d *annotate.Note, x int) (string, bool) {
	w := strings.ToLower(d.Words[x])
	return w, !d.Sensitive[x] && Informative(w)
}

// occurrence is a sensitive span: tokens from to to.
type occurrence struct {
	surface  string
	label    annotate.Label
	from, to int
}

// spansOf are the runs of tokens of one sensitive span.
func spansOf(d *annotate.Note) []occurrence {
	var out []occurrence
	for x := 0; x < len(d.Words); {
		if !d.Sensitive[x] {
			x++
			continue
		}
		to := x + 1
		for to < len(d.Words) && d.SpanOf[to] == d.SpanOf[x] {
			to++
		}
		out = append(out, occurrence{strings.ToLower(strings.Join(d.Words[x:to], " ")), d.Label(x), x, to})
		x = to
	}
	return out
}

// neighbours are the words of d within window tokens of the known identifiers.
func neighbours(d *annotate.Note, window int, known map[string]*identifier) map[string]map[string]bool {
	out := map[string]map[string]bool{}
	for _, s := range spansOf(d) {
		if known[s.surface] == nil {
			continue
		}
		near := out[s.surface]
		if near == nil {
			near = map[string]bool{}
			out[s.surface] = near
		}
		for x := max(0, s.from-window); x < min(len(d.Words), s.to+window); x++ {
			if w, can := contextWord(d, x); can {
				near[w] = true
			}
		}
	}
	return out
}

// LabelContext returns docs with every word of found sensitive wherever it occurs, each a
// span of category [ContextLabel]: the first of the papers' two ways. docs are not
// changed.
func LabelContext(docs []annotate.Note, found []Association) []annotate.Note {
	words := map[string]bool{}
	for _, a := range found {
		words[a.Word] = true
	}
	out := slices.Clone(docs)
	for i := range out {
		d, next := &out[i], 0
		d.Sensitive, d.SpanOf, d.Labels = slices.Clone(d.Sensitive), slices.Clone(d.SpanOf), slices.Clone(d.Labels)
		if d.Labels == nil {
			d.Labels = make([]annotate.Label, len(d.Words))
		}
		for _, s := range d.SpanOf {
			next = max(next, s+1)
		}
		for x, w := range d.Words {
			if !d.Sensitive[x] && words[strings.ToLower(w)] {
				d.Sensitive[x], d.SpanOf[x], d.Labels[x] = true, next, ContextLabel
				next++
			}
		}
	}
	return out
}

// RemoveContext returns masks that also redact the words associated with what masks redact:
// the second of the papers' two ways. Identifiers are the runs of redacted tokens, so that
// it needs no annotation: classifiers redact the documents first, and association rules over
// the whole publication remove what still stands near the same identifier in several
// documents. docs are published together and are not changed.
func RemoveContext(docs []annotate.Note, masks [][]bool, c Context) ([][]bool, []Association, error) {
	predicted := make([]annotate.Note, len(docs))
	for i := range docs {
		predicted[i] = asRedacted(docs[i], masks[i])
	}
	found, err := Associations(predicted, c)
	if err != nil {
		return nil, nil, err
	}
	out := make([][]bool, len(docs))
	for i, d := range LabelContext(predicted, found) {
		out[i] = d.Sensitive
	}
	return out, found, nil
}

// asRedacted is d with each run of redacted tokens as a sensitive span.
func asRedacted(d annotate.Note, mask []bool) annotate.Note {
	d.Sensitive, d.SpanOf, d.Labels = mask, make([]int, len(mask)), nil
	for x, hidden := range mask {
		switch {
		case !hidden:
			d.SpanOf[x] = -1
		case x > 0 && mask[x-1]:
			d.SpanOf[x] = d.SpanOf[x-1]
		default:
			d.SpanOf[x] = x
		}
	}
	return d
}
