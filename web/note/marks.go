// SPDX-License-Identifier: Apache-2.0

package note

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"html"
	"strings"
	"unicode/utf8"

	"github.com/a-h/templ"

	"hide/internal/annotate"
	"hide/web/ui"
)

// noteText writes the text of a note with its marks. It is written by hand and
// not by a template, because here each byte counts: a template may add white
// space, and a parser of HTML turns a carriage return into a line feed unless it
// is escaped. Every chunk has a key that changes with it, so that the page
// replaces only what an edit has changed.
func (v noteView) noteText() templ.Component { return listed(v.chunkItems()) }

// textChange is noteText without the chunks that a page with the view before has.
func (v noteView) textChange(before noteView) templ.Component {
	return listed(withoutKept(before.chunkItems(), v.chunkItems()))
}

func (v noteView) chunkItems() []listItem {
	items := make([]listItem, len(v.chunks))
	for i, c := range v.chunks {
		var b bytes.Buffer
		v.writePieces(&b, c.pieces)
		h := fnv.New64a()
		h.Write(b.Bytes())
		key := fmt.Sprintf("c%d-%x", c.start, h.Sum64())
		items[i] = listItem{key, text(fmt.Sprintf(`<div class="chunk" data-key="%s">%s</div>`, key, b.Bytes()))}
	}
	return items
}

func (v noteView) writePieces(b *bytes.Buffer, pieces []piece) {
	for _, p := range pieces {
		if p.mark == nil {
			noteEscaper.WriteString(b, p.text)
			continue
		}
		v.writeMark(b, p)
	}
}

func (v noteView) writeMark(b *bytes.Buffer, p piece) {
	m := p.mark
	fmt.Fprintf(b, `<mark data-id="%s" data-kind="%s" data-code="%s" data-tint="%d"`,
		templ.EscapeString(m.id), templ.EscapeString(string(m.span.Label)), v.codes[m.span.Label], v.tints[m.span.Label])
	if m.suggested {
		fmt.Fprintf(b, ` data-suggested data-score="%s"`, html.EscapeString(ui.ScorePercent(m.score)))
	}
	if m.rule {
		b.WriteString(" data-rule")
	}
	if m.known {
		b.WriteString(" data-known")
	}
	if m.suggested && !captionFits(v.codes[m.span.Label], m, p.text) {
		b.WriteString(" data-short")
	}
	b.WriteByte('>')
	noteEscaper.WriteString(b, p.text)
	fmt.Fprintf(b, `<span data-aside> (%s)</span></mark>`, templ.EscapeString(m.say()))
}

// captionFits reports whether the code and the score of a suggestion are no wider than its
// text. Above a shorter one they would cover the code of the next, so the score is left out.
// Letters of the note are about 4/3 as wide as those of captions.
func captionFits(code string, m *mark, text string) bool {
	caption := code + "? 99%"
	if m.rule {
		caption += " rule"
	}
	if m.known {
		caption += " known"
	}
	return 4*utf8.RuneCountInString(text) >= 3*utf8.RuneCountInString(caption)
}

// noteEscaper keeps text inert and exact. A parser drops NUL, so it becomes what
// the parser makes of an escaped one.
var noteEscaper = strings.NewReplacer(
	"&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;",
	"\r", "&#13;", "\x00", "\uFFFD",
)

// say names the label and the state of a mark in words.
func (m mark) say() string {
	name := ui.LabelWords(m.span.Label)
	switch {
	case m.rule:
		return fmt.Sprintf("%s suggested by a rule, %s %%", name, ui.ScorePercent(m.score))
	case m.known:
		return fmt.Sprintf("%s suggested as a known identifier, %s %%", name, ui.ScorePercent(m.score))
	case m.suggested:
		return fmt.Sprintf("%s suggested, %s %%", name, ui.ScorePercent(m.score))
	}
	return name
}

// tintCount is how many tints the style sheet has.
const tintCount = 8

// codesOf gives each label a short code, its shortest beginning of at least three
// letters that no other label shares, and the tint of its place among all labels of the
// project. Labels that are not the project's have the tint of their place in labels.
func codesOf(labels annotate.LabelSet, places map[annotate.Label]int) (codes map[annotate.Label]string, tints map[annotate.Label]int) {
	codes, tints = map[annotate.Label]string{}, map[annotate.Label]int{}
	for i, info := range labels {
		place, known := places[info.Label]
		if !known {
			place = i
		}
		tints[info.Label] = place % tintCount
		codes[info.Label] = shortestCode(labels, info.Label)
	}
	return codes, tints
}

func shortestCode(labels annotate.LabelSet, label annotate.Label) string {
	name := strings.ToUpper(string(label))
	for n := min(3, len(name)); n < len(name); n++ {
		if !sharesBeginning(labels, label, name[:n]) {
			return name[:n]
		}
	}
	return name
}

func sharesBeginning(labels annotate.LabelSet, label annotate.Label, code string) bool {
	for _, other := range labels {
		if other.Label != label && strings.HasPrefix(strings.ToUpper(string(other.Label)), code) {
			return true
		}
	}
	return false
}
