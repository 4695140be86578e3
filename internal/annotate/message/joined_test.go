// SPDX-License-Identifier: Apache-2.0

package message

import (
	"math/rand/v2"
	"strings"
	"testing"

	"hide/internal/annotate"
)

// The oracle replaces byte by byte: each byte of the text knows its piece, and each mark is
// written where its first byte of a piece is.
func TestRedactedPiecesAgreeWithReplacingByteByByte(t *testing.T) {
	draw := rand.New(rand.NewPCG(7, 11))
	for range 5000 {
		var j joined
		var owner []int // piece of each byte, -1 for filling
		for range draw.IntN(6) {
			value := strings.Repeat("x", draw.IntN(5))
			if draw.IntN(3) == 0 {
				j.fill(value)
				for range value {
					owner = append(owner, -1)
				}
				continue
			}
			n := j.add(value)
			for range value {
				owner = append(owner, n)
			}
		}
		var marks []Mark
		for at := 0; at < len(owner); at += draw.IntN(3) {
			end := at + 1 + draw.IntN(4)
			if end > len(owner) {
				break
			}
			marks = append(marks, Mark{annotate.ByteOff(at), annotate.ByteOff(end), "[" + string(rune('A'+len(marks)%20)) + "]"})
			at = end
		}
		want := make([]string, len(j.pieces))
		written := map[int]bool{}
		for i, n := range owner {
			if n < 0 {
				continue
			}
			in := -1
			for k, m := range marks {
				if annotate.ByteOff(i) >= m.Start && annotate.ByteOff(i) < m.End {
					in = k
				}
			}
			switch {
			case in < 0:
				want[n] += "x"
			case !written[in]:
				want[n] += marks[in].With
				written[in] = true
			}
		}
		got, err := j.redacted(marks)
		if err != nil {
			t.Fatal(err)
		}
		for i := range want {
			if got[i] != want[i] {
				t.Fatalf("piece %d of %d with marks %v is %q, want %q", i, len(want), marks, got[i], want[i])
			}
		}
	}
}

func TestMarksOutOfPlaceAreRefused(t *testing.T) {
	var j joined
	j.add("abcdef")
	for _, marks := range [][]Mark{{{2, 2, ""}}, {{3, 7, ""}}, {{-1, 2, ""}}, {{2, 4, ""}, {3, 5, ""}}} {
		if _, err := j.redacted(marks); err == nil {
			t.Errorf("%v is taken", marks)
		}
	}
}
