// SPDX-License-Identifier: Apache-2.0

package dp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"

	"go.yaml.in/yaml/v3"

	"hide/internal/publish/table"
)

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
		fields := map[string]any{}
		for i := 0; i < len(n.Content); i += 2 {
			name := n.Content[i].Value
			if _, twice := fields[name]; twice {
				return nil, fmt.Errorf("the configuration, line %d: %q is there twice", n.Content[i].Line, name)
			}
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
	dec := json.NewDecoder(bytes.NewReader(top["attributes"]))
	dec.DisallowUnknownFields()
	var all []attribute
	if err := dec.Decode(&all); err != nil {
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
	if kind == "" {
		kind = table.Nominal
	}
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
