// SPDX-License-Identifier: Apache-2.0

package message

import (
	"math/rand/v2"
	"testing"
)

// TestBytesThatAreNotUTF8AreFoundAcrossPieces compares with the bytes in one piece.
func TestBytesThatAreNotUTF8AreFoundAcrossPieces(t *testing.T) {
	draw := rand.New(rand.NewPCG(4, 4))
	parts := []string{"a", "é", "€", "😀", "\xff", "\xe2\x82", "\xf0\x9f", "\x80"}
	found := 0
	for range 3000 {
		var text string
		for range draw.IntN(6) {
			text += parts[min(draw.IntN(20), draw.IntN(len(parts)))]
		}
		var c chunks
		for rest := text; rest != ""; {
			n := 1 + draw.IntN(len(rest))
			c = append(c, []byte(rest[:n]))
			rest = rest[n:]
		}
		want := invalidUTF8(text)
		if got := c.invalidUTF8(); got != want {
			t.Fatalf("%q in pieces %q: %d, want %d", text, c, got, want)
		}
		if want >= 0 {
			found++
		}
	}
	if found < 100 || found > 2900 {
		t.Errorf("%d of 3000 texts were not UTF-8", found)
	}
}
