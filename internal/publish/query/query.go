// SPDX-License-Identifier: Apache-2.0

package query

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"hide/internal/publish/cube"
	"hide/internal/publish/ledger"
	"hide/internal/publish/noise"
)

// MostGroups limits the groups of an answer.
const MostGroups = 1_000_000

// Check refuses a query with too many groups.
func (q *Query) Check() error {
	n := 1.0
	for _, d := range q.Groups {
		n *= float64(q.Domain[d].Size())
	}
	if n > MostGroups {
		return fmt.Errorf("the query has %.3g groups, of which at most %d can be answered", n, MostGroups)
	}
	return nil
}

// Answer is the answer to a query.
type Answer struct {
	Phase cube.Phase
	// Counts are noisy, one for each group, the last column of GROUP BY counting
	// fastest. They are not clamped.
	Counts []int64
	// Within bounds the error of a count with a probability of 95 %.
	Within float64
}

// Plan is an answer without its counts, from public numbers alone; bound is how many rows
// one person can have.
func (q *Query) Plan(bound int64, e ledger.Micro) Answer {
	n := 1
	for _, d := range q.Groups {
		n *= q.Domain[d].Size()
	}
	phase := cube.NewPhase("groups", e, bound, n)
	return Answer{Phase: phase, Within: phase.Scale * math.Log(20)}
}

// Answer counts and adds noise. The debit in the ledger must be on disk before.
func (q *Query) Answer(ctx context.Context, c *cube.Counts, e ledger.Micro, s noise.Source) (Answer, error) {
	if err := q.Check(); err != nil {
		return Answer{}, err
	}
	keep := func([]int32) bool { return true }
	if q.Where != nil {
		keep = q.Where.holds
	}
	counts := c.Groups(q.Groups, keep)
	if err := noise.AddAll(ctx, s, counts, c.Bound, e.Float()); err != nil {
		return Answer{}, err
	}
	a := q.Plan(c.Bound, e)
	a.Counts = counts
	return a, nil
}

// Labels returns the category labels of group at.
func (q *Query) Labels(at int) []string {
	out := make([]string, len(q.Groups))
	for i := len(q.Groups) - 1; i >= 0; i-- {
		d := q.Domain[q.Groups[i]]
		out[i] = d.Label(at % d.Size())
		at /= d.Size()
	}
	return out
}

// cond is a condition on the categories of a row.
type cond interface {
	holds(row []int32) bool
	String() string // canonical form: equal conditions give equal strings
}

// set is a condition on one dimension: its category is in a set.
type set struct {
	domain cube.Domain
	dim    int
	in     []int // ascending
}

func (s set) holds(row []int32) bool {
	_, found := slices.BinarySearch(s.in, int(row[s.dim]))
	return found
}

// String names categories by number: bins have no values to compare with.
func (s set) String() string {
	return fmt.Sprintf("%s in %v", ident(s.domain[s.dim].Name), s.in)
}

type negation struct{ of cond }

func (n negation) holds(row []int32) bool { return !n.of.holds(row) }
func (n negation) String() string         { return "not (" + n.of.String() + ")" }

// join is true if all of its conditions are true, or any of them.
type join struct {
	any bool
	all []cond
}

func (j join) holds(row []int32) bool {
	for _, c := range j.all {
		if c.holds(row) == j.any {
			return j.any
		}
	}
	return !j.any
}

func (j join) String() string {
	by := " and "
	if j.any {
		by = " or "
	}
	parts := make([]string, len(j.all))
	for i, c := range j.all {
		parts[i] = "(" + c.String() + ")"
	}
	return strings.Join(parts, by)
}

func ident(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }

// String is a canonical form of the query, which does not depend on spelling and blanks.
func (q *Query) String() string {
	var b strings.Builder
	b.WriteString("count")
	if q.Where != nil {
		b.WriteString(" where " + q.Where.String())
	}
	for i, d := range q.Groups {
		b.WriteString([]string{" group by ", ", "}[min(i, 1)] + ident(q.Domain[d].Name))
	}
	return b.String()
}

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
