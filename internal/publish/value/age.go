// SPDX-License-Identifier: Apache-2.0

package value

import (
	"errors"
	"fmt"
	"log/slog"
	"math"
	"strings"
	"sync"
	"unicode/utf8"
)

// ErrNotAge is returned for a text that has no age, or words that do not belong to ages.
var ErrNotAge = errors.New("not an age")

const (
	oldest    = 130.0 // years; a greater age is not one
	capAge    = 90.0  // from here on Safe Harbor has one age
	capText   = "90+"
	yearDays  = 365.25
	unbounded = oldest // the High of "over 90"
)

// Unit is what an age is counted in.
type Unit int

// The units.
const (
	YearUnit Unit = iota
	MonthUnit
	WeekUnit
	DayUnit
	HourUnit
)

// inYears is how many years a unit is.
var inYears = [...]float64{YearUnit: 1, MonthUnit: 1.0 / 12, WeekUnit: 7 / yearDays, DayUnit: 1 / yearDays, HourUnit: 1 / yearDays / 24}

// Age is an age or a range of ages.
type Age struct {
	Years float64 // the age, or the lowest of a range
	High  float64 // the highest of a range; equal to Years for one age
	Unit  Unit    // what the text counts in

	// Bytes of the text: the number, its unit, and the end of smaller units behind. All are 0
	// if the number has no place of its own.
	start, end, unitAt, unitEnd, tail int
}

// LogValue keeps the age out of logs.
func (a Age) LogValue() slog.Value { return slog.StringValue(a.String()) }

// String does not say the age.
func (a Age) String() string { return "an age" }

// GoString does as String.
func (a Age) GoString() string { return a.String() }

// ReadAge reads the text of an age span: "89-year-old", "3 weeks", "in her nineties", "ochenta
// y nueve años", "2 1/2 yo". A number without a unit is an age in years. Its errors wrap
// ErrNotAge, and ErrImpossible for more than 130 years.
func ReadAge(text string) (Age, error) {
	if len(text) > maxText || !utf8.ValidString(text) {
		return Age{}, fmt.Errorf("%w: it is longer than %d bytes or not UTF-8", ErrNotAge, maxText)
	}
	r := &ageReader{text: text, tokens: splitUnits(text, scan(text))}
	if err := r.read(); err != nil {
		return Age{}, err
	}
	return r.result()
}

// Over89 reports whether the age, or any part of its range, is 90 or more. Safe Harbor has one
// category for these ages.
func (a Age) Over89() bool { return a.High >= capAge }

// Cap is the text of the age for Safe Harbor: the number becomes "90+" if it is over 89, else
// the text stays. A hyphen between number and unit becomes a blank, because "90+ year old"
// reads better than "90+-year-old". Smaller units behind are dropped: "97 años y 3 meses"
// becomes "90+ años". Words that hold number and unit in one, such as "nonagenarian", and
// ranges that name two ages or a decade become "90+" as a whole.
func (a Age) Cap(text string) string {
	switch {
	case !a.Over89():
		return text
	case a.start >= a.end || max(a.end, a.tail) > len(text):
		return capText
	case a.unitAt == 0:
		return text[:a.start] + capText + text[a.end:]
	}
	rest := text[a.unitAt:a.unitEnd] + text[a.tail:]
	for _, old := range []string{"-old", "-Old", "-OLD"} {
		rest = strings.Replace(rest, old, " "+old[1:], 1)
	}
	return text[:a.start] + capText + " " + rest
}

// Band is the age in bands of a width in years, "40-44" for 5. Ages over 89 are always "90+",
// and the band before ends with 89. An age below one year is in the first band, "0-4". A
// range has all its bands: "in his 40s" is "40-49". A width below 1 is 1, which gives "44".
func (a Age) Band(width int) string {
	if a.Over89() {
		return capText
	}
	width = max(width, 1)
	low := int(math.Floor(a.Years)) / width * width
	high := min(int(math.Floor(a.High))/width*width+width-1, int(capAge)-1)
	if low == high {
		return fmt.Sprint(low)
	}
	return fmt.Sprintf("%d-%d", low, high)
}

// stage is a range of ages that has a name.
type stage struct{ low, high float64 }

// stageWords are the ranges by their words, folded. A name of two words has an underscore.
var stageWords = map[string]stage{
	"newborn neonate neonato neonata recien_nacido recien_nacida nouveau_ne nouveau_nee neugeborenes neugeborener neugeborene neugeboren": {0, 28 / yearDays},
	"infant lactante nourrisson saugling baby bebe": {0, 1},
	"toddler kleinkind":                             {1, 3},
	"adolescent adolescente adolescents teenager teen teens teenage jugendlicher jugendliche":                            {10, 19},
	"quadragenarian cuadragenario cuadragenaria quadragenaire vierziger vierzigern forties cuarentena quarantaine":       {40, 49},
	"quinquagenarian quincuagenario quincuagenaria quinquagenaire funfziger funfzigern fifties cincuentena cinquantaine": {50, 59},
	"sexagenarian sexagenario sexagenaria sexagenaire sechziger sechzigern sixties sesentena soixantaine":                {60, 69},
	"septuagenarian septuagenario septuagenaria septuagenaire siebziger siebzigern seventies":                            {70, 79},
	"octogenarian octogenario octogenaria octogenaire achtziger achtzigern eighties":                                     {80, 89},
	"nonagenarian nonagenario nonagenaria nonagenaire neunziger neunzigern nineties nonagenarians":                       {90, 99},
	"centenarian centenario centenaria centenaire hundertjahriger hundertjahrige supercentenarian centenarians":          {100, 115},
	"twenties zwanziger zwanzigern veinteanero veinteanera veintena vingtaine":                                           {20, 29},
	"thirties dreissiger dreissigern treintanero treintanera treintena trentaine":                                        {30, 39},
}

var stages = sync.OnceValue(func() map[string]stage {
	all := map[string]stage{}
	for list, s := range stageWords {
		for w := range strings.FieldsSeq(list) {
			all[strings.ReplaceAll(w, "_", " ")] = s
		}
	}
	return all
})
