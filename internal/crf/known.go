// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"strings"
	"unicode"
)

// How much of a known identifier a token is.
const (
	notKnown byte = iota
	knownPart
	knownWhole
)

// prepareKnown marks the tokens that are known identifiers of the patient, or one
// word of them. Short words and numbers by themselves say nothing.
func (x *extractor) prepareKnown() {
	s := &x.doc
	s.said = s.said[:0]
	if len(s.known) == 0 {
		return
	}
	for range s.ids {
		s.said = append(s.said, notKnown)
	}
	parts := map[string]bool{}
	for _, value := range s.known {
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

// telling reports whether a word says something by itself: letters, three or
// more, or a number as long as those that identify.
func telling(w string) bool {
	return len(w) >= 3 && (len(w) >= 5 || strings.ContainsFunc(w, unicode.IsLetter))
}

// markWhole marks where all the words stand one after another.
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
	if len(x.doc.said) == 0 || x.doc.said[t] == notKnown {
		return to
	}
	said, k := x.doc.said[t], x.infos[x.doc.ids[t]].class
	return keep(to, x.keyed(bundleKey{knownBundle, int32(said), int32(k), 0}, func(a *attributes) {
		a.add("known=", string('0'+said))
		a.add("known=", string('0'+said), "|", string(rune(k)))
	}))
}
