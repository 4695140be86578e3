// SPDX-License-Identifier: Apache-2.0

package format

import (
	"cmp"
	"context"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"hide/internal/annotate"
)

// Preview is what an import would bring.
type Preview struct {
	Report
	Patients   int             `json:"patients"`   // different keys
	Without    int             `json:"without"`    // notes without a patient
	Labels     []LabelCount    `json:"labels"`     // of the spans, by frequency
	Attributes []NameCount     `json:"attributes"` // that are kept
	Identities []IdentityCount `json:"identities"`
	Samples    []Sample        `json:"samples"` // drawn at random
	Columns    []string        `json:"columns"` // of the first table among the files
}

// LabelCount counts the spans of a label.
type LabelCount struct {
	Label annotate.Label `json:"label"`
	Spans int            `json:"spans"`
}

// NameCount counts the notes with an attribute.
type NameCount struct {
	Name  string `json:"name"`
	Notes int    `json:"notes"`
}

// IdentityCount counts the identities of one kind.
type IdentityCount struct {
	Of    annotate.Whose `json:"of"`
	Label annotate.Label `json:"label"`
	Count int            `json:"count"`
}

// Sample is the beginning of a note. It holds identified text.
type Sample struct {
	annotate.Annotated
	Cut bool `json:"cut"` // the text goes on
}

// Limits of a preview.
const (
	samples        = 3
	sampleSize     = 1500 // bytes of text
	previewEntries = 200  // different labels, attributes and kinds of identities
)

// Look reads the files as [Read] does and says what an import would bring. accept sees each
// document, as the sink of an import does; it may be nil.
func Look(ctx context.Context, files []File, opts Options, accept Sink) (Preview, error) {
	l := &look{
		patients: map[string]bool{}, labels: map[annotate.Label]int{}, attributes: map[string]int{},
		identities: map[IdentityCount]int{}, draw: rand.New(rand.NewPCG(1, 1)),
	}
	r, err := read(ctx, files, opts, func(d annotate.Annotated) error {
		if accept != nil {
			if err := accept(d); err != nil {
				return err
			}
		}
		l.add(d)
		return nil
	})
	p := l.preview(r.report)
	p.Columns = append([]string{}, r.header[:min(previewEntries, len(r.header))]...)
	return p, err
}

// look is a preview in the making.
type look struct {
	notes, without int
	patients       map[string]bool
	labels         map[annotate.Label]int
	attributes     map[string]int
	identities     map[IdentityCount]int
	samples        []Sample
	draw           *rand.Rand
}

func (l *look) add(d annotate.Annotated) {
	l.notes++
	if d.Patient == "" {
		l.without++
	} else {
		l.patients[d.Patient] = true
	}
	for _, s := range d.Spans {
		count(l.labels, s.Label)
	}
	for name := range d.Attributes {
		count(l.attributes, name)
	}
	for _, i := range d.Identities {
		count(l.identities, IdentityCount{Of: i.Of, Label: i.Label})
	}
	l.sample(d)
}

func count[K comparable](in map[K]int, key K) {
	if _, found := in[key]; found || len(in) < previewEntries {
		in[key]++
	}
}

// sample keeps each note with the same probability.
func (l *look) sample(d annotate.Annotated) {
	if len(l.samples) < samples {
		l.samples = append(l.samples, beginning(d))
	} else if i := l.draw.IntN(l.notes); i < samples {
		l.samples[i] = beginning(d)
	}
}

// beginning is the first lines of a note, with the spans in them.
func beginning(d annotate.Annotated) Sample {
	text := d.Text
	if len(text) > sampleSize {
		end := sampleSize
		for end > 0 && text[end]&0xc0 == 0x80 {
			end--
		}
		text = text[:end]
	}
	s := Sample{Annotated: d, Cut: len(text) < len(d.Text)}
	s.Text = strings.Clone(text)
	s.Spans = slices.DeleteFunc(slices.Clone(d.Spans), func(s annotate.Span) bool { return int(s.End) > len(text) })
	return s
}

func (l *look) preview(r Report) Preview {
	p := Preview{Report: r, Patients: len(l.patients), Without: l.without, Labels: []LabelCount{}, Attributes: []NameCount{}, Identities: []IdentityCount{}, Samples: l.samples}
	for _, label := range slices.Sorted(maps.Keys(l.labels)) {
		p.Labels = append(p.Labels, LabelCount{label, l.labels[label]})
	}
	slices.SortStableFunc(p.Labels, func(a, b LabelCount) int { return cmp.Compare(b.Spans, a.Spans) })
	for _, name := range slices.Sorted(maps.Keys(l.attributes)) {
		p.Attributes = append(p.Attributes, NameCount{name, l.attributes[name]})
	}
	for i, n := range l.identities {
		i.Count = n
		p.Identities = append(p.Identities, i)
	}
	slices.SortFunc(p.Identities, func(a, b IdentityCount) int {
		return cmp.Or(cmp.Compare(a.Of, b.Of), cmp.Compare(a.Label, b.Label))
	})
	return p
}
