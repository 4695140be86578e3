// SPDX-License-Identifier: Apache-2.0

package drift

import "math"

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
