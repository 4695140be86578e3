// SPDX-License-Identifier: Apache-2.0

package format

import (
	"bufio"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"hide/internal/annotate"
)

// placedStart begins a document whose lines have positions: five columns with the token, its
// start and end, the white space after it, and the tag. No column is empty or has a space,
// so that programs that read other CoNLL files read these.
//
//	-DOCSTART- id=n1 patient=7 before=_ O
//	Rose 0 4 s B-NAME
//	left 5 9 nn O
const placedStart = "id="

// bioesKind is CoNLL with BIOES tags, for writing. Its files are read as any CoNLL.
func bioesKind() kind {
	return kind{
		Format: Format{
			Name: "bioes", Title: "CoNLL with BIOES tags", Files: "as CoNLL, with tags that also mark the ends of spans", Endings: []string{".bioes"}, Ending: ".bioes",
			Holds: placedHolds,
		},
		read:  (*reader).conll,
		write: oneFile("", func(out *bufio.Writer, _ int, d annotate.Annotated) error { return writePlaced(out, d, bioesTag) }, ""),
		lost:  lostInTokens,
	}
}

var placedHolds = Holds{Name: true, Text: true, Spans: true, Patient: true}

// lostInTokens names what tags of tokens cannot hold.
func lostInTokens(d annotate.Annotated) string {
	if len(d.Spans) == 0 {
		return ""
	}
	covered := make([]annotate.Span, len(d.Spans)) // by tokens
	for _, t := range spanTokens(d) {
		if t.first {
			covered[t.span].Start = t.Start
		}
		if t.last {
			covered[t.span].End = t.End
		}
	}
	for i, s := range d.Spans {
		if covered[i].Start != s.Start || covered[i].End != s.End {
			return "white space at the ends of spans, and spans of white space, are left out"
		}
	}
	return ""
}

// spanToken is a token, or the part of one that is inside or outside a span.
type spanToken struct {
	annotate.Token
	in    bool // a span, whose number is span
	span  int
	first bool // of its span
	last  bool
}

// spanTokens cuts a text into tokens, and tokens where spans start or end. The spans are in
// order and do not overlap.
func spanTokens(d annotate.Annotated) []spanToken {
	var all []spanToken
	next := 0 // the first span that ends after the place
	for _, t := range annotate.Tokenize(d.Text) {
		for at := t.Start; at < t.End; {
			for next < len(d.Spans) && d.Spans[next].End <= at {
				next++
			}
			end, in := t.End, false
			if next < len(d.Spans) {
				if s := d.Spans[next]; s.Start <= at {
					end, in = min(end, s.End), true
				} else {
					end = min(end, s.Start)
				}
			}
			all = append(all, spanToken{Token: annotate.Token{Start: at, End: end}, in: in, span: next})
			at = end
		}
	}
	for i := range all {
		all[i].first = all[i].in && (i == 0 || !all[i-1].in || all[i-1].span != all[i].span)
		all[i].last = all[i].in && (i == len(all)-1 || !all[i+1].in || all[i+1].span != all[i].span)
	}
	return all
}

func iob2Tag(t spanToken, label annotate.Label) string {
	switch {
	case !t.in:
		return "O"
	case t.first:
		return "B-" + string(label)
	}
	return "I-" + string(label)
}

func bioesTag(t spanToken, label annotate.Label) string {
	switch {
	case t.first && t.last:
		return "S-" + string(label)
	case t.in && t.last:
		return "E-" + string(label)
	}
	return iob2Tag(t, label)
}

// tagOf is the tag of a token of d.
func tagOf(d annotate.Annotated, t spanToken, scheme func(spanToken, annotate.Label) string) string {
	if !t.in {
		return "O"
	}
	return scheme(t, d.Spans[t.span].Label)
}

func writePlaced(out *bufio.Writer, d annotate.Annotated, scheme func(spanToken, annotate.Label) string) error {
	tokens := spanTokens(d)
	gap := func(i int) string { // the text between token i-1 and token i
		start, end := annotate.ByteOff(0), annotate.ByteOff(len(d.Text))
		if i > 0 {
			start = tokens[i-1].End
		}
		if i < len(tokens) {
			end = tokens[i].Start
		}
		return d.Text[start:end]
	}
	fmt.Fprintf(out, "%s %s%s patient=%s before=%s O\n\n", docStart, placedStart, columnEscaped(d.Name), columnEscaped(d.Patient), gapCode(gap(0)))
	at := utf8.RuneCountInString(gap(0))
	for i, t := range tokens {
		token, after := d.Text[t.Start:t.End], gap(i+1)
		end := at + utf8.RuneCountInString(token)
		fmt.Fprintf(out, "%s %d %d %s %s\n", token, at, end, gapCode(after), tagOf(d, t, scheme))
		if strings.Contains(after, "\n") && (!t.in || t.last) {
			out.WriteString("\n")
		}
		at = end + utf8.RuneCountInString(after)
	}
	_, err := out.WriteString("\n")
	return err
}

// columnEscaped writes a value so that it is a column: white space and % as %XX, nothing as _.
func columnEscaped(s string) string {
	if s == "" {
		return "_"
	}
	var b strings.Builder
	for _, r := range s {
		if isGap(r) || r == '%' || s == "_" {
			for _, c := range []byte(string(r)) {
				fmt.Fprintf(&b, "%%%02X", c)
			}
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// columnValue undoes columnEscaped.
func columnValue(s string) (string, bool) {
	if s == "_" || s == "" {
		return "", s == "_"
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '%' {
			b.WriteByte(s[i])
			continue
		}
		if i+2 >= len(s) {
			return "", false
		}
		c, err := strconv.ParseUint(s[i+1:i+3], 16, 8)
		if err != nil {
			return "", false
		}
		b.WriteByte(byte(c))
		i += 2
	}
	return b.String(), utf8.ValidString(b.String())
}

// isGap reports whether a character is never part of a token.
func isGap(r rune) bool { return len(annotate.Tokenize(string(r))) == 0 }

// gapCodes write white space by letters.
var gapCodes = map[rune]byte{' ': 's', '\n': 'n', '\t': 't', '\r': 'r', '\f': 'f'}

// gapCode writes the text between two tokens: a letter for each character of white space,
// u85; for another one, _ for nothing.
func gapCode(gap string) string {
	if gap == "" {
		return "_"
	}
	var b strings.Builder
	for _, r := range gap {
		if c := gapCodes[r]; c != 0 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "u%x;", r)
		}
	}
	return b.String()
}

// gapText undoes gapCode.
func gapText(code string) (string, bool) {
	if code == "_" || code == "" {
		return "", code == "_"
	}
	var b strings.Builder
	for code != "" {
		c := code[0]
		code = code[1:]
		if c == 'u' {
			hex, rest, found := strings.Cut(code, ";")
			n, err := strconv.ParseUint(hex, 16, 21)
			if !found || err != nil || !utf8.ValidRune(rune(n)) {
				return "", false
			}
			b.WriteRune(rune(n))
			code = rest
			continue
		}
		i := strings.IndexByte("sntrf", c)
		if i < 0 {
			return "", false
		}
		b.WriteByte(" \n\t\r\f"[i])
	}
	return b.String(), true
}

// placedDocument reads the first line of a document with positions.
func (c *conllReader) placedDocument(columns []string, w place) {
	c.begin(w)
	fields := map[string]string{}
	for _, column := range columns[1:] {
		if name, value, found := strings.Cut(column, "="); found {
			fields[name] = value
		}
	}
	name, fine := columnValue(fields["id"])
	patient, fineToo := columnValue(fields["patient"])
	before, alsoFine := gapText(fields["before"])
	if !fine || !fineToo || !alsoFine {
		c.spoil(&Problem{Code: "columns", Reason: "the first line of the document cannot be read", Hint: "it has id=, patient= and before=, as hide writes them"}, w)
		return
	}
	c.name, c.patient = name, patient
	c.write(before)
}

// placedToken reads a line with positions. They must follow each other.
func (c *conllReader) placedToken(columns []string, w place) {
	if len(columns) == 0 {
		if p := c.open.close(c.scheme); p != nil {
			c.spoil(p, w)
		}
		return
	}
	c.begin(w)
	if c.problem != nil {
		return
	}
	start := c.runes
	end := start + utf8.RuneCountInString(columns[0])
	if len(columns) != 5 || columns[1] != strconv.Itoa(start) || columns[2] != strconv.Itoa(end) {
		c.spoil(&Problem{Code: "columns", Reason: "the positions do not follow those of the line before", Hint: "each line has the token, its start and end in characters, the white space after it, and its tag"}, w)
		return
	}
	after, fine := gapText(columns[3])
	if !fine {
		c.spoil(&Problem{Code: "columns", Reason: "the fourth column is not white space as hide writes it", Hint: "s is a space, n a line feed, t a tab, r a carriage return, f a form feed, u85; a character by its number, _ nothing"}, w)
		return
	}
	if c.text.Len()+len(columns[0])+len(after) > MaxDocument {
		c.spoil(tooLarge(), w)
		return
	}
	c.write(columns[0])
	if p := c.open.add(c.scheme, columns[4], start, end); p != nil {
		c.spoil(p, w)
	}
	c.write(after)
}
