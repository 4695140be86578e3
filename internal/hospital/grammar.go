// SPDX-License-Identifier: Apache-2.0

package hospital

import (
	"embed"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"hide/internal/annotate"
)

// A grammar file is a list of rules. "[name]" starts a rule with one alternative per line,
// "[words name]" one with one alternative per word, and "[text name]" one whose single
// alternative is all lines up to the next rule, verbatim. A rule may be started again to
// add alternatives. "*5 " before an alternative makes it five times as likely. Lines that
// start with "# " are comments. In an alternative:
//
//	{name}        the output of the slot or rule of that name
//	{x|y|z}       one of these
//	{?x}          x or nothing
//	{@LABEL x}    x, marked with the label
//	{^x} {_x}     x in capitals, in small letters
//	{~x}          x with two letters swapped
//	{h:X}         the section header X
//	{#12-16}      a number in that range, with as many decimals as its start has
//	{d:##-@@}     a random digit for each #, a capital for each @
//	{2-4*name}    two to four different alternatives of the rule, with spaces between
//	{2-4/name}    the same on lines of their own
//	\n \t         a line break, a tab

//go:embed grammar/*.txt
var grammarFiles embed.FS

// grammar is a set of rules by name.
type grammar struct {
	rules   map[string]*rule
	slots   map[string]slot
	headers []string // all {h:X}, in order of the files
}

// rule has the alternatives of one name.
type rule struct {
	alternatives []node
	weights      []int
	total        int
}

// loadGrammar reads the files of the grammar, which are part of the program. It panics on a
// mistake in them.
func loadGrammar(names ...string) *grammar {
	g := &grammar{rules: map[string]*rule{}, slots: slots()}
	for _, name := range names {
		text, err := grammarFiles.ReadFile("grammar/" + name + ".txt")
		if err != nil {
			panic("hospital: " + err.Error())
		}
		g.read(string(text))
	}
	g.check()
	return g
}

// read adds the rules of one file.
func (g *grammar) read(text string) {
	for i, block := range strings.Split("\n"+text, "\n[") {
		if i == 0 {
			continue // text before the first rule is a comment
		}
		head, body, _ := strings.Cut(block, "]\n")
		kind, name, found := strings.Cut(head, " ")
		if !found {
			kind, name = "", head
		}
		for _, alternative := range alternatives(kind, body) {
			g.add(name, alternative)
		}
	}
}

func alternatives(kind, body string) []string {
	switch kind {
	case "text":
		return []string{strings.Trim(body, "\n") + "\n"}
	case "words":
		return strings.Fields(body)
	}
	var lines []string
	for line := range strings.Lines(body) {
		line = strings.TrimSuffix(line, "\n")
		if line != "" && !strings.HasPrefix(line, "# ") {
			lines = append(lines, strings.NewReplacer(`\n`, "\n", `\t`, "\t").Replace(line))
		}
	}
	return lines
}

func (g *grammar) add(name, alternative string) {
	weight := 1
	if strings.HasPrefix(alternative, "*") {
		count, rest, _ := strings.Cut(alternative[1:], " ")
		weight, _ = strconv.Atoi(count)
		alternative = rest
	}
	r := g.rules[name]
	if r == nil {
		r = &rule{}
		g.rules[name] = r
	}
	r.alternatives = append(r.alternatives, g.parse(alternative))
	r.weights = append(r.weights, weight)
	r.total += weight
}

// check panics when an alternative uses a name that is neither slot nor rule.
func (g *grammar) check() {
	for name, r := range g.rules {
		for _, alternative := range r.alternatives {
			alternative.calls(func(callee string) {
				if g.rules[callee] == nil && g.slots[callee] == nil {
					panic(fmt.Sprintf("hospital: rule %q names %q, which is nothing", name, callee))
				}
			})
		}
	}
}

// pick samples an alternative by weight and gives its index.
func (r *rule) pick(rng *rand.Rand) int {
	n := rng.IntN(r.total)
	for i, w := range r.weights {
		if n -= w; n < 0 {
			return i
		}
	}
	panic("hospital: weights do not add up")
}

func (g *grammar) size(name string) int { return len(g.rules[name].alternatives) }

// sayAt is alternative i of a rule of plain words.
func (g *grammar) sayAt(name string, i int) string {
	s := &scribe{grammar: g}
	g.rules[name].alternatives[i].write(s)
	return string(s.text)
}

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

// parse reads an alternative. It panics on mistakes: the grammar is part of the program.
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

// splitChoice cuts at bars outside inner braces.
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
