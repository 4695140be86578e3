// SPDX-License-Identifier: Apache-2.0

package joint

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"hide/internal/annotate"
	"hide/internal/publish/table"
)

// FindKnown adds to the sensitive terms of each text the places where it contains a value
// of the person's own attributes with entities, the first of which becomes the type. A
// tagger cannot know that 36 is the patient's age; the table does. With OwnValues it also
// looks for quasi-identifiers without entities, see [Config]. It returns how many terms it
// added, and replaces the rows' slices of terms.
//
// It finds the words of a direct or categorical value in sequence, a number beside a word
// of around, and a year of a date with its month, or more. It looks at ctx before each
// row.
func FindKnown(ctx context.Context, c Config, rows []Row) (int, error) {
	added, key := 0, c.key()
	byPerson := map[string][]int{}
	for i, row := range rows {
		if key >= 0 && len(row.Values) == len(c.Attributes) {
			name := strings.TrimSpace(row.Values[key])
			byPerson[name] = append(byPerson[name], i)
		}
	}
	for _, own := range byPerson {
		values := c.knownValues(rows, own)
		for _, i := range own {
			if err := ctx.Err(); err != nil {
				return added, err
			}
			for x := range rows[i].Texts {
				t := &rows[i].Texts[x]
				before := len(t.Terms)
				t.Terms = addDisjoint(t.Terms, values.find(t.Text))
				added += len(t.Terms) - before
			}
		}
	}
	return added, nil
}

// Identifier is the type of a direct identifier in a text when the configuration has
// none. It counts without being listed, and is always suppressed.
const Identifier annotate.Label = "IDENTIFIER"

// typeIn is the type that a value of the attribute has in a text, "" when it is not
// looked for.
func (c Config) typeIn(a Attribute) annotate.Label {
	switch listed := len(a.Entities) > 0 && c.Counts(a.Entities[0]); {
	case listed && (a.Role == table.Direct || a.Role == table.Quasi):
		return a.Entities[0]
	case a.Role == table.Direct, a.Role == table.Quasi && c.OwnValues:
		return Identifier
	}
	return ""
}

// known are the values to find in the texts of one person.
type known struct {
	phrases []phrase
	numbers []phrase
	dates   []knownDate
}

// phrase is a value as normalised words.
type phrase struct {
	words  []string
	label  annotate.Label
	around []string
}

type knownDate struct {
	at    time.Time
	label annotate.Label
}

func (c Config) knownValues(rows []Row, own []int) known {
	var k known
	seen := map[string]bool{}
	for i, a := range c.Attributes {
		label := c.typeIn(a)
		if label == "" {
			continue
		}
		for _, row := range own {
			value := rows[row].Values[i]
			if tag := strconv.Itoa(i) + "\x00" + value; value == "" || value == table.MissingText || seen[tag] {
				continue
			} else {
				seen[tag] = true
			}
			if c.undeclared(a) {
				k.addOwn(a, label, value)
			} else {
				k.add(a, label, value)
			}
		}
	}
	return k
}

func (k *known) add(a Attribute, label annotate.Label, value string) {
	switch {
	case a.Kind == table.Number && a.Role == table.Quasi:
		k.numbers = append(k.numbers, phrase{wordsOf(value), label, a.around()})
	case a.Kind == table.Date && a.Role == table.Quasi:
		layouts := []string{a.Layout}
		if a.Layout == "" {
			layouts = []string{time.DateOnly, "2006-01-02T15:04:05", time.DateTime}
		}
		for _, layout := range layouts {
			if at, err := time.Parse(layout, value); err == nil {
				k.dates = append(k.dates, knownDate{at, label})
				return
			}
		}
	default:
		if words := wordsOf(value); len(words) > 1 || len(words) == 1 && len(words[0]) > 2 {
			k.phrases = append(k.phrases, phrase{words, label, nil})
		}
	}
}

// wordsOf are the normalised tokens of a value that are words.
func wordsOf(value string) []string {
	var words []string
	for _, t := range annotate.Tokenize(value) {
		words = append(words, wordOf(value[t.Start:t.End]))
	}
	return slices.DeleteFunc(words, func(w string) bool { return w == "" })
}

// wordOf is the normalised form of a token, "" when it is not a word.
func wordOf(token string) string {
	if form := Normalize(token); strings.IndexFunc(form, func(r rune) bool { return !outside(r) }) >= 0 {
		return form
	}
	return ""
}

// find gives the values in a text, the longest first.
func (k known) find(text string) []annotate.Span {
	if len(k.phrases)+len(k.numbers)+len(k.dates) == 0 {
		return nil
	}
	var tokens []annotate.Token // words alone
	var words []string
	for _, t := range annotate.Tokenize(text) {
		if w := wordOf(text[t.Start:t.End]); w != "" {
			tokens, words = append(tokens, t), append(words, w)
		}
	}
	var found []annotate.Span
	for i := range words {
		for _, p := range k.phrases {
			if i+len(p.words) <= len(words) && slices.Equal(words[i:i+len(p.words)], p.words) {
				found = append(found, annotate.Span{Start: tokens[i].Start, End: tokens[i+len(p.words)-1].End, Label: p.label})
			}
		}
		for _, p := range k.numbers {
			if to, says := p.number(words, i); says {
				found = append(found, annotate.Span{Start: tokens[i].Start, End: tokens[to-1].End, Label: p.label})
			}
		}
		if s, says := k.date(text, tokens, words, i); says {
			found = append(found, s)
		}
	}
	slices.SortStableFunc(found, func(a, b annotate.Span) int { return b.Len() - a.Len() })
	return found
}

// number reports whether the value stands at word i with a word of around after
// it, and where those words end.
func (p phrase) number(words []string, i int) (to int, says bool) {
	to = i + len(p.words)
	if to >= len(words) || !slices.Equal(words[i:to], p.words) || !slices.Contains(p.around, words[to]) {
		return 0, false
	}
	for to < len(words) && slices.Contains(p.around, words[to]) {
		to++
	}
	return to, true
}

// longestDate is the largest number of words in a date.
const longestDate = 7

// date reads the longest date that starts at word i and is one of the person's.
func (k known) date(text string, tokens []annotate.Token, words []string, i int) (best annotate.Span, says bool) {
	if len(k.dates) == 0 || dateFillers[words[i]] || glued(text, tokens, words, i) {
		return best, false
	}
	for to := i; to < len(words) && to < i+longestDate; to++ {
		w := words[to]
		if months[w] == 0 && !dateFillers[w] && !isNumber(w) && !isNumber(ordinal(w)) {
			break
		}
		if dateFillers[w] || glued(text, tokens, words, to+1) {
			continue // no date ends here
		}
		span := annotate.Span{Start: tokens[i].Start, End: tokens[to].End}
		for _, p := range readings(Normalize(span.Surface(text))) {
			if at := slices.IndexFunc(k.dates, func(d knownDate) bool { return p.of(d.at) }); p.year != 0 && p.month != 0 && at >= 0 {
				span.Label = k.dates[at].label
				best, says = span, true
			}
		}
	}
	return best, says
}

// glued reports whether words i-1 and i are numbers with one mark between, as parts
// of one date are.
func glued(text string, tokens []annotate.Token, words []string, i int) bool {
	if i == 0 || i >= len(words) || !isNumber(words[i-1]) || !isNumber(words[i]) {
		return false
	}
	between := text[tokens[i-1].End:tokens[i].Start]
	return len(between) == 1 && between != " "
}

// addDisjoint adds the spans of more that do not overlap earlier ones, and sorts. It does not
// change its arguments.
func addDisjoint(spans, more []annotate.Span) []annotate.Span {
	spans = slices.Clone(spans)
	for _, s := range more {
		if !slices.ContainsFunc(spans, s.Overlaps) {
			spans = append(spans, s)
		}
	}
	slices.SortFunc(spans, annotate.CompareSpans)
	return spans
}

// partial is a date as a text may give it: zero for a part that it leaves out.
type partial struct{ year, month, day int }

// of reports whether p can stand for the day of t.
func (p partial) of(t time.Time) bool {
	y, m, dom := t.Date()
	return (p.year == 0 || p.year == y) && (p.month == 0 || p.month == int(m)) && (p.day == 0 || p.day == dom)
}

// yearOnly reports whether p is a bare year.
func (p partial) yearOnly() bool { return p.year != 0 && p.month == 0 && p.day == 0 }

// readings lists the dates that a normalised term can mean as a whole: two if day and
// month can be swapped, none if the term contains anything else. A number alone is a date
// only as a year of four digits.
func readings(term string) []partial {
	var p partial
	var numbers []string
	for _, w := range dateWords(term) {
		switch m := months[strings.TrimSuffix(w, ".")]; {
		case m != 0 && p.month == 0:
			p.month = m
		case m != 0:
			return nil
		case dateFillers[w]:
		case isNumber(w):
			numbers = append(numbers, w)
		case isNumber(ordinal(w)):
			numbers = append(numbers, ordinal(w))
		default:
			return nil
		}
	}
	if p.month != 0 {
		return withMonthName(p, numbers)
	}
	return numericDates(numbers)
}

// dateWords splits at everything but letters and digits, and between letters and digits.
func dateWords(term string) []string {
	return strings.FieldsFunc(term, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r) })
}

func isNumber(w string) bool {
	return w != "" && len(w) <= 4 && strings.Trim(w, "0123456789") == ""
}

// ordinal removes the ending of a day's number: 3rd, 1er.
func ordinal(w string) string {
	for _, ending := range []string{"st", "nd", "rd", "th", "er", "º", "ª"} {
		if rest, cut := strings.CutSuffix(w, ending); cut {
			return rest
		}
	}
	return ""
}

func withMonthName(p partial, numbers []string) []partial {
	for _, n := range numbers {
		v, _ := strconv.Atoi(n)
		switch {
		case len(n) == 4 && p.year == 0:
			p.year = v
		case len(n) <= 2 && 1 <= v && v <= 31 && p.day == 0:
			p.day = v
		default:
			return nil
		}
	}
	return []partial{p}
}

func numericDates(numbers []string) []partial {
	v := make([]int, len(numbers))
	for i, n := range numbers {
		v[i], _ = strconv.Atoi(n)
	}
	year := func(i int) bool { return len(numbers[i]) == 4 }
	var out []partial
	add := func(y, m, d int) {
		if 1 <= m && m <= 12 && d <= 31 {
			out = append(out, partial{y, m, d})
		}
	}
	switch {
	case len(v) == 1 && year(0):
		return []partial{{year: v[0]}}
	case len(v) == 2 && year(0) && v[1] > 0:
		add(v[0], v[1], 0)
	case len(v) == 2 && year(1) && v[0] > 0:
		add(v[1], v[0], 0)
	case len(v) == 3 && year(0) && v[2] > 0:
		add(v[0], v[1], v[2])
	case len(v) == 3 && year(2) && v[0] > 0 && v[1] > 0:
		add(v[2], v[0], v[1])
		if v[0] != v[1] {
			add(v[2], v[1], v[0])
		}
	}
	return out
}

// dateFillers occur in dates without meaning: articles, prepositions, and days of the
// week, which follow from the date.
var dateFillers = wordSet("of the on in de del di du le la el der den dem am im vom und and y et a",
	"monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun",
	"lunes martes miércoles jueves viernes sábado domingo lundi mardi mercredi jeudi vendredi samedi dimanche",
	"montag dienstag mittwoch donnerstag freitag samstag sonntag")

// months are the names of the months in English, Spanish, French and German, and
// their short forms, in folded case.
var months = monthNames(
	"january jan enero ene janvier janv januar jän jänner",
	"february feb febrero février févr fév februar",
	"march mar marzo mars märz mär",
	"april apr abril abr avril avr",
	"may mayo mai",
	"june jun junio juin juni",
	"july jul julio juillet juil juli",
	"august aug agosto ago août",
	"september sep sept septiembre septembre",
	"october oct octubre octobre oktober okt",
	"november nov noviembre novembre",
	"december dec diciembre dic décembre déc dezember dez")

func monthNames(lists ...string) map[string]int {
	names := map[string]int{}
	for i, list := range lists {
		for _, name := range strings.Fields(list) {
			names[Normalize(name)] = i + 1
		}
	}
	return names
}

func wordSet(lists ...string) map[string]bool {
	words := map[string]bool{}
	for _, w := range strings.Fields(strings.Join(lists, " ")) {
		words[Normalize(w)] = true
	}
	return words
}
