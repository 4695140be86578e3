// SPDX-License-Identifier: Apache-2.0

package crf

// memberOf names the lists that hold a word alone, and its class: whether "May" or
// "may" is in a list of names are two things.
func (x *extractor) memberOf(w *word) string {
	name := ""
	if x.gazette != nil {
		for _, list := range x.gazette.sets[w.lists] {
			name += x.gazette.names[list] + "+"
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

func clipName(s string) string { return s[:min(len(s), maxPart)] }

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

// blurOf is a word for contexts: digits by their number, capitalised words by the
// lists that hold them, or by their class when none does.
func (x *extractor) blurOf(w *word) string {
	switch {
	case w.class.named() && w.lists != 0:
		return clipName(w.member)
	case w.class.named(), w.class == both, '1' <= w.class && w.class <= '5':
		return string(rune(w.class))
	}
	return w.lower
}

// bigrams are pairs of blurred words: before, after and around the token.
func (x *extractor) bigrams(t int, to []int32) []int32 {
	b2, b1, a1, a2 := x.infoAt(t-2), x.infoAt(t-1), x.infoAt(t+1), x.infoAt(t+2)
	to = keep(to, x.keyed(bundleKey{bigramBeforeBundle, b2.blurID, b1.blurID, 0}, func(a *attributes) {
		a.add("b-=", b2.blur, "|", b1.blur)
	}))
	to = keep(to, x.keyed(bundleKey{bigramAfterBundle, a1.blurID, a2.blurID, 0}, func(a *attributes) {
		a.add("b+=", a1.blur, "|", a2.blur)
	}))
	return keep(to, x.keyed(bundleKey{bigramAroundBundle, b1.blurID, a1.blurID, int32(x.infoAt(t).class)}, func(a *attributes) {
		a.add("b-+=", b1.blur, "|", a1.blur, "|", string(rune(x.infoAt(t).class)))
	}))
}
