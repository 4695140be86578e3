// SPDX-License-Identifier: Apache-2.0

package value

import (
	"fmt"
	"math/bits"
	"unicode"
	"unicode/utf8"
)

// reader reads the dates of one text.
type reader struct {
	text      string
	context   Context
	tokens    []token
	dates     []date
	weekdays  []part
	languages languages // that all words so far belong to
	time      bool      // some word says a time without a date, such as "yesterday"
	interval  bool      // the words since the last date join an interval
	between   bool      // an interval has begun with "between", so "and" joins its ends
	weekday   int       // 1 more than the weekday just read, or 0
}

// read reads the whole text: dates and what stands between them.
func (r *reader) read() error {
	// A rule returns the token behind what it has read, or its argument if nothing is there.
	rules := []func(*reader, int) (int, error){
		(*reader).holiday, (*reader).dayList, (*reader).monthFirst, (*reader).clock, (*reader).duration, (*reader).decade,
		(*reader).numericDays, (*reader).numeric, (*reader).stamp, (*reader).quarter, (*reader).season, (*reader).year, (*reader).dayAlone, (*reader).weekdayName, (*reader).words,
	}
	for i := 0; i < len(r.tokens); {
		next := i
		for _, rule := range rules {
			n, err := rule(r, i)
			if err != nil {
				return fmt.Errorf("%w, at byte %d", err, r.tokens[i].start)
			}
			if n > i {
				next = n
				break
			}
		}
		if next == i {
			return fmt.Errorf("%w: a word or number of another type, at byte %d", ErrNotDate, r.tokens[i].start)
		}
		i = next
	}
	if len(r.dates) == 0 && len(r.weekdays) == 0 && !r.time {
		return fmt.Errorf("%w: nothing in it is a date", ErrNotDate)
	}
	return nil
}

// add ends the reading of a date.
func (r *reader) add(d date) {
	d.interval = r.interval && len(r.dates) > 0
	d.weekday, r.weekday, r.interval = r.weekday, 0, false
	setWidths(r.text, &d)
	r.dates = append(r.dates, d)
}

// is reports whether token i is one of the words or marks.
func (r *reader) is(i int, words ...string) bool { return isWord(r.tokens, i, words...) }

// adjacent reports whether no blank stands before token i.
func (r *reader) adjacent(i int) bool {
	return 0 < i && i < len(r.tokens) && !r.tokens[i].blank
}

func (r *reader) size(i int) int {
	if i < 0 || i >= len(r.tokens) {
		return 0
	}
	return r.tokens[i].size()
}

func (r *reader) value(i int) int {
	if i < 0 || i >= len(r.tokens) {
		return -1
	}
	return r.tokens[i].value()
}

// named is what a word says in one of the calendar's lists.
func (r *reader) named(list map[string]name, i int) (name, bool) {
	if i < 0 || i >= len(r.tokens) || r.tokens[i].kind != word {
		return name{}, false
	}
	n, ok := list[r.tokens[i].text]
	return n, ok
}

func (r *reader) month(i int) (name, bool) { return r.named(calendarNames().months, i) }

// narrow keeps the languages that a word belongs to as well.
func (r *reader) narrow(l languages) {
	if both := r.languages & l; both != 0 {
		r.languages = both
	}
}

// language is the most likely language of the text.
func (r *reader) language() Language {
	if l := r.context.Language; l != AnyLanguage && r.languages.has(l) {
		return l
	}
	for i := range r.tokens {
		n, ok := r.month(i)
		if !ok {
			continue
		}
		first, _ := utf8.DecodeRuneInString(r.text[r.tokens[i].start:])
		if !unicode.IsUpper(first) {
			r.narrow(1<<Spanish | 1<<French)
		}
		if r.is(i-1, ".") && r.size(i-2) > 0 && n.languages.has(German) {
			r.narrow(1 << German)
		}
	}
	return Language(bits.TrailingZeros(uint(r.languages)))
}

// words reads a word or mark that may stand around dates.
func (r *reader) words(i int) (int, error) {
	t := r.tokens[i]
	if t.kind == mark {
		if !glueMarks[t.text] {
			return i, nil
		}
		r.interval = r.interval || r.joinsInterval(i)
		return i + 1, nil
	}
	l, ok := glueWords()[t.text]
	if t.kind != word || !ok && !spanWords()[t.text] {
		return i, nil
	}
	r.interval = r.interval || r.joinsInterval(i)
	r.between = r.between || r.is(i, "between", "entre", "zwischen")
	r.time = r.time || spanWords()[t.text]
	if ok && bits.OnesCount(uint(l)) == 1 {
		r.narrow(l)
	}
	return i + 1, nil
}

// joinsInterval reports whether token i stands between the ends of an interval.
func (r *reader) joinsInterval(i int) bool {
	return intervals[r.tokens[i].text] || r.between && r.is(i, "and", "y", "e", "et", "und")
}

// weekdayName reads a weekday.
func (r *reader) weekdayName(i int) (int, error) {
	n, ok := r.named(calendarNames().weekdays, i)
	if !ok {
		return i, nil
	}
	short := n.short == n.languages
	if short && r.tokens[i].end-r.tokens[i].start == 2 && i+1 == len(r.tokens) && i == 0 {
		return i, nil // "so" and "do" alone are other words
	}
	r.narrow(n.languages)
	t := r.tokens[i]
	r.weekdays = append(r.weekdays, part{kind: partWeekday, start: t.start, end: t.end, number: n.value, short: short})
	r.weekday = n.value + 1
	if short && r.is(i+1, ".") && r.adjacent(i+1) {
		i++
	}
	return i + 1, nil
}

// duration reads "three weeks", which no shift changes.
func (r *reader) duration(i int) (int, error) {
	next := i + 1
	if r.tokens[i].kind != number {
		if _, next = numberWord(r.tokens, i); next == i {
			return i, nil
		}
	}
	switch {
	case r.is(next, "-"):
		next++
	case r.is(next, "and") && r.is(next+1, "a") && r.is(next+2, "half"):
		next += 3
	}
	if next >= len(r.tokens) || r.tokens[next].kind != word || !spanWords()[r.tokens[next].text] {
		return i, nil
	}
	r.time = true
	return next + 1, nil
}

// clock reads a time of day: 10:22, 10:22:05Z, T10:22, 10 am, 10.22 p.m., 14h30, 0700-1900.
func (r *reader) clock(i int) (int, error) {
	at := i
	if r.is(i, "t") && r.size(i+1) > 0 && len(r.dates) > 0 {
		at++
	}
	hour := r.value(at)
	if r.tokens[at].kind != number || at == i && hour > 2400 {
		return i, nil
	}
	next := at + 1
	switch {
	case r.size(at) <= 2 && r.is(next, ":") && r.size(next+1) == 2:
		next = r.clockTail(next)
	case r.size(at) <= 2 && r.is(next, "h") && r.size(next+1) == 2 && r.adjacent(next+1):
		next += 2
	case r.size(at) <= 2 && r.is(next, ".") && r.size(next+1) == 2 && hours[r.wordAt(next+2)]:
		next += 2
	case r.size(at) <= 2 && hour <= 24 && hours[r.wordAt(next)] && (r.wordAt(next) != "a" || r.is(next+1, ".")):
	case at > i && (r.size(at) == 4 || r.size(at) == 6): // T1022
	case r.size(at) == 4 && (hour < minYear || r.is(i-1, "at")) && hour%100 < 60 && len(r.dates) > 0:
	case r.size(at) == 4 && hour <= 2400 && hour%100 < 60 && r.is(i-1, "-") && r.size(i-2) == 4 && r.value(i-2) < minYear:
	default:
		return i, nil
	}
	r.time = true
	return r.clockWord(next), nil
}

func (r *reader) wordAt(i int) string {
	if i < 0 || i >= len(r.tokens) || r.tokens[i].kind != word {
		return ""
	}
	return r.tokens[i].text
}

// clockTail reads minutes, seconds, fractions and the offset of a time zone.
func (r *reader) clockTail(i int) int {
	for r.is(i, ":", ".") && r.size(i+1) > 0 && r.adjacent(i+1) {
		i += 2
	}
	if r.is(i, "+", "-") && r.adjacent(i) && (r.size(i+1) == 2 || r.size(i+1) == 4) && r.adjacent(i+1) {
		i += 2
		if r.is(i, ":") && r.size(i+1) == 2 {
			i += 2
		}
	}
	return i
}

// clockWord reads "am", "p.m.", "h" and "Uhr" behind a time.
func (r *reader) clockWord(i int) int {
	switch w := r.wordAt(i); {
	case (w == "a" || w == "p") && r.is(i+1, ".") && r.is(i+2, "m"):
		i += 3
		if r.is(i, ".") {
			i++
		}
	case hours[w] && w != "a":
		i++
	}
	return i
}
