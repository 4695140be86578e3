// SPDX-License-Identifier: Apache-2.0

// Package drift compares the documents behind an estimate with the documents to be
// published, and warns when they differ: estimates hold for documents of the same kind
// only, and no interval shows that these are of another kind.
//
//	reference, target, err := drift.Profiles(ctx, annotated, annotated, others)
//	report, err := drift.Compare(ctx, reference, target, seed)
//	if report.Warns() { ... }
//
// # What is compared?
//
// Seven things, document by document: the doubt in the text kept (sum of P(sensitive)
// over the tokens kept), the share of tokens kept, the share of words and of line heads
// that no other reference document has, the length, and how documents divide into types
// and sources. Each has a statistic and a p-value from exchanging patients between the
// two sides (for a patient on both sides, the documents), corrected for the number of
// tests. Where documents name a source, such as an institution, each source is also
// compared by itself.
//
// # Caveats
//
// Scores must be comparable on both sides: a model scores its own training documents
// better than others. So models that did not see a document score it, on both sides. No
// warning is no proof: few documents show only great differences.
//
// The package is pure: it does no I/O, and equal inputs and seeds give equal reports.
package drift

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
)

const (
	// Level is the corrected p-value up to which a test warns: similar documents give a
	// warning once in a hundred reports, if each published source is annotated. A source
	// without annotated documents is compared with the others, and should give a warning
	// if it differs.
	Level = 0.01
	// LeastUnits is how many patients, or documents, each side needs.
	LeastUnits = 5

	mostDocuments = 600 // compared on each side; larger sides are sampled
	mostSources   = 8   // compared separately: the sources with the most documents; with more than 9 the smallest corrected p-value would be above Level
)

// Test is one comparison. Reference and Target are the means over the documents of each
// side; for [Kinds] and [Sources] they are 0, and only Distance is meaningful.
type Test struct {
	Name      Name    `json:"name"`
	Reference float64 `json:"reference"`
	Target    float64 `json:"target"`
	Distance  float64 `json:"distance"` // the statistic, 0 or more
	P         float64 `json:"p"`        // corrected for all tests of the report
}

// Warns reports whether the two sides differ more than similar ones would.
func (t Test) Warns() bool { return t.P <= Level }

// Side is the result of comparing the documents of one source, or of all.
type Side struct {
	Source    string `json:"source,omitempty"` // "" for all, and for documents without one
	Annotated bool   `json:"annotated"`        // compared with reference documents of this source; otherwise with all reference documents
	Reference int    `json:"reference"`        // documents compared
	Target    int    `json:"target"`
	Tests     []Test `json:"tests"` // none if a side has fewer than LeastUnits
}

// Report is what a comparison found.
type Report struct {
	All     Side   `json:"all"`
	Sources []Side `json:"sources,omitempty"` // by name, documents without one first; only if documents of several sources, or of a new one, are to be published
}

// Known reports whether there were enough documents to compare.
func (r *Report) Known() bool { return len(r.All.Tests) > 0 }

// Warns reports whether any test warns. Without a report nothing does.
func (r *Report) Warns() bool {
	return r != nil && (r.All.Warns() || slices.ContainsFunc(r.Sources, Side.Warns))
}

// Warns reports whether any test warns.
func (s Side) Warns() bool { return slices.ContainsFunc(s.Tests, Test.Warns) }

// Compare tests how the target differs from the reference: the documents to be published
// from those behind the estimates. No document may be in both. It returns ctx's error
// soon after ctx ends.
func Compare(ctx context.Context, reference, target []Profile, seed uint64) (*Report, error) {
	random := rand.New(rand.NewPCG(seed, streamSample))
	reference, target = sample(random, reference), sample(random, target)
	report := &Report{}
	names := sourcesOf(reference, target)
	sides := []Side{{Annotated: true}}
	for _, name := range names {
		sides = append(sides, Side{Source: name})
	}
	for i := range sides {
		own, others := reference, target
		if i > 0 {
			own, others = sides[i].compared(reference, target)
		}
		if err := sides[i].compare(ctx, own, others, seed+uint64(i)); err != nil {
			return nil, fmt.Errorf("compare documents: %w", err)
		}
		for k := range sides[i].Tests { // Bonferroni over the sides
			sides[i].Tests[k].P = math.Min(1, sides[i].Tests[k].P*float64(len(sides)))
		}
	}
	report.All = sides[0]
	report.Sources = append(report.Sources, sides[1:]...)
	return report, nil
}

const streamSample = 2 // of the seeded generator

// sample draws mostDocuments of the documents at random, in order.
func sample(random *rand.Rand, docs []Profile) []Profile {
	if len(docs) <= mostDocuments {
		return docs
	}
	drawn := random.Perm(len(docs))[:mostDocuments]
	slices.Sort(drawn)
	out := make([]Profile, mostDocuments)
	for i, d := range drawn {
		out[i] = docs[d]
	}
	return out
}

// sourcesOf names the sources of the target that are compared separately.
func sourcesOf(reference, target []Profile) []string {
	counts, all := map[string]int{}, map[string]bool{}
	for _, d := range reference {
		all[d.Source] = true
	}
	for _, d := range target {
		all[d.Source] = true
		counts[d.Source]++
	}
	if len(all) < 2 {
		return nil
	}
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	names = names[:min(len(names), mostSources)]
	slices.Sort(names)
	return names
}

// compared is one source of the target and its reference.
func (s *Side) compared(reference, target []Profile) (own, others []Profile) {
	own, others = from(reference, s.Source), from(target, s.Source)
	if s.Annotated = countUnits(own) >= LeastUnits; !s.Annotated {
		own = reference
	}
	return own, others
}

// compare fills in the tests.
func (s *Side) compare(ctx context.Context, reference, target []Profile, seed uint64) error {
	s.Reference, s.Target = len(reference), len(target)
	if countUnits(reference) < LeastUnits || countUnits(target) < LeastUnits {
		return nil
	}
	docs := slices.Concat(reference, target)
	labels := make([]bool, len(docs))
	for i := range target {
		labels[len(reference)+i] = true
	}
	var stats []statistic
	for _, m := range measures(docs) {
		stats = append(stats, m.distance)
		s.Tests = append(s.Tests, m.test(labels))
	}
	p, err := pValues(ctx, stats, strata(docs, labels), labels, seed)
	for k := range p {
		s.Tests[k].P = p[k]
	}
	return err
}

func from(docs []Profile, source string) []Profile {
	return slices.DeleteFunc(slices.Clone(docs), func(d Profile) bool { return d.Source != source })
}

func countUnits(docs []Profile) int {
	groups := map[string]bool{}
	for _, d := range docs {
		groups[d.Group] = true
	}
	return len(groups)
}

// Sentence is the test's result in words; "" without a warning.
func (t Test) Sentence() string {
	if !t.Warns() {
		return ""
	}
	switch t.Name {
	case Doubt:
		return fmt.Sprintf("The text kept in the notes to publish has %s the text kept in the annotated notes: by the model, %s words in 1,000 are PHI, compared with %s.", timesWords(t.Target, t.Reference), digits(t.Target), digits(t.Reference))
	case Kept:
		return fmt.Sprintf("In the notes to publish, %s %% of the words would be kept; in the annotated notes, %s %%.", digits(100*t.Target), digits(100*t.Reference))
	case Words:
		return fmt.Sprintf("%s %% of the different words in a note to publish are in no annotated note; %s %% of those in an annotated note are in no other annotated note.", digits(100*t.Target), digits(100*t.Reference))
	case Heads:
		return fmt.Sprintf("%s %% of the headings and field names in a note to publish are in no annotated note; %s %% of those in an annotated note are in no other annotated note.", digits(100*t.Target), digits(100*t.Reference))
	case Length:
		return fmt.Sprintf("Notes to publish have %.0f tokens on average, annotated notes %.0f.", t.Target, t.Reference)
	case Kinds:
		return fmt.Sprintf("The types of notes differ: %.0f %% of the notes to publish would need another type to match the annotated notes.", 100*t.Distance)
	}
	return fmt.Sprintf("The institutions differ: %.0f %% of the notes to publish would need another institution to match the annotated notes.", 100*t.Distance)
}

// Sentences are the warnings in words.
func (s Side) Sentences() []string {
	var out []string
	for _, t := range s.Tests {
		if words := t.Sentence(); words != "" {
			out = append(out, words)
		}
	}
	return out
}

func timesWords(a, b float64) string {
	switch ratio := a / b; {
	case !(b > 0) || math.IsInf(ratio, 0):
		return "more doubt than"
	case ratio >= 1:
		return digits(ratio) + " times as much doubt as"
	default:
		return digits(100*ratio) + " % as much doubt as"
	}
}

// digits keeps a decimal for small numbers.
func digits(x float64) string {
	if math.Abs(x) < 9.95 {
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.0f", x)
}
