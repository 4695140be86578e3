// SPDX-License-Identifier: Apache-2.0

package hospital

import (
	"embed"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

// A grammar file is a list of rules. "[name]" starts one whose lines are its
// alternatives, "[words name]" one whose words are, "[text name]" one
// alternative that is all lines up to the next rule as they stand. A rule may be
// started again to add alternatives. "*5 " before an alternative makes it five
// times as likely. Lines that start with "# " are comments. In an alternative:
//
//	{name}        what the slot or rule of that name gives
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

// rule is the alternatives that a name can stand for.
type rule struct {
	alternatives []node
	weights      []int
	total        int
}

// loadGrammar reads the files of the grammar, which are part of the program: a
// mistake in them panics.
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
			continue // what stands before the first rule is comment
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

// check panics when an alternative names what is neither slot nor rule.
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

// pick draws an alternative by weight and gives its index.
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
