// SPDX-License-Identifier: Apache-2.0

package option_test

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"hide/internal/option"
)

func TestNumbersAreReadAsPeopleWriteThem(t *testing.T) {
	for text, want := range map[string]float64{
		"12": 12, " 0.5 ": 0.5, ".5": 0.5, "5.": 5, "-3": -3, "+4": 4, "1e-3": 0.001, "1E6": 1e6,
		"2,5": 2.5, "0,25": 0.25, "10,00": 10, "1,000,000": 1e6, "1,000.5": 1000.5, "-12,345.25": -12345.25,
	} {
		if got, err := option.ReadNumber(text); err != nil || got != want {
			t.Errorf("%q is %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", " ", "x", "1_0", "0x10", "0x1p4", "NaN", "Inf", "-infinity", "1e999", "1 2", "1;2", "1,2,5", "1,0000,000", "1.000,5", ",5", "5,", "--1", "1%", "١", "1,000"} {
		if got, err := option.ReadNumber(text); err == nil {
			t.Errorf("%q is taken for %v", text, got)
		}
	}
	if _, err := option.ReadNumber("1,000"); err == nil || err.Error() != "1,000 may be 1.000 or 1000: write thousands without a comma and decimals with a point" {
		t.Errorf("1,000: %v", err)
	}
}

func TestWholeNumbersAreRead(t *testing.T) {
	for text, want := range map[string]int64{"12": 12, " 7 ": 7, "10,000": 10000, "1,000,000": 1e6, "-3": -3, "+3": 3, "007": 7} {
		if got, err := option.ReadWhole(text); err != nil || got != want {
			t.Errorf("%q is %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "1.0", "2,5", "10,00", "1,000.0", "1e3", "1_0", "0x10", "9223372036854775808", "12 notes"} {
		if got, err := option.ReadWhole(text); err == nil {
			t.Errorf("%q is taken for %v", text, got)
		}
	}
}

func TestSharesAreInPercentOnPages(t *testing.T) {
	for _, c := range []struct {
		text     string
		at       option.Place
		want     float64
		readable bool
	}{
		{"0.5", option.Command, 0.5, true}, {"0.5", option.Page, 0.005, true}, {"0.5 %", option.Command, 0.005, true}, {"0.5%", option.Page, 0.005, true},
		{"2,5 %", option.Page, 0.025, true}, {"100", option.Page, 1, true}, {"%", option.Page, 0, false}, {"5 %%", option.Page, 0, false}, {"half", option.Command, 0, false},
	} {
		got, err := option.ReadShare(c.text, c.at)
		if (err == nil) != c.readable || c.readable && got != c.want {
			t.Errorf("%q in %v is %v, %v; want %v", c.text, c.at, got, err, c.want)
		}
	}
}

func TestListsAreSplit(t *testing.T) {
	for text, want := range map[string]string{
		"1, 10, 100": "1|10|100", "1,2,5": "1|2|5", "0.5; 10;1000": "0.5|10|1000", "1 2\n3": "1|2|3", " ; ": "", "1, 5": "1|5", "crf, svm": "crf|svm",
		"1 2,": "1|2", " 10,20,50 ": "10|20|50", "10,\n1": "10|1", "7": "7",
	} {
		got, err := option.Split(text, option.Page)
		if err != nil || strings.Join(got, "|") != want {
			t.Errorf("on a page %q is %q, %v; want %q", text, got, err, want)
		}
	}
	for _, text := range []string{"0,5", "1,5", "1,5 10", "2 1,5", "1, 2,5", "1,000", "1; 1,000", "1,2,5 10", "0,5,"} {
		if got, err := option.Split(text, option.Page); err == nil || !strings.Contains(err.Error(), "may be one number or several") {
			t.Errorf("on a page %q is %q, %v", text, got, err)
		}
	}
	for text, want := range map[string]string{"1,5": "1|5", "1, 10": "1|10", "a b,c": "a b|c"} {
		if got, err := option.Split(text, option.Command); err != nil || strings.Join(got, "|") != want {
			t.Errorf("in a command %q is %q, %v; want %q", text, got, err, want)
		}
	}
	for _, text := range []string{"1,,5", "1,", ",", ""} {
		if got, err := option.Split(text, option.Command); err == nil {
			t.Errorf("in a command %q is %q", text, got)
		}
	}
}

func TestBoundsHoldAtTheirEdges(t *testing.T) {
	for _, c := range []struct {
		b       option.Bounds
		within  []float64
		without []float64
	}{
		{option.AtLeast(2), []float64{2, 3, 1e300}, []float64{1.999, -2}},
		{option.Above(0).AtMost(1), []float64{1e-300, 1}, []float64{0, 1.0000001}},
		{option.Above(0).Below(1), []float64{0.5}, []float64{0, 1}},
		{option.From(-1, 1), []float64{-1, 0, 1}, []float64{-1.1, 1.1}},
		{option.Bounds{}, []float64{0, -1e300, math.MaxFloat64}, nil},
	} {
		for _, v := range c.within {
			if !c.b.Has(v) {
				t.Errorf("%+v does not have %v", c.b, v)
			}
		}
		for _, v := range append(c.without, math.NaN(), math.Inf(1), math.Inf(-1)) {
			if c.b.Has(v) {
				t.Errorf("%+v has %v", c.b, v)
			}
		}
	}
}

func TestNumbersAreWrittenForPeople(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 7: "7", 999: "999", 1000: "1,000", 1e9: "1,000,000,000", 0.25: "0.25", -12345.5: "-12,345.5", 1e-6: "0.000001"} {
		if got := option.Format(v); got != want {
			t.Errorf("%v is written %q, want %q", v, got, want)
		}
	}
}

// What is read is finite, is read again from how Go writes it, and does not depend on
// blanks around it; lists lose nothing but what is between their values.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{"1,2,5", "0.5 %", "10,000", "2,5", "1,000.5", "1e-3", ".5", "1;2 3", "NaN", "0x10", "1_0", "-12,345,678", ",", "٣"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if v, err := option.ReadNumber(text); err == nil {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				t.Errorf("%q is %v", text, v)
			}
			if again, err := option.ReadNumber(strconv.FormatFloat(v, 'f', -1, 64)); err != nil || again != v {
				t.Errorf("%q is %v and then %v, %v", text, v, again, err)
			}
			if padded, err := option.ReadNumber(" " + text + "\t"); err != nil || padded != v {
				t.Errorf("%q with blanks is %v, %v", text, padded, err)
			}
			if share, err := option.ReadShare(text+"%", option.Command); err != nil || share != v/100 {
				t.Errorf("%q percent is %v, %v", text, share, err)
			}
		}
		if n, err := option.ReadWhole(text); err == nil {
			if v, err := option.ReadNumber(strings.ReplaceAll(text, ",", "")); err != nil || v != float64(n) {
				t.Errorf("%q is %d and %v, %v", text, n, v, err)
			}
		}
		for _, at := range []option.Place{option.Command, option.Page} {
			words, err := option.Split(text, at)
			if err != nil {
				continue
			}
			if slices.Contains(words, "") {
				t.Errorf("%q has an empty value: %q", text, words)
			}
			again, err := option.Split(strings.Join(words, ", "), at)
			if err != nil || !slices.Equal(words, again) {
				t.Errorf("%q is %q and then %q, %v", text, words, again, err)
			}
		}
	})
}
