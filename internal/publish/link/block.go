// SPDX-License-Identifier: Apache-2.0

package link

import (
	"cmp"
	"context"
	"slices"

	"hide/internal/parallel"
)

// blocks are the groups of records that have the key of one rule in common.
type blocks struct {
	entries []uint32 // positions, block after block, ascending within a block
	starts  []uint32 // where each block starts, and the end of the last
	fields  []uint32 // of each block, the fields whose parts it has in common, one bit each
	size    RuleSize
}

func (b *blocks) len() int             { return max(len(b.starts)-1, 0) }
func (b *blocks) block(i int) []uint32 { return b.entries[b.starts[i]:b.starts[i+1]] }

// pairs is how many pairs a block has.
func (b *blocks) pairs(i int) int {
	size := len(b.block(i))
	return size * (size - 1) / 2
}

func (b *blocks) add(members []uint32, fields uint32) {
	if len(members) < 2 {
		return
	}
	if len(b.starts) == 0 {
		b.starts = append(b.starts, 0)
	}
	b.entries = append(b.entries, members...)
	b.fields = append(b.fields, fields)
	b.starts = append(b.starts, uint32(len(b.entries)))
}

// An entry is a record with a hash of the values that it has for a key.
type entry struct {
	key uint64
	at  uint32
}

func sortEntries(entries []entry) {
	slices.SortFunc(entries, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.at, b.at))
	})
}

// groups calls yield with each run of entries of one key.
func groups(entries []entry, yield func([]entry)) {
	for start := 0; start < len(entries); {
		end := start + 1
		for end < len(entries) && entries[end].key == entries[start].key {
			end++
		}
		yield(entries[start:end])
		start = end
	}
}

// mostKeys is how many keys of one rule a record with several values can have.
const mostKeys = 16

// makeBlocks finds the blocks of all rules.
func (e *engine) makeBlocks(ctx context.Context) ([]*blocks, error) {
	all := make([]*blocks, len(e.config.Rules))
	err := parallel.Do(ctx, e.workers, len(all), func(_, i int) {
		all[i] = e.blocksOf(e.config.Rules[i])
	})
	return all, err
}

func (e *engine) blocksOf(rule Rule) *blocks {
	limit := e.config.maxBlock(e.n)
	b := &blocks{size: RuleSize{Rule: rule.String(), Limit: limit}}
	entries := e.entriesOf(rule)
	sortEntries(entries)
	used := rule.fields(e.fields)
	r := refinement{engine: e, blocks: b, limit: max(limit/refinedShare, 2), parts: e.refinersFor(used)}
	groups(entries, func(g []entry) {
		g = distinct(g)
		b.size.Largest = max(b.size.Largest, len(g))
		if len(g) <= limit {
			b.add(positions(g), used)
			return
		}
		b.size.Refined++
		r.add(g, 0, used)
	})
	b.size.Blocks = b.len()
	return b
}

// distinct removes the repeated entries of a record with several values that give one key.
func distinct(sorted []entry) []entry {
	return slices.CompactFunc(sorted, func(a, b entry) bool { return a.at == b.at })
}

// entriesOf gives each record the keys that it has for a rule: one for each choice among its
// values, none if a value is missing.
func (e *engine) entriesOf(rule Rule) []entry {
	keys := make([]keyHashes, len(rule))
	for i, k := range rule {
		keys[i] = e.keyHashes(k)
	}
	entries := make([]entry, 0, e.n)
	var now, next []uint64
	for p := range uint32(e.n) {
		now = append(now[:0], 0)
		for i := range keys {
			next = next[:0]
			for _, h := range keys[i].of(p) {
				for _, before := range now {
					if len(next) < mostKeys {
						next = append(next, mix(before^h))
					}
				}
			}
			now, next = next, now
		}
		for _, h := range now {
			entries = append(entries, entry{h, p})
		}
	}
	return entries
}

// refinedShare makes refined blocks smaller than others. A block that needs refining has a
// common value, so its pairs are rarely matches.
const refinedShare = 3

// refinement splits blocks that are larger than limit.
type refinement struct {
	*engine
	blocks *blocks
	limit  int
	parts  []refiner
}

// add adds a group, refined by parts[from:] as far as needed. Records without a value for a
// part stay together. fields are the fields that the group has in common.
func (r *refinement) add(group []entry, from int, fields uint32) {
	if len(group) <= r.limit {
		r.blocks.add(positions(group), fields)
		return
	}
	if from == len(r.parts) {
		r.cut(group, fields)
		return
	}
	finer := make([]entry, len(group))
	for i, g := range group {
		finer[i] = entry{at: g.at}
		if of := r.parts[from].keys.of(g.at); len(of) > 0 {
			finer[i].key = of[0]
		}
	}
	sortEntries(finer)
	groups(finer, func(g []entry) { r.add(g, from+1, fields|1<<r.parts[from].field) })
}

// pieceSize is the size of the pieces of a block that no part refines, and overlap how many
// records two neighbouring pieces share. Equal records, which are neighbours, stay connected.
const pieceSize, overlap = 12, 2

func (r *refinement) cut(group []entry, fields uint32) {
	r.blocks.size.Cut++
	members := positions(group)
	size := min(pieceSize, r.limit)
	shared := min(overlap, size-1)
	for start := 0; ; start += size - shared {
		end := min(start+size, len(members))
		r.blocks.add(members[start:end], fields)
		if end == len(members) {
			return
		}
	}
}

func positions(group []entry) []uint32 {
	at := make([]uint32, len(group))
	for i, g := range group {
		at[i] = g.at
	}
	return at
}
