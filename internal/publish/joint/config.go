// SPDX-License-Identifier: Apache-2.0

package joint

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

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
