// SPDX-License-Identifier: Apache-2.0

package transform

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"hide/internal/annotate"
	"hide/internal/annotate/dictionary"
)

// Sentence is the sentence or the sentences that hold text[start:end], without the blanks
// around them.
//
// A sentence ends at a full stop, question mark or exclamation mark before a blank, unless a
// small letter follows, or unless the full stop belongs to an abbreviation ("Dr."), an initial
// or the number of a list. It ends at a line break too, except where a long line is wrapped,
// and it never goes beyond a blank line. In doubt a sentence is longer: to drop more shows less.
func Sentence(text string, start, end annotate.ByteOff) (from, to annotate.ByteOff) {
	first, last := paragraph(text, int(start), int(end))
	for p := int(start) - 1; p >= first; p-- {
		if blank(text[p]) && (p == first || !blank(text[p-1])) && ends(text, p) {
			first = p + 1
			break
		}
	}
	for p := int(end); p < last; p++ {
		if blank(text[p]) && (p == int(end) || !blank(text[p-1])) && ends(text, p) {
			last = p
			break
		}
	}
	for first < int(start) && blank(text[first]) {
		first++
	}
	for last > int(end) && blank(text[last-1]) {
		last--
	}
	return annotate.ByteOff(first), annotate.ByteOff(last)
}

func blank(b byte) bool { return b == ' ' || '\t' <= b && b <= '\r' }

// paragraph is the stretch around text[start:end] between blank lines.
func paragraph(text string, start, end int) (first, last int) {
	for p := start - 1; p >= 0; p-- {
		if text[p] == '\n' && strings.TrimSpace(lineBefore(text, p)) == "" {
			first = p + 1
			break
		}
	}
	last = len(text)
	for p := end; p < len(text); p++ {
		if text[p] == '\n' && strings.TrimSpace(lineAfter(text, p)) == "" {
			last = p
			break
		}
	}
	return first, last
}

// lineBefore is the line that ends with the line break at p.
func lineBefore(text string, p int) string {
	return text[strings.LastIndexByte(text[:p], '\n')+1 : p]
}

// lineAfter is the line that begins after the line break at p.
func lineAfter(text string, p int) string {
	line, _, _ := strings.Cut(text[p+1:], "\n")
	return line
}

// wrapped is the width from which a line may be broken within a sentence.
const wrapped = 60

// ends reports whether a sentence ends before the blanks from p, which have at most one line
// break because no blank line is among them.
func ends(text string, p int) bool {
	next := p
	for next < len(text) && blank(text[next]) && text[next] != '\n' {
		next++
	}
	if next < len(text) && text[next] == '\n' {
		before, after := strings.TrimSpace(lineBefore(text, next)), strings.TrimSpace(lineAfter(text, next))
		if len(before) < wrapped && !strings.HasSuffix(before, ",") || startsItem(after) {
			return true
		}
	}
	before := strings.TrimRight(text[:p], "\"')]}»”’")
	r, size := utf8.DecodeLastRuneInString(before)
	if !strings.ContainsRune(".!?…。！？", r) || size == 0 {
		return false
	}
	after := strings.TrimLeft(text[p:], " \t\r\n\"'([{«“‘¿¡")
	if first, _ := utf8.DecodeRuneInString(after); unicode.IsLower(first) {
		return false
	}
	return r != '.' || !abbreviated(before[:len(before)-1], after)
}

// startsItem reports whether a line begins an item of a list or has a heading before a colon.
func startsItem(line string) bool {
	if line == "" || strings.ContainsRune("-*•·#", rune(line[0])) {
		return true
	}
	number := strings.TrimLeft(line, "0123456789")
	if number != line && number != "" && (number[0] == '.' || number[0] == ')') {
		return true
	}
	heading, _, found := strings.Cut(line, ":")
	first, _ := utf8.DecodeRuneInString(line)
	return found && len(heading) <= 40 && unicode.IsUpper(first)
}

// abbreviated reports whether the full stop between before and after belongs to its word.
func abbreviated(before, after string) bool {
	word := before[lastBlank(before):]
	letters := strings.TrimLeftFunc(word, func(r rune) bool { return !annotate.WordRune(r) })
	if number := strings.Trim(letters, "0123456789") == "" && letters != ""; number {
		return atLineStart(before, letters) || len(letters) <= 2 && monthFollows(after)
	}
	if i := strings.LastIndexAny(letters, "-/("); i >= 0 {
		letters = letters[i+1:]
	}
	return utf8.RuneCountInString(letters) == 1 || slices.Contains(abbreviations, strings.ToLower(letters))
}

// lastBlank is the byte after the last blank in text.
func lastBlank(text string) int {
	return strings.LastIndexAny(text, " \t\r\n\v\f") + 1
}

func atLineStart(before, word string) bool {
	line := before[strings.LastIndexByte(before, '\n')+1:]
	return strings.TrimSpace(line) == word
}

// monthFollows reports whether text begins with a month: "3. März" is one date.
func monthFollows(text string) bool {
	word := text
	if i := strings.IndexFunc(text, func(r rune) bool { return !unicode.IsLetter(r) }); i >= 0 {
		word = text[:i]
	}
	return slices.ContainsFunc(dictionary.Terms("months"), func(m string) bool { return strings.EqualFold(m, word) })
}

// abbreviations are words before a full stop that ends no sentence, in English, Spanish,
// French and German, without their last full stop.
var abbreviations = strings.Fields(`
	dr drs dra dres mr mrs ms messrs prof rev hon st ste mt ft sr sra srta srs d. dña mme mlle mm me hr fr med
	vs no nos nr núm num n.º tel ext dept rm apt ave blvd rd fig ca approx cf incl max min etc
	e.g i.e u.s p.o b.i.d t.i.d q.i.d q.d p.r.n s.c i.v i.m z.b u.a d.h v.a bzw ggf evtl str geb usw inkl bzgl
	av avda ctra pza pl bd c/ pág tfno tél dir
	jan feb mar apr jun jul aug sep sept oct nov dec ene abr ago dic janv févr avr juil déc jän mär okt dez
	mon tue tues wed thu thur thurs fri sat sun pt pts hx dx rx wt ht temp resp`)
