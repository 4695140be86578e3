// SPDX-License-Identifier: Apache-2.0

package value

import "time"

// holiday is a day that has a name. A shift writes it as a date, because the shifted day has
// no name.
type holiday struct {
	month, day int                      // for those with the same date each year
	in         func(year int) time.Time // for the others
	language   Language
}

func (h *holiday) date(year int) time.Time {
	if h.in != nil {
		return h.in(year)
	}
	return dayAt(year, h.month, h.day)
}

// maxHoliday is the longest name, in words.
const maxHoliday = 4

// holidays are by their words without case, accents and apostrophes.
var holidays = map[string]*holiday{
	"christmas": {12, 25, nil, English}, "christmas day": {12, 25, nil, English}, "xmas": {12, 25, nil, English},
	"christmas eve": {12, 24, nil, English}, "boxing day": {12, 26, nil, English},
	"new year s eve": {12, 31, nil, English}, "new years eve": {12, 31, nil, English},
	"new year s day": {1, 1, nil, English}, "new years day": {1, 1, nil, English}, "new year s": {1, 1, nil, English}, "new years": {1, 1, nil, English},
	"independence day": {7, 4, nil, English}, "fourth of july": {7, 4, nil, English},
	"halloween": {10, 31, nil, English}, "veterans day": {11, 11, nil, English},
	"valentine s day": {2, 14, nil, English}, "valentines day": {2, 14, nil, English}, "valentine s": {2, 14, nil, English},
	"st patrick s day": {3, 17, nil, English}, "juneteenth": {6, 19, nil, English},
	"thanksgiving": {in: thanksgiving, language: English}, "thanksgiving day": {in: thanksgiving, language: English},
	"labor day": {in: laborDay, language: English}, "memorial day": {in: memorialDay, language: English},
	"mother s day": {in: mothersDay, language: English}, "father s day": {in: fathersDay, language: English},
	"easter": {in: easter, language: English}, "easter sunday": {in: easter, language: English},
	"good friday": {in: goodFriday, language: English}, "easter monday": {in: easterMonday, language: English}, "pentecost": {in: pentecost, language: English},

	"navidad": {12, 25, nil, Spanish}, "dia de navidad": {12, 25, nil, Spanish}, "nochebuena": {12, 24, nil, Spanish},
	"nochevieja": {12, 31, nil, Spanish}, "fin de ano": {12, 31, nil, Spanish}, "ano nuevo": {1, 1, nil, Spanish},
	"reyes": {1, 6, nil, Spanish}, "dia de reyes": {1, 6, nil, Spanish},
	"viernes santo": {in: goodFriday, language: Spanish}, "domingo de resurreccion": {in: easter, language: Spanish},
	"lunes de pascua": {in: easterMonday, language: Spanish}, "pentecostes": {in: pentecost, language: Spanish},

	"noel": {12, 25, nil, French}, "jour de noel": {12, 25, nil, French}, "jour de l an": {1, 1, nil, French}, "nouvel an": {1, 1, nil, French},
	"toussaint": {11, 1, nil, French}, "armistice": {11, 11, nil, French}, "paques": {in: easter, language: French},
	"lundi de paques": {in: easterMonday, language: French}, "ascension": {in: ascension, language: French}, "pentecote": {in: pentecost, language: French},
	"lundi de pentecote": {in: whitMonday, language: French}, "vendredi saint": {in: goodFriday, language: French},

	"weihnachten": {12, 25, nil, German}, "heiligabend": {12, 24, nil, German}, "silvester": {12, 31, nil, German},
	"neujahr": {1, 1, nil, German}, "nikolaus": {12, 6, nil, German}, "ostern": {in: easter, language: German},
	"ostersonntag": {in: easter, language: German}, "karfreitag": {in: goodFriday, language: German},
	"ostermontag": {in: easterMonday, language: German}, "christi himmelfahrt": {in: ascension, language: German}, "pfingsten": {in: pentecost, language: German},
	"pfingstsonntag": {in: pentecost, language: German}, "pfingstmontag": {in: whitMonday, language: German},
}

// weekdayOf is the nth weekday of a month.
func weekdayOf(year, month int, d time.Weekday, nth int) time.Time {
	first := dayAt(year, month, 1)
	return first.AddDate(0, 0, (int(d-first.Weekday())+7)%7+7*(nth-1))
}

func thanksgiving(year int) time.Time { return weekdayOf(year, 11, time.Thursday, 4) }
func laborDay(year int) time.Time     { return weekdayOf(year, 9, time.Monday, 1) }
func memorialDay(year int) time.Time  { return weekdayOf(year, 6, time.Monday, 1).AddDate(0, 0, -7) }
func mothersDay(year int) time.Time   { return weekdayOf(year, 5, time.Sunday, 2) }
func fathersDay(year int) time.Time   { return weekdayOf(year, 6, time.Sunday, 3) }
func goodFriday(year int) time.Time   { return easter(year).AddDate(0, 0, -2) }
func easterMonday(year int) time.Time { return easter(year).AddDate(0, 0, 1) }
func ascension(year int) time.Time    { return easter(year).AddDate(0, 0, 39) }
func pentecost(year int) time.Time    { return easter(year).AddDate(0, 0, 49) }
func whitMonday(year int) time.Time   { return easter(year).AddDate(0, 0, 50) }

// easter is Easter Sunday of the Gregorian calendar, by the rule of the church: the Sunday
// after the full moon of the lunar calendar on or after 21 March. The moon of year y comes
// 11 days earlier than that of y-1; centuries correct it.
func easter(year int) time.Time {
	golden := year%19 + 1
	century := year/100 + 1
	droppedLeaps := 3*century/4 - 12
	moonDrift := (8*century+5)/25 - 5
	epact := ((11*golden+20+moonDrift-droppedLeaps)%30 + 30) % 30
	if epact == 25 && golden > 11 || epact == 24 {
		epact++
	}
	moon := 44 - epact // day of March
	if moon < 21 {
		moon += 30
	}
	full := dayAt(year, 3, moon)
	return full.AddDate(0, 0, 7-int(full.Weekday()))
}
