// SPDX-License-Identifier: Apache-2.0

package columns

import (
	"slices"
	"strconv"

	"hide/internal/publish/link/compare"
	"hide/internal/publish/value"
)

// fewestNames is the share of known names, in percent, that makes a column one of names. Lists
// have the common names of a few countries, so many names are not in them.
const fewestNames = 30

// chooseNames finds given names and surnames among the texts. Many names are both, so columns
// are compared with each other: the one with the most given names has the given names.
func chooseNames(found []Column, names []meaning, profiles []*values) {
	type candidate struct {
		at             int
		given, surname tally
	}
	var all []candidate
	for i, c := range found {
		m, v := names[i], profiles[i]
		if !isOf(compare.Text)(c) || m.kind != "" {
			continue
		}
		if m.name && v.share(isWords).atLeast(50) {
			found[i].Kind, found[i].Reason = compare.FullName, "the name says name, and most values have two words or more"
			continue
		}
		// Few values over and over are not names, though Brown and Green are.
		g, s := v.share(isGiven), v.share(isSurname)
		if m.name || 20*len(v.distinct) >= len(v.sample) && (g.atLeast(fewestNames) || s.atLeast(fewestNames)) {
			all = append(all, candidate{i, g, s})
		}
	}
	slices.SortStableFunc(all, func(a, b candidate) int {
		return (b.given.n-b.surname.n)*max(a.given.of, 1) - (a.given.n-a.surname.n)*max(b.given.of, 1)
	})
	hasGiven := slices.ContainsFunc(found, isOf(compare.Given))
	for _, a := range all {
		c := &found[a.at]
		switch {
		case a.given.n <= a.surname.n:
			c.Kind, c.Reason = compare.Surname, a.surname.are("known surnames")
		case hasGiven:
			c.Kind, c.Reason = compare.Middle, a.given.are("known given names, and another column has more")
		default:
			c.Kind, c.Reason = compare.Given, a.given.are("known given names")
			hasGiven = true
		}
	}
}

// isOf reports whether a column is compared and of one of the kinds.
func isOf(kinds ...compare.Kind) func(Column) bool {
	return func(c Column) bool { return c.Use == Compared && slices.Contains(kinds, c.Kind) }
}

// fewestPlaces is how many different words are taken for places. A column of fewer is a choice
// from a list, such as the colour of the eyes.
const fewestPlaces = 10

// chooseWords finds the surnames of a file whose columns say nothing, where the lists know too
// few of them: the words beside the given names that vary most. Other words beside an address
// are taken for a part of it, as the town and its region are. A part of an address counts once
// with the whole, so a town that was taken for an independent text would link neighbours.
func chooseWords(found []Column, names []meaning, profiles []*values) {
	var words []int
	for i, c := range found {
		if isOf(compare.Text)(c) && names[i].kind == "" && profiles[i].share(mostlyLetters).atLeast(80) {
			words = append(words, i)
		}
	}
	if slices.ContainsFunc(found, isOf(compare.Given)) && !slices.ContainsFunc(found, isOf(compare.Surname)) {
		best := -1
		for _, i := range words {
			if v := profiles[i]; 20*len(v.distinct) >= len(v.sample) && (best < 0 || len(v.distinct) > len(profiles[best].distinct)) {
				best = i
			}
		}
		if best >= 0 {
			found[best].Kind, found[best].Reason = compare.Surname, "words that vary most, in a file with given names"
		}
	}
	if !slices.ContainsFunc(found, isOf(compare.Postcode, compare.Street, compare.StreetNumber)) {
		return
	}
	for _, i := range words {
		if found[i].Kind == compare.Text && len(profiles[i].distinct) >= fewestPlaces {
			found[i].Kind, found[i].Reason = compare.Place, "words of no known kind, in a file with addresses"
		}
	}
}

// dropRepeated ignores columns that repeat what other columns say, which would count twice.
func dropRepeated(found []Column, names []meaning) {
	for _, repeated := range []struct {
		kind, by []compare.Kind
		reason   string
	}{
		{[]compare.Kind{compare.FullName}, []compare.Kind{compare.Given, compare.Surname}, "it has full names, and other columns have their parts"},
		{[]compare.Kind{compare.BirthYear, compare.BirthMonth, compare.BirthDay}, []compare.Kind{compare.BirthDate}, "another column has the whole birth date"},
	} {
		if slices.ContainsFunc(repeated.by, func(k compare.Kind) bool { return !slices.ContainsFunc(found, isOf(k)) }) {
			continue
		}
		for i := range found {
			if c := &found[i]; isOf(repeated.kind...)(*c) && !names[i].fixed {
				c.Use, c.Kind, c.Reason = Ignored, "", repeated.reason
			}
		}
	}
}

// chooseBirthDate keeps one of the columns that are dates by their values. Birth dates are
// spread over more years than the dates of visits.
func chooseBirthDate(found []Column, names []meaning, profiles []*values) {
	best, widest := -1, -1
	for i, c := range found {
		if c.Kind != compare.BirthDate {
			continue
		}
		years := spread(profiles[i])
		if names[i].kind == compare.BirthDate {
			years = 1 << 20 // a name that says so decides
		}
		if years > widest {
			best, widest = i, years
		}
	}
	for i := range found {
		if c := &found[i]; c.Kind == compare.BirthDate && i != best && names[i].kind != compare.BirthDate {
			c.Use, c.Kind, c.Reason = Ignored, "", "its values are dates, and another column is more likely the birth date"
		}
	}
}

// spread is the number of years between the tenth and the ninetieth percentile.
func spread(v *values) int {
	var years []int
	for _, s := range v.sample {
		if d := compare.BirthDate.Clean(s); d != "" {
			year, _ := strconv.Atoi(d[:4])
			years = append(years, year)
		}
	}
	if len(years) == 0 {
		return 0
	}
	slices.Sort(years)
	return years[len(years)*9/10] - years[len(years)/10]
}

// addReading finds how a column writes dates and sexes.
func addReading(c *Column, m meaning, v *values) {
	switch c.Kind {
	case compare.BirthDate:
		c.Reading.Order = compare.DateOrder(v.sample)
		switch {
		case c.Reading.Order == value.MonthFirst:
			c.Reason += "; its dates show that the month comes before the day"
		case c.Reading.Order == value.DayFirst:
			c.Reason += "; its dates show that the day comes before the month"
		case m.dayFirst:
			c.Reading.Order = value.DayFirst
			c.Reason += "; the day comes before the month in the language of the name"
		}
	case compare.Sex:
		c.Reading.Sex = sexCodes(v)
	}
}

// sexCodes tells Spanish columns, where M is a woman, and columns of 0 and 1.
func sexCodes(v *values) compare.SexCodes {
	has := func(codes ...string) bool {
		return slices.ContainsFunc(codes, func(code string) bool { return v.distinct[code] > 0 })
	}
	switch {
	case has("H", "h", "V", "v") && has("M", "m") && !has("F", "f"):
		return compare.SpanishCodes
	case has("0") && has("1") && !has("2"):
		return compare.OpaqueCodes
	}
	return compare.CommonCodes
}
