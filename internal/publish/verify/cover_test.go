// SPDX-License-Identifier: Apache-2.0

package verify

import (
	"slices"
	"strings"
	"testing"
)

func TestACellCoversWhatItMayStandFor(t *testing.T) {
	ranks := map[string]int{"I": 1, "I-b": 2, "II": 3, "na": 4}
	for _, c := range []struct {
		kind, cell, value string
		want              bool
	}{
		{"nominal", "f", "f", true}, {"nominal", "f", "m", false}, {"nominal", "{f, m}", "m", true}, {"nominal", "{f, m}", "x", false},
		{"nominal", `{a\, b, c}`, "a, b", true}, {"nominal", `{a\, b, c}`, "b", false}, {"nominal", `{\{\}, \\}`, `\`, true}, {"nominal", `{f, na}`, "na", true},
		{"nominal", "{f, m", "f", false}, {"nominal", "*", "f", true},
		{"number", "[25-28]", "26.5", true}, {"number", "[25-28]", "25", true}, {"number", "[25-28]", "28", true}, {"number", "[25-28]", "28.1", false},
		{"number", "[-5--3]", "-4", true}, {"number", "[-5-3]", "0", true}, {"number", "[-5--3]", "0", false}, {"number", "[25-28]", "na", false}, {"number", "26", "27", false},
		{"date", "2020-03", "2020-03-09", true}, {"date", "2020-03", "2020-04-09", false}, {"date", "2020-03-09", "2020-03-09T10:00:00", true}, {"date", "2020", "2020-03-09", true},
		{"date", "[2019-2021]", "2020-03-09", true}, {"date", "[2019-2021]", "2022-03-09", false}, {"date", "2", "2020-03-09", false}, {"date", "", "2020-03-09", false},
		{"code", "537*", "53715", true}, {"code", "537*", "53615", false}, {"code", "537", "53715", false}, {"code", "*", "na", true},
		{"ordinal", "[I-II]", "I-b", true}, {"ordinal", "[I-I-b]", "II", false}, {"ordinal", "[I-b-II]", "I", false}, {"ordinal", "[I-IX]", "II", false},
		{"word", "a", "b", false},
	} {
		if got := covers(c.kind, c.cell, originalValue{Value: c.value, Rank: ranks[c.value]}, ranks); got != c.want {
			t.Errorf("%s %q of %q: %t", c.kind, c.cell, c.value, got)
		}
	}
	tree := originalValue{Value: "53715", Above: []string{"5371", "537"}}
	for cell, want := range map[string]bool{"53715": true, "5371": true, "537": true, "*": true, "5372": false, "53*": false} {
		if covers("code", cell, tree, nil) != want {
			t.Errorf("%q of a hierarchy: want %t", cell, want)
		}
	}
}

// TestWhatIsMissingIsCoveredByNothingNarrow: a missing value is itself, or one of a
// set, or all is suppressed; no range, date or start of a code holds it, though the
// text would fit.
func TestWhatIsMissingIsCoveredByNothingNarrow(t *testing.T) {
	ranks := map[string]int{"I": 1, missingText: 2, "III": 3}
	for kind, cells := range map[string]map[string]bool{
		"nominal": {"{a, na}": true, "{a, b}": false},
		"number":  {"[0-9]": false},
		"date":    {"n": false, "[0000-9999]": false},
		"code":    {"n*": false, "na*": false},
		"ordinal": {"[I-III]": false},
	} {
		cells[missingText], cells[suppressed] = true, true
		for cell, want := range cells {
			if covers(kind, cell, originalValue{Value: missingText, Rank: 2}, ranks) != want {
				t.Errorf("%s %q: want %t", kind, cell, want)
			}
		}
	}
}

// FuzzCovers: a set that is written is read, and no cell makes the check fall over.
func FuzzCovers(f *testing.F) {
	f.Add("{a, b}", "a", "b", 2)
	f.Add("[1-2]", "1", `{\,`, 0)
	f.Add("[2019-2020]", "2019-01-01", "", 1)
	kinds := []string{"nominal", "number", "date", "code", "ordinal"}
	escape := strings.NewReplacer(`\`, `\\`, `,`, `\,`, `{`, `\{`, `}`, `\}`)
	f.Fuzz(func(t *testing.T, cell, a, b string, n int) {
		for _, kind := range kinds {
			covers(kind, cell, originalValue{Value: a, Rank: n}, map[string]int{a: n, b: n + 1})
		}
		got, ok := membersOf("{" + escape.Replace(a) + ", " + escape.Replace(b) + "}")
		if !ok || !slices.Equal(got, []string{a, b}) {
			t.Errorf("%q and %q are read as %q", a, b, got)
		}
	})
}

func TestCountTokens(t *testing.T) {
	for text, want := range map[string]int{
		"": 0, "  \n\t": 0, "a": 1, "a b": 2, "12/03": 3, "Smith's": 3, "O_2 über": 2, "🙂🙂": 2, "e\u0301a": 1, "a\x00b": 2, "...": 3,
	} {
		if got := countTokens(text); got != want {
			t.Errorf("%q: got %d, want %d", text, got, want)
		}
	}
}
