// SPDX-License-Identifier: Apache-2.0

// Package dp makes differentially private releases. It reads a configuration and a
// table, debits the ledger, lets package cube, query or prefixtree add noise, and writes
// the release with what it promises.
//
//	c, err := dp.ParseCube(config)
//	r, err := dp.PublishCube(ctx, l, c, dp.CSV(file), epsilon, dp.Meta{Tool: version, Now: time.Now})
//	sum, err := r.Write(ctx, "release-1")
//
// Everything that can be refused is refused before the debit: configuration, table,
// domain and size. A request that was answered before gets the same bytes again,
// including times.
//
// The configuration is public: it becomes part of the manifest. It states where its
// domain comes from, and either the column that identifies people or that each row is
// another person.
package dp

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"hide/internal/publish/cube"
	"hide/internal/publish/ledger"
	"hide/internal/publish/table"
	"hide/internal/strictjson"
	"hide/internal/tabular"
)

// Common are the settings of all configurations.
type Common struct {
	// Lineage is the name of the dataset in the ledger. It stays when rows are added.
	Lineage string `json:"lineage"`
	// Source says in words where domain and parameters come from: a code book, a form, a
	// decision made before anybody looked at the data. Required.
	Source string `json:"source"`
	// Columns name the columns of a table that has no header.
	Columns []string `json:"columns,omitempty"`
	// Separator between columns: "" is a comma.
	Separator string `json:"separator,omitempty"`
	// Unjoined is how many keys can belong to one person because records could not be
	// linked; 0 is 1. The noise grows with it.
	Unjoined int64 `json:"unjoined,omitempty"`
	// LeaveOutNameless skips rows with an empty key, which are refused otherwise.
	LeaveOutNameless bool `json:"leave_out_nameless,omitempty"`
	// Part limits the release to one part of a partition in the ledger: the rows with
	// this value in the column named like the partition. With a Key, all rows of one
	// person must be in one part.
	Part ledger.Part `json:"part,omitzero"`
	// Also are further keys of the people in the data, which the ledger is to know them by. They
	// are not in the file, and are not published.
	Also []string `json:"-"`
}

// CubeConfig is the configuration of a cube: the file of --config.
type CubeConfig struct {
	Common
	// Key is the column that identifies the person of a row. Bound rows of each person
	// count, by default 1. Without a key, OneRowEach must be true.
	Key        string `json:"key,omitempty"`
	Bound      int64  `json:"bound,omitempty"`
	OneRowEach bool   `json:"one_row_each,omitempty"`
	// By is the name of the unit of Key in the ledger; "" is the name of the column. It
	// is not in the file.
	By         string      `json:"-"`
	Dimensions cube.Domain `json:"dimensions"`
	Method     cube.Method `json:"method,omitempty"`
	Gain       cube.Gain   `json:"gain,omitempty"`
	Threshold  float64     `json:"threshold,omitempty"`
	First      float64     `json:"first,omitempty"`
	Fuse       bool        `json:"fuse,omitempty"`
	Marginals  [][]string  `json:"marginals,omitempty"`
	// Synthetic adds a table of synthetic rows with the counts of the release.
	Synthetic bool `json:"synthetic,omitempty"`
}

// mostConfig bounds a configuration, in bytes.
const mostConfig = 16 << 20

// DecodeConfig decodes a configuration in YAML or JSON strictly: an unknown field might
// be meant to protect, and so might a 0 in one of the fields above0, whose zero value is
// their default.
func DecodeConfig(raw []byte, into any, above0 ...string) error {
	if len(raw) > mostConfig {
		return fmt.Errorf("the configuration has more than %d bytes", mostConfig)
	}
	raw, err := jsonOf(bytes.TrimPrefix(raw, []byte(byteOrderMark)))
	if err != nil {
		return err
	}
	if err := strictjson.Decode(raw, into); err != nil {
		return fmt.Errorf("the configuration, %w", err)
	}
	return refuseZeros(raw, above0)
}

// refuseZeros refuses fields that are there and 0.
func refuseZeros(raw []byte, above0 []string) error {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil {
		return fmt.Errorf("the configuration: %w", err)
	}
	for _, name := range above0 {
		var x float64
		if value, found := fields[name]; found && json.Unmarshal(value, &x) == nil && x == 0 {
			return fmt.Errorf("%q is 0: it must be above 0; omit it for its default", name)
		}
	}
	return nil
}

func (c Common) check() error {
	switch {
	case c.Lineage == "":
		return errors.New(`the configuration lacks "lineage", the name of the dataset in the ledger`)
	case c.Source == "":
		return errors.New(`the configuration lacks "source": where its values, bins and bounds come from. Taken from the data, they would reveal what no epsilon covers`)
	case utf8.RuneCountInString(c.Separator) > 1 || c.Separator != "" && strings.Contains("\"\r\n\x00\uFFFD", c.Separator):
		return errors.New(`"separator" must be one character, and neither a quote nor the end of a line`)
	case c.Unjoined < 0 || c.Unjoined > mostBound:
		return fmt.Errorf(`"unjoined", how many keys can belong to one person, must be 1 to %d`, mostBound)
	}
	return nil
}

// ParseCube reads and checks a configuration.
func ParseCube(raw []byte) (CubeConfig, error) {
	var c CubeConfig
	if err := DecodeConfig(raw, &c, "bound", "unjoined", "threshold", "first"); err != nil {
		return c, err
	}
	return c, c.check()
}

func (c *CubeConfig) check() error {
	if err := c.Common.check(); err != nil {
		return err
	}
	if c.Key != "" && c.Bound == 0 {
		c.Bound = 1
	}
	switch {
	case (c.Key != "") == c.OneRowEach:
		return errors.New(`the configuration needs either a "key", the column that identifies the person of a row, or "one_row_each": true`)
	case c.Key == "" && c.LeaveOutNameless:
		return errors.New(`"leave_out_nameless" needs a "key"`)
	case c.Bound < 0 || c.Key == "" && c.Bound != 0 || c.Bound > mostBound || c.sensitivity() > mostBound:
		return fmt.Errorf(`"bound", how many rows of one person count, must be 1 to %d and needs a "key"`, mostBound)
	case c.Key != "" && c.Dimensions.Find(c.Key) >= 0:
		return errors.New("the key cannot be a dimension: it identifies people")
	}
	if err := c.Dimensions.Check(); err != nil {
		return err
	}
	for i, d := range c.Dimensions {
		if k := slices.IndexFunc(d.Values, blankAround); k >= 0 {
			return fmt.Errorf("dimension %d, %q: value %d has blanks around it, which are removed from the values of rows", i+1, d.Name, k+1)
		}
	}
	return c.params(ledger.One).CheckNames(c.Dimensions)
}

func blankAround(s string) bool { return s != strings.TrimSpace(s) }

// by names the unit that the ledger protects; "" without a key.
func (c CubeConfig) by() string {
	if c.Key != "" && c.By != "" {
		return c.By
	}
	return c.Key
}

// sensitivity is how many counted rows one person can have.
func (c CubeConfig) sensitivity() int64 { return max(1, c.Bound) * max(1, c.Unjoined) }

// mostBound bounds contributions: with more, the noise would hide everything.
const mostBound = 10_000

// params are the parameters of the cube.
func (c CubeConfig) params(e ledger.Micro) cube.Params {
	return cube.Params{Method: c.Method, Epsilon: e, Gain: c.Gain, Threshold: c.Threshold, First: c.First, Fuse: c.Fuse, Marginals: c.Marginals}
}

// Keys of a configuration whose values are texts or lists of texts, whatever they look
// like: a category "2019" is not a number.
var textKeys = []string{"name", "role", "kind", "lineage", "source", "key", "separator", "method", "gain", "of", "partition", "part", "columns", "values", "order", "alphabet", "marginals"}

// mostDepth bounds the nesting of a configuration.
const mostDepth = 16

// yamlLine is where YAML's errors say they are; the rest of them may quote.
var yamlLine = regexp.MustCompile(`line (\d+)`)

// jsonOf writes a configuration in YAML as JSON, with a list of attributes as key and
// dimensions. JSON stays as it is.
func jsonOf(raw []byte) ([]byte, error) {
	if !bytes.HasPrefix(bytes.TrimSpace(raw), []byte("{")) {
		var err error
		if raw, err = fromYAML(raw); err != nil {
			return nil, err
		}
	}
	var top map[string]json.RawMessage
	if json.Unmarshal(raw, &top) != nil || top["attributes"] == nil {
		return raw, nil // what else is wrong, the decoder of JSON says
	}
	if err := strictjson.Twins(raw); err != nil {
		return nil, fmt.Errorf("the configuration, %w", err)
	}
	return withoutRoles(top)
}

func fromYAML(raw []byte) ([]byte, error) {
	dec := yaml.NewDecoder(bytes.NewReader(raw))
	var root yaml.Node
	if err := dec.Decode(&root); err != nil {
		if at := yamlLine.FindString(err.Error()); at != "" {
			return nil, fmt.Errorf("the configuration, %s: not YAML", at)
		}
		return nil, errors.New("the configuration is empty, or neither YAML nor JSON")
	}
	if err := dec.Decode(new(yaml.Node)); err != io.EOF {
		return nil, errors.New("the configuration holds more than one document")
	}
	value, err := plainValue(root.Content[0], "", 0)
	if err != nil {
		return nil, err
	}
	return json.Marshal(value)
}

// plainValue is what JSON has for a node below a key.
func plainValue(n *yaml.Node, key string, depth int) (any, error) {
	if n.Kind == yaml.AliasNode || n.Anchor != "" || depth > mostDepth {
		return nil, fmt.Errorf("the configuration, line %d: aliases, anchors and more than %d levels are not supported", n.Line, mostDepth)
	}
	switch n.Kind {
	case yaml.SequenceNode:
		list := make([]any, len(n.Content))
		for i, child := range n.Content {
			var err error
			if list[i], err = plainValue(child, key, depth+1); err != nil {
				return nil, err
			}
		}
		return list, nil
	case yaml.MappingNode:
		fields, seen := map[string]any{}, map[string]bool{}
		for i := 0; i < len(n.Content); i += 2 {
			name := n.Content[i].Value
			folded := tabular.Fold(name)
			if seen[folded] {
				return nil, fmt.Errorf("the configuration, line %d: %q is there twice, perhaps in another case", n.Content[i].Line, name)
			}
			seen[folded] = true
			var err error
			if fields[name], err = plainValue(n.Content[i+1], name, depth+1); err != nil {
				return nil, err
			}
		}
		return fields, nil
	}
	return scalar(n, key)
}

func scalar(n *yaml.Node, key string) (any, error) {
	tag := n.ShortTag()
	if slices.Contains(textKeys, key) && tag != "!!null" || tag == "!!timestamp" {
		return n.Value, nil
	}
	if number := json.Number(n.Value); (tag == "!!int" || tag == "!!float") && json.Valid([]byte(number)) {
		return number, nil
	}
	var value any
	if err := n.Decode(&value); err != nil || tag == "!!float" {
		return nil, fmt.Errorf("the configuration, line %d: not a number, text, true or false", n.Line)
	}
	return value, nil
}

// attribute is a column as configurations of all releases write it.
type attribute struct {
	Name   string     `json:"name"`
	Role   table.Role `json:"role"`
	Kind   table.Kind `json:"kind"`
	Order  []string   `json:"order"`  // of an ordinal
	Values []string   `json:"values"` // of a nominal
	Min    float64    `json:"min"`    // of a number, with the two below
	Max    float64    `json:"max"`
	Width  float64    `json:"width"`
	Other  bool       `json:"other"`
}

// withoutRoles turns attributes into the key, which is the direct identifier, and the
// dimensions, which are all others but texts, in their order.
func withoutRoles(top map[string]json.RawMessage) ([]byte, error) {
	if top["dimensions"] != nil {
		return nil, errors.New(`the configuration lists "attributes" and "dimensions": take one of them`)
	}
	var all []attribute
	if err := strictjson.Decode(top["attributes"], &all); err != nil {
		return nil, fmt.Errorf("the configuration, attributes: %w", err)
	}
	dimensions := []map[string]any{}
	for _, a := range all {
		if err := a.check(); err != nil {
			return nil, err
		}
		switch a.Role {
		case table.Text:
		case table.Direct:
			if top["key"] != nil {
				return nil, fmt.Errorf("attribute %q is a second direct identifier: name the one that identifies the person of a row as \"key\", and omit the others", a.Name)
			}
			top["key"], _ = json.Marshal(a.Name) // a string can be
		default:
			dimensions = append(dimensions, a.dimension())
		}
	}
	delete(top, "attributes")
	top["dimensions"], _ = json.Marshal(dimensions) // of values that were JSON
	return json.Marshal(top)
}

func (a attribute) check() error {
	kind := a.Kind
	kind = cmp.Or(kind, table.Nominal)
	if err := (table.Attribute{Name: a.Name, Role: a.Role, Kind: kind, Order: a.Order}).Check(); err != nil {
		return err
	}
	numeric := kind == table.Number
	switch {
	case a.Role == table.Direct || a.Role == table.Text:
		return nil
	case kind == table.Date || kind == table.Code:
		return fmt.Errorf("attribute %q: counts are of a %s, %s or %s attribute; list the values of others", a.Name, table.Nominal, table.Ordinal, table.Number)
	case numeric && (len(a.Values) > 0 || a.Width == 0) || !numeric && (a.Min != 0 || a.Max != 0 || a.Width != 0):
		return fmt.Errorf("attribute %q: a %s has min, max and width, others have a list of values", a.Name, table.Number)
	case kind == table.Ordinal && len(a.Values) > 0:
		return fmt.Errorf("attribute %q: an %s lists its values as its order", a.Name, table.Ordinal)
	}
	return nil
}

func (a attribute) dimension() map[string]any {
	d := map[string]any{"name": a.Name}
	switch a.Kind {
	case table.Number:
		d["min"], d["max"], d["width"] = a.Min, a.Max, a.Width
	case table.Ordinal:
		d["values"], d["ordered"] = a.Order, true
	default:
		d["values"] = a.Values
	}
	if a.Other {
		d["other"] = true
	}
	return d
}
