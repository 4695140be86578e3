// SPDX-License-Identifier: Apache-2.0

package hierarchy

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const postcodes = "53710;5371*;*\n53711;5371*;*\n53220;5322*;*\n"

func TestReadAndWriteAreInverse(t *testing.T) {
	h, err := Read(strings.NewReader(postcodes))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := h.Write(&b); err != nil {
		t.Fatal(err)
	}
	if b.String() != postcodes {
		t.Errorf("got %q, want %q", b.String(), postcodes)
	}
	if path, ok := h.Path("53711"); !ok || strings.Join(path, " ") != "53711 5371* *" {
		t.Errorf("path %q, %v", path, ok)
	}
	if _, ok := h.Path("99999"); ok {
		t.Error("knows a value that no row is about")
	}
}

func TestReadRefusesWhatIsNoTree(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"nothing", "", "a hierarchy needs at least one row"},
		{"ragged rows", "a;x;*\nb;*\n", "row 2 has 2 levels, the first has 3"},
		{"no level", "a\nb\n", "row 1 has no level above the value"},
		{"two tops", "a;x\nb;y\n", "row 2 ends in a different label"},
		{"a value twice", "a;*\na;*\n", "row 2 repeats the value of an earlier row"},
		{"an empty label", "a;;*\n", "row 1 has an empty label"},
		{"two parents", "a;x;y;*\nb;x;z;*\n", "row 2 puts a different label above the label of level 1"},
		{"a loop", "a;b;*\nb;a;*\n", "row 2 makes a loop"},
		{"a loop of three", "a;b;*\nb;c;*\nc;a;*\n", "row 3 makes a loop"},
		{"a loop in a row", "a;b;a;*\n", "row 1 makes a loop"},
		{"a quote", "a;\"b\"c;*\n", "row 1 cannot be read"},
		{"other bytes", "a;\xff;*\n", "row 1 is not UTF-8"},
		{"too many levels", strings.Repeat("a;", 64) + "*\n", "row 1 has more than 64 levels"},
	} {
		_, err := Read(strings.NewReader(test.text))
		if wrong := (*Problem)(nil); !errors.As(err, &wrong) || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %s", test.name, err, test.want)
		}
	}
}

func TestARowMayRepeatALabel(t *testing.T) {
	if _, err := Read(strings.NewReader("a;a;x;*\nb;y;x;*\n")); err != nil {
		t.Error(err)
	}
}

func TestAutomaticHierarchiesNest(t *testing.T) {
	for _, test := range []struct {
		name string
		h    *Hierarchy
		want string // rows of the first and the last value
	}{
		{"ages", Numbers([]string{"17", "20", "21", "90"}, []float64{17, 20, 21, 90}), "17 [15, 20) [10, 20) [0, 20) [0, 40) * | 90 [90, 95) [90, 100) [80, 100) [80, 120) *"},
		{"shares", Numbers([]string{"-0.1", "0.3"}, []float64{-.1, .3}), "-0.1 [-0.1, -0.05) [-0.1, 0) [-0.2, 0) * | 0.3 [0.3, 0.35) [0.3, 0.4) [0.2, 0.4) *"},
		{"numbers too near to tell intervals", Numbers([]string{"9007199254740990", "9007199254740991"}, []float64{9007199254740990, 9007199254740991}), "9007199254740990 * | 9007199254740991 *"},
		{"one number", Numbers([]string{"7"}, []float64{7}), "7 * | 7 *"},
		{"days", Dates([]string{"1999-12-31", "2020-01-02"}), "1999-12-31 1999-12 1999 1990s 1900-1999 * | 2020-01-02 2020-01 2020 2020s 2000-2099 *"},
		{"a century's first decade", Dates([]string{"2001-01-02", "2019-01-02"}), "2001-01-02 2001-01 2001 2000s 2000-2099 * | 2019-01-02 2019-01 2019 2010s 2000-2099 *"},
		{"times", Dates([]string{"2020-01-02", "2020-01-02T10:11:12"}), "2020-01-02 2020-01-02 2020-01 2020 2020s 2000-2099 * | 2020-01-02T10:11:12 2020-01-02 2020-01 2020 2020s 2000-2099 *"},
	} {
		first, _ := test.h.Path(test.h.Values()[0])
		last, _ := test.h.Path(test.h.Values()[test.h.Len()-1])
		if got := strings.Join(first, " ") + " | " + strings.Join(last, " "); got != test.want {
			t.Errorf("%s: got %s, want %s", test.name, got, test.want)
		}
	}
}

// TestNumbersAreInTheirIntervals draws numbers of all sizes.
func TestNumbersAreInTheirIntervals(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 500 {
		scale, shift := math.Pow(10, float64(rng.IntN(12)-5)), float64(rng.IntN(5)-2)
		var numbers []float64
		for range 1 + rng.IntN(30) {
			v, err := strconv.ParseFloat(strconv.FormatFloat((rng.Float64()+shift)*scale, 'g', 1+rng.IntN(6), 64), 64)
			if err != nil {
				t.Fatal(err)
			}
			numbers = append(numbers, v)
		}
		slices.Sort(numbers)
		numbers = slices.Compact(numbers)
		var values []string
		for _, v := range numbers {
			values = append(values, strconv.FormatFloat(v, 'f', -1, 64))
		}
		h := Numbers(values, numbers)
		for i, v := range numbers {
			path, _ := h.Path(values[i])
			for _, label := range path[1 : len(path)-1] {
				var from, to float64
				if _, err := fmt.Sscanf(label, "[%g, %g)", &from, &to); err != nil {
					t.Fatal(err)
				}
				if v < from-1e-9*scale || v >= to {
					t.Fatalf("%v is in %s", v, label)
				}
			}
		}
	}
}
