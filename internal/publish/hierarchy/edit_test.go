// SPDX-License-Identifier: Apache-2.0

package hierarchy

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func written(t *testing.T, h *Hierarchy) string {
	t.Helper()
	var b strings.Builder
	if err := h.Write(&b); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(strings.ReplaceAll(b.String(), "\n", " "))
}

func TestEditsDoWhatTheySay(t *testing.T) {
	const towns = "Arden;north;*\nBilton;north;*\nCorley;south;*\n"
	for _, test := range []struct {
		name string
		edit func(*Hierarchy) (*Hierarchy, error)
		want string // or what the error starts with
	}{
		{"a value to a label that is there", func(h *Hierarchy) (*Hierarchy, error) { return h.Grouped([]string{"Bilton"}, 1, "south") }, "Arden;north;* Bilton;south;* Corley;south;*"},
		{"values to a new label", func(h *Hierarchy) (*Hierarchy, error) { return h.Grouped([]string{"Arden", "Corley"}, 1, "coast") }, "Arden;coast;* Bilton;north;* Corley;coast;*"},
		{"a label renamed", func(h *Hierarchy) (*Hierarchy, error) { return h.Renamed(1, "north", "hills") }, "Arden;hills;* Bilton;hills;* Corley;south;*"},
		{"labels made one", func(h *Hierarchy) (*Hierarchy, error) { return h.Renamed(1, "north", "south") }, "Arden;south;* Bilton;south;* Corley;south;*"},
		{"the top renamed", func(h *Hierarchy) (*Hierarchy, error) { return h.Renamed(2, "*", "anywhere") }, "Arden;north;anywhere Bilton;north;anywhere Corley;south;anywhere"},
		{"a level above the labels", func(h *Hierarchy) (*Hierarchy, error) { return h.WithLevel(1) }, "Arden;north;north;* Bilton;north;north;* Corley;south;south;*"},
		{"a level above the values", func(h *Hierarchy) (*Hierarchy, error) { return h.WithLevel(0) }, "Arden;Arden;north;* Bilton;Bilton;north;* Corley;Corley;south;*"},
		{"no level", func(h *Hierarchy) (*Hierarchy, error) { return h.WithoutLevel(1) }, "Arden;* Bilton;* Corley;*"},
		{"values more", func(h *Hierarchy) (*Hierarchy, error) { return h.With([]string{"Dover", "Arden", "Dover"}) }, "Arden;north;* Bilton;north;* Corley;south;* Dover;Dover;*"},
		{"the values' level", func(h *Hierarchy) (*Hierarchy, error) { return h.WithoutLevel(0) }, "level 0 is not between"},
		{"the top", func(h *Hierarchy) (*Hierarchy, error) { return h.Grouped([]string{"Arden"}, 2, "x") }, "level 2 is not between"},
		{"no label", func(h *Hierarchy) (*Hierarchy, error) { return h.Grouped([]string{"Arden"}, 1, "") }, "a group needs a label"},
		{"nobody", func(h *Hierarchy) (*Hierarchy, error) { return h.Grouped(nil, 1, "x") }, "a group needs a label"},
		{"a stranger", func(h *Hierarchy) (*Hierarchy, error) { return h.Grouped([]string{"Dover"}, 1, "x") }, "a value is not in the hierarchy"},
		{"a label that is not there", func(h *Hierarchy) (*Hierarchy, error) { return h.Renamed(1, "west", "x") }, "the level does not have this label"},
		{"a level too high", func(h *Hierarchy) (*Hierarchy, error) { return h.WithLevel(2) }, "unknown level"},
	} {
		h, err := Read(strings.NewReader(towns))
		if err != nil {
			t.Fatal(err)
		}
		got, err := test.edit(h)
		if err != nil {
			if !strings.HasPrefix(err.Error(), test.want) {
				t.Errorf("%s: %v", test.name, err)
			}
			continue
		}
		if words := written(t, got); words != test.want {
			t.Errorf("%s: got %s, want %s", test.name, words, test.want)
		}
		if written(t, h) != strings.TrimSpace(strings.ReplaceAll(towns, "\n", " ")) {
			t.Errorf("%s: changed what was edited", test.name)
		}
	}
}

func TestALabelUnderTwoIsRefused(t *testing.T) {
	h, err := Read(strings.NewReader("a;x;p;*\nb;x;p;*\nc;y;q;*\n"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err = h.Grouped([]string{"a"}, 2, "q"); err == nil || !strings.Contains(err.Error(), "move all values below it, too") {
		t.Errorf("half of a label: %v", err)
	}
	got, err := h.Grouped([]string{"a", "b"}, 2, "q")
	if err != nil || written(t, got) != "a;x;q;* b;x;q;* c;y;q;*" {
		t.Errorf("all of it: %v", err)
	}
	if got, err = h.Grouped([]string{"a"}, 1, "y"); err != nil || written(t, got) != "a;y;q;* b;x;p;* c;y;q;*" {
		t.Errorf("to a label elsewhere, which takes it along: %v", err)
	}
}

// TestAnyEditsLeaveAHierarchy edits at random; New refuses what is none.
func TestAnyEditsLeaveAHierarchy(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 1))
		var values []string
		for i := range 8 {
			values = append(values, fmt.Sprint("v", i))
		}
		h, err := Flat(values)
		if err != nil {
			t.Fatal(err)
		}
		for range 60 {
			level := rng.IntN(h.Levels())
			some := slices.DeleteFunc(slices.Clone(values), func(string) bool { return rng.IntN(2) == 0 })
			edits := []func() (*Hierarchy, error){
				func() (*Hierarchy, error) { return h.Grouped(some, level, fmt.Sprint("g", rng.IntN(4))) },
				func() (*Hierarchy, error) { return h.Renamed(level, h.rows[0][level], fmt.Sprint("g", rng.IntN(9))) },
				func() (*Hierarchy, error) { return h.WithLevel(level) },
				func() (*Hierarchy, error) { return h.WithoutLevel(level) },
			}
			if got, err := edits[rng.IntN(len(edits))](); err == nil {
				h = got
			}
		}
		if got := slices.Sorted(slices.Values(h.Values())); !slices.Equal(got, values) || h.Levels() < 2 {
			t.Errorf("seed %d: values %v", seed, got)
		}
	}
}

func TestCodesAreCutAtTheEnd(t *testing.T) {
	h, err := Codes([]string{"53710", "53711", "9", "é1"})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := written(t, h), "53710;5371*;537*;53*;5*;* 53711;5371*;537*;53*;5*;* 9;9;9;9;9;* é1;é1;é1;é1;é*;*"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if _, err := Codes([]string{strings.Repeat("x", 64)}); err == nil {
		t.Error("64 characters are taken for a code")
	}
	if _, err := Codes(nil); err == nil {
		t.Error("no values are taken")
	}
}
