// SPDX-License-Identifier: Apache-2.0

// Package strictjson decodes JSON from outside without guessing.
//
//	err := strictjson.Decode(text, &configuration)
//
// Package encoding/json takes the names of fields in any case, and of two values of a field
// the last. Other programs take the first, or only the one in lower case. A file that two
// programs read differently can hide what it does, so this package refuses it.
package strictjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"hide/internal/tabular"
)

// Decode decodes one value. It refuses unknown fields, [Twins], and text after the value.
// Its errors give a byte and quote nothing, except those of the types decoded into.
func Decode(text []byte, into any) error {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		return fmt.Errorf("near byte %d: %w", dec.InputOffset(), err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return fmt.Errorf("more than one value at byte %d", dec.InputOffset())
	}
	return Twins(text)
}

// Twins refuses valid JSON in which an object, at any depth, has two fields whose names are
// equal or differ only in case.
func Twins(text []byte) error {
	var inside []map[string]int // the names and numbers of the fields of each open object; nil for an array
	atKey := false
	for i := 0; i < len(text); {
		switch text[i] {
		case '{':
			inside, atKey = append(inside, map[string]int{}), true
		case '[':
			inside, atKey = append(inside, nil), false
		case '}', ']':
			inside, atKey = inside[:len(inside)-1], false
		case ',':
			atKey = inside[len(inside)-1] != nil
		case '"':
			end := StringEnd(text, i)
			if atKey {
				if err := add(inside[len(inside)-1], text[i:end], text, i); err != nil {
					return err
				}
			}
			i, atKey = end, false
			continue
		}
		i++
	}
	return nil
}

// add adds the field whose name is at byte i to those of its object.
func add(fields map[string]int, name, text []byte, i int) error {
	var key string
	if err := json.Unmarshal(name, &key); err != nil {
		return err
	}
	key = tabular.Fold(key)
	n := len(fields) + 1
	if first, found := fields[key]; found {
		return fmt.Errorf("line %d, byte %d: fields %d and %d of an object have the same name, or differ only in upper and lower case", 1+bytes.Count(text[:i], []byte("\n")), i, first, n)
	}
	fields[key] = n
	return nil
}

// StringEnd is the index after the closing quote of the string that opens at i in valid
// JSON.
func StringEnd(text []byte, i int) int {
	for i++; ; i++ {
		i += bytes.IndexAny(text[i:], `"\`)
		if text[i] == '"' {
			return i + 1
		}
		i++
	}
}
