// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"context"
	"math"
	"math/bits"
	"slices"

	"hide/internal/parallel"
)

// kept is the last training's pass with its tables, at its final weights. If only some
// documents are new, they are added as late documents, and everything else stays
// unchanged: numbers, weights, tables, and the results of the last evaluation, to which
// the new documents only add.
type kept struct {
	pass     *pass[float32]
	gradient []float32
	docs     []keptDoc // in the order of the pass
	entries  entries
}

// fewLate is the largest share of late tokens: a 40th. Each costs more than a token in
// the tables.
const fewLate = 40

// keep stores the state after a training that ended at w. It is nil if the last
// evaluation was at other weights. k is nil after a training from scratch.
func (k *kept) keep(f *fitting, w []float32) *kept {
	p := f.pass
	if !slices.Equal(p.w, w) {
		return nil
	}
	if k == nil {
		k = &kept{pass: p, docs: f.docs}
		k.entries.add(p.data.attributes, len(f.names))
	}
	k.gradient, p.w, p.gradient = p.gradient, nil, nil
	return k
}

// start returns where a training with new weights continues.
func (k *kept) start(ctx context.Context, last *snapshot, w []float32) ([]*pair, error) {
	copy(w, last.w)
	past := make([]*pair, len(last.past))
	return past, parallel.Do(ctx, k.pass.workers, len(past), func(_, i int) {
		past[i] = newPair(len(w))
		copy(past[i].s, last.past[i].s)
		copy(past[i].y, last.past[i].y)
	})
}

// entries maps each attribute of the corpus to its places in a dataset's attributes. It
// may have several, because weights can be added later.
type entries struct {
	last   []int32 // attribute of the corpus -> its last entry, plus one
	before []int32 // entry -> the previous one of the same attribute, plus one
}

// add records the new entries, of n attributes.
func (s *entries) add(attributes []int32, n int) {
	s.last = append(s.last, make([]int32, n-len(s.last))...)
	for e := len(s.before); e < len(attributes); e++ {
		a := attributes[e]
		s.before = append(s.before, s.last[a])
		s.last[a] = int32(e) + 1
	}
}

// each yields the entries of an attribute, last one first.
func (s *entries) each(a int32, yield func(e int32)) {
	for e := s.last[a]; e > 0; e = s.before[e-1] {
		yield(e - 1)
	}
}

// grow adds the new documents, and fills in the results, or reports that the dataset must
// be rebuilt: k is then unusable.
func (k *kept) grow(ctx context.Context, c *collector, docs []sequence, seen []*occurrences, f *fitting) (bool, error) {
	d, o := k.pass.data, f.options
	if !slices.Equal(labelsOf(docs), d.states.labels) {
		return false, nil
	}
	added, ok, err := k.match(ctx, docs, seen, o.Workers)
	if !ok || err != nil {
		return false, err
	}
	if d.late == nil {
		d.late = &late{first: len(d.attributes), docs: len(d.docs) - 1, tokens: len(d.gold)}
	}
	if !k.enter(c, added, o) {
		return false, nil
	}
	first, absent := len(k.docs), d.states.absent
	k.docs = append(k.docs, added...)
	for _, doc := range added {
		d.gold = append(d.gold, doc.gold...)
		d.docs = append(d.docs, int32(len(d.gold)))
	}
	if absent != nil {
		d.states.absent = d.states.unseen(d.gold)
	}
	if err := k.setLate(ctx, c, o.Workers); err != nil {
		return false, err
	}
	f.data, f.docs, f.pass = d, k.docs, k.pass
	if k.pass.extend(o) && slices.Equal(absent, d.states.absent) {
		f.begin = func(ctx context.Context, w, gradient []float32) (float64, error) {
			copy(gradient, k.gradient)
			return k.pass.revise(ctx, first, w, gradient)
		}
	}
	return true, nil
}

// match lists the new documents. ok is false if others are gone, or if there are too
// many.
func (k *kept) match(ctx context.Context, docs []sequence, seen []*occurrences, workers int) (fresh []keptDoc, ok bool, err error) {
	now, err := k.pass.data.states.keptDocs(ctx, docs, seen, workers)
	if err != nil {
		return nil, false, err
	}
	there := make(map[*occurrences][]int, len(k.docs))
	for i, d := range k.docs {
		there[d.seen] = append(there[d.seen], i)
	}
	tokens, found := len(k.pass.data.gold)-k.pass.data.tokens(), 0
	for _, d := range now {
		same := there[d.seen]
		if i := slices.IndexFunc(same, func(i int) bool { return k.docs[i].equals(d) }); i >= 0 {
			there[d.seen] = slices.Delete(same, i, i+1)
			found++
			continue
		}
		fresh = append(fresh, d)
		tokens += len(d.gold)
	}
	return fresh, found == len(k.docs) && tokens <= k.pass.data.tokens()/fewLate, nil
}

func (s states) keptDocs(ctx context.Context, docs []sequence, seen []*occurrences, workers int) ([]keptDoc, error) {
	kept := make([]keptDoc, len(docs))
	err := parallel.Do(ctx, workers, len(docs), func(_, i int) {
		kept[i] = keptDoc{seen: seen[i], gold: s.goldLeft(docs[i]), group: docs[i].group}
		if slices.Contains(docs[i].skip, true) {
			kept[i].skip = slices.Clone(docs[i].skip)
		}
	})
	return kept, err
}

// enter counts documents and adds missing weights of their attributes. It returns false
// if the tables would have to change.
func (k *kept) enter(c *collector, docs []keptDoc, o Options) bool {
	d, known := k.pass.data, slices.Clone(k.pass.data.census.counts)
	had, ok := k.count(c, docs, o)
	if !ok {
		return false
	}
	k.entries.add(d.attributes, len(c.names))
	scaled := c.scaled()
	for _, a := range had {
		lacks := k.lacks(a, o)
		if len(lacks) == 0 {
			continue
		}
		if scaled[a] && int(a) < len(known) && known[a] > 0 || len(d.pairs)+len(lacks) > math.MaxInt32 {
			return false
		}
		if k.entries.last[a] > 0 {
			d.late.again++
		}
		d.attributes, d.pairs = append(d.attributes, a), append(d.pairs, lacks...)
		d.rows = append(d.rows, int32(len(d.pairs)))
	}
	k.entries.add(d.attributes, len(c.names))
	return true
}

// count adds documents to the census, and lists their attributes. ok is false if
// attributes start to count by groups.
func (k *kept) count(c *collector, docs []keptDoc, o Options) (had []int32, ok bool) {
	census, all := k.pass.data.census, slices.Concat(k.docs, docs)
	groups := groupedBy(len(all), func(i int) string { return all[i].group })
	if by := census.groups != nil; by != o.byGroups(len(groups)) {
		return nil, false
	}
	census.grow(len(c.names))
	if census.groups != nil {
		census.addGroups(c, all, groups, len(k.docs))
	}
	for _, doc := range docs {
		had = census.add(c, doc, had)
	}
	slices.Sort(had)
	return slices.Compact(had), true
}

// lacks lists the states for which an attribute should have weights and has none.
func (k *kept) lacks(a int32, o Options) []uint16 {
	d := k.pass.data
	if !d.census.often(a, o) {
		return nil
	}
	l := d.states.count()
	if o.everyState(d.census.seen, int(a), l) {
		for state := range l {
			d.census.seen.add(int(a), state)
		}
	}
	set := slices.Clone(d.census.seen.of(int(a)))
	k.entries.each(a, func(e int32) {
		for _, state := range d.pairs[d.rows[e]:d.rows[e+1]] {
			if state != noState {
				set[state/64] &^= 1 << (state % 64)
			}
		}
	})
	var lacks []uint16
	for i, word := range set {
		for ; word != 0; word &= word - 1 {
			lacks = append(lacks, uint16(64*i+bits.TrailingZeros64(word)))
		}
	}
	return lacks
}

// setLate builds the dataset's additions to its tables.
func (k *kept) setLate(ctx context.Context, c *collector, workers int) error {
	d := k.pass.data
	of, wide := k.lateBundles(c), d.wideOf.len()
	l := &late{first: d.late.first, again: d.late.again, docs: d.late.docs, tokens: d.late.tokens, wide: of.ordered(d.number, wide), own: k.ownTerms(c)}
	d.late = l
	var err error
	if l.token, err = k.lateTokens(ctx, of, workers); err != nil {
		return err
	}
	entries := len(d.attributes) - l.first
	if l.wideIn, err = l.wide.inverse(ctx, entries, workers); err != nil {
		return err
	}
	l.tokenIn, err = l.token.inverse(ctx, entries, workers)
	return err
}

// lateBundles lists the late entries of each of the corpus's bundles, numbered from 0.
func (k *kept) lateBundles(c *collector) table {
	first := int32(k.pass.data.late.first)
	of := newTable(c.bundles.len(), 0)
	for b := range c.bundles.len() {
		for _, a := range c.bundles.row(b) {
			for e := k.entries.last[a] - 1; e >= first; e = k.entries.before[e] - 1 {
				of.items = append(of.items, e-first)
			}
		}
		of.end()
	}
	return of
}

// ordered moves each row to its number; those without one below n are left out.
func (t table) ordered(number []int32, n int) table {
	out := table{start: make([]int32, n+1)}
	for i, to := range number {
		if 0 <= to && int(to) < n {
			out.start[to+1] = t.start[i+1] - t.start[i]
		}
	}
	for i := range n {
		out.start[i+1] += out.start[i]
	}
	out.items = make([]int32, out.start[n])
	for i, to := range number {
		if 0 <= to && int(to) < n {
			copy(out.items[out.start[to]:], t.row(i))
		}
	}
	return out
}

// lateTokens lists the late weights of tokens in the tables, other than through wide
// bundles.
func (k *kept) lateTokens(ctx context.Context, of table, workers int) (table, error) {
	d := k.pass.data
	asked := make([]bool, of.len())
	for b, n := range d.number {
		asked[b] = (n < 0 || int(n) >= d.wideOf.len()) && of.start[b] < of.start[b+1]
	}
	all, found := table{start: make([]int32, d.tokens()+1)}, make([][]int32, len(d.blocks)-1)
	err := d.eachBlock(ctx, workers, func(_, block, doc int) {
		lines, items := k.docs[doc].lines(), found[block]
		ends := all.start[1+d.docs[doc]:]
		for i := range lines.len() {
			for _, b := range lines.row(i) {
				if asked[b] {
					items = append(items, of.row(int(b))...)
				}
			}
			ends[i] = int32(len(items))
		}
		found[block] = items
	})
	for block, items := range found {
		before := int32(len(all.items))
		for t := d.docs[d.blocks[block]]; before > 0 && t < d.docs[d.blocks[block+1]]; t++ {
			all.start[t+1] += before
		}
		all.items = append(all.items, items...)
	}
	return all, err
}

// ownTerms lists the entries of the tokens of late documents.
func (k *kept) ownTerms(c *collector) terms {
	own := terms{start: []int32{0}}
	for _, doc := range k.docs[k.pass.data.late.docs:] {
		lines := doc.lines()
		for i := range lines.len() {
			for _, b := range lines.row(i) {
				for j := c.bundles.start[b]; j < c.bundles.start[b+1]; j++ {
					k.entries.each(c.bundles.items[j], func(e int32) {
						own.index, own.values = append(own.index, e), append(own.values, c.values[j])
					})
				}
			}
			own.start = append(own.start, int32(len(own.index)))
		}
	}
	return own
}
