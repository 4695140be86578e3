// SPDX-License-Identifier: Apache-2.0

package crf

// A bundle is a set of attributes that always occur together because they are a function
// of one key: all attributes of a word, of the word two places on, or of a line's header.
// A token is described by about fifteen bundles instead of fifty attributes. Training
// sums the weights of a bundle once per pass and tagging once per model, however often it
// occurs.

// attributes are the names and values of some bundles; the buffers are reused.
type attributes struct {
	names  []byte
	start  int // index of the first name
	ends   []int
	values []float64
	marks  []int       // by bundle: the number of attributes up to its end
	part   *attributes // the current bundle
}

func (a *attributes) reset() {
	a.names, a.ends, a.values, a.marks = a.names[:0], a.ends[:0], a.values[:0], a.marks[:0]
}

// mark ends a bundle.
func (a *attributes) mark() { a.marks = append(a.marks, len(a.ends)) }

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
	for _, p := range parts {
		a.names = append(a.names, p...)
	}
	a.ends = append(a.ends, len(a.names))
	a.values = append(a.values, value)
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

type bundleKind uint8

const (
	dictionaryBundle bundleKind = iota
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

// word holds the features of a distinct word.
type word struct {
	text, lower, shape string
	folded             string // lower case without accents
	member             string // lists that contain it alone, and its class
	blur               string // the word, or its class if that is as informative
	lowerID, shapeID   int32  // shared with all words of the same lower case or shape
	memberID, blurID   int32
	phrase             int32 // number in the gazetteer, -1 for none
	lists              int32 // set of lists that contain it alone
	class              class
	symbol             byte // in the forms of identifiers
	title, credential  bool
	name               bool // a name in the program's lists
}

// slots are the bundles of a word by the offset from which it is seen.
type slots [2*reach + 1]int32

// unset marks a bundle that has not been requested yet.
const unset = -2

// extractor turns documents into bundles. It caches words and keys between documents; for
// one goroutine.
type extractor struct {
	families Families
	active   []Family
	tokens   []func(x *extractor, t int, bundles []int32) []int32
	reach    int
	gazette  *gazetteer // nil for none
	sink     sink

	words   map[string]int32
	infos   []word
	slots   []slots // by word
	strings map[string]int32
	keys    map[bundleKey]int32
	attrs   attributes
	one     [1]int32 // number of a bundle created alone
	key     []byte
	doc     scratch

	stopped  func() bool           // nil, or reports whether the rest of a document is no longer needed
	together func(bundles []int32) // called with the bundles made for one word; may be nil
}

// edgeWord stands before the first and after the last word of a document.
const (
	edgeWord = 0
	edgeText = "\x00"
)

func newExtractor(families Families, g *gazetteer, s sink) *extractor {
	x := &extractor{
		families: families, gazette: g, sink: s,
		words: map[string]int32{}, strings: map[string]int32{}, keys: map[bundleKey]int32{},
	}
	for _, f := range FamilyTable() {
		if !x.has(f.Families) {
			continue
		}
		x.active = append(x.active, f)
		x.reach = max(x.reach, f.reach)
		if f.token != nil {
			x.tokens = append(x.tokens, f.token)
		}
	}
	x.add(edgeText)
	return x
}

// add appends a word.
func (x *extractor) add(s string) {
	x.infos = append(x.infos, x.describe(s))
	var none slots
	for i := range none {
		none[i] = unset
	}
	x.slots = append(x.slots, none)
}

func (x *extractor) has(f Families) bool { return x.families&f != 0 }

// wordID interns a word.
func (x *extractor) wordID(s string) int32 {
	s = clip(s)
	id, ok := x.words[s]
	if !ok {
		id = int32(len(x.infos))
		x.words[s] = id
		x.add(s)
	}
	return id
}

// stringID interns any other string. The numbers are dense from 0.
func (x *extractor) stringID(s string) int32 {
	id, ok := x.strings[s]
	if !ok {
		id = int32(len(x.strings))
		x.strings[s] = id
	}
	return id
}

// bytesID is stringID for bytes that may be overwritten afterwards.
func (x *extractor) bytesID(b []byte) int32 {
	if id, ok := x.strings[string(b)]; ok {
		return id
	}
	return x.stringID(string(b))
}

// describe fills in the features of a word.
func (x *extractor) describe(s string) word {
	if x.families&^HIDE == 0 {
		return x.describePlainly(s)
	}
	w := word{text: s, lower: lower(s), folded: fold(s), shape: shapeOf(s), class: classOf(s), phrase: -1}
	if x.gazette != nil {
		if w.phrase = x.gazette.words.find(w.folded); w.phrase >= 0 {
			w.lists = x.gazette.alone[w.phrase]
		}
	}
	w.symbol, w.title, w.credential = symbolOf(&w), titleSet()[w.folded], credentialSet()[w.folded]
	w.name = x.gazette != nil && x.gazette.isName(w.lists)
	w.member = x.memberOf(&w)
	w.blur = x.blurOf(&w)
	w.lowerID, w.shapeID = x.stringID(w.lower), x.stringID(w.shape)
	w.memberID, w.blurID = x.stringID("\x03"+w.member), x.stringID("\x04"+w.blur)
	return w
}

// describePlainly fills in the features of HIDE's families.
func (x *extractor) describePlainly(s string) word {
	w := word{text: s, phrase: -1}
	if x.gazette != nil {
		w.phrase = x.gazette.words.find(fold(s))
	}
	return w
}

// keyed returns the bundle of a key; fill makes a new one.
func (x *extractor) keyed(key bundleKey, fill func(*attributes)) int32 {
	id, ok := x.keys[key]
	if !ok {
		x.attrs.reset()
		fill(&x.attrs)
		x.attrs.mark()
		x.sink.number(&x.attrs, x.one[:])
		id = x.one[0]
		x.keys[key] = id
	}
	return id
}

// slot returns the bundle of the word seen from offset places before or after it. All
// bundles of a word are made together: they are used within nine tokens, and close
// numbers stay close in memory.
func (x *extractor) slot(id int32, offset int) int32 {
	s := &x.slots[id]
	if s[offset+reach] == unset {
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
	return s[offset+reach]
}

func (x *extractor) fillSlot(w *word, offset int) {
	for _, f := range x.active {
		switch {
		case offset == 0 && f.own != nil:
			f.own(x, w)
		case offset != 0 && f.near != nil && -f.reach <= offset && offset <= f.reach:
			f.near(x, w, offset)
		}
	}
}
