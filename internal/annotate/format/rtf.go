// SPDX-License-Identifier: Apache-2.0

package format

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"

	"hide/internal/annotate"
)

// rtfKind is rich text, as plain text.
func rtfKind() kind {
	return kind{
		Format: Format{
			Name: "rtf", Title: "RTF", Files: "one note per document; the cells of a table separated by |", Endings: []string{".rtf"},
			Remark: "Page headers, footers, footnotes, pictures and hidden text are left out and counted.",
		},
		claims: func(p *probe) bool { return p.begins(`{\rtf`) },
		read:   (*reader).rtf,
	}
}

func (r *reader) rtf(in input) error {
	r.used("rtf", "")
	w := place{file: in.show, offset: -1}
	file, err := in.bytes()
	if err != nil {
		return r.refuse(unreadable(err, w))
	}
	defer file.Close()
	raw, err := io.ReadAll(io.LimitReader(file, maxXML+1))
	if err != nil {
		return r.refuse(unreadable(err, w))
	}
	if len(raw) > maxXML {
		return r.refuse(tooLarge().at(w))
	}
	text, left, err := rtfText(raw)
	if err != nil {
		return r.refuse(unreadable(err, w))
	}
	for _, what := range left {
		r.remarks.add(1, what, "left out of the text")
	}
	return r.deliverText(annotate.Annotated{Document: annotate.Document{Name: in.name, Text: text}}, w)
}

// rtfState is what a group of RTF inherits.
type rtfState struct {
	skip   bool // a destination that is no text
	hidden bool
	width  int // characters that stand for a \u character in older programs
}

// rtfReader cuts RTF into text. Groups nest; each has its own state.
type rtfReader struct {
	raw    []byte
	at     int
	out    []byte
	state  rtfState
	stack  []rtfState
	table  *charmap.Charmap
	half   rune // first half of a surrogate pair
	behind int  // characters to skip after a \u
	left   []string
}

// rtfText is the text of an RTF document and what was left out of it.
func rtfText(raw []byte) (string, []string, error) {
	d := &rtfReader{raw: raw, table: charmap.Windows1252, state: rtfState{width: 1}}
	for d.at < len(raw) {
		if err := d.step(); err != nil {
			return "", nil, err
		}
		if len(d.stack) == 0 && d.at > 0 {
			break // the document ends with its outer group
		}
	}
	if len(d.stack) > 0 {
		return "", nil, &Problem{Code: "truncated", Offset: int64(len(raw)), located: true, Reason: "the RTF ends too early", Hint: "copy the file again; it seems to be cut off"}
	}
	return strings.Trim(string(d.out), "\n") + "\n", d.left, nil
}

func (d *rtfReader) step() error {
	c := d.raw[d.at]
	d.at++
	switch c {
	case '{':
		if len(d.stack) == maxXMLDepth {
			return &Problem{Code: "rtf", Offset: int64(d.at), located: true, Reason: "groups are nested deeper than 256", Hint: "check the program that wrote the file"}
		}
		d.stack = append(d.stack, d.state)
		d.behind = 0
	case '}':
		if len(d.stack) == 0 {
			return &Problem{Code: "rtf", Offset: int64(d.at), located: true, Reason: "a group ends that never began", Hint: "save the document again"}
		}
		d.state, d.stack = d.stack[len(d.stack)-1], d.stack[:len(d.stack)-1]
		d.behind = 0
	case '\\':
		return d.control()
	case '\r', '\n':
	default:
		d.character(d.table.DecodeByte(c))
	}
	return nil
}

// control reads what follows a backslash: a symbol, or a word with an optional number.
func (d *rtfReader) control() error {
	if d.at == len(d.raw) {
		return nil // the end is missed elsewhere
	}
	c := d.raw[d.at]
	if c|0x20 < 'a' || c|0x20 > 'z' {
		d.at++
		return d.symbol(c)
	}
	start := d.at
	for d.at < len(d.raw) && d.raw[d.at]|0x20 >= 'a' && d.raw[d.at]|0x20 <= 'z' {
		d.at++
	}
	word := string(d.raw[start:d.at])
	start = d.at
	if d.at < len(d.raw) && d.raw[d.at] == '-' {
		d.at++
	}
	for d.at < len(d.raw) && d.raw[d.at] >= '0' && d.raw[d.at] <= '9' {
		d.at++
	}
	number, err := strconv.Atoi(string(d.raw[start:d.at]))
	if d.at < len(d.raw) && d.raw[d.at] == ' ' {
		d.at++
	}
	return d.word(word, number, err == nil)
}

func (d *rtfReader) symbol(c byte) error {
	switch c {
	case '\\', '{', '}':
		d.character(rune(c))
	case '~':
		d.character('\u00a0')
	case '_':
		d.character('-')
	case '\r', '\n':
		d.character('\n')
	case '\'':
		if d.at+2 > len(d.raw) {
			return nil
		}
		b, err := strconv.ParseUint(string(d.raw[d.at:d.at+2]), 16, 8)
		if err != nil {
			return &Problem{Code: "rtf", Offset: int64(d.at), located: true, Reason: "a character is not written as two hexadecimal digits", Hint: "save the document again"}
		}
		d.at += 2
		d.character(d.table.DecodeByte(byte(b)))
	case '*': // a destination that a reader may not know
		d.state.skip = true
	}
	return nil
}

// rtfDestinations are groups without text of the note; those with a name are counted.
var rtfDestinations = map[string]string{
	"fonttbl": "", "colortbl": "", "stylesheet": "", "info": "", "listtable": "", "listoverridetable": "", "generator": "", "rsidtbl": "", "themedata": "", "fldinst": "", "xe": "", "tc": "",
	"pict": "picture", "object": "embedded file", "header": "page header", "headerl": "page header", "headerr": "page header", "headerf": "page header",
	"footer": "page footer", "footerl": "page footer", "footerr": "page footer", "footerf": "page footer", "footnote": "footnote", "annotation": "comment", "nonshppict": "",
}

// rtfMarks are words that stand for characters.
var rtfMarks = map[string]string{
	"par": "\n", "line": "\n", "sect": "\n", "page": "\n", "tab": "\t", "row": "\n", "cell": " | ",
	"emdash": "—", "endash": "–", "lquote": "‘", "rquote": "’", "ldblquote": "“", "rdblquote": "”", "bullet": "•", "emspace": " ", "enspace": " ",
}

// rtfPages are the code pages that can be read.
var rtfPages = map[int]*charmap.Charmap{
	437: charmap.CodePage437, 850: charmap.CodePage850, 1250: charmap.Windows1250, 1251: charmap.Windows1251, 1252: charmap.Windows1252,
	1253: charmap.Windows1253, 1254: charmap.Windows1254, 1257: charmap.Windows1257, 10000: charmap.Macintosh,
}

func (d *rtfReader) word(word string, number int, numbered bool) error {
	if what, found := rtfDestinations[word]; found {
		if what != "" && !d.state.skip {
			d.left = append(d.left, what)
		}
		d.state.skip = true
		return nil
	}
	if mark, found := rtfMarks[word]; found {
		if word == "row" { // the last cell of a row ends with a separator
			d.trim(" | ")
		}
		for _, r := range mark {
			d.character(r)
		}
		return nil
	}
	switch word {
	case "u":
		d.unicode(number)
	case "uc":
		d.state.width = max(0, min(number, 10))
	case "ansicpg":
		if d.table = rtfPages[number]; d.table == nil {
			return &Problem{Code: "encoding", Offset: int64(d.at), located: true, Reason: fmt.Sprintf("code page %d is not supported", number), Hint: "save the document as plain text in UTF-8"}
		}
	case "v":
		d.state.hidden = !numbered || number != 0
		if d.state.hidden && !d.state.skip {
			d.left = append(d.left, "hidden passage")
		}
	case "plain":
		d.state.hidden = false
	case "bin":
		d.at = min(len(d.raw), d.at+max(0, number))
	}
	return nil
}

// trim removes an end of the text so far.
func (d *rtfReader) trim(end string) {
	if !d.state.skip {
		d.out = bytes.TrimSuffix(d.out, []byte(end))
	}
}

// unicode is the character \uN. Characters beyond 65,535 come in two halves.
func (d *rtfReader) unicode(n int) {
	r := rune(uint16(n))
	switch {
	case utf16.IsSurrogate(r) && r < 0xdc00:
		d.half = r
	case utf16.IsSurrogate(r):
		d.behind = 0
		d.character(utf16.DecodeRune(d.half, r))
	default:
		d.behind = 0
		d.character(r)
	}
	d.behind = d.state.width
}

func (d *rtfReader) character(r rune) {
	if d.behind > 0 && r != '\n' {
		d.behind--
		return
	}
	if !d.state.skip && !d.state.hidden {
		d.out = utf8.AppendRune(d.out, r)
	}
}
