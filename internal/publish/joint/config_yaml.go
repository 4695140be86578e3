// SPDX-License-Identifier: Apache-2.0

package joint

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"

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

// ReadConfig reads a configuration in YAML or JSON, either with the roles and kinds of all
// releases, which package table defines, or in the form of rx-anon's program, whose
// attributes are a mapping by name instead of a list. Unknown keys are refused, and so
// are YAML's aliases. Errors name attributes and lines.
func ReadConfig(r io.Reader) (Config, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxConfig+1))
	if err != nil {
		return Config{}, err
	}
	if len(text) > maxConfig {
		return Config{}, fmt.Errorf("the configuration is longer than %d bytes", maxConfig)
	}
	var root yaml.Node
	if err := yaml.Unmarshal(text, &root); err != nil {
		return Config{}, unreadableYAML(err)
	}
	if line := aliasLine(&root, 0); line > 0 {
		return Config{}, fmt.Errorf("line %d: aliases, anchors and more than %d levels are not supported", line, maxTreeDepth)
	}
	if line := fractionOfK(&root); line > 0 {
		return Config{}, fmt.Errorf("line %d: k is not a whole number", line)
	}
	read := readRxAnon
	if n := child(&root, "attributes"); n != nil && n.Kind == yaml.SequenceNode {
		read = readRoles
	}
	c, err := read(text)
	if err != nil {
		return Config{}, err
	}
	if c.Strategy == "" {
		c.Strategy = Mondrian
	}
	return c, c.check()
}

// rolesConfig is a configuration with the roles and kinds of all releases.
type rolesConfig struct {
	Attributes []rolesAttribute `yaml:"attributes"`
	Privacy    struct {
		K int `yaml:"k"`
	} `yaml:"privacy"`
	Method struct {
		Name   Strategy `yaml:"name"`
		Lambda *float64 `yaml:"lambda"`
	} `yaml:"method"`
	Terms struct {
		Types    []annotate.Label `yaml:"types"`
		Patterns yaml.Node        `yaml:"patterns"`
	} `yaml:"terms"`
	OwnValues bool `yaml:"own_values"`
}

type rolesAttribute struct {
	Name      string           `yaml:"name"`
	Role      table.Role       `yaml:"role"`
	Kind      table.Kind       `yaml:"kind"`
	Order     []string         `yaml:"order"`
	Format    string           `yaml:"format"`
	Hierarchy *treeNode        `yaml:"hierarchy"`
	Bias      float64          `yaml:"bias"`
	Entities  []annotate.Label `yaml:"entities"`
	Around    []string         `yaml:"around"`
}

func readRoles(text []byte) (Config, error) {
	var file rolesConfig
	if err := decodeYAML(text, &file); err != nil {
		return Config{}, err
	}
	if len(file.Attributes) > maxAttributes {
		return Config{}, fmt.Errorf("a configuration lists at most %d attributes", maxAttributes)
	}
	c := Config{K: file.Privacy.K, Strategy: file.Method.Name, Lambda: 0.5, Types: file.Terms.Types, OwnValues: file.OwnValues}
	if file.Method.Lambda != nil {
		c.Lambda = *file.Method.Lambda
	}
	for _, a := range file.Attributes {
		out, err := a.attribute()
		if err != nil {
			return Config{}, fmt.Errorf("attribute %q: %w", a.Name, err)
		}
		c.Attributes = append(c.Attributes, out)
	}
	var err error
	c.Custom, err = patternsOf(&file.Terms.Patterns)
	return c, err
}

func (a rolesAttribute) attribute() (Attribute, error) {
	out := Attribute{Attribute: table.Attribute{Name: a.Name, Role: a.Role, Kind: a.Kind, Order: a.Order}, Bias: a.Bias, Entities: a.Entities, Around: a.Around}
	if out.Kind == "" {
		out.Kind = table.Nominal
	}
	if err := out.Check(); err != nil {
		return out, err
	}
	if a.Role == table.Sensitive {
		return out, fmt.Errorf("a release of notes with a table has no role %s: k-anonymity does not protect such values; %s releases them as they are", table.Sensitive, table.Insensitive)
	}
	if a.Hierarchy != nil && a.Kind == table.Date {
		return out, errors.New("a date takes no hierarchy: it has one of its own")
	}
	as := yamlAttribute{Format: a.Format, Tree: a.Hierarchy}
	if a.Hierarchy != nil {
		as.Recoding = "hierarchy"
	}
	return out, as.recoding(&out)
}

// child is the value of a key at the top level, nil when it is not there.
func child(root *yaml.Node, key string) *yaml.Node {
	for _, doc := range root.Content {
		for i := 0; doc.Kind == yaml.MappingNode && i < len(doc.Content); i += 2 {
			if doc.Content[i].Value == key {
				return doc.Content[i+1]
			}
		}
	}
	return nil
}

// fractionOfK is the line of a k with a fraction, which package yaml would cut off: k
// would be smaller than was asked for.
func fractionOfK(root *yaml.Node) int {
	for _, section := range []string{"parameters", "privacy"} {
		n := child(root, section)
		for i := 0; n != nil && n.Kind == yaml.MappingNode && i < len(n.Content); i += 2 {
			if n.Content[i].Value == "k" && n.Content[i+1].ShortTag() == "!!float" {
				return n.Content[i+1].Line
			}
		}
	}
	return 0
}

// decodeYAML decodes one document without unknown keys.
func decodeYAML(text []byte, into any) error {
	dec := yaml.NewDecoder(bytes.NewReader(text))
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
		return fmt.Errorf("%s does not belong in a configuration; docs/joint.md describes it", at)
	}
	return errors.New("the configuration is empty or not YAML")
}

// aliasLine is the line of the first alias or anchor, or of the first node that lies too
// deep; 0 when there is none.
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
