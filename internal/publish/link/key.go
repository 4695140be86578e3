// SPDX-License-Identifier: Apache-2.0

package link

// keyHashes are the hashes of the values that the records have for a key.
type keyHashes struct {
	engine *engine
	fields []int
	hashes [][]uint64 // of each column, by value; 0 is missing
	space  []uint64
}

func (e *engine) keyHashes(k Key) keyHashes {
	h := keyHashes{engine: e}
	for _, f := range k.fields(e.fields) {
		h.fields = append(h.fields, f)
		h.hashes = append(h.hashes, e.columns[f].partHashes(k.Part))
	}
	return h
}

// fields are the places of the one or two fields of a key.
func (k Key) fields(all []Field) []int {
	places := []int{fieldNamed(all, k.Field)}
	if k.Or != "" {
		places = append(places, fieldNamed(all, k.Or))
	}
	return places
}

// partHashes has a hash of a part of each value. The hash does not depend on the field, so that
// values of two fields can be exchanged.
func (c *engineColumn) partHashes(part Part) []uint64 {
	take := partNamed(part)
	hashes := make([]uint64, len(c.values))
	for i, v := range c.values[1:] {
		if p := take(v); p != "" {
			hashes[i+1] = hashText(p, 0) | 1
		}
	}
	return hashes
}

// of returns the hashes of the key at a position. For two fields, the hash of two values does
// not depend on their order. The result holds until the next call.
func (h *keyHashes) of(p uint32) []uint64 {
	h.space = h.space[:0]
	var first, second [1]uint32
	for _, a := range h.list(0, p, &first) {
		x := h.hashes[0][a]
		if x == 0 {
			continue
		}
		if len(h.fields) == 1 {
			h.space = append(h.space, x)
			continue
		}
		for _, b := range h.list(1, p, &second) {
			if y := h.hashes[1][b]; y != 0 {
				h.space = append(h.space, mix(x)+mix(y))
			}
		}
	}
	return h.space
}

// list returns the values of a record in one of the fields.
func (h *keyHashes) list(i int, p uint32, space *[1]uint32) []uint32 {
	f := h.fields[i]
	return h.engine.columns[f].list(h.engine.row(p)[f], space)
}

// A refiner splits blocks by a part of a field.
type refiner struct {
	field int
	keys  keyHashes
}

// refinersFor are the refiners of fields that are not among those used.
func (e *engine) refinersFor(used uint32) []refiner {
	var parts []refiner
	for _, r := range refiners {
		if f := firstOf(e.fields, r.kind); f >= 0 && used>>f&1 == 0 {
			parts = append(parts, refiner{f, e.keyHashes(Key{Field: e.fields[f].Name, Part: r.part})})
		}
	}
	return parts
}

// fields is the set of fields that a rule uses, one bit each.
func (r Rule) fields(fields []Field) uint32 {
	set := uint32(0)
	for _, k := range r {
		for _, f := range k.fields(fields) {
			set |= 1 << f
		}
	}
	return set
}
