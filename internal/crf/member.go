// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"hide/internal/annotate/dictionary"
	"strings"
)

// everydayWords is the list that most words of any text are in. It says something of
// those that are in no other list, and would only multiply what the others say.
const everydayWords = dictionary.OwnPrefix + "words"

// memberOf names the lists that hold a word alone, and its class: whether "May" or
// "may" is in a list of names are two things.
func (x *extractor) memberOf(w *word) string {
	name := ""
	if x.gazette != nil {
		for _, list := range x.gazette.sets[w.lists] {
			if x.gazette.names[list] != everydayWords {
				name += x.gazette.names[list] + "+"
			}
		}
	}
	return name + string(rune(w.class))
}

func ownMember(x *extractor, w *word) { x.member(w, "m=") }

func nearMember(x *extractor, w *word, offset int) { x.member(w, "m"+signed(offset)+"=") }

// member adds each list by itself and all of them together.
func (x *extractor) member(w *word, prefix string) {
	if w.lists == 0 {
		return
	}
	for _, list := range x.gazette.sets[w.lists] {
		x.attrs.add(prefix, x.gazette.names[list], "|", string(rune(w.class)))
	}
	x.attrs.add(prefix, clipName(w.member))
}

// maxPart bounds what a name of an attribute has from the names of lists.
const maxPart = 256

func clipName(s string) string { return strings.ToValidUTF8(s[:min(len(s), maxPart)], "") }

// members is what the lists say of the word together with its neighbours.
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
