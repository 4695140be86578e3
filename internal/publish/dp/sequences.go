// SPDX-License-Identifier: Apache-2.0

package dp

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"hide/internal/publish/cube"
	"hide/internal/publish/ledger"
	"hide/internal/publish/noise"
	"hide/internal/publish/prefixtree"
	"hide/internal/publish/release"
)

// SequencesConfig is the configuration of sequences: the file of --config. The table has
// one sequence a line, its symbols separated by blanks or by Separator.
type SequencesConfig struct {
	Common
	// KeyFirst states that a line begins with the key of a person. The first line of each
	// person counts. Otherwise OneRowEach must be true.
	KeyFirst bool `json:"key_first,omitempty"`
	// Key is the name of that key, as in the cubes of the lineage; "" is [FirstField].
	Key        string   `json:"key,omitempty"`
	OneRowEach bool     `json:"one_row_each,omitempty"`
	Alphabet   []string `json:"alphabet"`
	Other      bool     `json:"other,omitempty"` // adds a last symbol for all others, which are refused otherwise
	Height     int      `json:"height"`          // sequences are cut to this length
	Fixed      bool     `json:"fixed,omitempty"` // all sequences are publicly known to have Height symbols
	// Ordered states that the alphabet is in an order, such as stages, so that sequences
	// rise and fall.
	Ordered   bool    `json:"ordered,omitempty"`
	Threshold float64 `json:"threshold,omitempty"`
	MostNodes int     `json:"most_nodes,omitempty"`
	Synthetic bool    `json:"synthetic,omitempty"` // adds synthetic sequences with the counts of the release
}

// FirstField is the name in the ledger of a key without a name.
const FirstField = "(first field)"

// by names the unit that the ledger protects; "" without a key.
func (c SequencesConfig) by() string {
	switch {
	case !c.KeyFirst:
		return ""
	case c.Key == "":
		return FirstField
	}
	return c.Key
}

// ParseSequences reads and checks a configuration.
func ParseSequences(raw []byte) (SequencesConfig, error) {
	var c SequencesConfig
	if err := DecodeConfig(raw, &c, "unjoined", "threshold", "most_nodes"); err != nil {
		return c, err
	}
	return c, c.check()
}

func (c SequencesConfig) check() error {
	if err := c.Common.check(); err != nil {
		return err
	}
	switch {
	case c.KeyFirst == c.OneRowEach:
		return errors.New(`the configuration needs either "key_first": true, when a line begins with the key of a person, or "one_row_each": true`)
	case len(c.Alphabet) == 0:
		return errors.New(`the configuration lacks the "alphabet", from a public source. Symbols taken from the data would reveal what no epsilon covers`)
	case c.Ordered && c.Other:
		return errors.New("\"ordered\" excludes \"other\": other symbols have no place in an order")
	case len(c.Columns) > 0 || c.Part != ledger.Part{}:
		return errors.New("sequences have neither columns nor parts")
	case c.Key != "" && !c.KeyFirst:
		return errors.New(`"key", the name of the key at the beginning of a line, needs "key_first"`)
	case c.LeaveOutNameless && !c.KeyFirst:
		return errors.New(`"leave_out_nameless" needs "key_first"`)
	}
	seen := map[string]bool{}
	for i, s := range c.Alphabet {
		if s == "" || s == cube.Other || s == end || seen[s] {
			return fmt.Errorf("symbol %d of the alphabet is empty, listed twice, or named like the category for others or for the end", i+1)
		}
		if parts := c.split(s); len(parts) != 1 || blankAround(s) {
			return fmt.Errorf("symbol %d of the alphabet has blanks around it, or contains the separator", i+1)
		}
		seen[s] = true
	}
	_, err := c.params(ledger.Most).Check()
	return err
}

func (c SequencesConfig) params(e ledger.Micro) prefixtree.Params {
	n := len(c.Alphabet)
	if c.Other {
		n++
	}
	return prefixtree.Params{Alphabet: n, Height: c.Height, Epsilon: e, Fixed: c.Fixed, Threshold: c.Threshold, MostNodes: c.MostNodes, Bound: c.Unjoined}
}

// read reads the first symbols of each sequence, up to the height, and the keys. Errors
// name lines and places, never symbols.
func (c SequencesConfig) read(s Sequences) ([][]int, map[string]bool, error) {
	symbols := make(map[string]int, len(c.Alphabet))
	for i, s := range c.Alphabet {
		symbols[s] = i
	}
	seen := map[string]bool{}
	var out [][]int
	n := 0
	for line, err := range s.lines(c) {
		if err != nil {
			return nil, nil, err
		}
		n++
		seq, counts, err := c.sequence(line, symbols, seen)
		if err != nil {
			return nil, nil, line.in(err)
		}
		if counts {
			out = append(out, seq)
		}
	}
	if n == 0 {
		return nil, nil, errors.New("there are no sequences: the file is empty")
	}
	if c.KeyFirst && !slices.ContainsFunc(out, func(s []int) bool { return len(s) > 0 }) {
		return nil, nil, errors.New("no line has anything after its key: name what is between symbols with \"separator\", if it is not a blank")
	}
	return out, seen, nil
}

// sequence gives the symbols of a line and puts its key among seen. A line does not count
// when its key was seen before, or when it has none and such lines are left out.
func (c SequencesConfig) sequence(l line, symbols map[string]int, seen map[string]bool) (seq []int, counts bool, err error) {
	if c.KeyFirst {
		switch {
		case l.key == "" && !c.LeaveOutNameless:
			return nil, false, errors.New("it has no key")
		case l.key == "" || seen[l.key]:
			return nil, false, nil
		}
		seen[l.key] = true
	}
	seq, err = c.symbols(l.symbols, symbols)
	return seq, err == nil, err
}

func (c SequencesConfig) symbols(fields []string, known map[string]int) ([]int, error) {
	seq := make([]int, 0, min(len(fields), c.Height))
	for i, f := range fields {
		if len(seq) == c.Height {
			break
		}
		at, ok := known[strings.TrimSpace(f)]
		if !ok && !c.Other {
			return nil, fmt.Errorf("symbol %d is not in the alphabet: list it if its public source does, or say \"other\": true", i+1)
		}
		if !ok {
			at = len(c.Alphabet)
		}
		seq = append(seq, at)
	}
	if c.Fixed && len(seq) < c.Height {
		return nil, fmt.Errorf("it has %d symbols; \"fixed\" requires %d", len(seq), c.Height)
	}
	return seq, nil
}

// PublishSequences publishes a table of sequences as a prefix tree. It refuses everything
// that can be refused before it debits.
func PublishSequences(ctx context.Context, l *ledger.Ledger, c SequencesConfig, s Sequences, e ledger.Micro, m Meta) (Release, error) {
	if err := c.check(); err != nil {
		return Release{}, err
	}
	p, err := c.params(e).Check()
	if err != nil {
		return Release{}, err
	}
	seqs, units, err := c.read(s)
	if err != nil {
		return Release{}, err
	}
	return publication{
		Common: c.Common, by: c.by(), units: maps.Keys(units), body: request{requestSchema, release.Sequences, c, p},
		what: fmt.Sprintf("sequences, %d symbols, height %d", p.Alphabet, p.Height),
		outline: func(receipt ledger.Receipt) (Release, error) {
			out, err := sequencesOutline(p, c, receipt, m)
			if c.Ordered {
				out.Manifest.Trends = sequenceTrends(&prefixtree.Tree{Params: p, Root: &prefixtree.Node{Symbol: -1}})
			}
			return out, err
		},
		draw: func(ctx context.Context, receipt ledger.Receipt) (Release, error) {
			t, err := prefixtree.Build(ctx, seqs, p, noise.Secure{})
			if err != nil {
				return Release{}, err
			}
			return sequencesRelease(t, c, receipt, m)
		},
	}.publish(ctx, l, s, e, m)
}

// sequencesOutline is a release without its noisy counts.
func sequencesOutline(p prefixtree.Params, c SequencesConfig, receipt ledger.Receipt, m Meta) (Release, error) {
	out, err := newRelease(release.Sequences, receipt, c.Common, p.Sensitivity(), asked{Config: c, Params: p}, m)
	for n := 1; n <= p.Height; n++ {
		out.Manifest.Errors = append(out.Manifest.Errors, ExpectedError{fmt.Sprintf("a prefix of length %d, noise alone", n), p.ExpectedError(n), prefixBaselines(p, n)})
	}
	return out, err
}

// prefixBaselines are the mean absolute errors of the count of a prefix of length n with
// two other methods: only prefixes of this length are counted; or each whole sequence is
// counted and alphabet^(height-n) counts are summed, unless there are too many.
func prefixBaselines(p prefixtree.Params, n int) map[string]float64 {
	e := p.Epsilon.Float()
	out := map[string]float64{"only prefixes this length": noise.Scale(p.Sensitivity(), e)}
	if math.Pow(float64(p.Alphabet), float64(p.Height)) <= cube.MostCells {
		rest := math.Pow(float64(p.Alphabet), float64(p.Height-n))
		out["each sequence counted"] = noise.MeanAbs(rest * noise.Variance(p.Sensitivity(), e))
	}
	return out
}

func sequencesRelease(t *prefixtree.Tree, c SequencesConfig, receipt ledger.Receipt, m Meta) (Release, error) {
	out, err := sequencesOutline(t.Params, c, receipt, m)
	if err != nil {
		return out, err
	}
	out.Manifest.Phases = t.Phases
	if c.Ordered {
		out.Manifest.Trends = sequenceTrends(t)
	}
	if t.Full {
		out.Manifest.Warnings = append(out.Manifest.Warnings, fmt.Sprintf("The tree reached its maximum of %d nodes: longer prefixes were left out although they reach the threshold.", t.Nodes))
	}
	out.add("tree.csv", c.treeCSV(t))
	if c.Synthetic {
		raw, cut := c.syntheticText(t, mostSynthetic)
		out.add("synthetic.txt", raw)
		out.Manifest.warnCutOff("synthetic.txt", cut)
	}
	return out, nil
}

// end marks the end of a sequence.
const end = "(end)"

// label names a symbol.
func (c SequencesConfig) label(symbol int) string {
	switch {
	case symbol < len(c.Alphabet):
		return c.Alphabet[symbol]
	case c.Other && symbol == len(c.Alphabet):
		return cube.Other
	}
	return end
}

// labels names the symbols of a sequence.
func (c SequencesConfig) labels(seq []int) []string {
	names := make([]string, len(seq))
	for i, s := range seq {
		names[i] = c.label(s)
	}
	return names
}

func (c SequencesConfig) treeCSV(t *prefixtree.Tree) []byte {
	return writeCSV([]string{"length", "prefix", "count", "noisy"}, func(add func(...string)) {
		t.Walk(func(prefix []int, n *prefixtree.Node) {
			add(strconv.Itoa(n.Depth), strings.Join(c.labels(prefix), c.joiner()), number(n.Count), strconv.FormatInt(n.Noisy, 10))
		})
	})
}

func (c SequencesConfig) joiner() string {
	if c.Separator == "" {
		return " "
	}
	return c.Separator
}
