// SPDX-License-Identifier: Apache-2.0

// Package drift compares the documents behind an estimate with the documents to be
// published, and warns when they differ: estimates hold for documents of the same kind
// only, and no interval shows that these are of another kind.
//
//	scorer, err := drift.NewScorer(ctx, notes)
//	reference = append(reference, scorer.Profile(&note)) // and target likewise
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
	// Level is the corrected p-value up to which a test warns: documents alike make
	// a report ring once in a hundred times, as long as each source that is published
	// is annotated. One that is not is compared with the others and is meant to ring
	// when it is unlike them.
	Level = 0.01
	// LeastUnits is how many patients, or documents, either side needs.
	LeastUnits = 5

	mostDocuments = 600 // compared on each side; a random sample of more
	mostSources   = 8   // looked at by themselves: those with the most documents; with more than 9 the least p-value, corrected, would be above Level
)

// Test is one comparison. Reference and Target are the means over the documents of
// either side; of [Kinds] and [Sources] they are 0, and Distance says all.
type Test struct {
	Name      Name    `json:"name"`
	Reference float64 `json:"reference"`
	Target    float64 `json:"target"`
	Distance  float64 `json:"distance"` // the statistic, 0 or more
	P         float64 `json:"p"`        // corrected for all tests of the report
}

// Warns reports whether the two sides differ more than alike ones would.
func (t Test) Warns() bool { return t.P <= Level }

// Side is the result of comparing the documents of one source, or of all.
type Side struct {
	Source    string `json:"source,omitempty"` // "" for all, and for documents without one
	Annotated bool   `json:"annotated"`        // compared with reference documents of this source; otherwise with all of them
	Reference int    `json:"reference"`        // documents compared
	Target    int    `json:"target"`
	Tests     []Test `json:"tests"` // none where there are fewer than LeastUnits on a side
}

// Report is what a comparison found.
type Report struct {
	All     Side   `json:"all"`
	Sources []Side `json:"sources,omitempty"` // by name, those without one first; only where documents of more than one source, or of another, are to be published
}

// Known reports whether there were enough documents to compare.
func (r *Report) Known() bool { return len(r.All.Tests) > 0 }

// Warns reports whether any test warns.
func (r *Report) Warns() bool { return r.All.Warns() || slices.ContainsFunc(r.Sources, Side.Warns) }

// Warns reports whether any test warns.
func (s Side) Warns() bool { return slices.ContainsFunc(s.Tests, Test.Warns) }

// Compare tells how the target differs from the reference: the documents to be
// published from those that estimates were made from. No document may be in both.
// It returns ctx's error soon after ctx ends.
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

// sample is mostDocuments of the documents, sampled at random, in order.
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

// sourcesOf names the sources of the target that are compared by themselves.
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

// compared is what of a source is to be published, and what it is compared with.
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

// Sentence is the test's result in words; "" for one that does not ring.
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

// Sentences are what warns, in words.
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

// digits keeps a decimal of what is small.
func digits(x float64) string {
	if math.Abs(x) < 9.95 {
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.0f", x)
}
