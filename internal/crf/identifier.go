// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"slices"
	"strconv"
	"strings"
	"sync"

	"hide/internal/annotate/dictionary"
)

// identifier is a token's place in a run of tokens with the form of an identifier. The
// zero value is none.
type identifier struct {
	kind                string
	number, place, size int8 // of the kind, from 1
}

// Symbols are the alphabet of the forms of identifiers, one for a token; any other mark
// is its own symbol.
//
//	d 1-31   n other numbers of two digits up to 89   9 90-99   h 100-129
//	i other numbers of three digits   y 1900-2099   q other numbers of four
//	z five digits   N more   o 3rd, 1er, 1º   m month   w day of the week
//	c of, de, le ...   g years, old, edad ...   x letters and digits
//	r record, MRN, no. ...   s state of the USA, two capitals   _ all else
//
// In forms, D is d, n or 9; A is D or h; I is h or i; Y is y or q; X is what a
// record number may look like: x and numbers of three digits and more.

// formsByKind lists the forms by kind. A weekday may stand before a date.
var formsByKind = []struct{ kind, forms string }{
	{"DATE", "md,y mdy mo,y moy m.d,y mdcy dmy dm,y d.my d.m.y dcmcy dcmy ocmcy ocmy omy d-m-y d-m-D m-d-y m-d-D " +
		"d/d/y d/d/D d-d-y d-d-D d.d.y d.d.D y-d-d y/d/d y.d.d"},
	{"DAY", "md mo m.d dm d.m dcm om ocm d-m m-d m/d d/m"},
	{"MONTH", "my mcy m,y m/y m-y m.y d/y d-y"},
	{"WEEKDAY", "w"},
	{"TIME", "D:D D:D:D"},
	{"AGE", "Ag A-g A-g-g Agcg AgA Agg gA g:A gcA g,A"},
	{"PHONE", "(I)I-Y (I)IY (I)I.Y I-I-Y I.I.Y IIY I/I-Y 1-I-I-Y I-Y"},
	{"SSN", "I-D-Y"},
	{"POSTAL", "sz s,z sz-Y s,z-Y z-Y"},
	{"RECORD", "rX r:X r#X r.X r-X rrX rr:X rr#X rr.X r:#X r#:X r.:X #X"},
}

// form is one way to write a kind of identifier.
type form struct {
	kind, symbols string
	number        int8 // of the kind, from 1
}

// forms are all forms by their first symbol, the longest first.
var forms = sync.OnceValue(func() (by [128][]form) {
	for kind, row := range formsByKind {
		for f := range strings.FieldsSeq(row.forms) {
			list := []string{f}
			if row.kind == "DATE" || row.kind == "DAY" {
				list = append(list, "w"+f, "w,"+f, "w."+f)
			}
			for _, f := range list {
				for _, first := range symbolsLike(f[0]) {
					by[first] = append(by[first], form{row.kind, f, int8(kind + 1)})
				}
			}
		}
	}
	for _, list := range by {
		slices.SortStableFunc(list, func(a, b form) int { return len(b.symbols) - len(a.symbols) })
	}
	return by
})

// symbolsLike lists the symbols that one of a form stands for.
func symbolsLike(c byte) string {
	switch c {
	case 'D':
		return "dn9"
	case 'A':
		return "dn9h"
	case 'I':
		return "hi"
	case 'Y':
		return "yq"
	case 'X':
		return "xhiyqzN"
	}
	return string(c)
}

// symbolFits says, by a token's symbol, which ones of a form stand for it.
var symbolFits = sync.OnceValue(func() *[256][256]bool {
	fits := &[256][256]bool{}
	for c := range fits {
		fits[c][c] = true
	}
	for _, want := range []byte("DAIYX") {
		for _, has := range []byte(symbolsLike(want)) {
			fits[has][want] = true
		}
	}
	return fits
})

// own lists that define symbols.
var symbolsOfLists = []struct {
	list   string
	symbol byte
}{{"months", 'm'}, {"weekdays", 'w'}, {"ages", 'g'}, {"records", 'r'}, {"particles", 'c'}}

var listSymbols = sync.OnceValue(func() map[string]byte {
	symbols := map[string]byte{}
	for _, row := range symbolsOfLists {
		for _, term := range dictionary.Terms(row.list) {
			if _, ok := symbols[fold(term)]; !ok {
				symbols[fold(term)] = row.symbol
			}
		}
	}
	symbols["of"] = 'c'
	return symbols
})

// symbolOf is the symbol of a word.
func symbolOf(w *word) byte {
	switch {
	case w.class >= '1' && w.class <= '5':
		return symbolOfNumber(w.text)
	case w.class == both:
		return symbolOfBoth(w.lower)
	case w.class < 128 && len(w.text) == 1 && !w.class.named() && w.class != small:
		return w.text[0]
	}
	symbol, ok := listSymbols()[w.folded]
	switch {
	case ok:
		return symbol
	case w.class == capitals && len(w.text) == 2:
		return 's'
	}
	return '_'
}

func symbolOfNumber(s string) byte {
	n, err := strconv.Atoi(s)
	switch {
	case err != nil || len(s) > 5:
		return 'N'
	case len(s) == 5:
		return 'z'
	case len(s) == 4 && n >= 1900 && n < 2100:
		return 'y'
	case len(s) == 4:
		return 'q'
	case len(s) == 3 && n >= 100 && n < 130:
		return 'h'
	case len(s) == 3:
		return 'i'
	case n >= 90:
		return '9'
	case n >= 1 && n <= 31:
		return 'd'
	}
	return 'n'
}

// symbolOfBoth separates ordinal numbers from other words of digits and letters.
func symbolOfBoth(s string) byte {
	letters := strings.TrimLeft(s, "0123456789")
	if n := len(s) - len(letters); n > 0 && n <= 2 && slices.Contains([]string{"st", "nd", "rd", "th", "er", "º", "ª", "ro", "do", "e", "ème"}, letters) {
		return 'o'
	}
	return 'x'
}

func (x *extractor) prepareIdentifiers() {
	s := x.doc
	s.symbols = s.symbols[:0]
	for _, id := range s.ids {
		s.symbols = append(s.symbols, x.infos[id].symbol)
	}
	s.phi = slices.Grow(s.phi[:0], len(s.ids))[:len(s.ids)]
	clear(s.phi)
	by := forms()
	for t := 0; t < len(s.ids); {
		f := x.formAt(t, by[s.symbols[t]&127])
		if f.kind == "AGE" {
			f.kind, f.number = x.ageAt(f, t)
		}
		for i := range f.symbols {
			s.phi[t+i] = identifier{f.kind, f.number, int8(i), int8(len(f.symbols))}
		}
		t += max(1, len(f.symbols))
	}
}

// formAt is the longest of the forms that the tokens from t on have.
func (x *extractor) formAt(t int, list []form) form {
	for _, f := range list {
		if t+len(f.symbols) <= len(x.doc.symbols) && x.hasForm(t, f.symbols) {
			return f
		}
	}
	return form{}
}

func (x *extractor) hasForm(t int, symbols string) bool {
	fits := symbolFits()
	for i := range len(symbols) {
		if !fits[x.doc.symbols[t+i]][symbols[i]] {
			return false
		}
		if i > 0 && x.doc.gaps[t+i] == newPart {
			return false
		}
	}
	return true
}

// ageAt is the kind of an age; ages over 89 have their own kind, because the HIPAA rule
// lists them.
func (x *extractor) ageAt(f form, t int) (kind string, number int8) {
	for i := range f.symbols {
		if s := x.doc.symbols[t+i]; s == '9' || s == 'h' {
			return "AGE90", int8(len(formsByKind) + 1)
		}
	}
	return f.kind, f.number
}

// identifiers returns the form that a token is part of, or that ends before it, or begins
// after it.
func (x *extractor) identifiers(t int, to []int32) []int32 {
	own := x.doc.phi[t]
	var before, after identifier
	if t > 0 && own.place == 0 {
		before = x.doc.phi[t-1]
	}
	if t+1 < len(x.doc.phi) && x.doc.phi[t+1].place == 0 {
		after = x.doc.phi[t+1]
	}
	if own.number == 0 && before.number == 0 && after.number == 0 {
		return to
	}
	kinds := int32(before.number)<<16 | int32(own.number)<<8 | int32(after.number)
	return keep(to, x.keyed(bundleKey{identifierBundle, kinds, int32(own.place), int32(own.size)}, func(a *attributes) {
		if own.kind != "" {
			a.add("f=", own.kind)
			a.add("f@=", own.kind, "|", string('0'+byte(min(own.place, 9))))
			a.add("f@n=", own.kind, "|", string('0'+byte(min(own.place, 9))), "|", string('0'+byte(min(own.size, 9))))
		}
		if before.kind != "" {
			a.add("f-=", before.kind)
		}
		if after.kind != "" {
			a.add("f+=", after.kind)
		}
	}))
}
