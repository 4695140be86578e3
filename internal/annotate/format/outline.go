// SPDX-License-Identifier: Apache-2.0

package format

import (
	"bufio"
	"errors"
	"io"
)

// outline reads JSON without keeping values. It tells formats apart and checks little: the
// reader of the format finds what is wrong.
type outline struct {
	in    *bufio.Reader
	depth int
}

// maxOutline bounds how deep and how wide a record may be to be recognised.
const (
	maxOutlineDepth  = 256
	maxOutlineFields = 1000
	maxOutlineName   = 200
)

var errOutline = errors.New("not JSON that can be recognised")

// peek is the next byte that is not white space.
func (o *outline) peek() (byte, error) {
	for {
		c, err := o.in.ReadByte()
		if err != nil {
			return 0, err
		}
		switch c {
		case ' ', '\t', '\r', '\n':
		default:
			return c, o.in.UnreadByte()
		}
	}
}

// object reads an object and calls field for each of its fields: first with an empty type,
// then with the type, so that a field with a cut value is known.
func (o *outline) object(field func(name string, of kindOf)) error {
	return o.list('}', func() error {
		name, err := o.text()
		if err != nil {
			return err
		}
		field(name, "")
		if c, err := o.peek(); err != nil || c != ':' {
			return errors.Join(err, errOutline)
		}
		_, _ = o.in.ReadByte()
		of, err := o.value()
		if err == nil {
			field(name, of)
		}
		return err
	})
}

// list reads what stands between a bracket and its end, separated by commas.
func (o *outline) list(end byte, one func() error) error {
	if o.depth++; o.depth > maxOutlineDepth {
		return errOutline
	}
	defer func() { o.depth-- }()
	_, _ = o.in.ReadByte() // the bracket
	for n := 0; ; n++ {
		c, err := o.peek()
		if err != nil {
			return err
		}
		if c == end {
			_, _ = o.in.ReadByte()
			return nil
		}
		if c == ',' && n > 0 {
			_, _ = o.in.ReadByte()
		}
		if end == '}' && n == maxOutlineFields {
			return errOutline
		}
		if err := one(); err != nil {
			return err
		}
	}
}

// value reads a value and tells its type.
func (o *outline) value() (kindOf, error) {
	c, err := o.peek()
	if err != nil {
		return "", err
	}
	switch c {
	case '"':
		_, err := o.text()
		return "string", err
	case '{':
		return "object", o.object(func(string, kindOf) {})
	case '[':
		of := kindOf("[]")
		first := true
		err := o.list(']', func() error {
			inner, err := o.value()
			if first && err == nil {
				of, first = "[]"+inner, false
			}
			return err
		})
		return of, err
	}
	return "other", o.scalar()
}

// scalar reads a number, true, false or null.
func (o *outline) scalar() error {
	for n := 0; ; n++ {
		c, err := o.in.ReadByte()
		if err == io.EOF && n > 0 {
			return nil
		}
		if err != nil {
			return err
		}
		letter := c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c == '+' || c == '-' || c == '.' || c == 'E'
		if !letter {
			if n == 0 {
				return errOutline
			}
			return o.in.UnreadByte()
		}
	}
}

// text reads a string and returns its first bytes, as they are in the file.
func (o *outline) text() (string, error) {
	if c, err := o.peek(); err != nil || c != '"' {
		return "", errors.Join(err, errOutline)
	}
	_, _ = o.in.ReadByte()
	var kept []byte
	for escaped := false; ; {
		c, err := o.in.ReadByte()
		switch {
		case err != nil:
			return "", err
		case c == '"' && !escaped:
			return string(kept), nil
		case len(kept) < maxOutlineName:
			kept = append(kept, c)
		}
		escaped = c == '\\' && !escaped
	}
}
