// SPDX-License-Identifier: Apache-2.0

package message

import (
	"bytes"
	"io"
	"unicode/utf8"
)

// chunks are the bytes of a document, in pieces so that a large one is not copied as it
// grows.
type chunks [][]byte

// readChunks reads a document of at most MaxMessage bytes of UTF-8, without its byte order
// mark.
func readChunks(r io.Reader) (chunks, error) {
	var c chunks
	for size := 0; ; {
		piece := make([]byte, chunkSize)
		n, err := io.ReadFull(r, piece)
		size += n
		if n > 0 {
			c = append(c, piece[:n])
		}
		switch {
		case size > MaxMessage:
			return nil, inDocument(&Error{Offset: MaxMessage, Code: "document-too-large", Reason: "the document is larger than 16 MB", Hint: "split the document"})
		case err != nil && err != io.EOF && err != io.ErrUnexpectedEOF:
			return nil, err
		case err == nil:
			continue
		}
		if at := c.invalidUTF8(); at >= 0 {
			return nil, inDocument(&Error{Offset: int64(at), Code: "encoding", Reason: "the byte is not valid UTF-8", Hint: "choose the encoding of the file, or convert it to UTF-8"})
		}
		if len(c) > 0 {
			c[0] = bytes.TrimPrefix(c[0], []byte("\ufeff"))
		}
		return c, nil
	}
}

func (c chunks) reader() io.Reader {
	var readers []io.Reader
	for _, piece := range c {
		readers = append(readers, bytes.NewReader(piece))
	}
	return io.MultiReader(readers...)
}

// invalidUTF8 returns the place of the first byte that is not UTF-8, -1 if there is none. A
// character may begin in one piece and end in the next.
func (c chunks) invalidUTF8() int {
	at := 0
	var begun []byte // of a character, at the end of the piece before
	for i, piece := range c {
		text := append(begun, piece...)
		end := len(text)
		if i < len(c)-1 {
			end = wholeRunes(text)
		}
		if bad := invalidUTF8(string(text[:end])); bad >= 0 {
			return at + bad
		}
		at += end
		begun = bytes.Clone(text[end:])
	}
	return -1
}

// wholeRunes is the length of text without a character that may go on after it.
func wholeRunes(text []byte) int {
	for back := 1; back < utf8.UTFMax && back <= len(text); back++ {
		if last := text[len(text)-back:]; utf8.RuneStart(last[0]) {
			if !utf8.FullRune(last) {
				return len(text) - back
			}
			break
		}
	}
	return len(text)
}

// invalidUTF8 returns the place of the first byte that is not UTF-8, -1 if there is none.
func invalidUTF8(text string) int {
	if utf8.ValidString(text) {
		return -1
	}
	at := 0
	for {
		r, n := utf8.DecodeRuneInString(text[at:])
		if r == utf8.RuneError && n <= 1 {
			return at
		}
		at += n
	}
}
