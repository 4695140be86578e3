// SPDX-License-Identifier: Apache-2.0

package joint

import (
	"errors"
	"fmt"
	"regexp"

	"go.yaml.in/yaml/v3"

	"hide/internal/annotate"
	"hide/internal/publish/table"
)

// yamlConfig is rx-anon's form: configuration_reader.py and configuration.py of
// its program. The keys of its language model are read and ignored.
type yamlConfig struct {
	Parameters struct {
		K        int      `yaml:"k"`
		Strategy Strategy `yaml:"strategy"`
		Weight   *float64 `yaml:"relational_weight"`
		Own      bool     `yaml:"own_values"`
	} `yaml:"parameters"`
	NLP struct {
		Model string `yaml:"model"`
		Cache string `yaml:"cache"`
	} `yaml:"nlp"`
	Attributes yaml.Node `yaml:"attributes"`
	Entities   struct {
		Native []annotate.Label `yaml:"native"`
		Custom yaml.Node        `yaml:"custom"`
	} `yaml:"entities"`
}

type yamlAttribute struct {
	Type     string           `yaml:"type"`
	Role     string           `yaml:"anonymization_type"`
	Bias     float64          `yaml:"bias"`
	Format   string           `yaml:"format"`
	Order    []string         `yaml:"order"`
	Recoding string           `yaml:"recoding_strategy"`
	Tree     *treeNode        `yaml:"hierarchy"`
	Entities []annotate.Label `yaml:"entities"`
	Around   []string         `yaml:"around"`
}

// readRxAnon reads a configuration in rx-anon's YAML, with two keys more: an attribute may
// list words "around" its value in a text, and the parameter "own_values" is
// [Config].OwnValues.
func readRxAnon(text []byte) (Config, error) {
	var file yamlConfig
	if err := decodeYAML(text, &file); err != nil {
		return Config{}, err
	}
	c := Config{K: file.Parameters.K, Strategy: file.Parameters.Strategy, Lambda: 0.5, Types: file.Entities.Native, OwnValues: file.Parameters.Own}
	if file.Parameters.Weight != nil {
		c.Lambda = *file.Parameters.Weight
	}
	var err error
	if c.Attributes, err = attributesOf(&file.Attributes); err != nil {
		return Config{}, err
	}
	c.Custom, err = patternsOf(&file.Entities.Custom)
	return c, err
}

func attributesOf(n *yaml.Node) ([]Attribute, error) {
	if n.Kind != yaml.MappingNode || len(n.Content) > 2*maxAttributes {
		return nil, fmt.Errorf("attributes is not a list of attributes, at most %d", maxAttributes)
	}
	var all []Attribute
	for i := 0; i < len(n.Content); i += 2 {
		a := yamlAttribute{}
		if err := decodeStrict(n.Content[i+1], &a); err != nil {
			return nil, fmt.Errorf("attribute %q: %w", n.Content[i].Value, err)
		}
		out, err := a.attribute(n.Content[i].Value)
		if err != nil {
			return nil, fmt.Errorf("attribute %q: %w", n.Content[i].Value, err)
		}
		all = append(all, out)
	}
	return all, nil
}

// attributeKeys are what an attribute may say.
var attributeKeys = map[string]bool{"type": true, "anonymization_type": true, "bias": true, "format": true, "order": true, "recoding_strategy": true, "hierarchy": true, "entities": true, "around": true}

// decodeStrict is yaml.Node.Decode, which has no strict form.
func decodeStrict(n *yaml.Node, a *yamlAttribute) error {
	if n.Kind == yaml.ScalarNode && n.Tag == "!!null" {
		return nil // a name alone: all defaults
	}
	if n.Kind != yaml.MappingNode {
		return fmt.Errorf("line %d: not a list of keys", n.Line)
	}
	for i := 0; i < len(n.Content); i += 2 {
		if !attributeKeys[n.Content[i].Value] {
			return fmt.Errorf("line %d: unknown key %q of an attribute", n.Content[i].Line, n.Content[i].Value)
		}
	}
	if err := n.Decode(a); err != nil {
		return unreadableYAML(err)
	}
	return nil
}

// Words of rx-anon's configurations.
var (
	roleWords = map[string]table.Role{
		"": table.Insensitive, "insensitive_attribute": table.Insensitive, "quasi_identifier": table.Quasi, "direct_identifier": table.Direct, "text": table.Text,
	}
	kindWords = map[string]table.Kind{
		"": table.Nominal, "nominal": table.Nominal, "ordinal": table.Ordinal, "numerical": table.Number, "date": table.Date, "text": table.Nominal,
	}
)

func (a yamlAttribute) attribute(name string) (Attribute, error) {
	role, known := roleWords[a.Role]
	if !known {
		return Attribute{}, errors.New("unknown anonymization_type; it is direct_identifier, quasi_identifier, insensitive_attribute or text")
	}
	kind, known := kindWords[a.Type]
	if !known {
		return Attribute{}, errors.New("unknown type; it is nominal, ordinal, numerical, date or text")
	}
	if (a.Type == "text") != (role == table.Text) && a.Type != "" {
		return Attribute{}, errors.New("type and anonymization_type do not agree on whether it is a text")
	}
	out := Attribute{Attribute: table.Attribute{Name: name, Role: role, Kind: kind, Order: a.Order}, Bias: a.Bias, Entities: a.Entities, Around: a.Around}
	return out, a.recoding(&out)
}

// recoding sets how values are written and generalized.
func (a yamlAttribute) recoding(out *Attribute) (err error) {
	if a.Format != "" {
		if out.Kind != table.Date {
			return errors.New("has a format and is not a date")
		}
		if out.Layout, err = table.Strftime(a.Format); err != nil {
			return err
		}
	}
	switch {
	case a.Recoding == "string_reduction" && out.Kind == table.Nominal:
		out.Kind = table.Code
	case a.Recoding == "hierarchy" && (a.Tree == nil || out.Kind == table.Date):
		return errors.New("recoding_strategy is hierarchy without a hierarchy, or of a date, which has its own")
	case a.Recoding != "" && a.Recoding != "grouping" && a.Recoding != "hierarchy":
		return errors.New("unknown recoding_strategy; it is grouping, hierarchy, or string_reduction of a nominal")
	}
	if a.Recoding != "hierarchy" {
		return nil
	}
	nodes := 0
	out.tree = a.Tree
	return a.Tree.check(out.Kind == table.Number, 0, &nodes)
}

// patternsOf reads the types that a regular expression finds.
func patternsOf(n *yaml.Node) ([]Pattern, error) {
	if n.IsZero() || n.Tag == "!!null" {
		return nil, nil
	}
	if n.Kind != yaml.MappingNode {
		return nil, fmt.Errorf("line %d: entities.custom is not a list of types with patterns", n.Line)
	}
	var all []Pattern
	for i := 0; i < len(n.Content); i += 2 {
		label := n.Content[i].Value
		re, err := regexp.Compile("(?i)(?:" + n.Content[i+1].Value + ")")
		if err != nil || n.Content[i+1].Kind != yaml.ScalarNode || re.MatchString("") {
			return nil, fmt.Errorf("line %d: the pattern of %q is not a regular expression of RE2, or matches the empty text", n.Content[i+1].Line, label)
		}
		all = append(all, Pattern{annotate.Label(label), re})
	}
	return all, nil
}
