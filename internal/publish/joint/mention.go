// SPDX-License-Identifier: Apache-2.0

package joint

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"hide/internal/annotate"
	"hide/internal/publish/table"
	"hide/internal/tabular"
)

// mention is one place of a text where a sensitive term stands.
type mention struct {
	span     annotate.Span
	kind     mentionKind
	term     int32          // for plain ones: index of View.terms
	column   int            // for redundant ones: index of View.columns
	from, to int            // for redundant ones: the bytes of the span that are the value
	reading  partial        // for redundant dates
	label    annotate.Label // the type
}

type mentionKind uint8

const (
	unlisted  mentionKind = iota // of a type that is not sensitive
	plain                        // not redundant: an element of X'
	redundant                    // repeats a quasi-identifier of the person
	direct                       // repeats a direct identifier of the person
)

// textual finds the mentions, marks redundant ones, and numbers the terms of the others.
func (v *View) textual(ctx context.Context) error {
	maps := v.entityMap()
	number := map[Term]int32{}
	v.mentions = make([][][]mention, len(v.rows))
	for i := range v.people {
		own := v.directForms(i)
		for _, row := range v.people[i].rows {
			if err := ctx.Err(); err != nil {
				return err
			}
			v.mentions[row] = make([][]mention, len(v.rows[row].Texts))
			for text, t := range v.rows[row].Texts {
				for _, span := range v.Config.whole(t) {
					m := v.mention(maps, own, i, t.Text, span)
					if m.kind == plain {
						term := Term{text, span.Label, Normalize(span.Surface(t.Text))}
						n, known := number[term]
						if !known {
							n = int32(len(v.terms))
							number[term] = n
							v.terms = append(v.terms, term)
						}
						m.term = n
					}
					v.mentions[row][text] = append(v.mentions[row][text], m)
				}
			}
		}
	}
	v.sortTerms()
	v.collectTerms()
	return nil
}

// sortTerms renumbers the terms by text attribute, type and form.
func (v *View) sortTerms() {
	order := make([]int, len(v.terms)) // [new] old
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return compareTerms(v.terms[a], v.terms[b]) })
	renamed, terms := make([]int32, len(order)), make([]Term, len(order))
	for i, old := range order {
		renamed[old], terms[i] = int32(i), v.terms[old]
	}
	v.terms, v.first = terms, renamed
	for _, texts := range v.mentions {
		for _, mentions := range texts {
			for i := range mentions {
				if mentions[i].kind == plain {
					mentions[i].term = renamed[mentions[i].term]
				}
			}
		}
	}
}

func compareTerms(a, b Term) int {
	return cmp.Or(cmp.Compare(a.Text, b.Text), cmp.Compare(a.Type, b.Type), strings.Compare(a.Form, b.Form))
}

// collectTerms makes X' of each person, who holds each term, and the types.
func (v *View) collectTerms() {
	v.holders = make([][]int32, len(v.terms))
	for i := range v.people {
		p := &v.people[i]
		for _, row := range p.rows {
			for _, mentions := range v.mentions[row] {
				for _, m := range mentions {
					if m.kind == plain {
						p.terms = append(p.terms, m.term)
					}
				}
			}
		}
		slices.Sort(p.terms)
		p.terms = slices.Compact(p.terms)
		for _, term := range p.terms {
			v.holders[term] = append(v.holders[term], int32(i))
		}
	}
	for i, t := range v.terms {
		n := len(v.types)
		if n == 0 || v.types[n-1].text != t.Text || v.types[n-1].label != t.Type {
			v.types = append(v.types, termType{text: t.Text, label: t.Type, from: int32(i)})
			n++
		}
		v.types[n-1].to = int32(i) + 1
	}
}

// mapped is an attribute that terms of a type may repeat.
type mapped struct {
	attribute int
	column    int // of View.columns; -1 for a direct identifier
}

// entityMap is emap of rx-anon, from types to attributes.
func (v *View) entityMap() map[annotate.Label][]mapped {
	maps, column := map[annotate.Label][]mapped{}, 0
	for i, a := range v.Config.Attributes {
		at := mapped{i, -1}
		switch a.Role {
		case table.Quasi:
			at.column = column
			column++
		case table.Direct:
		default:
			continue
		}
		for _, label := range a.Entities {
			maps[label] = append(maps[label], at)
		}
	}
	return maps
}

// mention classifies a span of a person's text; own are the person's normalised direct
// identifiers. Identifiers of the span's type are checked first: such a term must be
// suppressed. Those of other types are checked last: otherwise a class of a father and
// son with one name would keep it, since both have the term.
func (v *View) mention(maps map[annotate.Label][]mapped, own map[string]bool, who int, text string, span annotate.Span) mention {
	m := mention{span: span, label: span.Label, kind: plain}
	surface := span.Surface(text)
	switch {
	case span.Label == Identifier, !v.Config.Counts(span.Label) && own[Normalize(surface)]:
		m.kind = direct
		return m
	case !v.Config.Counts(span.Label):
		m.kind = unlisted
		return m
	}
	for _, at := range maps[span.Label] {
		if at.column < 0 && own[Normalize(surface)] {
			m.kind = direct
			return m
		}
	}
	for _, at := range maps[span.Label] {
		if at.column < 0 {
			continue
		}
		if from, to, reading, says := v.says(v.columns[at.column], v.cells[at.column][who], v.Config.Attributes[at.attribute].around(), surface); says {
			m.kind, m.column, m.from, m.to, m.reading = redundant, at.column, from, to, reading
			return m
		}
	}
	if own[Normalize(surface)] {
		m.kind = direct
	}
	return m
}

// directForms are a person's direct identifiers, normalised.
func (v *View) directForms(who int) map[string]bool {
	forms := map[string]bool{}
	for _, attribute := range v.Config.with(table.Direct) {
		for _, row := range v.people[who].rows {
			if value := v.rows[row].Values[attribute]; value != "" {
				forms[Normalize(value)] = true
			}
		}
	}
	return forms
}

// ageWords may stand next to a number in a term that repeats an attribute, as in "36
// years old". They are kept, because they only repeat the attribute's name.
var ageWords = strings.Fields("year years old yr yrs yo y o age aged año años edad an ans âgé âgée jahr jahre jährig jähriger jährige alt of de")

// says reports whether a surface consists of one of a person's values of a column, which
// makes a term redundant (rx-anon, section 3, x = v). from and to are the bytes of the
// value; only words of around may stand next to it. A term with more content, such as a
// name with the age, is not redundant, because the rest would remain in the text.
func (v *View) says(c *table.Column, codes []int32, around []string, surface string) (from, to int, reading partial, says bool) {
	if c.Kind == table.Date {
		reading, says = saysDate(c, codes, surface)
		return 0, len(surface), reading, says
	}
	from, to = core(surface, around)
	value := surface[from:to]
	if c.Kind == table.Number {
		number, err := strconv.ParseFloat(strings.Replace(value, ",", ".", 1), 64)
		return from, to, partial{}, err == nil && slices.ContainsFunc(codes, func(code int32) bool { return !c.IsMissing(code) && c.Numbers[code] == number })
	}
	form := Normalize(value)
	return from, to, partial{}, slices.ContainsFunc(codes, func(code int32) bool { return !c.IsMissing(code) && Normalize(c.Domain[code]) == form })
}

// saysDate reports whether a surface is a date, whole or in part, of the column.
func saysDate(c *table.Column, codes []int32, surface string) (partial, bool) {
	for _, reading := range readings(Normalize(surface)) {
		for _, code := range codes {
			if !c.IsMissing(code) && reading.of(time.Unix(int64(c.Numbers[code]), 0).UTC()) {
				return reading, true
			}
		}
	}
	return partial{}, false
}

// core is the surface without words of around, and without other visible characters, at
// its ends; the whole surface if nothing else remains.
func core(surface string, around []string) (from, to int) {
	tokens := annotate.Tokenize(surface)
	beside := func(t annotate.Token) bool {
		form := Normalize(surface[t.Start:t.End])
		return strings.IndexFunc(form, func(r rune) bool { return !outside(r) }) < 0 || slices.Contains(around, form)
	}
	for len(tokens) > 0 && beside(tokens[0]) {
		tokens = tokens[1:]
	}
	for len(tokens) > 0 && beside(tokens[len(tokens)-1]) {
		tokens = tokens[:len(tokens)-1]
	}
	if len(tokens) == 0 {
		return 0, len(surface)
	}
	return int(tokens[0].Start), int(tokens[len(tokens)-1].End)
}

// whole widens terms to whole tokens: the rest of a word would reveal the word. Terms that
// share a token become one, with the type of the first that counts.
func (c Config) whole(t Text) []annotate.Span {
	if len(t.Terms) == 0 {
		return nil
	}
	tokens := annotate.Tokenize(t.Text)
	out := make([]annotate.Span, 0, len(t.Terms))
	for _, s := range t.Terms {
		if from, to := annotate.Covered(tokens, s); from < to {
			s.Start, s.End = min(s.Start, tokens[from].Start), max(s.End, tokens[to-1].End)
		}
		last := len(out) - 1
		if last < 0 || !out[last].Overlaps(s) {
			out = append(out, s)
			continue
		}
		out[last].End = max(out[last].End, s.End)
		if !c.Counts(out[last].Label) {
			out[last].Label = s.Label
		}
	}
	return out
}

// Normalize is the form that mentions of one sensitive term share in any language: canonical
// composition, folded case, one blank for each run of white space, and only letters, marks
// and digits at either end, unless there are none. Words are neither stemmed nor dropped:
// terms that differ in stop words are different terms.
func Normalize(surface string) string {
	folded := tabular.Fold(surface)
	folded = strings.Join(strings.Fields(folded), " ")
	if bare := strings.TrimFunc(folded, outside); bare != "" {
		return bare
	}
	return folded
}

// outside reports whether r can be removed at the ends of a term.
func outside(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r) }
