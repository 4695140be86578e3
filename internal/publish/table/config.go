// SPDX-License-Identifier: Apache-2.0

package table

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"hide/internal/publish/hierarchy"
)

// Config describes a file and how it is published. It is written in YAML or JSON;
// docs/tables.md describes it.
type Config struct {
	Separator  string            `yaml:"separator" json:"separator,omitempty"` // between fields: one character; default: the one of , ; and tab that the first line has most
	Columns    []string          `yaml:"columns" json:"columns,omitempty"`     // names, for a file without a header
	Missing    []string          `yaml:"missing" json:"missing,omitempty"`     // marks of a missing value, in addition to nothing and "na"
	Key        string            `yaml:"key" json:"key,omitempty"`             // column that identifies patients; each must occur once
	Attributes []AttributeConfig `yaml:"attributes" json:"attributes"`
	Others     Role              `yaml:"others" json:"others,omitempty"` // of columns that Attributes does not list: direct to omit them, or insensitive; default: such columns are refused
	Sample     Sample            `yaml:"sample" json:"sample,omitzero"`  // rows to release, of a file that holds the population; default: all
	People     int               `yaml:"people" json:"people,omitempty"` // of the population from which the rows are a sample, to estimate unique records; 0 means unknown
	Privacy    Privacy           `yaml:"privacy" json:"privacy"`
	Method     Method            `yaml:"method" json:"method"`

	// Hierarchies are the files that attributes name, by name. The reader of the
	// configuration reads them, too.
	Hierarchies map[string]*hierarchy.Hierarchy `yaml:"-" json:"-"`
}

// AttributeConfig is one configured attribute.
type AttributeConfig struct {
	Name      string   `yaml:"name" json:"name"`
	Role      Role     `yaml:"role" json:"role"`
	Kind      Kind     `yaml:"kind" json:"kind,omitempty"`           // default nominal
	Order     []string `yaml:"order" json:"order,omitempty"`         // of an ordinal
	Format    string   `yaml:"format" json:"format,omitempty"`       // of a date, as strftime has it: %d.%m.%Y
	Hierarchy string   `yaml:"hierarchy" json:"hierarchy,omitempty"` // file in ARX's form, or "auto" for numbers and dates
	Diversity `yaml:",inline"`
}

// Diversity is the requirement on a sensitive attribute in each class.
type Diversity struct {
	L        float64 `yaml:"l" json:"l,omitempty"`                 // l-diversity; 0 for none
	Kind     string  `yaml:"diversity" json:"diversity,omitempty"` // distinct (default), entropy or recursive
	C        float64 `yaml:"c" json:"c,omitempty"`                 // of recursive (c, l)-diversity
	T        float64 `yaml:"t" json:"t,omitempty"`                 // t-closeness; 0 for none
	Distance string  `yaml:"distance" json:"distance,omitempty"`   // of t-closeness: equal, ordered or hierarchical; default by kind
}

// What k counts.
const (
	CountRows   = "rows"
	CountPeople = "people"
)

// Sample says which rows of a population are released.
type Sample struct {
	Column string `yaml:"column" json:"column"` // is not released itself
	Value  string `yaml:"value" json:"value"`   // of it in rows to release
}

// Privacy is the requirement on the size of each class.
type Privacy struct {
	K int `yaml:"k" json:"k"` // least rows of a class; of a sample, see Counts
	// Counts is what k counts of a table that is a sample: rows that are released, or
	// people of the population (k-map). Default: people when the table itself marks the
	// sample, rows when the population is a separate file.
	Counts string `yaml:"counts" json:"counts,omitempty"`
}

// Method is how classes are found.
type Method struct {
	Name        string  `yaml:"name" json:"name"`                         // mondrian (default) or incognito
	Cut         string  `yaml:"cut" json:"cut,omitempty"`                 // of mondrian: ncp (default), nearest, lefevre or rxanon
	Relaxed     bool    `yaml:"relaxed" json:"relaxed,omitempty"`         // of mondrian: equal values may go to both sides of a cut
	Suppression float64 `yaml:"suppression" json:"suppression,omitempty"` // of incognito: share of rows that may be left out, in per cent
	// Levels are of incognito: the level of each quasi-identifier by name, 0 for unchanged
	// values. Default: the levels with the least information loss.
	Levels map[string]int `yaml:"levels" json:"levels,omitempty"`
}

// maxConfig bounds a configuration.
const maxConfig = 8 << 20

// ReadConfig reads a configuration, YAML or JSON, and refuses unknown fields. An error
// names a line or an attribute.
func ReadConfig(r io.Reader) (Config, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxConfig+1))
	if err != nil {
		return Config{}, err
	}
	if len(text) > maxConfig {
		return Config{}, fmt.Errorf("a configuration may have at most %d bytes", maxConfig)
	}
	dec := yaml.NewDecoder(bytes.NewReader(text))
	dec.KnownFields(true)
	var c Config
	if err := dec.Decode(&c); err != nil {
		return Config{}, configError(err)
	}
	if err := dec.Decode(new(yaml.Node)); err != io.EOF {
		return Config{}, errors.New("the configuration holds more than one document")
	}
	if err := wholeNumbers(text); err != nil {
		return Config{}, err
	}
	return c, c.check()
}

// wholeNumbers refuses fractions of whole numbers: package yaml would cut them off, and k
// would be too small.
func wholeNumbers(text []byte) error {
	var c struct {
		People  yaml.Node
		Privacy struct{ K yaml.Node }
		Method  struct{ Levels map[string]yaml.Node }
	}
	if err := yaml.Unmarshal(text, &c); err != nil {
		return configError(err)
	}
	for _, n := range append(slices.Collect(maps.Values(c.Method.Levels)), c.People, c.Privacy.K) {
		if n.ShortTag() == "!!float" {
			return fmt.Errorf("line %d of the configuration has a fraction: enter a whole number", n.Line)
		}
	}
	return nil
}

var configLine = regexp.MustCompile(`line (\d+): (?:field (\w+) not found)?`)

// configError keeps only the line and the name of a field of an error of package yaml: the
// rest may quote values.
func configError(err error) error {
	found := configLine.FindStringSubmatch(err.Error())
	switch {
	case err == io.EOF:
		return errors.New("the configuration is empty")
	case found == nil:
		return errors.New("the configuration is neither YAML nor JSON")
	case found[2] != "":
		return fmt.Errorf("unknown field %q in line %s of the configuration", found[2], found[1])
	}
	return fmt.Errorf("line %s of the configuration does not have the right form; docs/tables.md describes it", found[1])
}

// Auto is the name of a hierarchy that is made from the values.
const Auto = "auto"

func (c Config) check() error {
	if c.Separator != "" && (utf8.RuneCountInString(c.Separator) != 1 || c.Separator == "\"" || c.Separator == "\n" || c.Separator == "\r" || c.Separator == "\ufffd") {
		return errors.New("separator must be one character, not a quote or the end of a line")
	}
	if c.Others != "" && c.Others != Direct && c.Others != Insensitive {
		return fmt.Errorf("others must be %s or %s", Direct, Insensitive)
	}
	if len(c.Attributes) == 0 {
		return errors.New("the configuration lists no attributes")
	}
	seen := map[string]bool{}
	for _, a := range c.Attributes {
		if seen[a.Name] {
			return fmt.Errorf("attribute %q is configured twice", a.Name)
		}
		seen[a.Name] = true
		if err := a.checkSettings(); err != nil {
			return err
		}
	}
	if c.Sample.Column != "" && c.Sample.Value == "" || c.Sample.Column == "" && c.Sample.Value != "" {
		return errors.New("a sample needs both a column and its value")
	}
	if c.Sample.Column != "" && seen[c.Sample.Column] {
		return errors.New("the column of the sample is listed among the attributes: it has no role")
	}
	if c.Privacy.Counts != "" && c.Privacy.Counts != CountRows && c.Privacy.Counts != CountPeople {
		return fmt.Errorf("k counts %s or %s", CountRows, CountPeople)
	}
	if c.People < 0 {
		return errors.New("people must be at least 0")
	}
	if c.Key != "" && !seen[c.Key] && c.Others == "" {
		return errors.New("the key is not among the attributes")
	}
	return nil
}

func (a AttributeConfig) checkSettings() error {
	if _, err := a.attribute(nil); err != nil {
		return err
	}
	if a.Diversity != (Diversity{}) && a.Role != Sensitive {
		return fmt.Errorf("attribute %q: l, t and the like are only for a %s attribute", a.Name, Sensitive)
	}
	return nil
}

// HierarchyFiles are the names of the hierarchies to read, each once.
func (c Config) HierarchyFiles() []string {
	var names []string
	for _, a := range c.Attributes {
		if a.Hierarchy != "" && a.Hierarchy != Auto && !slices.Contains(names, a.Hierarchy) {
			names = append(names, a.Hierarchy)
		}
	}
	return names
}

// With names the first attribute that has a file for its hierarchy.
func (c Config) With(hierarchy string) string {
	for _, a := range c.Attributes {
		if a.Hierarchy == hierarchy {
			return a.Name
		}
	}
	return ""
}

// attribute is a configured attribute as a table has it.
func (a AttributeConfig) attribute(loaded map[string]*hierarchy.Hierarchy) (Attribute, error) {
	b := Attribute{Name: a.Name, Role: a.Role, Kind: a.Kind, Order: a.Order, Hierarchy: loaded[a.Hierarchy], Auto: a.Hierarchy == Auto}
	b.Kind = cmp.Or(b.Kind, Nominal)
	if a.Format != "" {
		var err error
		if b.Layout, err = Strftime(a.Format); err != nil {
			return b, fmt.Errorf("attribute %q: %w", a.Name, err)
		}
	}
	return b, b.Check()
}

// inOrder gives the attributes of a file's columns.
func (c Config) inOrder(names []string) ([]Attribute, error) {
	configured := make(map[string]AttributeConfig, len(c.Attributes))
	for _, a := range c.Attributes {
		configured[a.Name] = a
	}
	attributes := make([]Attribute, len(names))
	for i, name := range names {
		a, known := configured[name]
		if name == c.Sample.Column {
			a, known = AttributeConfig{Name: name, Role: Text}, true // kept, and not released
		}
		if !known && c.Others == "" {
			return nil, fmt.Errorf("column %d of the file has no role", i+1)
		}
		if !known {
			a = AttributeConfig{Name: name, Role: c.Others}
		}
		if a.Hierarchy != "" && a.Hierarchy != Auto && c.Hierarchies[a.Hierarchy] == nil {
			return nil, fmt.Errorf("the hierarchy of attribute %q has not been read", name)
		}
		var err error
		if attributes[i], err = a.attribute(c.Hierarchies); err != nil {
			return nil, err
		}
	}
	there := make(map[string]bool, len(names))
	for _, name := range names {
		there[name] = true
	}
	if c.Sample.Column != "" && !there[c.Sample.Column] {
		return nil, errors.New("the file does not have the column of the sample")
	}
	if c.Key != "" && !there[c.Key] {
		return nil, fmt.Errorf("the file has no column %q, which is the key", c.Key)
	}
	for _, a := range c.Attributes {
		if !there[a.Name] {
			return nil, fmt.Errorf("the file has no column %q", a.Name)
		}
	}
	return attributes, nil
}

// comma is the separator, 0 to guess it.
func (c Config) comma() rune {
	if c.Separator == "" {
		return 0
	}
	r, _ := utf8.DecodeRuneInString(c.Separator)
	return r
}
