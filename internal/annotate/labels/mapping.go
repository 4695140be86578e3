// SPDX-License-Identifier: Apache-2.0

package labels

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"hide/internal/annotate"
	"hide/internal/words"
)

// Mapping gives labels of one set their labels in another.
type Mapping struct {
	From    string                            `json:"from,omitempty"` // a set, a corpus or a program
	To      string                            `json:"to,omitempty"`   // a set, or a project
	Version int                               `json:"version,omitempty"`
	Pairs   map[annotate.Label]annotate.Label `json:"labels"` // "" drops the spans of a label; a label that is missing keeps its name
}

// Of is the label that l becomes; "" if its spans are dropped.
func (m Mapping) Of(l annotate.Label) annotate.Label {
	if to, mapped := m.Pairs[l]; mapped {
		return to
	}
	return l
}

// Changed counts the spans that a mapping renamed or dropped, by their labels in the file.
type Changed map[Change]int

// Change is a label and what it became; To is "" for dropped spans.
type Change struct{ From, To annotate.Label }

// Lines says how many spans of each label were renamed or dropped.
func (c Changed) Lines() []string {
	var lines []string
	changes := slices.SortedFunc(maps.Keys(c), func(a, b Change) int { return strings.Compare(string(a.From), string(b.From)) })
	for _, one := range changes {
		if one.To == "" {
			lines = append(lines, fmt.Sprintf("%s: %s dropped", one.From, words.Count(c[one], "span", "spans")))
		} else {
			lines = append(lines, fmt.Sprintf("%s is now %s: %s renamed", one.From, one.To, words.Count(c[one], "span", "spans")))
		}
	}
	return lines
}

// Spans are the spans under their new labels, without dropped ones. It counts what it does
// in changed, which may be nil. The result may be the argument.
func (m Mapping) Spans(spans []annotate.Span, changed Changed) []annotate.Span {
	if len(m.Pairs) == 0 || !slices.ContainsFunc(spans, func(s annotate.Span) bool { return m.Of(s.Label) != s.Label }) {
		return spans
	}
	kept := make([]annotate.Span, 0, len(spans))
	for _, s := range spans {
		to := m.Of(s.Label)
		if to != s.Label && changed != nil {
			changed[Change{s.Label, to}]++
		}
		if s.Label = to; to != "" {
			kept = append(kept, s)
		}
	}
	return kept
}

// Document is a document with mapped spans. What people did to get to the spans is left out if
// a label has changed: its history tells of labels that the document no longer has.
func (m Mapping) Document(d annotate.Annotated, changed Changed) annotate.Annotated {
	if mapped := m.Spans(d.Spans, changed); !slices.Equal(mapped, d.Spans) {
		d.Spans, d.Work = mapped, nil
	}
	return d
}

// Documents are the documents with mapped spans.
func (m Mapping) Documents(docs iter.Seq2[annotate.Annotated, error], changed Changed) iter.Seq2[annotate.Annotated, error] {
	return func(yield func(annotate.Annotated, error) bool) {
		for d, err := range docs {
			if !yield(m.Document(d, changed), err) {
				return
			}
		}
	}
}

// Then is the mapping that does m first and next afterwards, for the labels in from.
func (m Mapping) Then(next Mapping, from []annotate.Label) Mapping {
	joined := Mapping{From: m.From, To: next.To, Pairs: pairs{}}
	for _, l := range from {
		to := m.Of(l)
		if to != "" {
			to = next.Of(to)
		}
		if to != l {
			joined.Pairs[l] = to
		}
	}
	return joined
}

// Check reports the first label that cannot be one.
func (m Mapping) Check() error {
	for _, from := range slices.Sorted(maps.Keys(m.Pairs)) {
		if err := annotate.CheckLabel(from); err != nil {
			return fmt.Errorf("a mapped label cannot be a label: %w", err)
		}
		if to := m.Pairs[from]; to != "" {
			if err := annotate.CheckLabel(to); err != nil {
				return fmt.Errorf("%s becomes something that cannot be a label: %w", from, err)
			}
		}
	}
	return nil
}

// arrow separates the two sets in the name of a mapping.
const arrow = "-to-"

// Name is the name of a built-in mapping: "meddocan-to-i2b2-2014".
func (m Mapping) Name() string { return m.From + arrow + m.To }

// Find finds a built-in mapping by its name: SOURCE-to-SET. A source is a set, or the labels
// of a corpus or a program.
func Find(name string) (Mapping, error) {
	from, to, found := strings.Cut(name, arrow)
	first, known := incoming(from)
	next, also := outgoing(to)
	if !found || !known || !also || from == to {
		return Mapping{}, fmt.Errorf("unknown mapping %.60q; names are like meddocan-to-i2b2-2014, from %s to %s", name, strings.Join(sources(), ", "), SetNames())
	}
	return first.Then(next, sourceLabels(from)), nil
}

// Builtin lists the mappings that [Find] knows.
func Builtin() []Mapping {
	var all []Mapping
	for _, from := range sources() {
		for _, to := range Sets() {
			if m, err := Find(from + arrow + to.Name); err == nil {
				all = append(all, m)
			}
		}
	}
	return all
}

// sources lists what can be mapped from.
func sources() []string { return append([]string{Default}, slices.Sorted(maps.Keys(in))...) }

// incoming maps a source to the default set.
func incoming(from string) (Mapping, bool) {
	p, known := in[from]
	return Mapping{From: from, To: Default, Pairs: p}, known || from == Default
}

// outgoing maps the default set to another.
func outgoing(to string) (Mapping, bool) {
	p, known := out[to]
	return Mapping{From: Default, To: to, Pairs: p}, known || to == Default
}

// sourceLabels lists the labels of a source.
func sourceLabels(from string) []annotate.Label {
	if set, found := FindSet(from); found {
		return set.Labels.Labels()
	}
	return slices.Sorted(maps.Keys(in[from]))
}
