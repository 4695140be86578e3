// SPDX-License-Identifier: Apache-2.0

package drift

import (
	"hash/fnv"
	"io"
	"slices"
	"strings"
	"unicode"

	"hide/internal/annotate"
)

// Profile is what is compared of a document: a few kilobytes, and none of its text.
type Profile struct {
	Group  string // documents of one group are exchanged together
	Source string // the institution it is from, "" when it does not say
	Kind   string // type of note, "" when it does not say
	Tokens int
	Kept   int     // tokens that would be published
	Doubt  float64 // sum of P(sensitive) over the tokens kept

	words, heads []uint64 // hashes of distinct lower-cased words and line heads, ascending
}

// The attributes in which documents say where they are from and what they are; the
// first that is there counts.
var (
	sourceAttributes = []string{"institution", "source", "site", "hospital", "facility"}
	kindAttributes   = []string{"note_type", "type", "kind", "category"}
)

// Describe makes the profile of a document. scores and redacted have one element
// per token: P(sensitive) by a model that did not see the
// document, and whether the token would be redacted.
func Describe(d *annotate.Note, scores []float64, redacted []bool) Profile {
	p := Profile{Group: d.Group, Source: first(d.Attributes, sourceAttributes), Kind: first(d.Attributes, kindAttributes)}
	var words []uint64
	for i, word := range d.Words {
		p.Tokens++
		if strings.ContainsFunc(word, unicode.IsLetter) {
			words = append(words, hash(strings.ToLower(word)))
		}
		if !redacted[i] {
			p.Kept++
			p.Doubt += scores[i]
		}
	}
	p.words, p.heads = distinct(words), distinct(heads(d.Text))
	return p
}

func first(attributes map[string]string, names []string) string {
	for _, n := range names {
		if v := strings.TrimSpace(attributes[n]); v != "" {
			return v
		}
	}
	return ""
}

// longestHead is how far into a line its head may reach, in bytes.
const longestHead = 40

// heads are hashes of what lines begin with up to a colon, and of lines in
// capitals: section headers and the names of fields. Digits are all alike.
func heads(text string) []uint64 {
	var out []uint64
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		head, _, field := strings.Cut(line, ":")
		if len(head) == 0 || len(head) > longestHead || !strings.ContainsFunc(head, unicode.IsLetter) {
			continue
		}
		if field || inCapitals(line) {
			out = append(out, hash(strings.ToLower(strings.Map(sameDigits, head))))
		}
	}
	return out
}

// inCapitals asks for a capital: scripts that have none would be all headings.
func inCapitals(line string) bool {
	return strings.ToUpper(line) == line && strings.ContainsFunc(line, unicode.IsUpper)
}

func sameDigits(r rune) rune {
	if unicode.IsDigit(r) {
		return '0'
	}
	return r
}

func hash(s string) uint64 {
	h := fnv.New64a()
	_, _ = io.WriteString(h, s) // never fails
	return h.Sum64()
}

func distinct(hashes []uint64) []uint64 {
	slices.Sort(hashes)
	return slices.Clip(slices.Compact(hashes))
}

// doubt is the tokens in 1,000 kept that are sensitive by the scores.
func (p Profile) doubt() float64 { return 1000 * p.Doubt / float64(max(1, p.Kept)) }

// kept is the share of tokens kept.
func (p Profile) kept() float64 { return float64(p.Kept) / float64(max(1, p.Tokens)) }
