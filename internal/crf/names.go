// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"slices"
	"strings"
	"sync"
	"unicode"

	"hide/internal/annotate/dictionary"
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
	s := x.doc
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

// everydayWords is the list that contains most words of any text. It is informative
// only for words that are in no other list; for the others it would only multiply
// attributes.
const everydayWords = dictionary.OwnPrefix + "words"

// memberOf returns the lists that contain the word alone, and its class: membership of
// "May" and of "may" in a list of names differs in meaning.
func (r *reader) memberOf(w *word) string {
	name := ""
	if r.gazette != nil {
		for _, list := range r.gazette.sets[w.lists] {
			if r.gazette.names[list] != everydayWords {
				name += r.gazette.names[list] + "+"
			}
		}
	}
	return name + string(rune(w.class))
}

func ownMember(x *extractor, w *word) { x.member(w, "m=") }

func nearMember(x *extractor, w *word, heads []string) { x.member(w, heads[0]) }

// member adds each list separately and all of them together.
func (x *extractor) member(w *word, prefix string) {
	if w.lists == 0 {
		return
	}
	for _, list := range x.gazette.sets[w.lists] {
		x.attrs.add(prefix, x.gazette.names[list], "|", string(rune(w.class)))
	}
	x.attrs.add(prefix, clipName(w.member))
}

// maxPart limits the length of the names of lists in an attribute's name.
const maxPart = 256

func clipName(s string) string { return strings.ToValidUTF8(s[:min(len(s), maxPart)], "") }

// members adds the lists of the word together with those of its neighbours.
func (x *extractor) members(t int, to []int32) []int32 {
	before, own, after := x.infoAt(t-1), x.infoAt(t), x.infoAt(t+1)
	if before.lists == 0 && own.lists == 0 && after.lists == 0 {
		return to
	}
	return keep(to, x.keyed(bundleKey{memberBundle, before.memberID, own.memberID, after.memberID}, func(a *attributes) {
		m, n, o := clipName(before.member), clipName(own.member), clipName(after.member)
		a.add("m-0=", m, "|", n)
		a.add("m0+=", n, "|", o)
		a.add("m-0+=", m, "|", n, "|", o)
	}))
}

// How much of a known identifier a token covers.
const (
	notKnown byte = iota
	knownPart
	knownWhole
)

// prepareKnown marks the tokens that are known identifiers of the patient, or one word
// of them. Short words and numbers alone are not informative.
func (x *extractor) prepareKnown() {
	x.prepareGiven()
	s := x.doc
	if len(s.of.known) == 0 {
		return
	}
	for range s.ids {
		s.said = append(s.said, notKnown)
	}
	parts := map[string]bool{}
	for _, value := range s.of.known {
		words := foldedWords(value)
		for _, w := range words {
			parts[w] = parts[w] || telling(w)
		}
		if len(words) > 1 || len(words) == 1 && telling(words[0]) {
			x.markWhole(words)
		}
	}
	for t, id := range s.ids {
		if s.said[t] == notKnown && parts[x.infos[id].folded] {
			s.said[t] = knownPart
		}
	}
}

// telling reports whether a word is informative by itself: three or more letters, or a
// number as long as those that identify.
func telling(w string) bool {
	return len(w) >= 3 && (len(w) >= 5 || strings.ContainsFunc(w, unicode.IsLetter))
}

// markWhole marks where all the words occur one after another.
func (x *extractor) markWhole(words []string) {
	for t := 0; len(words) > 0 && t+len(words) <= len(x.doc.ids); t++ {
		n := 0
		for n < len(words) && x.infos[x.doc.ids[t+n]].folded == words[n] {
			n++
		}
		if n == len(words) {
			for i := range n {
				x.doc.said[t+i] = knownWhole
			}
		}
	}
}

func (x *extractor) known(t int, to []int32) []int32 {
	to = x.givenTo(t, to)
	if len(x.doc.said) == 0 || x.doc.said[t] == notKnown {
		return to
	}
	said, k := x.doc.said[t], x.infos[x.doc.ids[t]].class
	return keep(to, x.keyed(bundleKey{knownBundle, int32(said), int32(k), 0}, func(a *attributes) {
		a.add("known=", string('0'+said))
		a.add("known=", string('0'+said), "|", string(rune(k)))
	}))
}
