// SPDX-License-Identifier: Apache-2.0

package crf

// A bundle is a set of attributes that always occur together because they are a function
// of one key: all attributes of a word, of the word two places on, or of a line's header.
// A token is described by about fifteen bundles instead of fifty attributes. Training
// sums the weights of a bundle once per pass and tagging once per model, however often it
// occurs.

// attributes are the names and values of some bundles; the buffers are reused.
type attributes struct {
	hashed bool // hashes replace names
	hashes []nameHash
	names  []byte
	start  int // index of the first name
	ends   []int
	values []float64
	marks  []int       // by bundle: the number of attributes up to its end
	part   *attributes // the current bundle
}

func (a *attributes) reset() {
	a.names, a.ends, a.values, a.marks, a.hashes = a.names[:0], a.ends[:0], a.values[:0], a.marks[:0], a.hashes[:0]
}

// mark ends a bundle.
func (a *attributes) mark() { a.marks = append(a.marks, len(a.values)) }

// each writes the attribute numbers of each bundle to to, -1 for a bundle without
// attributes.
func (a *attributes) each(to []int32, bundle func(*attributes) int32) {
	if a.part == nil {
		a.part = &attributes{}
	}
	from, start := 0, 0
	for i, end := range a.marks {
		to[i] = -1
		if end > from {
			a.part.names, a.part.start, a.part.ends, a.part.values = a.names, start, a.ends[from:end], a.values[from:end]
			to[i] = bundle(a.part)
			from, start = end, a.ends[end-1]
		}
	}
}

// add appends one attribute whose name is the concatenated parts. Names are never cut
// here: see maxWord.
func (a *attributes) add(parts ...string) { a.addValue(1, parts...) }

func (a *attributes) addValue(value float64, parts ...string) {
	if a.hashed {
		a.names = a.names[:0]
	}
	for _, p := range parts {
		a.names = append(a.names, p...)
	}
	a.values = append(a.values, value)
	if a.hashed {
		a.hashes = append(a.hashes, hashName(a.names))
		return
	}
	a.ends = append(a.ends, len(a.names))
}

func (a *attributes) name(i int) []byte {
	start := a.start
	if i > 0 {
		start = a.ends[i-1]
	}
	return a.names[start:a.ends[i]]
}

// sink numbers new bundles; a negative number means no information.
type sink interface {
	number(a *attributes, to []int32)
}

// bundleKey identifies a bundle that is not a function of one word.
type bundleKey struct {
	kind    bundleKind
	a, b, c int32
}

// halves are the key as 128 bits.
func (k bundleKey) halves() (first, second uint64) {
	return uint64(k.kind)<<32 | uint64(uint32(k.a)), uint64(uint32(k.b))<<32 | uint64(uint32(k.c))
}

type bundleKind uint8

const (
	dictionaryBundle bundleKind = iota
	dictionariesBundle
	countBundle
	shapesBundle
	layoutBundle
	headShapeBundle
	chunkBundle
	digitsBundle
	sectionBundle
	lineBundle
	identifierBundle
	titleBundle
	memberBundle
	elsewhereBundle
	knownBundle
	givenBundle
	runBeforeBundle
	runAfterBundle
	runBundle
	cueBundle
	firstPassBundle
)

// maxWord is the number of bytes of a word that features use. It limits the length of
// every attribute name.
const maxWord = 64

// reach is the number of neighbours on each side that features use.
const reach = 4

// slots are the bundles of a word by the offset from which it is seen.
type slots [2*reach + 1]int32

// unset marks a bundle that has not been requested yet.
const unset = -2

// extractor turns documents into bundles: it knows the numbers that a sink gave them. What
// it sees of a document is its reader's.
type extractor struct {
	*reader
	plan
	sink   sink
	knower knower             // nil, or the sink
	alike  map[wordKind]slots // of words of which the sink knows no more than the kind

	slots   []slots // by word
	bundles []int32 // by feature
	attrs   attributes
	listing bool // new features are kept fresh
	making  bool // features without a bundle get one

	stopped  func() bool           // nil, or reports whether the rest of a document is no longer needed
	together func(bundles []int32) // called with the bundles made for one word; may be nil
}

// newExtractor returns an extractor with a reader of its own.
func newExtractor(families Families, g *gazetteer, s sink) *extractor {
	return &extractor{plan: planOf(families), reader: newReader(g, families.plain(), 1), sink: s}
}

// plan is what an extractor does for its families.
type plan struct {
	families Families
	active   []Family
	tokens   []func(x *extractor, t int, features []int32) []int32
	reach    int
}

func planOf(families Families) plan {
	p := plan{families: families}
	for _, f := range FamilyTable() {
		if !p.has(f.Families) {
			continue
		}
		p.active = append(p.active, f)
		p.reach = max(p.reach, f.reach)
		if f.token != nil {
			p.tokens = append(p.tokens, f.token)
		}
	}
	return p
}

func (p *plan) has(f Families) bool { return p.families&f != 0 }

// plain reports whether all of f are HIDE's, which need little of a word.
func (f Families) plain() bool { return f&^HIDE == 0 }

// grow makes room for the bundles of everything that the reader has seen.
func (x *extractor) grow() {
	none := slots{}
	for i := range none {
		none[i] = unset
	}
	for len(x.slots) < len(x.infos) {
		x.slots = append(x.slots, none)
	}
	for len(x.bundles) < x.keys.Len() {
		x.bundles = append(x.bundles, unset)
	}
}

// keyed returns the feature of a key; fill gives its attributes.
func (x *extractor) keyed(key bundleKey, fill func(*attributes)) int32 {
	known := x.keys.Len()
	feature := x.keys.Number(key.halves())
	switch {
	case x.listing && int(feature) == known:
		fill(&x.fresh.attrs)
		x.fresh.attrs.mark()
	case x.making && x.bundles[feature] == unset:
		x.attrs.reset()
		fill(&x.attrs)
		x.attrs.mark()
		x.sink.number(&x.attrs, x.bundles[feature:feature+1])
	}
	return feature
}

// complete gives a feature of a token its bundle, and perhaps others of the token.
func (x *extractor) complete(t int, feature int32) {
	if x.knower != nil && x.fresh.of(x.families, feature, &x.attrs) {
		x.sink.number(&x.attrs, x.bundles[feature:feature+1])
		return
	}
	x.making = true
	x.made = x.features(t, x.made[:0])
	x.making = false
}

// slot returns the bundle of the word seen from offset places before or after it.
func (x *extractor) slot(id int32, offset int) int32 {
	if bundle := x.slots[id][offset+reach]; bundle != unset {
		return bundle
	}
	x.fillSlots(id)
	return x.slots[id][offset+reach]
}

// fillSlots makes all bundles of a word: they are used within nine tokens, and close
// numbers stay close in memory.
func (x *extractor) fillSlots(id int32) {
	s := &x.slots[id]
	if x.likeOthers(id, s) {
		return
	}
	x.attrs.reset()
	for o := -reach; o <= reach; o++ {
		x.fillSlot(&x.infos[id], o)
		x.attrs.mark()
	}
	x.sink.number(&x.attrs, s[:])
	if x.together != nil {
		x.together(s[:])
	}
}

func (x *extractor) fillSlot(w *word, offset int) {
	for _, f := range x.active {
		switch {
		case offset == 0 && f.own != nil:
			f.own(x, w)
		case offset != 0 && f.near != nil && -f.reach <= offset && offset <= f.reach:
			f.near(x, w, f.heads[offset+reach])
		}
	}
}
