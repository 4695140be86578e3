// SPDX-License-Identifier: Apache-2.0

package intern

import (
	"cmp"
	"sort"
	"strings"
)

// Strings is a sorted list of strings in one piece of memory.
type Strings struct {
	text string
	ends []uint32
}

// Pack packs sorted strings.
func Pack(sorted []string) Strings {
	p, size := NewPacker(len(sorted)), 0
	for _, s := range sorted {
		size += len(s)
	}
	p.text.Grow(size)
	for _, s := range sorted {
		p.Add([]byte(s))
	}
	return p.Done()
}

// Packer packs sorted strings one by one.
type Packer struct {
	text strings.Builder
	ends []uint32
}

// NewPacker returns a packer with room for n strings.
func NewPacker(n int) Packer { return Packer{ends: make([]uint32, 0, n)} }

// Add appends a string that is not smaller than the last.
func (p *Packer) Add(s []byte) {
	p.text.Grow(len(s)) // to more than twice as much, where Write would add a quarter
	p.text.Write(s)
	p.ends = append(p.ends, uint32(p.text.Len()))
}

// Done returns what was added.
func (p *Packer) Done() Strings { return Strings{p.text.String(), p.ends} }

// At is the string at a place.
func (p Strings) At(i int) string {
	start := uint32(0)
	if i > 0 {
		start = p.ends[i-1]
	}
	return p.text[start:p.ends[i]]
}

// Len is the number of strings.
func (p Strings) Len() int { return len(p.ends) }

// Find returns the place of s, -1 when it is not there.
func (p Strings) Find(s string) int32 {
	i, ok := sort.Find(len(p.ends), func(i int) int { return cmp.Compare(s, p.At(i)) })
	if !ok {
		return -1
	}
	return int32(i)
}
