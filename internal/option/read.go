// SPDX-License-Identifier: Apache-2.0

package option

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Bounds are those of a number, and how many numbers a list may have. The zero value takes
// every finite number.
type Bounds struct {
	min, max   float64
	low, high  edge
	mostValues int
	ascending  bool
}

type edge int

const (
	open      edge = iota // no bound
	inclusive             // the bound itself is within
	exclusive             // it is not
)

// AtLeast takes v and more.
func AtLeast(v float64) Bounds { return Bounds{min: v, low: inclusive} }

// Above takes more than v.
func Above(v float64) Bounds { return Bounds{min: v, low: exclusive} }

// From takes v, w and what lies between.
func From(v, w float64) Bounds { return AtLeast(v).AtMost(w) }

// AtMost also refuses more than v.
func (b Bounds) AtMost(v float64) Bounds {
	b.max, b.high = v, inclusive
	return b
}

// Below also refuses v and more.
func (b Bounds) Below(v float64) Bounds {
	b.max, b.high = v, exclusive
	return b
}

// Most also refuses lists of more than n values.
func (b Bounds) Most(n int) Bounds {
	b.mostValues = n
	return b
}

// Sorted puts the values of lists in ascending order.
func (b Bounds) Sorted() Bounds {
	b.ascending = true
	return b
}

// Has reports whether v is within the bounds. NaN and the infinities are within none.
func (b Bounds) Has(v float64) bool {
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return false
	case b.low == inclusive && v < b.min, b.low == exclusive && v <= b.min:
		return false
	case b.high == inclusive && v > b.max, b.high == exclusive && v >= b.max:
		return false
	}
	return true
}

// words: " of at least 2", " from 2 to 20", " above 0 and at most 1,000".
func (b Bounds) words(times float64) string {
	low, high := Format(rounded(b.min*times)), Format(rounded(b.max*times))
	switch {
	case b.low == open && b.high == open:
		return ""
	case b.low == inclusive && b.high == inclusive:
		return " from " + low + " to " + high
	}
	var parts []string
	if b.low != open {
		parts = append(parts, map[edge]string{inclusive: "of at least ", exclusive: "above "}[b.low]+low)
	}
	if b.high != open {
		parts = append(parts, map[edge]string{inclusive: "at most ", exclusive: "below "}[b.high]+high)
	}
	return " " + strings.Join(parts, " and ")
}

// Format writes a number for people, with commas between thousands: 10,000 or 0.25.
func Format(v float64) string {
	text := strconv.FormatFloat(v, 'f', -1, 64)
	whole, rest, _ := strings.Cut(strings.TrimPrefix(text, "-"), ".")
	for at := len(whole) - 3; at > 0; at -= 3 {
		whole = whole[:at] + "," + whole[at:]
	}
	if rest != "" {
		whole += "." + rest
	}
	if v < 0 {
		whole = "-" + whole
	}
	return whole
}

// typed writes a number as somebody would type it: 10000 or 0.25.
func typed(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// rounded keeps 15 digits: 100 times 0.07 is 7 and not 7.000000000000001.
func rounded(v float64) float64 {
	if r, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 15, 64), 64); err == nil {
		return r
	}
	return v
}

var (
	// plain is a number without commas: 12, -.5, 1e-3.
	plain = regexp.MustCompile(`^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$`)
	// grouped is a number whose thousands are grouped by commas: 1,000 or 12,345.5.
	grouped = regexp.MustCompile(`^[+-]?[0-9]{1,3}(,[0-9]{3})+(\.[0-9]+)?$`)
	// decimalComma is a number with a comma for its decimal point: 2,5.
	decimalComma = regexp.MustCompile(`^[+-]?[0-9]+,[0-9]+$`)
)

var errNumber = errors.New("not a number")

// ReadNumber reads one number as people write it: "12", " 0.5 ", ".5", "1e-3", and "2,5"
// with a decimal comma. Commas may group thousands where that cannot be mistaken, as in
// "1,000,000" and "1,000.5"; "1,000" alone is one or a thousand, and is refused.
// What Go reads besides, such as 1_0, 0x10, Inf and NaN, is refused.
func ReadNumber(text string) (float64, error) {
	text = strings.TrimSpace(text)
	switch commas := strings.Count(text, ","); {
	case plain.MatchString(text):
	case grouped.MatchString(text) && (commas > 1 || strings.Contains(text, ".")):
		text = strings.ReplaceAll(text, ",", "")
	case grouped.MatchString(text):
		return 0, fmt.Errorf("%s may be %s or %s: write thousands without a comma and decimals with a point", text,
			strings.Replace(text, ",", ".", 1), strings.Replace(text, ",", "", 1))
	case decimalComma.MatchString(text):
		text = strings.Replace(text, ",", ".", 1)
	default:
		return 0, errNumber
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil { // out of range
		return 0, errNumber
	}
	return v, nil
}

// ReadWhole reads one whole number: "12", "10,000" and "-3". Its commas can only group
// thousands.
func ReadWhole(text string) (int64, error) {
	n, err := strconv.ParseInt(ungrouped(text), 10, 64)
	if err != nil {
		return 0, errNumber
	}
	return n, nil
}

// ungrouped is a whole number without the commas between its thousands.
func ungrouped(text string) string {
	text = strings.TrimSpace(text)
	if grouped.MatchString(text) && !strings.Contains(text, ".") {
		text = strings.ReplaceAll(text, ",", "")
	}
	return text
}

// ReadShare reads a share of 1. With a percent sign it is in percent everywhere; without
// one it is on pages, where "1" is one percent, while a command takes it as it is.
func ReadShare(text string, at Place) (float64, error) {
	number, percent := strings.CutSuffix(strings.TrimSpace(text), "%")
	v, err := ReadNumber(number)
	if percent || at == Page {
		v /= 100
	}
	return v, err
}

// Split cuts a list. A command puts commas between values; a page also takes semicolons,
// blanks and line ends, and refuses a comma of which nobody can tell whether it stands
// within a number, as in "0,5" and "1,5 10". "1,2,5" is a list.
func Split(text string, at Place) ([]string, error) {
	if at == Command {
		words := strings.Split(text, ",")
		for i, w := range words {
			if words[i] = strings.TrimSpace(w); words[i] == "" {
				return nil, errors.New("a value is missing between two commas")
			}
		}
		return words, nil
	}
	if word := oneOrSeveral(text); word != "" {
		return nil, fmt.Errorf("%s may be one number or several: write decimals with a point, thousands without a comma, and put blanks or semicolons between values", shortened(word))
	}
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' || isBlank(r) }), nil
}

// isBlank is what stands between values on a page, besides commas.
func isBlank(r rune) bool { return strings.ContainsRune("; \t\r\n", r) }

// digitComma is a comma within a number in one country and between two in another.
var digitComma = regexp.MustCompile(`[0-9],[0-9]`)

// oneOrSeveral is the first word that may be one number or several, "" for none.
func oneOrSeveral(text string) string {
	words := strings.FieldsFunc(text, isBlank)
	for _, w := range words {
		w = strings.Trim(w, ",")
		if digitComma.MatchString(w) && (len(words) > 1 || strings.Count(w, ",") == 1) {
			return w
		}
	}
	return ""
}

// shortened quotes the beginning of what was typed.
func shortened(text string) string {
	if runes := []rune(text); len(runes) > 20 {
		text = string(runes[:20]) + "…"
	}
	return strconv.Quote(text)
}

// number reads one number within bounds. Its refusal says what to enter, with the bounds.
func (b Bounds) number(text, enter string) (float64, error) {
	v, err := ReadNumber(text)
	if err == nil && b.Has(v) {
		return v, nil
	}
	return 0, refusal(err, enter+b.words(1))
}

// whole reads one whole number within bounds.
func (b Bounds) whole(text string) (int64, error) {
	n, err := ReadWhole(text)
	if err == nil && b.Has(float64(n)) {
		return n, nil
	}
	return 0, errors.New("enter a whole number" + b.words(1))
}

// share reads a share within bounds.
func (b Bounds) share(text string, at Place) (float64, error) {
	v, err := ReadShare(text, at)
	if err == nil && b.Has(v) {
		return v, nil
	}
	return 0, refusal(err, "enter "+b.shareWords(at))
}

func (b Bounds) shareWords(at Place) string {
	if at == Page {
		return "a percentage" + b.words(100)
	}
	return "a share" + b.words(1)
}

// refusal is what to enter, unless err says more than that it is no number.
func refusal(err error, enter string) error {
	if err != nil && !errors.Is(err, errNumber) {
		return err
	}
	return errors.New(enter)
}

// longestList is how many values any list may have: looking for one that is there twice
// takes the square of it.
const longestList = 1000

// distinct refuses a value that is there twice, and too many of them.
func distinct[T comparable](b Bounds, all []T) error {
	most := longestList
	if b.mostValues > 0 {
		most = b.mostValues
	}
	if len(all) > most {
		return fmt.Errorf("%d values are too many: enter at most %d", len(all), most)
	}
	for i, v := range all {
		if slices.Contains(all[:i], v) {
			return fmt.Errorf("%v is there twice", v)
		}
	}
	return nil
}

// list reads each value of texts by one. Ticks are values already.
func list[T comparable](texts []string, at Place, in Input, b Bounds, one func(string) (T, error)) ([]T, error) {
	var out []T
	for _, text := range texts {
		words, err := []string{text}, error(nil)
		if at == Command || in != Checks {
			words, err = Split(text, at)
		}
		if err != nil {
			return nil, err
		}
		for _, w := range words {
			v, err := one(w)
			if err != nil {
				return nil, err
			}
			out = append(out, v)
		}
	}
	if len(out) == 0 {
		return nil, errors.New("enter at least one value")
	}
	return out, distinct(b, out)
}
