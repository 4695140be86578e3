// SPDX-License-Identifier: Apache-2.0

package joint

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"hide/internal/annotate"
	"hide/internal/publish/table"
)

// Config says what the columns of an RX-dataset are and how it is anonymized.
type Config struct {
	K          int         // persons of a class at least; 0 when not said
	Strategy   Strategy    // default [Mondrian]
	Lambda     float64     // share of the relational attributes in Mondrian's choice, 0 to 1; default 0.5
	Attributes []Attribute // in the order of the file; the first [table.Direct] identifies persons
	Types      []annotate.Label
	Custom     []Pattern
	// OwnValues suppresses, as [Identifier], the values in a person's texts of
	// quasi-identifiers without entities: words of three letters or more, numbers of four
	// digits, shorter ones beside a word of around, dates with their month. Their type in
	// the text is unknown, so that they are not recoded.
	OwnValues bool
}

// Strategy is how classes are found.
type Strategy string

const (
	// Mondrian cuts at an attribute, relational or textual, that lambda favours.
	Mondrian Strategy = "mondrian"
	// GDF cuts at the sensitive term that most persons share.
	GDF Strategy = "gdf"
)

// Attribute is a column of an RX-dataset.
type Attribute struct {
	table.Attribute
	Bias     float64          // added to the priority of a relational attribute, 0 to 1
	Entities []annotate.Label // types of terms that can repeat this attribute (emap)
	Around   []string         // words that may stand beside the value in such a term; for numbers default [ageWords]
	tree     *treeNode        // a hierarchy as configured; nil for none
}

// around are the words that may stand beside a value of the attribute in a term.
func (a Attribute) around() []string {
	if a.Around == nil && a.Kind == table.Number {
		return ageWords
	}
	return a.Around
}

// Pattern finds terms of a type that no tagger knows.
type Pattern struct {
	Type    annotate.Label
	Pattern *regexp.Regexp // case does not count
}

// Sensitive are the types of terms that count: those named and those with a
// pattern. None means every type.
func (c Config) Sensitive() []annotate.Label {
	all := slices.Clone(c.Types)
	for _, p := range c.Custom {
		all = append(all, p.Type)
	}
	return all
}

// Counts says whether terms of a type are sensitive.
func (c Config) Counts(label annotate.Label) bool {
	all := c.Sensitive()
	return len(all) == 0 || slices.Contains(all, label)
}

// names gives those of the attributes with a role. It is never nil.
func (c Config) names(role table.Role) []string {
	all := []string{}
	for _, i := range c.with(role) {
		all = append(all, c.Attributes[i].Name)
	}
	return all
}

// with gives the places of the attributes with a role.
func (c Config) with(role table.Role) []int {
	var found []int
	for i, a := range c.Attributes {
		if a.Role == role {
			found = append(found, i)
		}
	}
	return found
}

// key is the place of the attribute that identifies persons, -1 when there is none.
func (c Config) key() int {
	if direct := c.with(table.Direct); len(direct) > 0 {
		return direct[0]
	}
	return -1
}

// TextAttributes gives the names of the attributes that are texts.
func (c Config) TextAttributes() []string {
	var names []string
	for _, i := range c.with(table.Text) {
		names = append(names, c.Attributes[i].Name)
	}
	return names
}

// check reports why the configuration cannot be used.
func (c Config) check() error {
	if c.Strategy != Mondrian && c.Strategy != GDF {
		return fmt.Errorf("unknown strategy; it is %s or %s", Mondrian, GDF)
	}
	if !(c.Lambda >= 0 && c.Lambda <= 1) {
		return errors.New("lambda (relational_weight) must be from 0 to 1")
	}
	if c.key() < 0 {
		return errors.New("no attribute has the role direct (direct_identifier), so that the rows of a person cannot be found")
	}
	seen := map[string]bool{}
	for _, a := range c.Attributes {
		if err := a.check(); err != nil {
			return err
		}
		if name := strings.ToLower(a.Name); seen[name] {
			return fmt.Errorf("attribute %q is listed twice", a.Name)
		} else {
			seen[name] = true
		}
	}
	for _, label := range c.Sensitive() {
		if err := annotate.CheckLabel(label); err != nil {
			return fmt.Errorf("entities: %w", err)
		}
	}
	return nil
}

func (a Attribute) check() error {
	if !(a.Bias >= 0 && a.Bias <= 1) {
		return fmt.Errorf("attribute %q: bias must be from 0 to 1", a.Name)
	}
	if len(a.Entities) > 0 && a.Role == table.Text {
		return fmt.Errorf("attribute %q is a text and cannot have entities", a.Name)
	}
	return nil
}

// Arrange brings the columns of a file with this header into the order of the
// attributes: column i of the file is attribute [i] of what it returns, whatever
// the case of its letters. Every column must have an attribute and the other way
// round.
func (c Config) Arrange(header []string) ([]int, error) {
	place := map[string]int{}
	for i, a := range c.Attributes {
		place[strings.ToLower(a.Name)] = i
	}
	order, seen := make([]int, len(header)), map[int]bool{}
	for i, name := range header {
		at, known := place[strings.ToLower(name)]
		switch {
		case !known:
			return nil, fmt.Errorf("column %d of the file, %q, is not an attribute of the configuration", i+1, name)
		case seen[at]:
			return nil, fmt.Errorf("the file has two columns %q", name)
		}
		order[i], seen[at] = at, true
	}
	for i, a := range c.Attributes {
		if !seen[i] {
			return nil, fmt.Errorf("attribute %q of the configuration is not a column of the file", a.Name)
		}
	}
	return order, nil
}

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
	c.Strategy = cmp.Or(c.Strategy, Mondrian)
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
	out.Kind = cmp.Or(out.Kind, table.Nominal)
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
