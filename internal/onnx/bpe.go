// SPDX-License-Identifier: Apache-2.0

package onnx

import (
	"encoding/json"
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"
)

// bytePairs is the byte-level BPE of GPT-2 and RoBERTa (Radford et al. 2019): a text is cut
// into words with the space before them, and the bytes of a word are merged in pairs, the
// pair that training found most often first.
type bytePairs struct {
	ids                  map[string]int64
	rank                 map[[2]string]int
	letters              [256]string // of each byte in the vocabulary
	prefix               bool        // the first word counts as one after a space
	unknown, first, last int64
}

func (f *tokenizerFile) bytePairs() (tokenizer, error) {
	b := &bytePairs{ids: map[string]int64{}, rank: map[[2]string]int{}, letters: byteLetters(), prefix: f.PreTokenizer.Prefix}
	if f.Normalizer != nil {
		return nil, errors.New("a normalizer of byte-level BPE is not supported")
	}
	if err := json.Unmarshal(f.Model.Vocab, &b.ids); err != nil {
		return nil, errors.New("its vocabulary is not an object of numbers")
	}
	for k, raw := range f.Model.Merges {
		pair, err := readMerge(raw)
		if err != nil {
			return nil, err
		}
		b.rank[pair] = k
	}
	var errs [3]error
	b.unknown, errs[0] = number(b.ids, "<unk>", "<|endoftext|>")
	b.first, errs[1] = number(b.ids, "<s>", "[CLS]", "<|endoftext|>")
	b.last, errs[2] = number(b.ids, "</s>", "[SEP]", "<|endoftext|>")
	return b, errors.Join(errs[:]...)
}

// readMerge reads "a b" or ["a","b"].
func readMerge(raw json.RawMessage) (pair [2]string, err error) {
	var both []string
	var text string
	if json.Unmarshal(raw, &text) == nil {
		both = strings.Split(text, " ")
	} else if err := json.Unmarshal(raw, &both); err != nil {
		both = nil
	}
	if len(both) != 2 {
		return pair, errors.New("a merge is not a pair")
	}
	return [2]string(both), nil
}

// byteLetters are the letters that stand for bytes: printable ones for themselves, and those
// from U+0100 on for the others in their order.
func byteLetters() (out [256]string) {
	next := rune(256)
	for b := range 256 {
		r := rune(b)
		if !(r >= '!' && r <= '~' || r >= 0xA1 && r <= 0xAC || r >= 0xAE) {
			r, next = next, next+1
		}
		out[b] = string(r)
	}
	return out
}

func (b *bytePairs) around() (first, last int64) { return b.first, b.last }

// mostMerged is how many bytes of a word are merged together, because merging takes the square
// of their number. No word of a language is as long.
const mostMerged = 256

func (b *bytePairs) pieces(text string) []piece {
	var out []piece
	for from := 0; from < len(text); {
		to := min(wordEnd(text, from), from+mostMerged)
		out = append(out, b.cut(text, from, to)...)
		from = to
	}
	return out
}

// part is some merged bytes.
type part struct {
	text     string
	from, to int
}

// cut merges the bytes of one word. Pieces do not include the space before the word, unless
// they are nothing else.
func (b *bytePairs) cut(text string, from, to int) []piece {
	var parts []part
	if b.prefix && from == 0 && text[0] != ' ' {
		parts = append(parts, part{b.letters[' '], 0, 0})
	}
	for at := from; at < to; at++ {
		parts = append(parts, part{b.letters[text[at]], at, at + 1})
	}
	for {
		best, rank := -1, len(b.rank)
		for k := range len(parts) - 1 {
			if r, is := b.rank[[2]string{parts[k].text, parts[k+1].text}]; is && r < rank {
				best, rank = k, r
			}
		}
		if best < 0 {
			break
		}
		parts[best] = part{parts[best].text + parts[best+1].text, parts[best].from, parts[best+1].to}
		parts = append(parts[:best+1], parts[best+2:]...)
	}
	return b.numbered(text, parts)
}

func (b *bytePairs) numbered(text string, parts []part) []piece {
	var out []piece
	for _, p := range parts {
		id, is := b.ids[p.text]
		if !is {
			id = b.unknown
		}
		for p.from < p.to-1 && text[p.from] == ' ' {
			p.from++
		}
		out = append(out, piece{id, p.from, p.to})
	}
	return out
}

// wordEnd is the end of the word that begins at a byte, by the expression of GPT-2:
//
//	's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
func wordEnd(text string, from int) int {
	for _, ending := range []string{"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"} {
		if strings.HasPrefix(text[from:], ending) {
			return from + len(ending)
		}
	}
	at := from
	if text[at] == ' ' && at+1 < len(text) {
		at++
	}
	if kind := kindAt(text, at); kind != space {
		for at < len(text) && kindAt(text, at) == kind {
			at += sizeAt(text, at)
		}
		return at
	}
	last := from // where the last white space begins
	for at = from; at < len(text) && kindAt(text, at) == space; at += sizeAt(text, at) {
		last = at
	}
	if at < len(text) && last > from {
		return last // it belongs to the next word
	}
	return at
}

// kind is a class of runes.
type kind int

const (
	space kind = iota
	alphabetic
	numeric
	sign
)

func kindAt(text string, at int) kind {
	r, _ := utf8.DecodeRuneInString(text[at:])
	switch {
	case unicode.IsSpace(r):
		return space
	case unicode.IsLetter(r):
		return alphabetic
	case unicode.IsNumber(r):
		return numeric
	}
	return sign
}

func sizeAt(text string, at int) int {
	_, size := utf8.DecodeRuneInString(text[at:])
	return size
}
