// SPDX-License-Identifier: Apache-2.0

package known

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"hide/internal/annotate"
	"hide/internal/annotate/dictionary"
)

// vocabulary numbers the words of identities. Words are folded, see [dictionary.Fold].
type vocabulary struct {
	ids   map[string]int32
	known []entry

	typos     map[string][]int32 // words by each spelling with at most one letter less
	length    [2]int             // of the shortest and longest word that typos are found of
	addresses bool               // there are words with [addressMark]
}

// entry is a word of the vocabulary.
type entry struct {
	text   string
	common bool // an everyday word, which names a person only if it begins with a capital
	small  bool // a particle such as van, which is not capitalized
	named  bool // part of a name: typos of it are found
}

// none is the id of words that are in no identity.
const none int32 = -1

func newVocabulary() vocabulary { return vocabulary{ids: map[string]int32{}} }

// id is the number of a folded word, which is added if it is new.
func (v *vocabulary) id(folded string) int32 {
	id, old := v.ids[folded]
	if !old {
		id = int32(len(v.known))
		v.ids[folded] = id
		v.addresses = v.addresses || strings.HasPrefix(folded, addressMark)
		v.known = append(v.known, entry{text: folded, common: isCommon(strings.TrimPrefix(folded, addressMark)), small: particles()[folded]})
	}
	return id
}

// find is the number of a word, or none.
func (v *vocabulary) find(folded string) int32 {
	if id, ok := v.ids[folded]; ok {
		return id
	}
	return none
}

// common has the words that texts are full of.
var common = sync.OnceValue(func() map[string]bool {
	set := map[string]bool{}
	for _, list := range []string{"words", "common"} {
		for _, term := range dictionary.Terms(list) {
			set[dictionary.Fold(term)] = true
		}
	}
	return set
})

func isCommon(folded string) bool { return common()[folded] }

// abbreviations of words in addresses, folded. In addresses both forms are the same word.
var abbreviations = map[string]string{
	"street": "st", "saint": "st", "strasse": "str", "avenue": "ave", "av": "ave", "road": "rd", "boulevard": "blvd",
	"drive": "dr", "lane": "ln", "court": "ct", "place": "pl", "square": "sq", "highway": "hwy", "parkway": "pkwy",
	"terrace": "ter", "circle": "cir", "apartment": "apt", "suite": "ste", "north": "n", "south": "s", "east": "e",
	"west": "w", "mount": "mt", "fort": "ft", "hospital": "hosp", "center": "ctr", "centre": "ctr", "medical": "med",
	"university": "univ", "department": "dept", "floor": "fl", "room": "rm",
}

// short is the abbreviation of a folded word in addresses, or the word itself if it is one,
// "" for all other words.
func short(folded string) string {
	if abbreviation, ok := abbreviations[folded]; ok {
		return abbreviation
	}
	if stem, ok := strings.CutSuffix(folded, "strasse"); ok { // Hauptstraße, Hauptstr.
		return stem + "str"
	}
	if isAbbreviation()[folded] || len(folded) > 3 && strings.HasSuffix(folded, "str") {
		return folded
	}
	return ""
}

var isAbbreviation = sync.OnceValue(func() map[string]bool {
	set := map[string]bool{}
	for _, abbreviation := range abbreviations {
		set[abbreviation] = true
	}
	return set
})

// addressMark begins the words of addresses in the vocabulary that are found abbreviated or
// not. Elsewhere West is not W.
const addressMark = "\x00"

// address are folded words as those of addresses.
func address(words []string) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = w
		if abbreviation := short(w); abbreviation != "" {
			out[i] = addressMark + abbreviation
		}
	}
	return out
}

// word is a word of a text: a token of letters or digits.
type word struct {
	start, end annotate.ByteOff
	id         int32 // none if no identity has it
	address    int32 // its id in addresses, if that is another
	upper      bool  // it begins with a capital letter
	typo       bool  // id is that of the word that is meant
}

// reader is a text that is being read.
type reader struct {
	index *Index
	text  string
	words []word
	all   []found
	buf   []byte
}

func (x *Index) read(text string, tokens []annotate.Token) *reader {
	r := &reader{index: x, text: text, words: make([]word, 0, len(tokens))}
	for _, t := range tokens {
		first, _ := utf8.DecodeRuneInString(text[t.Start:t.End])
		if first != '_' && !unicode.IsLetter(first) && !unicode.IsMark(first) && !unicode.IsDigit(first) {
			continue
		}
		w := word{start: t.Start, end: t.End, upper: unicode.IsUpper(first)}
		r.lookUp(&w, text[t.Start:t.End])
		r.words = append(r.words, w)
	}
	return r
}

// longest is the number of bytes of the longest word that is looked up.
const longest = 256

// lookUp gives a word of a text its number, and says whether it is misspelt.
func (r *reader) lookUp(w *word, surface string) {
	w.id, w.address = none, none
	if len(surface) > longest {
		return
	}
	v := &r.index.words
	folded := r.folded(surface)
	if id, ok := v.ids[string(folded)]; ok {
		w.id = id
	}
	if v.addresses {
		if abbreviation := short(string(folded)); abbreviation != "" {
			w.address = v.find(addressMark + abbreviation)
		}
	}
	if w.id == none && w.address == none && w.upper {
		w.id = v.meant(string(folded))
		w.typo = w.id != none
	}
}

// folded is the folded word, in a buffer that the next call uses again.
func (r *reader) folded(surface string) []byte {
	r.buf = r.buf[:0]
	for i := range len(surface) {
		c := surface[i]
		if c >= utf8.RuneSelf {
			return append(r.buf[:0], dictionary.Fold(surface)...)
		}
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		r.buf = append(r.buf, c)
	}
	return r.buf
}

func (r *reader) surface(at int) string { return r.text[r.words[at].start:r.words[at].end] }

// between is the text between a word and the next.
func (r *reader) between(at int) string { return r.text[r.words[at].end:r.words[at+1].start] }

// followed reports whether word at and the next can belong to one name or address: between
// them are at most four characters, one line break, and no end of a clause.
func (r *reader) followed(at int) bool {
	if at+1 >= len(r.words) {
		return false
	}
	gap := r.between(at)
	return len(gap) <= 4*utf8.UTFMax && utf8.RuneCountInString(gap) <= 4 && strings.Count(gap, "\n") <= 1 && !strings.ContainsAny(gap, ";?!")
}

// cut are the folded words of a value. A hyphen or apostrophe separates two words.
func cut(value string) []string {
	var out []string
	for _, t := range annotate.Tokenize(value) {
		surface := value[t.Start:t.End]
		if first, _ := utf8.DecodeRuneInString(surface); len(surface) <= longest && (unicode.IsLetter(first) || unicode.IsMark(first) || unicode.IsDigit(first) || first == '_') {
			out = append(out, dictionary.Fold(surface))
		}
	}
	return out
}

// runes is the number of code points of a word.
func runes(s string) int { return utf8.RuneCountInString(s) }

// hasDigit reports whether a word has an ASCII digit.
func hasDigit(s string) bool { return strings.ContainsAny(s, "0123456789") }
