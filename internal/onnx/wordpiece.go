// SPDX-License-Identifier: Apache-2.0

package onnx

import (
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// wordPiece is the tokenizer of BERT (Devlin et al. 2019): words are cut at white space and
// around punctuation, and each is cut into the longest pieces of the vocabulary from left to
// right, of which all but the first begin with "##".
type wordPiece struct {
	ids                  map[string]int64
	lower, strip         bool
	unknown, first, last int64
}

func newWordPiece(ids map[string]int64, lower, strip bool) (*wordPiece, error) {
	w := &wordPiece{ids: ids, lower: lower, strip: strip}
	var errs [3]error
	w.unknown, errs[0] = number(ids, "[UNK]")
	w.first, errs[1] = number(ids, "[CLS]")
	w.last, errs[2] = number(ids, "[SEP]")
	return w, errors.Join(errs[:]...)
}

func (w *wordPiece) around() (first, last int64) { return w.first, w.last }

// letter is a rune after normalization, and the bytes of the text that it comes from.
type letter struct {
	r        rune
	from, to int
}

// longestWord is the length from which on a word is unknown, as in BERT.
const longestWord = 100

func (w *wordPiece) pieces(text string) []piece {
	var out []piece
	var word []letter
	end := func() {
		if len(word) > 0 {
			out = append(out, w.cut(word)...)
		}
		word = word[:0]
	}
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRuneInString(text[at:])
		switch {
		case unicode.IsSpace(r):
			end()
		case r == 0 || r == utf8.RuneError || isControl(r):
		case isPunctuation(r) || isIdeograph(r):
			end()
			word = append(word, letter{r, at, at + size})
			end()
		default:
			word = w.normalized(word, r, at, at+size)
		}
		at += size
	}
	end()
	return out
}

// normalized appends the letters of r. Accents are what decomposition leaves beside a letter.
func (w *wordPiece) normalized(word []letter, r rune, from, to int) []letter {
	s := string(r)
	if w.lower {
		s = strings.ToLower(s)
	}
	if w.strip {
		s = norm.NFD.String(s)
	}
	for _, d := range s {
		if w.strip && unicode.Is(unicode.Mn, d) {
			if n := len(word); n > 0 && word[n-1].to == from {
				word[n-1].to = to // a combining accent belongs to its letter
			}
			continue
		}
		word = append(word, letter{d, from, to})
	}
	return word
}

// cut cuts one word. If a part of it is in no piece, all of it is unknown.
func (w *wordPiece) cut(word []letter) []piece {
	whole := piece{w.unknown, word[0].from, word[len(word)-1].to}
	if len(word) > longestWord {
		return []piece{whole}
	}
	var out []piece
	for from := 0; from < len(word); {
		to, id := w.longest(word, from)
		if to == from {
			return []piece{whole}
		}
		out = append(out, piece{id, word[from].from, word[to-1].to})
		from = to
	}
	return apart(out)
}

func (w *wordPiece) longest(word []letter, from int) (to int, id int64) {
	for to := len(word); to > from; to-- {
		var s strings.Builder
		if from > 0 {
			s.WriteString("##")
		}
		for _, l := range word[from:to] {
			s.WriteRune(l.r)
		}
		if id, is := w.ids[s.String()]; is {
			return to, id
		}
	}
	return from, 0
}

// apart ends a piece where the next one begins. One rune can become several letters, in two
// pieces; both then have its bytes.
func apart(pieces []piece) []piece {
	for k := 1; k < len(pieces); k++ {
		if pieces[k-1].to > pieces[k].from && pieces[k-1].from < pieces[k].from {
			pieces[k-1].to = pieces[k].from
		}
	}
	return pieces
}

func isControl(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Cf)
}

// isPunctuation also takes the signs of ASCII for punctuation, as BERT does.
func isPunctuation(r rune) bool {
	switch {
	case r >= '!' && r <= '/', r >= ':' && r <= '@', r >= '[' && r <= '`', r >= '{' && r <= '~':
		return true
	}
	return unicode.IsPunct(r)
}

// isIdeograph reports a Chinese character, each of which is a word.
func isIdeograph(r rune) bool {
	return r >= 0x4E00 && r <= 0x9FFF || r >= 0x3400 && r <= 0x4DBF || r >= 0x20000 && r <= 0x2CEAF || r >= 0xF900 && r <= 0xFAFF || r >= 0x2F800 && r <= 0x2FA1F
}
