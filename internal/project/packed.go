// SPDX-License-Identifier: Apache-2.0

package project

import (
	"bytes"
	"iter"
	"slices"
)

// packed is a short byte string for each document of a block, one after the other.
type packed struct {
	bytes []byte
	ends  []uint32 // of the strings; documents after the last one have empty strings
}

// get is the string at a place. It is valid until the next change.
func (p *packed) get(at int) []byte {
	from, to := p.span(at)
	return p.bytes[from:to]
}

func (p *packed) span(at int) (from, to int) {
	if at >= len(p.ends) {
		return len(p.bytes), len(p.bytes)
	}
	if at > 0 {
		from = int(p.ends[at-1])
	}
	return from, int(p.ends[at])
}

// set replaces the string at a place.
func (p *packed) set(at int, v []byte) {
	if at >= len(p.ends) {
		if len(v) == 0 {
			return
		}
		for len(p.ends) <= at {
			p.ends = append(p.ends, uint32(len(p.bytes)))
		}
	}
	from, to := p.span(at)
	p.replace(from, to, v)
	for i := at; i < len(p.ends); i++ {
		p.ends[i] = uint32(int(p.ends[i]) + len(v) - (to - from))
	}
	if at == blockDocs-1 { // mostly the last string that comes
		p.bytes = slices.Clone(p.bytes)
	}
}

// replace changes the bytes. A name that is removed must not stay in the memory behind them:
// slices.Replace clears it, but not in an array that became too small.
func (p *packed) replace(from, to int, v []byte) {
	old := p.bytes
	p.bytes = slices.Replace(p.bytes, from, to, v...)
	if len(old) > 0 && len(p.bytes) > 0 && &old[0] != &p.bytes[0] {
		clear(old)
	}
}

// containing yields the places of the strings that contain part, which is not empty.
func (p *packed) containing(part []byte) iter.Seq[int] {
	return func(yield func(int) bool) {
		at, from := 0, 0
		for {
			i := bytes.Index(p.bytes[from:], part)
			if i < 0 {
				return
			}
			from += i
			for int(p.ends[at]) <= from {
				at++
			}
			if from+len(part) > int(p.ends[at]) { // it begins in one string and ends in another
				from++
				continue
			}
			if !yield(at) {
				return
			}
			from = int(p.ends[at])
		}
	}
}
