// SPDX-License-Identifier: Apache-2.0

// Package strictjson decodes JSON from outside without guessing.
//
//	err := strictjson.Decode(text, &configuration)
//
// Package encoding/json takes the names of fields in upper or lower case, and of two values
// of a field the last. Other programs take the first, or only the one in lower case. A file
// that two programs read differently can hide what it does, so this package refuses it.
package strictjson

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"hide/internal/tabular"
)

// Decode decodes one value. It refuses unknown fields, also those whose name differs from
// a known one in upper and lower case, [Twins], and text after the value. Types that decode
// themselves check what is inside them. Its errors name the line and the byte, and quote names
// of unknown fields and numbers that do not fit; those of the types decoded into may quote more.
func Decode(text []byte, into any) error {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		return explain(err, text, dec.InputOffset(), reflect.TypeOf(into))
	}
	if end := dec.InputOffset(); len(bytes.Trim(text[end:], " \t\r\n")) > 0 {
		return fmt.Errorf("%s: there is more text after the end of the value", place(text, int(end)))
	}
	if err := Twins(text); err != nil {
		return err
	}
	return exact(text, reflect.TypeOf(into))
}

var ownDecoder = reflect.TypeFor[json.Unmarshaler]()

// exact refuses fields of text, which was decoded into a t, whose names are those of t only
// if upper and lower case are the same.
func exact(text json.RawMessage, t reflect.Type) error {
	if t.Implements(ownDecoder) || reflect.PointerTo(t).Implements(ownDecoder) {
		return nil
	}
	switch t.Kind() {
	case reflect.Pointer:
		return exact(text, t.Elem())
	case reflect.Slice, reflect.Array:
		var items []json.RawMessage
		_ = json.Unmarshal(text, &items) // none if they are bytes
		for _, item := range items {
			if err := exact(item, t.Elem()); err != nil {
				return err
			}
		}
	case reflect.Map, reflect.Struct:
		var values map[string]json.RawMessage
		_ = json.Unmarshal(text, &values) // none if it is text, as a time is
		for _, name := range slices.Sorted(maps.Keys(values)) {
			inner, err := fieldType(t, name)
			if err == nil {
				err = exact(values[name], inner)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// fieldType is the type of the field with exactly this name.
func fieldType(t reflect.Type, name string) (reflect.Type, error) {
	if t.Kind() == reflect.Map {
		return t.Elem(), nil
	}
	var meant string
	for _, f := range reflect.VisibleFields(t) {
		switch known := nameOf(f); {
		case known == name:
			return f.Type, nil
		case tabular.Fold(known) == tabular.Fold(name):
			meant = known
		}
	}
	return nil, fmt.Errorf("the name of field %q differs in upper and lower case", meant)
}

// nameOf is the name of a field in JSON, "-" if it has none.
func nameOf(f reflect.StructField) string {
	tagged, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return cmp.Or(tagged, f.Name)
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
