// SPDX-License-Identifier: Apache-2.0

package known

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"hide/internal/annotate"
)

// distance is the number of edits between two words, exchanged neighbours being one.
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	d := make([][]int, len(x)+1)
	for i := range d {
		d[i] = make([]int, len(y)+1)
		for j := range d[i] {
			switch {
			case i == 0 || j == 0:
				d[i][j] = i + j
				continue
			case x[i-1] == y[j-1]:
				d[i][j] = d[i-1][j-1]
			default:
				d[i][j] = 1 + min(d[i-1][j-1], d[i-1][j], d[i][j-1])
			}
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				d[i][j] = min(d[i][j], d[i-2][j-2]+1)
			}
		}
	}
	return d[len(x)][len(y)]
}

func TestOneEditIsDistanceOne(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	word := func() string {
		b := make([]rune, rng.IntN(6))
		for i := range b {
			b[i] = []rune("abé")[rng.IntN(3)]
		}
		return string(b)
	}
	for range 20_000 {
		a, b := word(), word()
		if got, want := oneEdit(a, b), distance(a, b) == 1; got != want {
			t.Fatalf("%q and %q: %v", a, b, got)
		}
	}
}

// people of the brute force. No name is within two edits of another.
var oraclePeople = []string{"Anna B Mallory", "Will Brown", "Wu Carpenter", "Otto Xi Quill"}

// bruteForms are the forms of a name, as an expression over folded words with blanks between.
func bruteForms(value string) *regexp.Regexp {
	f := strings.Fields(strings.ToLower(value))
	given, family := f[0], f[len(f)-1]
	middle := ""
	if len(f) == 3 {
		middle = "( " + f[1] + "| " + f[1][:1] + ")?"
	}
	first := "(" + given + "|" + given[:1] + ")"
	forms := []string{first + middle + " " + family, family + " " + first + middle, "xx"}
	for _, w := range f {
		if len(w) >= 3 {
			forms = append(forms, w)
		}
	}
	return regexp.MustCompile("^(" + strings.Join(forms, "|") + ")$")
}

// bruteName reports whether words of a text are a form of the name.
func bruteName(forms *regexp.Regexp, vocabulary []string, words []string, gaps []string) bool {
	folded := make([]string, len(words))
	common, lower := true, false
	for i, w := range words {
		folded[i] = strings.ToLower(w)
		upper := unicode.IsUpper(rune(w[0]))
		if upper && !slices.Contains(vocabulary, folded[i]) && !isCommon(folded[i]) {
			for _, v := range vocabulary {
				if len(v) >= 6 && !isCommon(v) && distance(v, folded[i]) == 1 {
					folded[i] = v
				}
			}
		}
		if len(w) == 1 && !upper && !strings.HasPrefix(gaps[i], ".") {
			return false
		}
		common = common && (len(w) == 1 || isCommon(folded[i]))
		lower = lower || !upper && (i == 0 || i == len(words)-1)
		if i+1 < len(words) && (strings.Count(gaps[i], "\n") > 1 || strings.Contains(gaps[i], ";") || len(gaps[i]) > 4) {
			return false
		}
	}
	return forms.MatchString(strings.Join(folded, " ")) && !(common && lower)
}

// TestNamesAreThoseOfBruteForce compares the words that are found in random texts with those
// of every range of words that is a form of a name.
func TestNamesAreThoseOfBruteForce(t *testing.T) {
	var identities []annotate.Identity
	var forms []*regexp.Regexp
	var vocabulary []string
	for _, p := range oraclePeople {
		identities = append(identities, annotate.Identity{Label: "PATIENT", Value: p})
		forms = append(forms, bruteForms(p))
		vocabulary = append(vocabulary, strings.Fields(strings.ToLower(p))...)
	}
	vocabulary = append(vocabulary, "a", "b", "w", "o", "x", "q", "m", "c")
	index := New(identities)
	rng := rand.New(rand.NewPCG(2, 2))
	pool := []string{"Anna", "anna", "B", "b", "A", "Mallory", "MALLORY", "Malory", "Mallroy", "mallroy", "Will", "will", "Brown", "brown", "W", "w", "Wu", "Carpenter", "Carpente", "Otto", "Xi", "X", "x", "Quill", "the", "Zed"}
	marks := []string{" ", " ", " ", ", ", ". ", "-", "\n", "\n\n", "; ", "     "}
	found := 0
	for range 4000 {
		words, gaps := []string{}, []string{}
		text := ""
		for range 1 + rng.IntN(6) {
			words, gaps = append(words, pool[rng.IntN(len(pool))]), append(gaps, marks[rng.IntN(len(marks))])
			text += words[len(words)-1] + gaps[len(gaps)-1]
		}
		want := make([]bool, len(words))
		for from := range words {
			for to := from + 1; to <= len(words); to++ {
				for _, f := range forms {
					if bruteName(f, vocabulary, words[from:to], gaps[from:to]) {
						for i := from; i < to; i++ {
							want[i] = true
							found++
						}
					}
				}
			}
		}
		if got := covered(text, index.Find(text)); !slices.Equal(got, want) {
			t.Fatalf("%q: found %v, want %v", text, got, want)
		}
	}
	if found == 0 {
		t.Error("no text has a name")
	}
}

// covered says of each word of a text whether it is in a match.
func covered(text string, found []Match) (out []bool) {
	for _, w := range regexp.MustCompile(`\w+`).FindAllStringIndex(text, -1) {
		out = append(out, slices.ContainsFunc(found, func(m Match) bool {
			return int(m.Span.Start) <= w[0] && w[1] <= int(m.Span.End)
		}))
	}
	return out
}

// TestNumbersAreThoseOfBruteForce compares with every range of words whose letters and
// digits are the number.
func TestNumbersAreThoseOfBruteForce(t *testing.T) {
	values := []string{"0012-345-78", "AB 1200", "5551234", "9-9-9-9"}
	var identities []annotate.Identity
	var keys []string
	bare := func(s string) string {
		return strings.TrimLeft(strings.ToLower(regexp.MustCompile(`\W+`).ReplaceAllString(s, "")), "0")
	}
	for _, v := range values {
		identities = append(identities, annotate.Identity{Label: "IDNUM", Value: v})
		keys = append(keys, bare(v))
	}
	index := New(identities)
	rng := rand.New(rand.NewPCG(3, 3))
	pool := []string{"12", "345", "78", "0", "00", "AB", "ab1200", "1200", "555", "1234", "5551234", "9", "9999", "x"}
	marks := []string{" ", "-", "-", ".", "/", " (", ") ", ", ", "\n"}
	hits := 0
	for range 20_000 {
		words, gaps := []string{}, []string{}
		text := ""
		for range 1 + rng.IntN(6) {
			words, gaps = append(words, pool[rng.IntN(len(pool))]), append(gaps, marks[rng.IntN(len(marks))])
			text += words[len(words)-1] + gaps[len(gaps)-1]
		}
		want := make([]bool, len(words))
		for from := range words {
			for to := from + 1; to <= len(words); to++ {
				between := gaps[from : to-1]
				key := bare(strings.Join(words[from:to], ""))
				plain := !slices.ContainsFunc(between, func(g string) bool { return g != "-" })
				if slices.Contains(between, ", ") || slices.Contains(between, "\n") || !slices.Contains(keys, key) || !plain && len(key) < 7 {
					continue
				}
				for i := from; i < to; i++ {
					want[i], hits = true, hits+1
				}
			}
		}
		if got := covered(text, index.Find(text)); !slices.Equal(got, want) {
			t.Fatalf("%q: found %v, want %v", text, got, want)
		}
	}
	if hits == 0 {
		t.Error("no text has a number")
	}
}

// TestDatesAreFoundInEveryLayout writes random days and compares with the standard library:
// a date is found if and only if it can be read as the day.
func TestDatesAreFoundInEveryLayout(t *testing.T) {
	layouts := []string{
		"2006-01-02", "2006/1/2", "20060102", "1/2/2006", "1/2/06", "01-02-2006", "2.1.2006", "02.01.06", "2/1/2006",
		"January 2, 2006", "Jan 2 2006", "Jan. 2, 2006", "2 January 2006", "02-Jan-2006", "2 Jan 06", "January 2", "2 Jan", "January 2006", "01/2006", "2006-01",
	}
	rng := rand.New(rand.NewPCG(4, 4))
	random := func() time.Time { return time.Date(1990+rng.IntN(4), 1, 1+rng.IntN(365), 0, 0, 0, 0, time.UTC) }
	same := 0
	for range 5_000 {
		known, written := random(), random()
		if rng.IntN(2) == 0 {
			written = known
		}
		layout := layouts[rng.IntN(len(layouts))]
		if layout == "2 Jan 06" && known.Year() != written.Year() {
			continue // the day without the year may be meant: "2 Jan 06" as "2 Jan 06:30"
		}
		text := written.Format(layout)
		got := Find("on "+text+", seen", []annotate.Identity{{Label: "DATE", Value: known.Format(time.DateOnly)}})
		want := readableAs(text, known, layouts)
		if (len(got) == 1) != want || want && got[0].Span.Surface("on "+text+", seen") != text {
			t.Fatalf("%s written as %q: found %v", known.Format(time.DateOnly), text, got)
		}
		if want {
			same++
		}
	}
	if same == 0 {
		t.Error("no date is the same")
	}
}

// readableAs reports whether a text can be read as the day in one of the layouts.
func readableAs(text string, known time.Time, layouts []string) bool {
	for _, layout := range append(slices.Clone(layouts), "1.2.2006", "02.01.2006", "01.02.06", "2/1/06", "02-01-2006", "2.1.06") {
		if d, err := time.Parse(layout, text); err == nil && d.Format(layout) == known.Format(layout) {
			return true
		}
	}
	return false
}
