// SPDX-License-Identifier: Apache-2.0

package format

import (
	"bufio"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// maxNoteXML is the largest XML file of one note: a text, its escapes and its spans.
const maxNoteXML = 3 * MaxDocument

// xmlReader reads the tokens of an XML file. It refuses a DOCTYPE, because entities that a
// file defines can fill the memory or read other files, and deep nesting.
type xmlReader struct {
	in      *xml.Decoder
	limited *io.LimitedReader
	depth   int
	at      int64 // where the last token starts
	mark    int64 // size of a byte order mark, which the decoder does not see
}

func newXMLReader(file io.Reader) (x *xmlReader, bom bool, err error) {
	buffered := bufio.NewReader(file)
	bom, err = skipBOM(buffered)
	if err != nil {
		return nil, bom, err
	}
	limited := &io.LimitedReader{R: buffered, N: maxNoteXML}
	x = &xmlReader{in: xml.NewDecoder(limited), limited: limited, mark: bomSize(bom)}
	x.in.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil } // is UTF-8 already
	return x, bom, nil
}

// next gives the next token; io.EOF follows the last. The bytes of a token are valid until
// the next call.
func (x *xmlReader) next() (xml.Token, error) {
	x.at = x.in.InputOffset() + x.mark
	token, err := x.in.Token()
	switch t := token.(type) {
	case xml.StartElement:
		if x.depth++; x.depth > maxXMLDepth {
			return nil, x.problem("xml", fmt.Sprintf("nesting deeper than %d elements", maxXMLDepth), "do not trust this file")
		}
	case xml.EndElement:
		x.depth--
	case xml.Directive:
		if strings.HasPrefix(strings.ToUpper(strings.TrimSpace(string(t))), "DOCTYPE") {
			return nil, x.problem("xml", "DOCTYPE not allowed", "remove the DOCTYPE; entities that a file defines are not read")
		}
	}
	return token, x.failed(err)
}

// failed turns an error of the decoder, which may quote the file, into a problem.
func (x *xmlReader) failed(err error) error {
	var p *Problem
	var syntax *xml.SyntaxError
	switch {
	case err == nil, err == io.EOF, errors.As(err, &p):
		return err
	case x.limited.N == 0:
		return tooLarge()
	case errors.As(err, &syntax):
		at := x.in.InputOffset() + x.mark
		if strings.Contains(syntax.Msg, "unexpected EOF") {
			return &Problem{Code: "truncated", Offset: at, located: true, Reason: "the XML ends too early", Hint: "copy the file again; it seems to be cut off"}
		}
		if strings.Contains(syntax.Msg, "invalid UTF-8") {
			return &Problem{Code: "encoding", Offset: at, located: true, Reason: "invalid UTF-8", Hint: "convert the file to UTF-8; it may be Latin-1 or Windows-1252"}
		}
		return &Problem{Code: "xml", Offset: at, located: true, Reason: "not well-formed XML", Hint: "correct the file at this byte, or export it again"}
	}
	return err
}

func (x *xmlReader) problem(code, reason, hint string) *Problem {
	return &Problem{Code: code, Offset: x.at, located: true, Reason: reason, Hint: hint}
}

// inXML reports whether a file in XML 1.0 can hold the character.
func inXML(r rune) bool {
	return r == '\t' || r == '\n' || r == '\r' || r >= ' ' && r <= 0xd7ff || r >= 0xe000 && r <= 0xfffd || r >= 0x10000 && r <= utf8.MaxRune
}

// xmlHolds reports whether XML can hold every character.
func xmlHolds(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return !inXML(r) })
}

// forXML replaces each character that XML cannot hold by one that it can, so that positions
// stay.
func forXML(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case inXML(r):
			return r
		case r == '\f':
			return ' '
		}
		return utf8.RuneError
	}, s)
}

// escaper writes a text for XML. Carriage returns, and white space in attributes, are written
// as numbers, because parsers change them.
var (
	escaper          = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "\r", "&#13;")
	attributeEscaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "\r", "&#13;", "\n", "&#10;", "\t", "&#9;")
	cdataEscaper     = strings.NewReplacer("]]>", "]]]]><![CDATA[>", "\r", "]]>&#13;<![CDATA[")
)
