// SPDX-License-Identifier: Apache-2.0

package link

import (
	"fmt"
	"slices"
	"strings"
)

// A Config says which pairs are compared and which are linked. [Default] is meant for all data.
type Config struct {
	Rules []Rule

	// Link is the lowest probability of a link. Review is the lowest probability of a pair that
	// a person should see; pairs below it are not kept.
	Link, Review float64

	// OneToOne gives each record at most one other record.
	OneToOne bool

	// Every is the number of records up to which all pairs are compared, in addition to the
	// pairs of the rules.
	Every int

	// MaxPairs limits the pairs of one rule: it gives MaxBlock where MaxBlock is 0.
	// MaxBlock is the largest block whose pairs are all compared. A larger block is refined by
	// further fields; a block that is still larger is cut into pieces of neighbours.
	MaxPairs, MaxBlock int
}

// A Rule gives all pairs of records that have the values of all its keys in common.
type Rule []Key

// A Key is what two records must have in common in a field.
type Key struct {
	Field string `yaml:"field"`
	// Or is a second field: the two values may be exchanged, as given name and surname often are.
	Or string `yaml:"or"`
	// Part is the part of the values that must be equal.
	Part Part `yaml:"part"`
}

// String is the rule in words: "surname (sound) and birth date (year)".
func (r Rule) String() string {
	var words []string
	for _, k := range r {
		w := k.Field
		if k.Or != "" {
			w += " and " + k.Or + " in either order"
		}
		if k.Part != Whole {
			w += " (" + string(k.Part) + ")"
		}
		words = append(words, w)
	}
	return strings.Join(words, " and ")
}

// Validate checks the configuration against the fields of the records.
func (c Config) Validate(fields []Field) error {
	if !(c.Link > 0 && c.Link < 1) {
		return fmt.Errorf("link: the link threshold is %v: choose a probability between 0 and 1", c.Link)
	}
	if !(c.Review > 0 && c.Review <= c.Link) {
		return fmt.Errorf("link: the review threshold is %v: choose a probability between 0 and the link threshold %v", c.Review, c.Link)
	}
	for _, limit := range []struct {
		name  string
		value int
	}{{"every", c.Every}, {"max pairs", c.MaxPairs}, {"max block", c.MaxBlock}} {
		if limit.value < 0 {
			return fmt.Errorf("link: %s is %d: it must not be negative", limit.name, limit.value)
		}
	}
	if len(fields) == 0 {
		return fmt.Errorf("link: no field to compare: name at least one column")
	}
	if len(c.Rules) > mostRules {
		return fmt.Errorf("link: %d rules: at most %d are possible", len(c.Rules), mostRules)
	}
	return c.validateRules(fields)
}

// mostRules leaves one bit of 32 for the pairs of all records.
const mostRules = 31

func (c Config) validateRules(fields []Field) error {
	for i, rule := range c.Rules {
		if len(rule) == 0 {
			return fmt.Errorf("link: rule %d has no key: name at least one field", i+1)
		}
		for _, k := range rule {
			for _, name := range []string{k.Field, k.Or} {
				if (name != "" || k.Field == "") && fieldNamed(fields, name) < 0 {
					return fmt.Errorf("link: rule %d names the field %q, which the records do not have", i+1, name)
				}
			}
			if partNamed(k.Part) == nil {
				return fmt.Errorf("link: rule %d takes the part %q of a value: parts are %s", i+1, k.Part, strings.Join(partNames(), ", "))
			}
		}
	}
	return nil
}

func fieldNamed(fields []Field, name string) int {
	return slices.IndexFunc(fields, func(f Field) bool { return f.Name == name })
}
