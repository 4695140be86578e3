// SPDX-License-Identifier: Apache-2.0

package hospital

import (
	"fmt"
	"strconv"
	"strings"

	"hide/internal/annotate"
)

// node is a parsed piece of an alternative.
type node interface {
	write(*scribe)
	calls(func(name string)) // all names of slots and rules below it
}

type (
	literal  string
	sequence []node
	choice   []node
	call     string
	maybe    struct{ body node }
	marked   struct {
		label annotate.Label
		body  node
	}
	changed struct {
		by   func(*scribe, []byte)
		body node
	}
	number struct {
		low, high float64
		decimals  int
	}
	digits string
	repeat struct {
		least, most int
		rule        string
		joint       string
	}
)

// parse reads an alternative. Mistakes panic: the grammar is part of the program.
func (g *grammar) parse(text string) node {
	var all sequence
	for text != "" {
		open := strings.IndexByte(text, '{')
		if open < 0 {
			all = append(all, literal(text))
			break
		}
		if open > 0 {
			all = append(all, literal(text[:open]))
		}
		size := closing(text[open:])
		all = append(all, g.parseBraces(text[open+1:open+size]))
		text = text[open+size+1:]
	}
	if len(all) == 1 {
		return all[0]
	}
	return all
}

// closing is the index of the brace that closes the one at text[0].
func closing(text string) int {
	depth := 0
	for i := range len(text) {
		switch text[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	panic(fmt.Sprintf("hospital: unclosed brace in %q", text))
}

func (g *grammar) parseBraces(body string) node {
	if options := splitChoice(body); len(options) > 1 {
		var c choice
		for _, o := range options {
			c = append(c, g.parse(o))
		}
		return c
	}
	switch body[0] {
	case '?':
		return maybe{g.parse(body[1:])}
	case '^':
		return changed{capitals, g.parse(body[1:])}
	case '_':
		return changed{small, g.parse(body[1:])}
	case '~':
		return changed{misspell, g.parse(body[1:])}
	case '#':
		return parseNumber(body[1:])
	case '@':
		label, rest, _ := strings.Cut(body[1:], " ")
		return marked{annotate.Label(label), g.parse(rest)}
	}
	if header, found := strings.CutPrefix(body, "h:"); found {
		g.headers = append(g.headers, header)
		return literal(header)
	}
	if pattern, found := strings.CutPrefix(body, "d:"); found {
		return digits(pattern)
	}
	if r, found := parseRepeat(body); found {
		return r
	}
	return call(body)
}

// splitChoice cuts at the bars that stand outside inner braces.
func splitChoice(body string) []string {
	var parts []string
	depth, from := 0, 0
	for i := range len(body) {
		switch body[i] {
		case '{':
			depth++
		case '}':
			depth--
		case '|':
			if depth == 0 {
				parts = append(parts, body[from:i])
				from = i + 1
			}
		}
	}
	return append(parts, body[from:])
}

func parseNumber(body string) node {
	low, high, _ := strings.Cut(body, "-")
	_, decimals, _ := strings.Cut(low, ".")
	return number{mustNumber(low), mustNumber(high), len(decimals)}
}

func mustNumber(s string) float64 {
	x, err := strconv.ParseFloat(s, 64)
	if err != nil {
		panic("hospital: " + err.Error())
	}
	return x
}

func parseRepeat(body string) (repeat, bool) {
	at := strings.IndexAny(body, "*/")
	if at < 0 || body[0] < '0' || body[0] > '9' {
		return repeat{}, false
	}
	low, high, _ := strings.Cut(body[:at], "-")
	r := repeat{int(mustNumber(low)), int(mustNumber(high)), body[at+1:], " "}
	if body[at] == '/' {
		r.joint = "\n"
	}
	return r, true
}

func (n literal) calls(func(string))      {}
func (n number) calls(func(string))       {}
func (n digits) calls(func(string))       {}
func (n call) calls(see func(string))     { see(string(n)) }
func (n repeat) calls(see func(string))   { see(n.rule) }
func (n maybe) calls(see func(string))    { n.body.calls(see) }
func (n marked) calls(see func(string))   { n.body.calls(see) }
func (n changed) calls(see func(string))  { n.body.calls(see) }
func (n sequence) calls(see func(string)) { callsOf(n, see) }
func (n choice) calls(see func(string))   { callsOf(n, see) }

func callsOf(nodes []node, see func(string)) {
	for _, n := range nodes {
		n.calls(see)
	}
}
