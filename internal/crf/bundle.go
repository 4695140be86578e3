// SPDX-License-Identifier: Apache-2.0

package crf

// A bundle is a set of attributes that always come together because they are a
// function of one key: everything about a word, everything about the word two
// places on, everything about a line's header. A token is described by about
// fifteen bundles instead of fifty attributes; training sums the weights of a
// bundle once per pass and tagging once per model, however often it occurs.

// attributes is a list of names with values, reused from bundle to bundle.
type attributes struct {
	names  []byte
	ends   []int
	values []float64
}

func (a *attributes) reset() { a.names, a.ends, a.values = a.names[:0], a.ends[:0], a.values[:0] }

// add appends one attribute whose name is the parts joined. A name is cut only
// by its maker: see maxWord.
func (a *attributes) add(parts ...string) { a.addValue(1, parts...) }

func (a *attributes) addValue(value float64, parts ...string) {
	for _, p := range parts {
		a.names = append(a.names, p...)
	}
	a.ends = append(a.ends, len(a.names))
	a.values = append(a.values, value)
}

func (a *attributes) name(i int) []byte {
	start := 0
	if i > 0 {
		start = a.ends[i-1]
	}
	return a.names[start:a.ends[i]]
}

// sink numbers a new bundle, or returns a negative number for one that tells
// nothing.
type sink interface {
	bundle(a *attributes) int32
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
	runBeforeBundle
	runAfterBundle
	runBundle
	cueBundle
	heardBundle
)

// maxWord is how many bytes of a word the features look at. It bounds the
// length of every attribute name.
const maxWord = 64

// reach is how many neighbours each way are looked at.
const reach = 4

// word is what the extractor knows about a distinct word.
type word struct {
	text, lower, shape string
	folded             string // lower case without accents
	member             string // lists that hold it alone, and its class
	blur               string // the word, or what it is when that says as much
	lowerID, shapeID   int32  // shared with all words of the same lower case or shape
	memberID, blurID   int32
	phrase             int32 // number in the gazetteer, -1 for none
	lists              int32 // set of lists that hold it alone
	class              class
	symbol             byte // in forms of identifiers
	title, credential  bool
	name               bool // a name in the program's lists
	slots              [2*reach + 1]int32
}

// unset marks a bundle that has not been asked for yet.
const unset = -2

// extractor turns documents into bundles. It remembers words and keys from one
// document to the next; for one goroutine.
type extractor struct {
	families Families
	active   []Family
	tokens   []func(x *extractor, t int, bundles []int32) []int32
	reach    int
	gazette  *gazetteer // nil for none
	sink     sink

	words   map[string]int32
	infos   []word
	strings map[string]int32
	keys    map[bundleKey]int32
	attrs   attributes
	key     []byte
	doc     scratch

	together func(bundles []int32) // told which bundles were made for one word; nil: nobody is
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
	x.infos = append(x.infos, x.describe(edgeText))
	return x
}

func (x *extractor) has(f Families) bool { return x.families&f != 0 }

// wordID interns a word.
func (x *extractor) wordID(s string) int32 {
	s = clip(s)
	id, ok := x.words[s]
	if !ok {
		id = int32(len(x.infos))
		x.words[s] = id
		x.infos = append(x.infos, x.describe(s))
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

func (x *extractor) describe(s string) word {
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
	for i := range w.slots {
		w.slots[i] = unset
	}
	return w
}

// keyed returns the bundle of a key, made by fill when it is new.
func (x *extractor) keyed(key bundleKey, fill func(*attributes)) int32 {
	id, ok := x.keys[key]
	if !ok {
		x.attrs.reset()
		fill(&x.attrs)
		id = x.emit()
		x.keys[key] = id
	}
	return id
}

func (x *extractor) emit() int32 {
	if len(x.attrs.ends) == 0 {
		return -1
	}
	return x.sink.bundle(&x.attrs)
}

// slot returns the bundle of the word seen from offset places before or after it.
// All bundles of a word are made together: they are used within nine tokens, and
// numbers that are close stay close in memory.
func (x *extractor) slot(id int32, offset int) int32 {
	if x.infos[id].slots[offset+reach] == unset {
		for o := -reach; o <= reach; o++ {
			x.infos[id].slots[o+reach] = x.emitSlot(id, o)
		}
		if x.together != nil {
			x.together(x.infos[id].slots[:])
		}
	}
	return x.infos[id].slots[offset+reach]
}

func (x *extractor) emitSlot(id int32, offset int) int32 {
	x.attrs.reset()
	for _, f := range x.active {
		switch {
		case offset == 0 && f.own != nil:
			f.own(x, &x.infos[id])
		case offset != 0 && f.near != nil && -f.reach <= offset && offset <= f.reach:
			f.near(x, &x.infos[id], offset)
		}
	}
	return x.emit()
}
