// SPDX-License-Identifier: Apache-2.0

package stream

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"unicode/utf8"

	"hide/internal/annotate/format"
	"hide/internal/ndjson"
)

// mostText is the largest note in bytes of UTF-8 that is read as a file of text. Its line is
// longer than lines may be, if it is larger.
const mostText = 64 << 20

// asLine is a piece with a note as text, read as one line of JSON.
func (p Piece) asLine(encoding string) Piece {
	text := p
	p.Open = func() (io.ReadCloser, error) {
		in, err := text.Open()
		if err != nil {
			return nil, err
		}
		line, err := lineOf(in, text.ID, encoding)
		if err := errors.Join(err, in.Close()); err != nil {
			return nil, err
		}
		return io.NopCloser(bytes.NewReader(line)), nil
	}
	return p
}

// lineOf is a note as a line. The line of a text that is not in the encoding is not in UTF-8,
// so that it is refused as other lines are.
func lineOf(in io.Reader, id, encoding string) ([]byte, error) {
	var raw bytes.Buffer
	if _, err := io.Copy(&raw, io.LimitReader(in, 2*mostText)); err != nil {
		return nil, err
	}
	if _, err := io.Copy(io.Discard, in); err != nil { // of a note that is too long
		return nil, err
	}
	decoded, err := format.Decode(&raw, encoding)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(decoded, mostText+1))
	if err != nil || !utf8.Valid(text) && len(text) <= mostText {
		return []byte{0xff}, nil
	}
	content := string(text)
	return json.Marshal(ndjson.Doc{ID: &id, Text: &content})
}
