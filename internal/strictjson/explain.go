// SPDX-License-Identifier: Apache-2.0

package strictjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"

	"hide/internal/words"
)

// explain says in words where and why text cannot be decoded into a t, and what to do. near is
// how far the decoder has read. Errors of package encoding/json name types of Go, which people
// who write a file do not know.
func explain(err error, text []byte, near int64, t reflect.Type) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.Is(err, io.EOF):
		return errors.New("there is no value: the text is empty")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%s: the text ends too early: close every bracket, brace and quote", place(text, len(text)))
	case errors.As(err, &syntax):
		if hint := otherEncoding(text); hint != "" {
			return errors.New(hint)
		}
		return fmt.Errorf("%s: this is not JSON: %s", place(text, int(syntax.Offset)-1), mistake(syntax.Error()))
	case errors.As(err, &kind):
		return fmt.Errorf("%s: %sexpected %s%s", place(text, int(kind.Offset)), fieldWords(kind.Field, t), kindWords(kind.Type), foundWords(kind))
	}
	if quoted, is := strings.CutPrefix(err.Error(), "json: unknown field "); is {
		if name, wrong := strconv.Unquote(quoted); wrong == nil {
			return unknownField(text[:near], name, t)
		}
	}
	return fmt.Errorf("%s: %w", place(text, int(near)), err)
}

// place names a byte: "line 3, byte 61".
func place(text []byte, at int) string {
	at = min(max(at, 0), len(text))
	return fmt.Sprintf("line %d, byte %d", 1+bytes.Count(text[:at], []byte("\n")), at)
}

// otherEncoding says that text is not plain UTF-8. It is "" if text shows no other encoding.
func otherEncoding(text []byte) string {
	switch {
	case bytes.HasPrefix(text, []byte("\xef\xbb\xbf")):
		return "byte 0: the text begins with a byte order mark: save it as UTF-8 without one"
	case bytes.HasPrefix(text, []byte("\xff\xfe")), bytes.HasPrefix(text, []byte("\xfe\xff")):
		return "byte 0: the text is UTF-16: save it as UTF-8"
	}
	return ""
}

// mistakes say what is wrong where package json finds a character that it does not expect.
var mistakes = []struct{ says, words string }{
	{"looking for beginning of object key string", `the name of a field in double quotes is missing, or there is a comma too many`},
	{"looking for beginning of value", "a value is missing, is not in double quotes, or follows a comma too many"},
	{"after object key:value pair", "a comma or a closing brace is missing before this"},
	{"after array element", "a comma or a closing bracket is missing before this"},
	{"after object key", "a colon is missing after the name of the field"},
	{"in string escape code", `a backslash in a string needs one of "\/bfnrtu after it`},
	{`in \u hexadecimal character escape`, `\u needs four hexadecimal digits`},
	{"in string literal", `a string goes over the end of a line or has a control character: write \n`},
	{"after decimal point", "a digit is missing after the decimal point"},
	{"in numeric literal", "a number is not written as JSON has it"},
	{"in exponent of numeric literal", "a number is not written as JSON has it"},
	{"in literal", "true, false or null is misspelled"},
}

// mistake translates a message of package json about a mistake, without the character.
func mistake(says string) string {
	for _, m := range mistakes {
		if strings.Contains(says, m.says) {
			return m.words
		}
	}
	return "a character is not expected here"
}

// kindWords name the JSON value that a type of Go expects.
func kindWords(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "text in double quotes"
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return "a whole number"
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return "a whole number of at least 0"
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.Slice, reflect.Array:
		return "a list in square brackets"
	case reflect.Struct, reflect.Map:
		return "an object in braces"
	}
	return "another value"
}

func foundWords(err *json.UnmarshalTypeError) string {
	what, number, _ := strings.Cut(err.Value, " ")
	switch what {
	case "string":
		return ", not text"
	case "bool":
		return ", not true or false"
	case "array":
		return ", not a list"
	case "object":
		return ", not an object"
	case "number":
		if number == "" {
			return ", not a number"
		}
		return ", not the number " + number
	}
	return ""
}

// fieldWords names a field by its path as the file has it. The path of package json also has
// the names of embedded structs of Go.
func fieldWords(path string, t reflect.Type) string {
	if path == "" {
		return ""
	}
	var names []string
	for name := range strings.SplitSeq(path, ".") {
		for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Array {
			t = t.Elem()
		}
		if t.Kind() == reflect.Struct {
			if f, is := t.FieldByName(name); is && f.Anonymous {
				t = f.Type
				continue
			}
		}
		names = append(names, name)
		if t.Kind() == reflect.Struct || t.Kind() == reflect.Map {
			if inner, err := fieldType(t, name); err == nil {
				t = inner
			}
		}
	}
	return fmt.Sprintf("field %q: ", strings.Join(names, "."))
}

// unknownField names a field that t does not have, with its place if only one field of text
// has this name, and a known field whose name is similar.
func unknownField(text []byte, name string, t reflect.Type) error {
	at, n := -1, 0
	eachName(text, func(start, end int) {
		var key string
		if json.Unmarshal(text[start:end], &key) == nil && key == name {
			at, n = start, n+1
		}
	})
	says := fmt.Sprintf("unknown field %q", name)
	if n == 1 {
		says = place(text, at) + ": " + says
	}
	if near, found := words.Nearest(name, fieldNames(t, map[reflect.Type]bool{})); found && near != name {
		says += fmt.Sprintf("; did you mean %q?", near)
	}
	return errors.New(says)
}

// eachName calls fn for each name of a field of valid JSON, with its quotes.
func eachName(text []byte, fn func(start, end int)) {
	for i := 0; i < len(text); i++ {
		if text[i] != '"' {
			continue
		}
		end := StringEnd(text, i)
		if bytes.HasPrefix(bytes.TrimLeft(text[end:], " \t\r\n"), []byte(":")) {
			fn(i, end)
		}
		i = end - 1
	}
}

// fieldNames lists the names of the fields of t, at any depth.
func fieldNames(t reflect.Type, seen map[reflect.Type]bool) []string {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Array || t.Kind() == reflect.Map {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || seen[t] {
		return nil
	}
	seen[t] = true
	var out []string
	for _, f := range reflect.VisibleFields(t) {
		if name := nameOf(f); f.IsExported() && !f.Anonymous && name != "-" {
			out = append(out, name)
		}
		out = append(out, fieldNames(f.Type, seen)...)
	}
	return out
}
