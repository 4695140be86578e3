// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"hide/internal/annotate/dictionary"
	"slices"
	"sync"
)

// titled is how far a token is from a title before it and a credential after it.
type titled struct {
	before, after   int32 // interned title and credential
	behind, ahead   int8  // words between, plus one; 0 for none
	title, credited string
}

// titleReach is how many words after a title still belong to it.
const titleReach = 4

var titleSet = sync.OnceValue(func() map[string]bool { return ownSet("titles") })

var credentialSet = sync.OnceValue(func() map[string]bool { return ownSet("credentials") })

func ownSet(list string) map[string]bool {
	set := map[string]bool{}
	for _, term := range dictionary.Terms(list) {
		set[fold(term)] = true
	}
	return set
}

func (x *extractor) prepareTitles() {
	s := &x.doc
	s.titles = slices.Grow(s.titles[:0], len(s.ids))[:len(s.ids)]
	clear(s.titles)
	for t, id := range s.ids {
		w := &x.infos[id]
		if w.title && w.class.named() {
			x.titleReaches(t, w)
		}
		if w.credential && w.class.named() {
			x.credentialReaches(t, w)
		}
	}
}

// titleReaches marks the words after a title, up to the end of what can be a name.
func (x *extractor) titleReaches(t int, w *word) {
	n := int8(0)
	for at := t + 1; at < len(x.doc.ids) && n < titleReach && x.doc.gaps[at] < newPart; at++ {
		own := &x.infos[x.doc.ids[at]]
		if own.class == '.' {
			continue
		}
		if !own.class.named() && own.class != '-' && own.class != '\'' && own.symbol != 'c' {
			return
		}
		n++
		s := &x.doc.titles[at]
		s.behind, s.title, s.before = n, w.lower, w.lowerID
	}
}

func (x *extractor) credentialReaches(t int, w *word) {
	n := int8(0)
	for at := t - 1; at >= 0 && n < titleReach && x.doc.gaps[at+1] < newPart; at-- {
		own := &x.infos[x.doc.ids[at]]
		if own.class == '.' || own.class == ',' && n == 0 {
			continue
		}
		if !own.class.named() && own.class != '-' && own.class != '\'' && own.symbol != 'c' {
			return
		}
		n++
		s := &x.doc.titles[at]
		s.ahead, s.credited, s.after = n, w.lower, w.lowerID
	}
}

func (x *extractor) titles(t int, to []int32) []int32 {
	s, k := &x.doc.titles[t], x.infos[x.doc.ids[t]].class
	if s.behind == 0 && s.ahead == 0 {
		return to
	}
	key := int32(s.behind) | int32(s.ahead)<<8 | int32(k)<<16
	return keep(to, x.keyed(bundleKey{titleBundle, key, s.before, s.after}, func(a *attributes) {
		if s.behind > 0 {
			a.add("t@=", string('0'+byte(s.behind)), "|", string(rune(k)))
			a.add("t=", s.title, "|", string('0'+byte(s.behind)))
		}
		if s.ahead > 0 {
			a.add("cr@=", string('0'+byte(s.ahead)), "|", string(rune(k)))
			a.add("cr=", s.credited, "|", string('0'+byte(s.ahead)))
		}
	}))
}
