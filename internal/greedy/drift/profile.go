// SPDX-License-Identifier: Apache-2.0

package drift

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"slices"
	"strings"
	"unicode"

	"hide/internal/annotate"
	"hide/internal/crf"
)

// Profile is the compared properties of a document: a few kilobytes, without its text.
type Profile struct {
	Group  string // documents of one group are exchanged together
	Source string // its institution, "" if unknown
	Kind   string // type of note, "" if unknown
	Tokens int
	Kept   int     // tokens that would be published
	Doubt  float64 // sum of P(sensitive) over the tokens kept

	words, heads []uint64 // hashes of distinct lower-cased words and line heads, ascending
}

// The attributes with the institution and type of a document; the first one present
// counts.
var (
	sourceAttributes = []string{"institution", "source", "site", "hospital", "facility"}
	kindAttributes   = []string{"note_type", "type", "kind", "category"}
)

// Describe makes the profile of a document. scores and redacted have one element per
// token: P(sensitive) by a model that was not trained on the document, and whether the
// token would be redacted.
func Describe(d *annotate.Note, scores []float64, redacted []bool) Profile {
	p := Profile{Group: d.Group, Source: SourceOf(d.Attributes), Kind: KindOf(d.Attributes)}
	var words []uint64
	for i, word := range d.Words {
		p.Tokens++
		if strings.ContainsFunc(word, unicode.IsLetter) {
			words = append(words, hash(strings.ToLower(word)))
		}
		if !redacted[i] {
			p.Kept++
			p.Doubt += scores[i]
		}
	}
	p.words, p.heads = distinct(words), distinct(heads(d.Text))
	return p
}

// SourceOf is the institution of a note; "" when its attributes do not say.
func SourceOf(attributes map[string]string) string { return first(attributes, sourceAttributes) }

// KindOf is the kind of a note, such as "discharge"; "" when its attributes do not say.
func KindOf(attributes map[string]string) string { return first(attributes, kindAttributes) }

func first(attributes map[string]string, names []string) string {
	for _, n := range names {
		if v := strings.TrimSpace(attributes[n]); v != "" {
			return v
		}
	}
	return ""
}

// longestHead is how far into a line its head can extend, in bytes.
const longestHead = 40

// heads are hashes of the beginnings of lines up to a colon, and of lines in capitals:
// section headers and field names. Digits are all equal.
func heads(text string) []uint64 {
	var out []uint64
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		head, _, field := strings.Cut(line, ":")
		if len(head) == 0 || len(head) > longestHead || !strings.ContainsFunc(head, unicode.IsLetter) {
			continue
		}
		if field || inCapitals(line) {
			out = append(out, hash(strings.ToLower(strings.Map(sameDigits, head))))
		}
	}
	return out
}

// inCapitals requires a capital: in scripts without them every line would be a heading.
func inCapitals(line string) bool {
	return strings.ToUpper(line) == line && strings.ContainsFunc(line, unicode.IsUpper)
}

func sameDigits(r rune) rune {
	if unicode.IsDigit(r) {
		return '0'
	}
	return r
}

func hash(s string) uint64 {
	h := fnv.New64a()
	_, _ = io.WriteString(h, s) // never fails
	return h.Sum64()
}

func distinct(hashes []uint64) []uint64 {
	slices.Sort(hashes)
	return slices.Clip(slices.Compact(hashes))
}

// doubt is the tokens in 1,000 kept that are sensitive by the scores.
func (p Profile) doubt() float64 { return 1000 * p.Doubt / float64(max(1, p.Kept)) }

// kept is the share of tokens kept.
func (p Profile) kept() float64 { return float64(p.Kept) / float64(max(1, p.Tokens)) }

// Name names a comparison. Names are stored: do not change them.
type Name string

// What is compared.
const (
	Doubt   Name = "doubt"   // sum of P(sensitive) over the tokens kept, per 1,000 of them
	Kept    Name = "kept"    // share of tokens kept
	Words   Name = "words"   // share of distinct words that no reference document of another group has
	Heads   Name = "heads"   // the same of line heads
	Length  Name = "length"  // tokens
	Kinds   Name = "kinds"   // how documents divide into types of notes
	Sources Name = "sources" // and into institutions
)

// measure is one way to compare documents.
type measure struct {
	name     Name
	distance statistic
	values   func(target []bool) []float64 // per document; nil where documents have none
}

func (m measure) test(target []bool) Test {
	t := Test{Name: m.name, Distance: m.distance(target)}
	if m.values != nil {
		t.Reference, t.Target = means(m.values(target), target)
	}
	return t
}

// measures are those that the documents allow: without kinds, none is compared.
func measures(docs []Profile) []measure {
	ms := []measure{
		plain(Doubt, docs, Profile.doubt),
		plain(Kept, docs, Profile.kept),
		unseen(Words, docs, func(p Profile) []uint64 { return p.words }),
		unseen(Heads, docs, func(p Profile) []uint64 { return p.heads }),
		plain(Length, docs, func(p Profile) float64 { return float64(p.Tokens) }),
	}
	for _, d := range []struct {
		name Name
		of   func(Profile) string
	}{{Kinds, func(p Profile) string { return p.Kind }}, {Sources, func(p Profile) string { return p.Source }}} {
		if categories, several := categoriesOf(docs, d.of); several {
			ms = append(ms, measure{name: d.name, distance: dividing(categories)})
		}
	}
	return ms
}

func plain(name Name, docs []Profile, of func(Profile) float64) measure {
	values := make([]float64, len(docs))
	for i, d := range docs {
		if values[i] = of(d); math.IsNaN(values[i]) {
			values[i] = 0
		}
	}
	return measure{name, middling(values), func([]bool) []float64 { return values }}
}

func unseen(name Name, docs []Profile, of func(Profile) []uint64) measure {
	n := newNovelty(docs, of)
	return measure{name, n.distance, n.shares}
}

func categoriesOf(docs []Profile, of func(Profile) string) (categories []string, several bool) {
	categories = make([]string, len(docs))
	for i, d := range docs {
		categories[i] = of(d)
		several = several || categories[i] != categories[0]
	}
	return categories, several
}

// scoredRedacted is the P(sensitive) from which on a token counts as redacted: that of
// L/C 10.
const scoredRedacted = 1. / 11

// ErrNothingSensitive is returned if there is too little to train on.
var ErrNothingSensitive = errors.New("half of the patients have nothing sensitive")

// Scorer makes the profiles of both sides of a comparison. Of two models, each trained on
// the patients that the other was not, a document is scored by one that was not trained
// on it. Documents new to both are scored by each in turn, so that scores are comparable
// on both sides.
type Scorer struct {
	models [2]*crf.Model
	half   map[string]int // group -> the model not trained on it
	unseen int
}

// NewScorer trains on annotated documents, all of whose spans are sensitive. It returns
// [ErrNothingSensitive] if a half of the groups has none.
func NewScorer(ctx context.Context, docs []annotate.Note) (*Scorer, error) {
	r := &Scorer{half: map[string]int{}}
	var halves [2][]annotate.View
	var marked [2]int
	for _, d := range docs {
		h, seen := r.half[d.Group]
		if !seen {
			h = len(r.half) % 2
			r.half[d.Group] = h
		}
		halves[1-h] = append(halves[1-h], d.View())
		marked[1-h] += len(d.Spans)
	}
	for h, docs := range halves {
		if marked[h] == 0 {
			return nil, ErrNothingSensitive
		}
		var err error
		if r.models[h], _, err = crf.Train(ctx, docs, crf.Options{Binary: true}); err != nil {
			return nil, fmt.Errorf("compare documents: %w", err)
		}
	}
	return r, nil
}

// Profile describes a document without reading its spans. Successive documents new to
// both models are scored by each in turn, so the same calls give the same profiles.
func (r *Scorer) Profile(d *annotate.Note) Profile {
	h, seen := r.half[d.Group]
	if !seen {
		h = r.unseen % 2
		r.unseen++
	}
	scores := r.models[h].Sensitive(d.View())
	redacted := make([]bool, len(scores))
	for i, p := range scores {
		redacted[i] = p >= scoredRedacted
	}
	return Describe(d, scores, redacted)
}

// Profiles trains a [Scorer] on annotated documents, all of whose spans are sensitive, and
// describes both sides of a comparison with it. Spans of the two sides are not read. It
// returns [ErrNothingSensitive] as [NewScorer] does, and ctx's error soon after ctx ends.
func Profiles(ctx context.Context, annotated, reference, target []annotate.Note) (known, others []Profile, err error) {
	scorer, err := NewScorer(ctx, annotated)
	if err != nil {
		return nil, nil, err
	}
	if others, err = scorer.profiles(ctx, target); err != nil {
		return nil, nil, err
	}
	known, err = scorer.profiles(ctx, reference)
	return known, others, err
}

func (r *Scorer) profiles(ctx context.Context, docs []annotate.Note) ([]Profile, error) {
	out := make([]Profile, len(docs))
	for i := range docs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		out[i] = r.Profile(&docs[i])
	}
	return out, nil
}

// Between compares annotated documents, all of whose spans are sensitive, with others to be
// published, whose spans are not read. If half of the patients have nothing sensitive, the
// report is not [Report.Known]. It returns ctx's error soon after ctx ends.
func Between(ctx context.Context, annotated, others []annotate.Note, seed uint64) (*Report, error) {
	reference, target, err := Profiles(ctx, annotated, annotated, others)
	if errors.Is(err, ErrNothingSensitive) {
		return &Report{}, nil
	}
	if err != nil {
		return nil, err
	}
	return Compare(ctx, reference, target, seed)
}
