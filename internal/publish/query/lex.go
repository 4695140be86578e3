// SPDX-License-Identifier: Apache-2.0

package query

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// token is a word, a value, or a sign, with the byte where it starts.
type token struct {
	kind kind
	text string // of a word as typed, of quoted ones without the quotes
	at   int
}

type kind int

const (
	end    kind = iota
	word        // SELECT, sex, 20, -1.5
	name        // "marital status"
	value       // 'Female'
	symbol      // = <> < <= > >= ( ) , *
)

// SyntaxError says where a query cannot be understood.
type SyntaxError struct {
	At   int // byte, from 0
	What string
}

func (e *SyntaxError) Error() string { return fmt.Sprintf("at byte %d: %s", e.At+1, e.What) }

func wrong(at int, format string, args ...any) error {
	return &SyntaxError{at, fmt.Sprintf(format, args...)}
}

// mostText limits a query, in bytes.
const mostText = 64 << 10

// lex splits a query into tokens.
func lex(s string) ([]token, error) {
	if len(s) > mostText {
		return nil, wrong(mostText, "a query can have at most %d bytes", mostText)
	}
	var out []token
	for at := 0; at < len(s); {
		r, size := utf8.DecodeRuneInString(s[at:])
		switch {
		case r == utf8.RuneError && size == 1:
			return nil, wrong(at, "not UTF-8")
		case unicode.IsSpace(r):
			at += size
		case r == '\'' || r == '"':
			t, next, err := quoted(s, at)
			if err != nil {
				return nil, err
			}
			out, at = append(out, t), next
		case plain(r):
			to := at
			for to < len(s) {
				r, size := utf8.DecodeRuneInString(s[to:])
				if !plain(r) || r == utf8.RuneError {
					break
				}
				to += size
			}
			out, at = append(out, token{word, s[at:to], at}), to
		default:
			n := sign(s[at:])
			if n == 0 {
				return nil, wrong(at, "unexpected character")
			}
			out, at = append(out, token{symbol, s[at : at+n], at}), at+n
		}
	}
	return append(out, token{end, "", len(s)}), nil
}

func plain(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || r == '.' || r == '-' || r == '+'
}

func sign(s string) int {
	for _, two := range []string{"<>", "!=", "<=", ">="} {
		if strings.HasPrefix(s, two) {
			return 2
		}
	}
	if strings.ContainsRune("=<>(),*", rune(s[0])) {
		return 1
	}
	return 0
}

// quoted reads the text between quotes.
func quoted(s string, at int) (token, int, error) {
	quote := s[at]
	var b strings.Builder
	for i := at + 1; i < len(s); i++ {
		if s[i] != quote {
			b.WriteByte(s[i])
			continue
		}
		if i+1 < len(s) && s[i+1] == quote {
			b.WriteByte(quote)
			i++
			continue
		}
		k := value
		if quote == '"' {
			k = name
		}
		if !utf8.ValidString(b.String()) {
			return token{}, 0, wrong(at, "not UTF-8")
		}
		return token{k, b.String(), at}, i + 1, nil
	}
	return token{}, 0, wrong(at, "missing closing quote")
}
