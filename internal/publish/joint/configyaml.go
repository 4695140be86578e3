// SPDX-License-Identifier: Apache-2.0

package joint

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"

	"hide/internal/annotate"
	"hide/internal/publish/table"
)

// Limits of a configuration.
const (
	maxConfig     = 4 << 20
	maxAttributes = 20_000
	maxTreeDepth  = 64
	maxTreeNodes  = 200_000
)

// yamlConfig is rx-anon's form: configuration_reader.py and configuration.py of
// its program. What belongs to its language model is read and left alone.
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

// ReadConfig reads a configuration in rx-anon's YAML, with two keys more: an
// attribute may list words "around" its value in a text, and the parameter
// "own_values" is [Config].OwnValues. Keys that neither knows
// are refused, and so are YAML's aliases. Errors name attributes and lines.
func ReadConfig(r io.Reader) (Config, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxConfig+1))
	if err != nil {
		return Config{}, err
	}
	if len(text) > maxConfig {
		return Config{}, fmt.Errorf("the configuration is longer than %d bytes", maxConfig)
	}
	var file yamlConfig
	if err := strictYAML(text, &file); err != nil {
		return Config{}, err
	}
	if err := wholeK(text); err != nil {
		return Config{}, err
	}
	c := Config{K: file.Parameters.K, Strategy: file.Parameters.Strategy, Lambda: 0.5, Types: file.Entities.Native, OwnValues: file.Parameters.Own}
	if c.Strategy == "" {
		c.Strategy = Mondrian
	}
	if file.Parameters.Weight != nil {
		c.Lambda = *file.Parameters.Weight
	}
	if c.Attributes, err = attributesOf(&file.Attributes); err != nil {
		return Config{}, err
	}
	if c.Custom, err = patternsOf(&file.Entities.Custom); err != nil {
		return Config{}, err
	}
	return c, c.check()
}

// wholeK refuses a fraction, which package yaml cuts off: k would be less than was asked
// for.
func wholeK(text []byte) error {
	var c struct{ Parameters struct{ K yaml.Node } }
	if err := yaml.Unmarshal(text, &c); err != nil {
		return unreadableYAML(err)
	}
	if c.Parameters.K.ShortTag() == "!!float" {
		return fmt.Errorf("line %d: k is a fraction and not a whole number", c.Parameters.K.Line)
	}
	return nil
}

// strictYAML decodes one document without aliases and unknown keys.
func strictYAML(text []byte, into any) error {
	var root yaml.Node
	if err := yaml.Unmarshal(text, &root); err != nil {
		return unreadableYAML(err)
	}
	if line := aliasLine(&root, 0); line > 0 {
		return fmt.Errorf("line %d: aliases, anchors and more than %d levels are not taken", line, maxTreeDepth)
	}
	dec := yaml.NewDecoder(strings.NewReader(string(text)))
	dec.KnownFields(true)
	if err := dec.Decode(into); err != nil {
		return unreadableYAML(err)
	}
	if err := dec.Decode(new(yaml.Node)); err != io.EOF {
		return errors.New("the configuration holds more than one document")
	}
	return nil
}

// yamlLine is where YAML's errors say they are; the rest of them may quote.
var yamlLine = regexp.MustCompile(`line (\d+)`)

func unreadableYAML(err error) error {
	if at := yamlLine.FindString(err.Error()); at != "" {
		return fmt.Errorf("%s is not as a configuration has it", at)
	}
	return errors.New("the configuration is empty or no YAML")
}

// aliasLine is the line of the first alias or anchor, or of what lies too deep; 0
// when there is none.
func aliasLine(n *yaml.Node, depth int) int {
	if n.Kind == yaml.AliasNode || n.Anchor != "" || depth > maxTreeDepth {
		return max(n.Line, 1)
	}
	for _, child := range n.Content {
		if line := aliasLine(child, depth+1); line > 0 {
			return line
		}
	}
	return 0
}

func attributesOf(n *yaml.Node) ([]Attribute, error) {
	if n.Kind != yaml.MappingNode || len(n.Content) > 2*maxAttributes {
		return nil, fmt.Errorf("attributes is no list of names with what they are, at most %d", maxAttributes)
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
		return fmt.Errorf("line %d: is no list of keys", n.Line)
	}
	for i := 0; i < len(n.Content); i += 2 {
		if !attributeKeys[n.Content[i].Value] {
			return fmt.Errorf("line %d: %q is no key of an attribute", n.Content[i].Line, n.Content[i].Value)
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
		return Attribute{}, errors.New("anonymization_type is none of direct_identifier, quasi_identifier, insensitive_attribute and text")
	}
	kind, known := kindWords[a.Type]
	if !known {
		return Attribute{}, errors.New("type is none of nominal, ordinal, numerical, date and text")
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
			return errors.New("has a format and is no date")
		}
		if out.Layout, err = table.Strftime(a.Format); err != nil {
			return err
		}
	}
	switch {
	case a.Recoding == "string_reduction" && out.Kind == table.Nominal:
		out.Kind = table.Code
	case a.Recoding == "hierarchy" && (a.Tree == nil || out.Kind == table.Date):
		return errors.New("recoding_strategy is hierarchy and there is none, or for a date, which has its own")
	case a.Recoding != "" && a.Recoding != "grouping" && a.Recoding != "hierarchy":
		return errors.New("recoding_strategy is none of grouping, hierarchy, and string_reduction of a nominal")
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
		return nil, fmt.Errorf("line %d: entities.custom is no list of types with patterns", n.Line)
	}
	var all []Pattern
	for i := 0; i < len(n.Content); i += 2 {
		label := n.Content[i].Value
		re, err := regexp.Compile("(?i)(?:" + n.Content[i+1].Value + ")")
		if err != nil || n.Content[i+1].Kind != yaml.ScalarNode || re.MatchString("") {
			return nil, fmt.Errorf("line %d: the pattern of %q is no regular expression of RE2, or matches nothing at all", n.Content[i+1].Line, label)
		}
		all = append(all, Pattern{annotate.Label(label), re})
	}
	return all, nil
}
