// SPDX-License-Identifier: Apache-2.0

package linkfile

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"hide/internal/publish/link"
	"hide/internal/publish/link/compare"
	"hide/internal/tabular"
	"hide/internal/words"
)

// Config says what the columns of a file are and how records are linked. It is written in
// YAML; docs/linkage.md describes it.
type Config struct {
	Columns  []Column    `yaml:"columns"`
	Rules    []link.Rule `yaml:"rules"`      // which pairs are compared; default: those of the kinds
	Link     float64     `yaml:"link"`       // the lowest probability of a link; 0 for the default
	Review   float64     `yaml:"review"`     // the lowest probability of a pair for review; 0 for the default
	OneToOne bool        `yaml:"one_to_one"` // at most one other record for each
}

// Column is a column of the file. Columns that a configuration does not list are not compared.
type Column struct {
	Name  string       `yaml:"name" json:"name"`
	With  string       `yaml:"with" json:"with,omitempty"`   // its name in the second file, if it is another
	Kind  compare.Kind `yaml:"kind" json:"kind"`             // of its values; NotCompared for none
	Field string       `yaml:"field" json:"field,omitempty"` // shared by columns of one field, such as two telephones; default: the name
	Dates Order        `yaml:"dates" json:"dates,omitempty"` // the order of numeric dates; default: what the values show

	// Reason says why the column is what it is, if the program recognised it.
	Reason string `yaml:"-" json:"reason,omitempty"`
}

// NotCompared is the kind of a column that takes no part.
const NotCompared compare.Kind = "not compared"

// Order is the order of day and month in dates such as 03/04/1971.
type Order string

// The orders.
const (
	DayFirst   Order = "day first"
	MonthFirst Order = "month first"
)

// maxConfig bounds a configuration.
const maxConfig = 1 << 20

// ReadConfig reads a configuration and refuses unknown names in it. An error names a line, a
// column or a rule.
func ReadConfig(r io.Reader) (Config, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxConfig+1))
	if err != nil {
		return Config{}, err
	}
	if len(text) > maxConfig {
		return Config{}, wrong("", "the configuration has more than %d bytes", maxConfig)
	}
	dec := yaml.NewDecoder(bytes.NewReader(text))
	dec.KnownFields(true)
	var c Config
	if err := dec.Decode(&c); err != nil {
		return Config{}, configError(err)
	}
	if err := dec.Decode(new(yaml.Node)); err != io.EOF {
		return Config{}, wrong("keep one of them", "the configuration has more than one document")
	}
	return c, c.check()
}

var configLine = regexp.MustCompile(`line (\d+): (?:field (\S+) not found)?`)

// configError keeps the line and the name of an unknown key of an error of package yaml: the
// rest may quote values.
func configError(err error) error {
	const hint = "hide link --write-config writes a configuration to start from"
	found := configLine.FindStringSubmatch(err.Error())
	switch {
	case errors.Is(err, io.EOF):
		return wrong(hint, "the configuration is empty")
	case found == nil:
		return wrong(hint, "the configuration is not YAML")
	case found[2] != "":
		return wrong(hint, "line %s of the configuration has the unknown key %q", found[1], found[2])
	}
	return wrong(hint, "line %s of the configuration does not have the right form", found[1])
}

// check refuses what can be refused without the file.
func (c Config) check() error {
	if len(c.Columns) == 0 {
		return wrong("list at least one column with its name and kind", "the configuration lists no columns")
	}
	kinds := map[string]compare.Kind{}
	seen := map[string]bool{}
	for i, col := range c.Columns {
		if col.Name == "" {
			return wrong("", "column %d of the configuration has no name", i+1)
		}
		if seen[tabular.Fold(col.Name)] {
			return wrong("", "the configuration lists the column %q twice", col.Name)
		}
		seen[tabular.Fold(col.Name)] = true
		if err := col.check(); err != nil {
			return err
		}
		if before, known := kinds[col.field()]; known && before != col.Kind {
			return wrong("", "the field %q has columns of two kinds, %s and %s", col.field(), before, col.Kind)
		}
		if col.compared() {
			kinds[col.field()] = col.Kind
		}
	}
	for _, threshold := range []float64{c.Link, c.Review} {
		if !(threshold >= 0 && threshold < 1) {
			return wrong("choose numbers from 0 to below 1, such as 0.5", "the configuration has the threshold %v: link and review are probabilities", threshold)
		}
	}
	return c.checkRules()
}

// checkRules checks what follows from the fields of the columns.
func (c Config) checkRules() error {
	fields, _ := c.fields()
	switch n := len(fields); {
	case n > link.MostFields:
		return wrong("leave columns out, or give columns of one kind the same field", "the configuration compares %d fields: at most %d are possible", n, link.MostFields)
	case n == 0:
		return nil // the columns of the file say why
	}
	if _, err := c.engine(fields); err != nil {
		var names []string
		for _, f := range fields {
			names = append(names, strconv.Quote(f.Name))
		}
		return wrong("the fields are "+words.List(names), "%v", err)
	}
	return nil
}

func (c Column) check() error {
	if c.compared() && !c.Kind.Known() {
		return wrong("kinds are: "+kindNames(), "the column %q has the unknown kind %q", c.Name, c.Kind)
	}
	if c.Dates != "" && c.Dates != DayFirst && c.Dates != MonthFirst {
		return wrong("", "the column %q has dates %q: choose %q or %q", c.Name, c.Dates, DayFirst, MonthFirst)
	}
	if c.Dates != "" && c.Kind != compare.BirthDate {
		return wrong("", "the column %q has an order of dates, and its kind is %q", c.Name, c.Kind)
	}
	return nil
}

func kindNames() string {
	var names []string
	for _, k := range append(compare.Kinds(), NotCompared) {
		names = append(names, string(k))
	}
	return strings.Join(names, ", ")
}

func (c Column) compared() bool { return c.Kind != NotCompared }

func (c Column) field() string { return cmp.Or(c.Field, c.Name) }

// fields are the fields of the columns, and the place of the field of each column, -1 for a
// column that is not compared. A full name is two fields: the surname and, behind it, the given
// name.
func (c Config) fields() (fields []link.Field, of []int) {
	for _, col := range c.Columns {
		if !col.compared() {
			of = append(of, -1)
			continue
		}
		first := col.newFields()[0]
		at := slices.IndexFunc(fields, func(f link.Field) bool { return f.Name == first.Name })
		if at < 0 {
			at = len(fields)
			fields = append(fields, col.newFields()...)
		}
		of = append(of, at)
	}
	return fields, of
}

// newFields are the fields that a column begins.
func (c Column) newFields() []link.Field {
	if c.Kind != compare.FullName {
		return []link.Field{{Name: c.field(), Kind: c.Kind}}
	}
	return []link.Field{{Name: c.field() + " (surname)", Kind: compare.Surname}, {Name: c.field() + " (given name)", Kind: compare.Given}}
}

// engine is the configuration of the engine: the default one, with the changes of the file.
func (c Config) engine(fields []link.Field) (link.Config, error) {
	out := link.Default(fields)
	out.Link, out.OneToOne = cmp.Or(c.Link, out.Link), c.OneToOne
	out.Review = cmp.Or(c.Review, min(out.Review, out.Link))
	if c.Rules != nil {
		out.Rules = c.Rules
	}
	return out, out.Validate(fields)
}

// complete is the configuration with the rules and thresholds that it leaves to the program.
func (c Config) complete() Config {
	fields, _ := c.fields()
	d := link.Default(fields)
	c.Link = cmp.Or(c.Link, d.Link)
	c.Review = cmp.Or(c.Review, min(d.Review, c.Link))
	if c.Rules == nil {
		c.Rules = d.Rules
	}
	return c
}

// Write writes the configuration with all rules and thresholds, for a person to edit.
func (c Config) Write(w io.Writer) error {
	c = c.complete()
	var b strings.Builder
	b.WriteString("# Columns that are not listed are not compared. Kinds: " + kindNames() + ".\ncolumns:\n")
	for _, col := range c.Columns {
		if col.Name == "" {
			continue // a configuration names its columns
		}
		fmt.Fprintf(&b, "- {name: %q, kind: %s", col.Name, col.Kind)
		for _, more := range [][2]string{{"with", col.With}, {"field", col.Field}, {"dates", string(col.Dates)}} {
			if more[1] != "" {
				fmt.Fprintf(&b, ", %s: %q", more[0], more[1])
			}
		}
		b.WriteString("}")
		if col.Reason != "" {
			b.WriteString(" # " + col.Reason)
		}
		b.WriteString("\n")
	}
	b.WriteString("# Two records are compared if all keys of a rule are equal.\nrules:\n")
	for _, rule := range c.Rules {
		var keys []string
		for _, k := range rule {
			key := fmt.Sprintf("{field: %q", k.Field)
			if k.Or != "" {
				key += fmt.Sprintf(", or: %q", k.Or)
			}
			if k.Part != "" {
				key += fmt.Sprintf(", part: %s", k.Part)
			}
			keys = append(keys, key+"}")
		}
		fmt.Fprintf(&b, "- [%s]\n", strings.Join(keys, ", "))
	}
	fmt.Fprintf(&b, "link: %v # the lowest probability of a link\nreview: %v # the lowest probability of a pair that a person should see\none_to_one: %v\n", c.Link, c.Review, c.OneToOne)
	_, err := io.WriteString(w, b.String())
	return err
}
