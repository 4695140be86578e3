// SPDX-License-Identifier: Apache-2.0

package table

import (
	"context"
	"slices"
	"testing"
)

func numbered(t *testing.T, rows int, value func(int) string) *Table {
	t.Helper()
	b, err := NewBuilder([]Attribute{{Name: "age", Kind: Number, Role: Quasi}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range rows {
		if err := b.Add([]string{value(i)}); err != nil {
			t.Fatal(err)
		}
	}
	return b.Table()
}

// TestAClassWithAMissingValueCanMeanEverybody: such a class is released as nothing.
func TestAClassWithAMissingValueCanMeanEverybody(t *testing.T) {
	all := numbered(t, 5, func(i int) string { return []string{"1", "2", "3", "4", ""}[i] })
	got, err := all.PeopleByClass(context.Background(), Classes{{1, 4}, {4}, {1, 2}, {0, 2}}, nil)
	if err != nil || !slices.Equal(got, []int{5, 1, 2, 3}) {
		t.Errorf("%v, %v; want 5, 1, 2 and 3", got, err)
	}
}

// TestMeantKeepsNothingOfAClass counts what is allocated for many classes that all
// differ: less than a truth value for each class and value.
func TestMeantKeepsNothingOfAClass(t *testing.T) {
	const rows = 4000
	all := numbered(t, rows, func(i int) string {
		return string([]byte{'1' + byte(i/1000), '0' + byte(i/100%10), '0' + byte(i/10%10), '0' + byte(i%10)})
	})
	var classes Classes
	for row := int32(0); row < rows; row += 2 {
		classes = append(classes, []int32{row, row + 1})
	}
	used := testing.Benchmark(func(b *testing.B) {
		for range b.N {
			if _, err := all.PeopleByClass(context.Background(), classes, nil); err != nil {
				b.Fatal(err)
			}
		}
	}).AllocedBytesPerOp()
	if used > rows*int64(len(classes))/4 {
		t.Errorf("%d bytes for %d classes of %d values", used, len(classes), rows)
	}
}
