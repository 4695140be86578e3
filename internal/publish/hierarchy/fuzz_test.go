// SPDX-License-Identifier: Apache-2.0

package hierarchy

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

// FuzzRead checks that what is read is written and read again the same, and that
// its leaves are its values.
func FuzzRead(f *testing.F) {
	f.Add(postcodes)
	f.Add("a;b;*\nb;a;*\n")
	f.Add("\"a;\"\"\";x\n")
	f.Fuzz(func(t *testing.T, text string) {
		h, err := Read(strings.NewReader(text))
		if err != nil {
			return
		}
		var b bytes.Buffer
		if err := h.Write(&b); err != nil {
			t.Fatal(err)
		}
		again, err := Read(&b)
		if err != nil || !slices.EqualFunc(h.rows, again.rows, slices.Equal) {
			t.Fatalf("not read again: %v", err)
		}
		leaves, values := h.Leaves(), h.Values()
		slices.Sort(leaves)
		slices.Sort(values)
		if !slices.Equal(leaves, values) {
			t.Fatal("leaves are not the values")
		}
	})
}
