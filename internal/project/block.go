// SPDX-License-Identifier: Apache-2.0

package project

import (
	"slices"
	"strings"
)

// blockDocs is how many documents a block has, in memory and in the store. Stored blocks
// depend on it: do not change it.
const blockDocs = 256

// block is what the index knows of the documents of one range of numbers.
type block struct {
	rows   [blockDocs]row
	names  packed
	folded *packed      // the names in small letters; nil while names are that
	labels packed       // see labelUses
	rare   map[int]rare // by place
}

// row is the part of a status that has a fixed size.
type row struct {
	record, unit                            uint32 // numbers of groups
	annotations, tokens, imported, revision uint32
	state, help                             uint8 // places in stateNames and helpNames
	random, counted                         bool
}

// rare is the part of a status that only documents have that people finished in hide.
type rare struct {
	same   int
	finals []final
}

// take stores a status but for its group and its labels.
func (b *block) take(at int, st *Status) {
	b.rows[at] = row{
		annotations: uint32(st.Annotations), tokens: uint32(st.Tokens), imported: uint32(st.Import), revision: uint32(st.Revision),
		state: placeOf(stateNames[:], st.State), help: placeOf(helpNames[:], st.Help), random: st.Random, counted: st.Counted,
	}
	b.setName(at, st.Name)
	delete(b.rare, at)
	if !st.rare() {
		return
	}
	if b.rare == nil {
		b.rare = map[int]rare{}
	}
	b.rare[at] = rare{st.Same, append([]final(nil), st.Finals...)}
}

func (b *block) setName(at int, name string) {
	if string(b.names.get(at)) == name {
		return
	}
	b.names.set(at, []byte(name))
	small := strings.ToLower(name)
	if b.folded == nil && small != name {
		b.folded = &packed{slices.Clone(b.names.bytes), slices.Clone(b.names.ends)}
	}
	if b.folded != nil {
		b.folded.set(at, []byte(small))
	}
}

// searched is the names as a search reads them.
func (b *block) searched() *packed {
	if b.folded != nil {
		return b.folded
	}
	return &b.names
}

// fill is the reverse of take.
func (b *block) fill(at int, st *Status) {
	r := &b.rows[at]
	*st = Status{
		Name: string(b.names.get(at)), State: stateNames[r.state], Annotations: int(r.annotations), Tokens: int(r.tokens),
		Random: r.random, Import: uint64(r.imported), Revision: int(r.revision), Help: helpNames[r.help],
		Same: b.rare[at].same, Finals: b.rare[at].finals, Counted: r.counted,
	}
}

// clear forgets a document.
func (b *block) clear(at int) {
	b.take(at, new(Status))
	b.labels.set(at, nil)
}
