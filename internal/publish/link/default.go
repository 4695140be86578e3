// SPDX-License-Identifier: Apache-2.0

package link

import (
	"slices"

	"hide/internal/publish/link/compare"
)

// Default is one configuration for all data. A pair is linked if it is more likely a match than
// not. The rules are those of ruleTable whose kinds the fields have.
func Default(fields []Field) Config {
	c := Config{Link: .5, Review: .02, Every: 2000, MaxPairs: 5_000_000}
	for _, row := range ruleTable {
		c.Rules = append(c.Rules, row.rules(fields)...)
	}
	c.Rules = c.Rules[:min(len(c.Rules), mostRules)]
	return c
}

// kindKey is a key for the fields of a kind.
type kindKey struct {
	kind, or compare.Kind
	part     Part
}

type ruleRow []kindKey

// ruleTable has loose rules: each survives errors in all fields but one or two. Where a loose
// rule gives too many pairs, its large blocks are refined. So few records are compared widely
// and many records narrowly, by the same rules.
var ruleTable = []ruleRow{
	{{kind: compare.Identifier}},
	{{kind: compare.Email}},
	{{kind: compare.Phone}},
	{{kind: compare.Phone, part: LastFour}, {kind: compare.Given, part: First}},
	{{kind: compare.Phone, part: LastFour}, {kind: compare.Surname, part: First}},
	{{kind: compare.Given, or: compare.Surname}},
	{{kind: compare.FullName}},
	{{kind: compare.BirthDate}},
	{{kind: compare.Street}, {kind: compare.StreetNumber}},
	{{kind: compare.Given, or: compare.Surname, part: Sound}},
	{{kind: compare.Surname, part: Sound}, {kind: compare.BirthDate, part: Year}},
	{{kind: compare.Given, part: Sound}, {kind: compare.BirthDate, part: Year}},
	{{kind: compare.Given, part: Sound}, {kind: compare.BirthDate, part: Day}},
	{{kind: compare.Surname, part: Sound}, {kind: compare.BirthDate, part: Day}},
	{{kind: compare.BirthYear}, {kind: compare.BirthMonth}, {kind: compare.BirthDay}},
	{{kind: compare.Surname, part: Sound}, {kind: compare.BirthYear}},
	{{kind: compare.Given, part: Sound}, {kind: compare.BirthYear}},
	{{kind: compare.Given, part: Sound}, {kind: compare.BirthMonth}, {kind: compare.BirthDay}},
	{{kind: compare.Surname, part: Sound}, {kind: compare.BirthMonth}, {kind: compare.BirthDay}},
	{{kind: compare.FullName, part: Prefix}, {kind: compare.BirthDate, part: Year}},
	{{kind: compare.Postcode}, {kind: compare.StreetNumber}},
	{{kind: compare.Postcode}, {kind: compare.BirthDate, part: Year}},
	{{kind: compare.Place, part: Prefix}, {kind: compare.BirthDate, part: Day}},
	{{kind: compare.Surname, part: Sound}, {kind: compare.Place}},
	{{kind: compare.Given, part: Sound}, {kind: compare.Place}},
	{{kind: compare.Surname, part: Sound}, {kind: compare.Postcode}},
	{{kind: compare.Given, part: Sound}, {kind: compare.Postcode}},
	{{kind: compare.Surname}},
	{{kind: compare.Given}},
	{{kind: compare.Street}},
	{{kind: compare.Postcode}},
	{{kind: compare.Text}},
}

// rules are the rules of a row. A row of one key gives a rule for each field of the kind,
// a row of several keys one rule with the first field of each kind.
func (row ruleRow) rules(fields []Field) []Rule {
	var rules []Rule
	if first := row[0]; len(row) == 1 && first.or == "" {
		for _, f := range fields {
			if f.Kind == first.kind {
				rules = append(rules, Rule{{Field: f.Name, Part: first.part}})
			}
		}
		return rules
	}
	var rule Rule
	for _, k := range row {
		field := firstOf(fields, k.kind)
		if field < 0 || k.or != "" && firstOf(fields, k.or) < 0 {
			return nil
		}
		key := Key{Field: fields[field].Name, Part: k.part}
		if k.or != "" {
			key.Or = fields[firstOf(fields, k.or)].Name
		}
		rule = append(rule, key)
	}
	return []Rule{rule}
}

func firstOf(fields []Field, kind compare.Kind) int {
	return slices.IndexFunc(fields, func(f Field) bool { return f.Kind == kind })
}

// refiners split a block that is too large, in this order.
var refiners = []kindKey{
	{kind: compare.Given, part: First},
	{kind: compare.Surname, part: First},
	{kind: compare.BirthDate, part: Year},
	{kind: compare.BirthYear},
	{kind: compare.FullName, part: Prefix},
	{kind: compare.Postcode, part: Prefix},
	{kind: compare.Place, part: Prefix},
	{kind: compare.Sex},
	{kind: compare.BirthDate, part: Day},
	{kind: compare.StreetNumber},
	{kind: compare.Text, part: Prefix},
}

// minMaxBlock and maxMaxBlock bound the block size that MaxPairs gives.
const minMaxBlock, maxMaxBlock = 60, 2000

// maxBlock is the largest block whose pairs are all compared, of n records: n/b blocks of b
// records have n·b/2 pairs.
func (c Config) maxBlock(n int) int {
	if c.MaxBlock > 0 {
		return max(c.MaxBlock, 2)
	}
	return min(max(2*c.MaxPairs/max(n, 1), minMaxBlock), maxMaxBlock)
}
