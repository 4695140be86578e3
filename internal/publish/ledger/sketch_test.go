// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"encoding/base64"
	"errors"
	"math"
	"testing"

	"hide/internal/testsize"
)

func read(t *testing.T, l *Ledger, first, last int) sketch {
	t.Helper()
	s, err := readSketch(sketchOf(t, l, first, last))
	must(t, err)
	return s
}

// TestSketchesSayWhatShareOfTheSmallerIsInBoth compares them with the true share,
// which is exact until a sketch is full.
func TestSketchesSayWhatShareOfTheSmallerIsInBoth(t *testing.T) {
	testsize.Slow(t)
	l := newLedger(t, "file", One)
	for _, c := range []struct{ n, first, last int }{
		{3, 0, 3}, {40, 39, 41}, {2000, 100, 300}, {2000, 1900, 2100}, {2000, 2000, 2100}, {10_000, 0, 200},
		{100_000, 0, 100_000}, {100_000, 20_000, 30_000}, {100_000, 98_000, 108_000}, {100_000, 50_000, 150_000}, {100_000, 100_000, 200_000},
	} {
		a, b := read(t, l, 0, c.n), read(t, l, c.first, c.last)
		smaller := min(c.n, c.last-c.first)
		want, within := float64(max(0, min(c.n, c.last)-c.first))/float64(smaller), 1e-12
		if max(c.n, c.last-c.first) > MostUnits {
			within += 4 * math.Sqrt(want*(1-want)/(float64(smaller)*MostUnits/float64(max(c.n, c.last-c.first))))
		}
		if got, back := a.shared(b), b.shared(a); math.Abs(got-want) > within || got != back {
			t.Errorf("%+v: %.4f and %.4f, want %.4f ± %.4f", c, got, back, want, within)
		}
		if len(a) > MostUnits {
			t.Errorf("%d units are kept", len(a))
		}
	}
	if s := sketchOf(t, l, 0, 0); s != "" || sketch(nil).shared(read(t, l, 0, 9)) != 0 {
		t.Errorf("nobody has the sketch %q", s)
	}
	if sketchOf(t, l, 0, 9) == sketchOf(t, newLedger(t, "file", One), 0, 9) {
		t.Error("two ledgers make the same sketch")
	}
}

// TestASketchOfPartsIsThatOfTheWhole puts sketches together, full ones too.
func TestASketchOfPartsIsThatOfTheWhole(t *testing.T) {
	testsize.Slow(t)
	l := newLedger(t, "file", One)
	for _, n := range []int{10, 70_000, 140_000} {
		whole := read(t, l, 0, n)
		some := read(t, l, 0, n/2+1)
		if got := some.union(read(t, l, n/2, n)); got.String() != whole.String() {
			t.Errorf("%d: halves make %d, the whole %d", n, len(got), len(whole))
		}
		if got := some.union(whole.without(some)); got.String() != whole.String() {
			t.Errorf("%d: with the new ones %d, the whole %d", n, len(got), len(whole))
		}
	}
}

func TestSketchesOfNoKnownFormAreRefused(t *testing.T) {
	text := func(raw ...byte) string { return sketchSchema + base64.StdEncoding.EncodeToString(raw) }
	one := []byte{0, 0, 0, 0, 0, 0, 0, 1}
	for _, s := range []string{"x", sketchSchema, sketchSchema + "!", text(1, 2, 3), text(append(one, one...)...), base64.StdEncoding.EncodeToString(one), text(make([]byte, 8*MostUnits+8)...)} {
		if _, err := readSketch(s); !errors.Is(err, errSketch) {
			t.Errorf("%.20q: %v", s, err)
		}
	}
	if s, err := readSketch(base64.StdEncoding.EncodeToString(make([]byte, 256))); err != nil || s != nil {
		t.Errorf("of 256 bins: %v, %v", s, err)
	}
}

// TestAPartOfThePeopleHasNoOtherBudget is about few of many, many around few, and
// parts that are little each.
func TestAPartOfThePeopleHasNoOtherBudget(t *testing.T) {
	l := newLedger(t, "file", One)
	n := 0
	ask := func(lineage string, first, last int) error {
		n++
		r := request(n, One/100)
		r.Lineage, r.Units = lineage, sketchOf(t, l, first, last)
		_, err := l.Publish(t.Context(), r, draw("x"))
		return err
	}
	must(t, errors.Join(l.OpenAccount("b", "patient", One), l.OpenAccount("c", "patient", One)))
	must(t, ask(ward, 0, 10_000))
	var same *SameUnitsError
	if err := ask("b", 500, 700); !errors.As(err, &same) || same.Others[0].Share != 1 {
		t.Errorf("200 of 10,000: %v", err)
	}
	if err := ask("b", 9_900, 10_100); !errors.As(err, &same) || same.Others[0].Share != 0.5 {
		t.Errorf("100 of 10,000 and 100 others: %v", err)
	}
	if err := ask("b", 5_000, 40_000); !errors.As(err, &same) || same.Others[0].Share != 0.5 {
		t.Errorf("35,000 around 5,000: %v", err)
	}
	must(t, ask("b", 20_000, 20_100)) // others
	must(t, ask(ward, 500, 700))      // the lineage's own
	must(t, ask("c", 9_960, 11_000))  // 40 of 1,040
	must(t, ask("c", 9_960, 11_000))
	if err := ask("c", 9_920, 9_960); !errors.As(err, &same) {
		t.Errorf("40 of 40: %v", err)
	}
	grown := func() error { // 40 more of 1,000 others, each little, together 80 of 2,040
		r, s := request(99, One/100), read(t, l, 9_920, 9_960)
		r.Lineage, r.Units = "c", s.union(read(t, l, 30_000, 30_960)).String()
		_, err := l.Publish(t.Context(), r, draw("x"))
		return err
	}
	must(t, grown())
	acc, err := l.Account("c")
	must(t, err)
	if len(acc.Shared) != 0 || acc.Spent != 3*One/100 {
		t.Errorf("%+v", acc)
	}
}

// TestAnEntryHoldsNewUnitsOnly also after the ledger was read again.
func TestAnEntryHoldsNewUnitsOnly(t *testing.T) {
	l := newLedger(t, "file", One)
	for i, last := range []int{50, 50, 70} {
		r := request(i, One/100)
		r.Units = sketchOf(t, l, 0, last)
		_, err := l.Publish(t.Context(), r, draw("x"))
		must(t, err)
		if _, err := l.Verify(); err != nil { // reads again
			t.Fatal(err)
		}
		if got := l.state.accounts[ward].units; got.String() != r.Units {
			t.Errorf("after %d: %d units", i, len(got))
		}
	}
	raw, err := l.book.Load()
	must(t, err)
	entries, _, err := readChain(raw)
	must(t, err)
	var sizes []int
	for _, e := range entries {
		if s, err := readSketch(e.Units); e.Kind == KindDebit {
			must(t, err)
			sizes = append(sizes, len(s))
		}
	}
	if len(sizes) != 3 || sizes[0] != 50 || sizes[1] != 0 || sizes[2] != 20 {
		t.Errorf("%v units in the entries", sizes)
	}
}
