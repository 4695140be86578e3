// SPDX-License-Identifier: Apache-2.0

package cube

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
)

// MostCells bounds a cube: 400 MB for its counts.
const MostCells = 50_000_000

// mostDimensions and mostValues bound a configuration.
const (
	mostDimensions = 32
	mostValues     = 100_000
)

// Other is the category of all values that a dimension does not list.
const Other = "(other)"

// Dimension is one attribute with its public domain: either Values, or numbers
// from Min to Max, both included, in bins of Width.
type Dimension struct {
	Name   string   `json:"name"` // column of the table
	Values []string `json:"values,omitempty"`
	Min    float64  `json:"min,omitempty"`
	Max    float64  `json:"max,omitempty"`
	Width  float64  `json:"width,omitempty"`
	// Ordered states that Values are in an order, such as stages, so that their counts have
	// a trend. Numbers always are.
	Ordered bool `json:"ordered,omitempty"`
	// Other adds a last category for everything else, missing values too. Without
	// it a row with something else is refused.
	Other bool `json:"other,omitempty"`
}

func (d Dimension) numeric() bool { return d.Width != 0 }

// Bins is the number of bins of a numeric dimension, without "(other)"; 0 for others.
func (d Dimension) Bins() int {
	if !d.numeric() {
		return 0
	}
	return int(math.Floor((d.Max-d.Min)/d.Width+1e-9)) + 1
}

// Ranks is the number of ordered categories: all bins, all values of an ordered dimension,
// and otherwise 0.
func (d Dimension) Ranks() int {
	if d.Ordered {
		return len(d.Values)
	}
	return d.Bins()
}

// Size is the number of categories.
func (d Dimension) Size() int {
	n := len(d.Values)
	if d.numeric() {
		n = d.Bins()
	}
	if d.Other {
		n++
	}
	return n
}

// Label names category i.
func (d Dimension) Label(i int) string {
	switch {
	case d.Other && i == d.Size()-1:
		return Other
	case !d.numeric():
		return d.Values[i]
	}
	lo := d.Min + float64(i)*d.Width
	if d.Width == 1 && lo == math.Floor(lo) {
		return strconv.FormatFloat(lo, 'f', -1, 64)
	}
	return fmt.Sprintf("[%v, %v)", lo, lo+d.Width)
}

// index finds the category of a value, -1 when there is none.
func (d Dimension) index(values map[string]int, s string) int {
	at, ok := -1, false
	if d.numeric() {
		x, err := strconv.ParseFloat(s, 64)
		if ok = err == nil && x >= d.Min && x < d.Min+float64(d.Bins())*d.Width; ok {
			at = min(int((x-d.Min)/d.Width), d.Bins()-1)
		}
	} else {
		at, ok = values[s]
	}
	switch {
	case ok:
		return at
	case d.Other:
		return d.Size() - 1
	}
	return -1
}

func (d Dimension) check() error {
	switch {
	case d.Name == "":
		return errors.New("has no name")
	case d.numeric() == (len(d.Values) > 0):
		return errors.New("needs either values, or min, max and width, from a public source: epsilon does not cover what is taken from the data")
	case len(d.Values) > mostValues:
		return fmt.Errorf("has more than %d values", mostValues)
	case d.numeric() && d.Ordered:
		return errors.New("is numeric and therefore ordered: \"ordered\" is for a list of values")
	case d.numeric():
		return d.checkNumbers()
	}
	seen := map[string]bool{}
	for _, v := range d.Values {
		if seen[v] || v == Other {
			return fmt.Errorf("lists %q twice", v)
		}
		seen[v] = true
	}
	return nil
}

func (d Dimension) checkNumbers() error {
	n := (d.Max - d.Min) / d.Width
	if !(d.Width > 0) || !(d.Max > d.Min) || !(n < mostValues) || math.IsInf(d.Min, 0) {
		return fmt.Errorf("needs min below max, a positive width, and at most %d bins", mostValues)
	}
	return nil
}

// Domain is the dimensions of a cube, the last one counting fastest.
type Domain []Dimension

// Check refuses a domain that cannot be used. Its errors name the dimension.
func (d Domain) Check() error {
	if len(d) == 0 || len(d) > mostDimensions {
		return fmt.Errorf("a cube has 1 to %d dimensions", mostDimensions)
	}
	seen := map[string]bool{}
	for i, dim := range d {
		if err := dim.check(); err != nil {
			return fmt.Errorf("dimension %d, %q: %w", i+1, dim.Name, err)
		}
		if seen[dim.Name] {
			return fmt.Errorf("dimension %d, %q: is listed twice", i+1, dim.Name)
		}
		seen[dim.Name] = true
	}
	return nil
}

// Cells is the number of cells, +Inf for more than can be counted.
func (d Domain) Cells() float64 {
	n := 1.0
	for _, dim := range d {
		n *= float64(dim.Size())
	}
	return n
}

// fits refuses a cube with too many cells to count.
func (d Domain) fits() error {
	if n := d.Cells(); n > MostCells {
		return fmt.Errorf("the cube has %.3g cells, of which at most %d can be counted: use wider bins, fewer dimensions, or name the marginals that matter", n, MostCells)
	}
	return nil
}

// shape is the number of categories of each dimension.
func (d Domain) shape() []int {
	out := make([]int, len(d))
	for i, dim := range d {
		out[i] = dim.Size()
	}
	return out
}

// Find is the number of the dimension of a name, -1 when there is none.
func (d Domain) Find(name string) int {
	return slices.IndexFunc(d, func(dim Dimension) bool { return dim.Name == name })
}

// Index finds a category by its label or by a value in it, -1 when there is none.
func (d Dimension) Index(s string) int {
	if i := slices.Index(d.Values, s); i >= 0 {
		return i
	}
	if d.Other && s == Other {
		return d.Size() - 1
	}
	if !d.numeric() {
		return -1
	}
	exact := d
	exact.Other = false
	return exact.index(nil, s)
}

// Bounds are the bounds of a bin, the upper one not included. ok is false when category i
// is not a bin.
func (d Dimension) Bounds(i int) (lo, hi float64, ok bool) {
	if i < 0 || i >= d.Bins() {
		return 0, 0, false
	}
	lo = d.Min + float64(i)*d.Width
	return lo, lo + d.Width, true
}

// strides say how far apart neighbours are along each dimension.
func strides(shape []int) []int {
	out := make([]int, len(shape))
	n := 1
	for i := len(shape) - 1; i >= 0; i-- {
		out[i] = n
		n *= shape[i]
	}
	return out
}
