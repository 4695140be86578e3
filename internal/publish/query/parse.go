// SPDX-License-Identifier: Apache-2.0

// Package query answers counting queries under differential privacy, one at a time:
//
//	SELECT COUNT(*) WHERE sex = 'F' AND age BETWEEN 20 AND 39 GROUP BY ward
//
// A query is about the dimensions of a public domain (package cube) and compares them
// with its categories: bins cannot be split. GROUP BY returns a count for every category,
// also for empty ones. The groups are disjoint except for several rows of one unit,
// within the bound, so all groups together cost epsilon once (PINQ's Partition). An
// answer gets Laplace noise of scale bound/epsilon, and the ledger pays for every query.
//
//	q, err := query.Parse(text, domain)
//	r, err := q.Answer(ctx, counts, epsilon, noise.Secure{})
//
// The language; its keywords ignore case:
//
//	SELECT COUNT(*) [FROM name] [WHERE condition] [GROUP BY column, ...]
//	condition: condition OR condition, condition AND condition, NOT condition, (condition),
//	    column = value, column <> value, column IN (value, ...),
//	    column < number (and <=, >, >=), column BETWEEN number AND number
//
// Names that are not plain words are in double quotes, values in single ones; a quote
// inside is doubled. BETWEEN includes both ends.
package query

import (
	"slices"
	"strconv"
	"strings"

	"hide/internal/publish/cube"
)

// Query is a counting query over a domain.
type Query struct {
	Domain cube.Domain
	Where  cond  // nil for all rows
	Groups []int // dimensions, in the order of GROUP BY
}

// parser reads tokens from left to right.
type parser struct {
	domain cube.Domain
	tokens []token
	depth  int
}

const mostDepth = 100 // of parentheses and NOTs

// Parse reads a query. Its errors are [*SyntaxError]s.
func Parse(text string, d cube.Domain) (*Query, error) {
	tokens, err := lex(text)
	if err != nil {
		return nil, err
	}
	p := &parser{domain: d, tokens: tokens}
	q := &Query{Domain: d}
	if err := p.head(); err != nil {
		return nil, err
	}
	if p.keyword("WHERE") {
		if q.Where, err = p.or(); err != nil {
			return nil, err
		}
	}
	if p.keyword("GROUP") {
		if q.Groups, err = p.groups(); err != nil {
			return nil, err
		}
	}
	if t := p.peek(); t.kind != end {
		return nil, wrong(t.at, "expected the end of the query")
	}
	return q, nil
}

func (p *parser) peek() token { return p.tokens[0] }

func (p *parser) next() token {
	t := p.tokens[0]
	if t.kind != end {
		p.tokens = p.tokens[1:]
	}
	return t
}

// keyword reads a word of the language if it is next.
func (p *parser) keyword(w string) bool {
	if t := p.peek(); t.kind == word && strings.EqualFold(t.text, w) {
		p.next()
		return true
	}
	return false
}

func (p *parser) sign(s string) bool {
	if t := p.peek(); t.kind == symbol && t.text == s {
		p.next()
		return true
	}
	return false
}

// head is SELECT COUNT(*) [FROM name].
func (p *parser) head() error {
	if !p.keyword("SELECT") || !p.keyword("COUNT") || !p.sign("(") || !p.sign("*") || !p.sign(")") {
		return wrong(p.peek().at, "a query begins with SELECT COUNT(*): only counts are answered")
	}
	if p.keyword("FROM") {
		if t := p.next(); t.kind != word && t.kind != name {
			return wrong(t.at, "FROM needs a name")
		}
	}
	return nil
}

func (p *parser) groups() ([]int, error) {
	if !p.keyword("BY") {
		return nil, wrong(p.peek().at, "GROUP needs BY")
	}
	var out []int
	for {
		at := p.peek().at
		d, err := p.column()
		if err != nil {
			return nil, err
		}
		if slices.Contains(out, d) {
			return nil, wrong(at, "this column is listed twice")
		}
		if out = append(out, d); !p.sign(",") {
			return out, nil
		}
	}
}

func (p *parser) column() (int, error) {
	t := p.next()
	if t.kind != word && t.kind != name {
		return 0, wrong(t.at, "expected a column")
	}
	if d := p.domain.Find(t.text); d >= 0 {
		return d, nil
	}
	return 0, wrong(t.at, "unknown column: no line of the categories has this name")
}

func (p *parser) or() (cond, error)  { return p.joined("OR", p.and) }
func (p *parser) and() (cond, error) { return p.joined("AND", p.not) }

// joined reads one or more conditions with a word between them.
func (p *parser) joined(by string, each func() (cond, error)) (cond, error) {
	first, err := each()
	if err != nil {
		return nil, err
	}
	all := []cond{first}
	for p.keyword(by) {
		c, err := each()
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	if len(all) == 1 {
		return first, nil
	}
	return join{by == "OR", all}, nil
}

func (p *parser) not() (cond, error) {
	if p.depth++; p.depth > mostDepth {
		return nil, wrong(p.peek().at, "conditions are nested more than %d deep", mostDepth)
	}
	defer func() { p.depth-- }()
	if p.keyword("NOT") {
		c, err := p.not()
		return negation{c}, err
	}
	if !p.sign("(") {
		return p.comparison()
	}
	c, err := p.or()
	if err == nil && !p.sign(")") {
		err = wrong(p.peek().at, "expected a closing parenthesis")
	}
	return c, err
}

// comparison returns the set of matching categories.
func (p *parser) comparison() (cond, error) {
	d, err := p.column()
	if err != nil {
		return nil, err
	}
	op := p.next()
	var in []int
	switch {
	case op.kind == symbol && (op.text == "=" || op.text == "<>" || op.text == "!="):
		in, err = p.values(d, false)
		if op.text != "=" {
			in = p.others(d, in)
		}
	case op.kind == word && strings.EqualFold(op.text, "IN"):
		in, err = p.values(d, true)
	case op.kind == word && strings.EqualFold(op.text, "BETWEEN"):
		in, err = p.between(d)
	case op.kind == symbol && strings.ContainsAny(op.text, "<>"):
		in, err = p.order(d, op.text)
	default:
		return nil, wrong(op.at, "expected a comparison: =, <>, <, <=, >, >=, IN or BETWEEN")
	}
	return set{p.domain, d, in}, err
}

// values reads one value, or several in parentheses.
func (p *parser) values(d int, many bool) ([]int, error) {
	if many && !p.sign("(") {
		return nil, wrong(p.peek().at, "IN needs parentheses")
	}
	var in []int
	for {
		t := p.next()
		if t.kind != word && t.kind != value {
			return nil, wrong(t.at, "expected a value")
		}
		c := p.domain[d].Index(t.text)
		if c < 0 {
			return nil, wrong(t.at, "unknown value: it is not a category of this column")
		}
		if lo, hi, ok := p.domain[d].Bounds(c); ok && hi-lo > 1 {
			return nil, wrong(t.at, "this column has bins wider than one: use < and >= with the bounds of bins")
		}
		in = append(in, c)
		if !many {
			return in, nil
		}
		if !p.sign(",") {
			break
		}
	}
	if !p.sign(")") {
		return nil, wrong(p.peek().at, "expected a closing parenthesis")
	}
	slices.Sort(in)
	return slices.Compact(in), nil
}

func (p *parser) others(d int, in []int) []int {
	var out []int
	for c := range p.domain[d].Size() {
		if !slices.Contains(in, c) {
			out = append(out, c)
		}
	}
	return out
}

func (p *parser) number() (float64, int, error) {
	t := p.next()
	x, err := strconv.ParseFloat(t.text, 64)
	if t.kind != word && t.kind != value || err != nil || x != x {
		return 0, t.at, wrong(t.at, "expected a number")
	}
	return x, t.at, nil
}

// between includes both ends; for bins of width one, the whole last bin.
func (p *parser) between(d int) ([]int, error) {
	lo, at, err := p.number()
	if err != nil {
		return nil, err
	}
	if !p.keyword("AND") {
		return nil, wrong(p.peek().at, "BETWEEN needs AND")
	}
	hi, to, err := p.number()
	if err != nil {
		return nil, err
	}
	from, err := p.cut(d, lo, at, false)
	if err != nil {
		return nil, err
	}
	upto, err := p.cut(d, hi, to, true)
	return span(from, upto), err
}

func (p *parser) order(d int, op string) ([]int, error) {
	x, at, err := p.number()
	if err != nil {
		return nil, err
	}
	k, err := p.cut(d, x, at, op == "<=" || op == ">")
	if op[0] == '<' {
		return span(0, k), err
	}
	return span(k, p.domain[d].Bins()), err
}

// cut returns how many bins lie below x, including the bin of x if after is set and bins
// are integers. It refuses to split a bin.
func (p *parser) cut(d int, x float64, at int, after bool) (int, error) {
	k := 0
	for c := range p.domain[d].Size() {
		lo, hi, ok := p.domain[d].Bounds(c)
		switch {
		case !ok && c == 0:
			return 0, wrong(at, "this column is not numeric: use = and IN")
		case !ok || lo > x:
			return k, nil
		case lo == x && !after:
			return k, nil
		case hi <= x:
			k++
		case after && lo == x && hi-lo == 1:
			return k + 1, nil
		default:
			return 0, wrong(at, "this number splits a bin: use the bounds of bins")
		}
	}
	return k, nil
}

func span(from, to int) []int {
	var out []int
	for c := from; c < to; c++ {
		out = append(out, c)
	}
	return out
}
