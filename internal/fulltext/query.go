// SPDX-License-Identifier: Apache-2.0

package fulltext

import (
	"slices"
	"strings"
)

// Query is what to search for. A document matches if it has all terms.
type Query struct{ Terms []Term }

// Term is words that follow each other in a text, whatever characters stand between them.
type Term struct {
	Words  []string // folded
	Prefix bool     // the last word may go on
}

// quotes turns the quotation marks that keyboards and word processors make into one.
var quotes = strings.NewReplacer("“", `"`, "”", `"`, "„", `"`, "«", `"`, "»", `"`)

// Parse reads a query as people type it. Words in quotation marks form one term, and so do
// the parts of "12/03". An asterisk after a word stands for any ending.
func Parse(typed string) (q Query) {
	for i, part := range strings.Split(quotes.Replace(typed), `"`) {
		if i%2 == 1 {
			q.add(part)
			continue
		}
		for _, word := range strings.Fields(part) {
			q.add(word)
		}
	}
	return q
}

// add adds a term, unless it has no words or the query has it.
func (q *Query) add(typed string) {
	t := Term{Prefix: strings.HasSuffix(strings.TrimSpace(typed), "*")}
	Words(typed, func(folded []byte, _, _ int) { t.Words = append(t.Words, string(folded)) })
	same := func(o Term) bool { return o.Prefix == t.Prefix && slices.Equal(o.Words, t.Words) }
	if len(t.Words) > 0 && !slices.ContainsFunc(q.Terms, same) {
		q.Terms = append(q.Terms, t)
	}
}

// Len is the number of words.
func (q Query) Len() (n int) {
	for _, t := range q.Terms {
		n += len(t.Words)
	}
	return n
}

// Ordered reports whether words must follow each other, so that only the text of a document
// can tell whether it matches.
func (q Query) Ordered() bool {
	return slices.ContainsFunc(q.Terms, func(t Term) bool { return len(t.Words) > 1 })
}

// key is a word to look up in an index.
type key struct {
	word   string
	prefix bool // and all words that begin with it
}

// keys lists the words that a matching document has.
func (q Query) keys() (all []key) {
	for _, t := range q.Terms {
		for i, w := range t.Words {
			k := key{w, t.Prefix && i == len(t.Words)-1}
			if !slices.Contains(all, k) {
				all = append(all, k)
			}
		}
	}
	return all
}

// matches reports whether a word of an index or a text is one of the key.
func (k key) matches(word []byte) bool {
	if k.prefix && len(word) > len(k.word) {
		word = word[:len(k.word)]
	}
	return string(word) == k.word
}

// passed reports whether a word comes after all words of the key.
func (k key) passed(word []byte) bool { return string(word) > k.word && !k.matches(word) }
