// SPDX-License-Identifier: Apache-2.0

package dense

import (
	"unicode/utf8"

	"hide/internal/crf"
)

// The keys of a token that have rates, in the order of their columns.
const (
	keyWord = iota
	keyLower
	keyPrefix
	keySuffix2
	keySuffix
	keyShape
	keyMember
	keyRun
	keyKind
	keyBefore
	keyAfter
	keyPairBefore
	keyPairAfter
	keyAround
	keyTwoBefore
	keyTwoAfter
	keyShapesBefore
	keyShapesAfter
	keyClasses
	keyHead
	keyHeadNext
	keySection
	keyLine
	keyOpening
	keyBlurBefore
	keyBlurAfter
	keys
)

// hasher makes a key of 64 bits of its parts (FNV-1a, mixed once more at the end).
type hasher uint64

func newKey(kind int) hasher { return hasher(14695981039346656037 ^ uint64(kind+1)*0x9e3779b97f4a7c15) }

func (h hasher) text(s string) hasher {
	for i := range len(s) {
		h = (h ^ hasher(s[i])) * 1099511628211
	}
	return (h ^ 0x1ff) * 1099511628211
}

func (h hasher) number(n int) hasher { return (h ^ hasher(n+0x200)) * 1099511628211 }

func (h hasher) sum() uint64 {
	v := uint64(h)
	v = (v ^ v>>32) * 0xd6e8feb86659fd93
	return v ^ v>>32
}

// edge stands for the tokens before the first and after the last.
var edge = crf.Fact{Lower: "\x00", Shape: "\x00", Member: "\x00", Blur: "\x00", Class: '^'}

type facts []crf.Fact

func (f facts) at(t int) *crf.Fact {
	if t < 0 || t >= len(f) {
		return &edge
	}
	return &f[t]
}

// keysOf are the keys of token t.
func (f facts) keysOf(t int, word string, opening string, to *[keys]uint64) {
	b2, b1, w, a1, a2 := f.at(t-2), f.at(t-1), f.at(t), f.at(t+1), f.at(t+2)
	set := func(kind int, h func(hasher) hasher) { to[kind] = h(newKey(kind)).sum() }
	texts := func(kind int, parts ...string) {
		h := newKey(kind)
		for _, p := range parts {
			h = h.text(p)
		}
		to[kind] = h.sum()
	}
	texts(keyWord, word)
	texts(keyLower, w.Lower)
	texts(keyPrefix, head(w.Lower, 3))
	texts(keySuffix2, tail(w.Lower, 2))
	texts(keySuffix, tail(w.Lower, 3), string(rune(w.Class)))
	texts(keyShape, w.Shape)
	texts(keyMember, w.Member)
	set(keyRun, func(h hasher) hasher { return h.text(w.Run).number(int(w.RunAt)).number(int(w.RunLeft)) })
	set(keyKind, func(h hasher) hasher {
		return h.text(w.Kind).number(int(w.Place)).number(int(w.Size)).text(w.RunKind).number(w.Digits)
	})
	texts(keyBefore, b1.Lower, string(rune(w.Class)))
	texts(keyAfter, a1.Lower, string(rune(w.Class)))
	texts(keyPairBefore, b1.Lower, w.Lower)
	texts(keyPairAfter, w.Lower, a1.Lower)
	texts(keyAround, b1.Lower, a1.Lower, string(rune(w.Class)))
	texts(keyTwoBefore, b2.Lower, b1.Lower, string(rune(w.Class)))
	texts(keyTwoAfter, a1.Lower, a2.Lower, string(rune(w.Class)))
	texts(keyShapesBefore, b2.Shape, b1.Shape, w.Shape)
	texts(keyShapesAfter, w.Shape, a1.Shape, a2.Shape)
	texts(keyClasses, string([]byte{b2.Class, b1.Class, w.Class, a1.Class, a2.Class}))
	set(keyHead, func(h hasher) hasher { return h.text(w.Head).number(int(w.HeadDistance)).number(int(w.Class)) })
	texts(keyHeadNext, w.Head, b1.Lower, a1.Lower)
	set(keySection, func(h hasher) hasher { return h.text(w.Section).number(int(w.SectionAt)).number(int(w.Class)) })
	set(keyLine, func(h hasher) hasher {
		return h.number(int(w.Above)).number(int(w.LineSize)).number(int(w.LinePlace)).number(int(w.Class))
	})
	set(keyOpening, func(h hasher) hasher { return h.text(opening).number(int(w.LinePlace)).number(int(w.Class)) })
	texts(keyBlurBefore, b2.Blur, b1.Blur, w.Member)
	texts(keyBlurAfter, w.Member, a1.Blur, a2.Blur)
}

// head is the first n characters of s.
func head(s string, n int) string {
	at := 0
	for ; n > 0 && at < len(s); n-- {
		_, size := utf8.DecodeRuneInString(s[at:])
		at += size
	}
	return s[:at]
}

// tail is the last n characters of s.
func tail(s string, n int) string {
	at := len(s)
	for ; n > 0 && at > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(s[:at])
		at -= size
	}
	return s[at:]
}
