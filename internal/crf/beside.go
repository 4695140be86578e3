// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"strconv"
	"sync"

	"hide/internal/crf/intern"
)

// heads are the beginnings of the names of a word's features for a token, by the offset
// of that token from before it.
type heads [2*reach + 1][]string

func headsOf(at func(offset int) []string) (h heads) {
	for o := -reach; o <= reach; o++ {
		if o != 0 {
			h[o+reach] = at(o)
		}
	}
	return h
}

// headAt is one head for each offset: s-2=, s-1=, s+1= ...
func headAt(name string) func(int) []string {
	return func(offset int) []string { return []string{name + signed(offset) + "="} }
}

func contextHeads(offset int) []string {
	if offset < 0 {
		return []string{"PREV" + strconv.Itoa(-1-offset) + "_"}
	}
	return []string{"NEXT" + strconv.Itoa(offset-1) + "_"}
}

func foldHeads(offset int) []string {
	heads := headAt("l")(offset)
	switch {
	case offset < 0 && offset >= -3:
		return append(heads, "l-=")
	case offset > 0 && offset <= 3:
		return append(heads, "l+=")
	}
	return heads
}

// foldHashes are the hashes of all heads of [Fold].
var foldHashes = sync.OnceValue(func() (hashes [2*reach + 1][]uint64) {
	for i, heads := range headsOf(foldHeads) {
		for _, head := range heads {
			hashes[i] = append(hashes[i], intern.Hash([]byte(head)))
		}
	}
	return hashes
})

func nearContext(x *extractor, w *word, heads []string) {
	if w.text != edgeText {
		x.attrs.add(heads[0], w.text)
	}
}

func nearFold(x *extractor, w *word, heads []string) {
	for _, head := range heads {
		x.attrs.add(head, w.lower)
	}
}

func nearShape(x *extractor, w *word, heads []string) { x.attrs.add(heads[0], w.shape) }

// knower is a sink that needs no names, only their hashes, and knows a fixed set of them.
type knower interface {
	sink
	knows(h nameHash) bool
}

// hashed lets the extractor hash names for k.
func (x *extractor) hashed(k knower) *extractor {
	x.sink, x.knower, x.attrs.hashed = k, k, true
	x.alike = map[wordKind]slots{}
	return x
}

// wordKind is all that a word's bundles beside it depend on, if the sink knows none of the
// names with the word itself.
type wordKind struct {
	shape, lists, codes int32
	class               class
}

// likeOthers gives a word the bundles that all words of its kind have beside them, and its
// own. It reports false if the sink knows the word beside others. Most new words are
// unknown to a model.
func (x *extractor) likeOthers(id int32, s *slots) bool {
	w := &x.infos[id]
	if x.knower == nil || x.has(Context) || id == edgeWord || x.has(Fold) && x.knowsBeside(w) {
		return false
	}
	kind := wordKind{w.shapeID, w.lists, 0, w.class}
	if x.has(Classes) {
		kind.codes = w.codesID
	}
	like, known := x.alike[kind]
	if !known {
		x.attrs.reset()
		for o := -reach; o <= reach; o++ {
			if o != 0 {
				x.fillSlot(w, o)
			}
			x.attrs.mark()
		}
		x.sink.number(&x.attrs, like[:])
		x.alike[kind] = like
	}
	*s = like
	x.attrs.reset()
	x.fillSlot(w, 0)
	x.attrs.mark()
	x.sink.number(&x.attrs, s[reach:reach+1])
	return true
}

// knowsBeside reports whether the sink knows the word as a neighbour.
func (x *extractor) knowsBeside(w *word) bool {
	rest := intern.Hash([]byte(w.lower))
	for _, heads := range foldHashes() {
		for _, first := range heads {
			if x.knower.knows(joinHashes(first, rest)) {
				return true
			}
		}
	}
	return false
}
