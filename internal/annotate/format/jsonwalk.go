// SPDX-License-Identifier: Apache-2.0

package format

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// walkObject calls see for each member of a JSON object, in order. Names are
// compared exactly, and a name that comes twice is refused: encoding/json into a
// struct does neither.
func walkObject(raw []byte, see func(key string, value json.RawMessage) *Problem) *Problem {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if p := open(dec, '{', "an object"); p != nil {
		return p
	}
	seen := map[string]bool{}
	for dec.More() {
		token, err := dec.Token()
		if err != nil {
			return syntax(err, dec)
		}
		key, _ := token.(string)
		if seen[key] {
			return &Problem{Code: "json", Offset: dec.InputOffset(), located: true, Reason: "a field comes twice"}
		}
		seen[key] = true
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return syntax(err, dec)
		}
		if p := see(key, value); p != nil {
			return p
		}
	}
	return end(dec)
}

// walkArray calls see for each element of a JSON array, in order.
func walkArray(raw []byte, see func(value json.RawMessage) *Problem) *Problem {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if p := open(dec, '[', "a list"); p != nil {
		return p
	}
	for dec.More() {
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return syntax(err, dec)
		}
		if p := see(value); p != nil {
			return p
		}
	}
	return end(dec)
}

func open(dec *json.Decoder, want json.Delim, kind string) *Problem {
	token, err := dec.Token()
	if err != nil {
		return syntax(err, dec)
	}
	if token != want {
		return &Problem{Code: "json", Reason: "not " + kind, Hint: "each line is an object with id, text and spans"}
	}
	return nil
}

// end reads the closing bracket and makes sure that nothing follows it.
func end(dec *json.Decoder) *Problem {
	if _, err := dec.Token(); err != nil {
		return syntax(err, dec)
	}
	if _, err := dec.Token(); err != io.EOF {
		return &Problem{Code: "json", Offset: dec.InputOffset(), located: true, Reason: "there is text after the end of the object", Hint: "put each object on a line of its own"}
	}
	return nil
}

// syntax names the place of a mistake but not the character that is there.
func syntax(err error, dec *json.Decoder) *Problem {
	p := &Problem{Code: "json", Offset: dec.InputOffset(), located: true, Reason: "not valid JSON", Hint: "correct the line at this byte, or export the file again"}
	if s := (*json.SyntaxError)(nil); errors.As(err, &s) {
		p.Offset = s.Offset
	}
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		p.Reason, p.Hint = "the JSON ends too early", "close the brackets and quotes of the line; if it is the last one, copy the file again"
	}
	return p
}
