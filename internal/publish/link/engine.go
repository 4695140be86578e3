// SPDX-License-Identifier: Apache-2.0

package link

import (
	"cmp"
	"iter"
	"math/bits"
	"slices"

	"hide/internal/publish/link/compare"
)

// An engine has the records in an order that depends on their values only. Within the package
// a record is a position in this order.
type engine struct {
	fields  []Field
	columns []engineColumn
	cells   []uint32 // of the fields of each position, together: a pair is compared field by field
	n       int      // positions
	pairs   float64  // that may be of one person
	order   []uint32 // the number of the record at each position
	at      []uint32 // the position of each record
	extras  []uint32 // records beyond MostCopies of equal ones; their position is that of the last copy
	files   []uint16 // the file of the record at each position; nil for one file
	shape   shape
	model   *params
	prior   float64
	config  Config
	workers int

	// Once the model is trained:
	levelWeights [][]float64   // log2(m/u) of each level of each field
	levelBounds  [][]float64   // the same, or more if the value is rarely kept when people move
	frequencies  []frequencies // of the values of each field
}

type engineColumn struct {
	kind   compare.Kind
	values []string
	hashes []uint64 // of the values
	lists  [][]uint32
	counts []uint32 // how many records have each value
	filled int      // records with a value
}

func newEngine(r *Records, c Config) *engine {
	r = r.oneSpelling()
	e := &engine{fields: r.fields, config: c, columns: make([]engineColumn, len(r.columns))}
	for f := range r.columns {
		e.columns[f] = hashedColumn(&r.columns[f], uint64(f))
	}
	e.sortRecords(r)
	e.arrange(r)
	if len(r.files) > 0 {
		e.files = make([]uint16, e.n)
		for p, record := range e.order {
			e.files[p] = fileOf(r.files, int(record))
		}
	}
	e.pairs = e.pairsAmong(e.positions())
	e.shape = shapeOf(r.fields)
	return e
}

// positions are those of all records.
func (e *engine) positions() iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		for p := range uint32(e.n) {
			if !yield(p) {
				return
			}
		}
	}
}

func fileOf(starts []int, record int) uint16 {
	file := uint16(0)
	for _, start := range starts {
		if record >= start {
			file++
		}
	}
	return file
}

func hashedColumn(c *column, field uint64) engineColumn {
	h := make([]uint64, len(c.values))
	for i, v := range c.values[1:] {
		h[i+1] = hashText(v, field)
	}
	return engineColumn{kind: c.kind, values: c.values, hashes: h, lists: c.lists}
}

// MostCopies is how many records with equal values are compared. [Run] pairs each further copy
// with the last of these only, whose other pairs stand for its own. Many equal records must
// neither take quadratic time nor dominate the estimates.
const MostCopies = 8

// sortRecords orders the records by a hash of their values. Records with equal values keep the
// order in which they were added.
func (e *engine) sortRecords(r *Records) {
	hashes := e.rowHashes(r)
	sorted := make([]uint32, r.n)
	for i := range sorted {
		sorted[i] = uint32(i)
	}
	slices.SortFunc(sorted, func(a, b uint32) int {
		return cmp.Or(cmp.Compare(hashes[a], hashes[b]), cmp.Compare(a, b))
	})
	e.at = make([]uint32, r.n)
	copies := 0
	for i, record := range sorted {
		if copies++; i == 0 || hashes[record] != hashes[sorted[i-1]] {
			copies = 1
		}
		if copies <= MostCopies {
			e.order = append(e.order, record)
		} else {
			e.extras = append(e.extras, record)
		}
		e.at[record] = uint32(len(e.order) - 1)
	}
	e.n = len(e.order)
}

// isExtra reports whether a record is beyond MostCopies of equal ones.
func (e *engine) isExtra(record int) bool { return int(e.order[e.at[record]]) != record }

// rowHashes has a hash of the values of each record, and of its file.
func (e *engine) rowHashes(r *Records) []uint64 {
	hashes := make([]uint64, r.n)
	for i := range hashes {
		hashes[i] = uint64(fileOf(r.files, i))
	}
	for f := range r.columns {
		var space [1]uint32
		for i, cell := range r.columns[f].cells {
			sum := uint64(0)
			for _, v := range r.columns[f].list(cell, &space) {
				sum += e.columns[f].hashes[v]
			}
			hashes[i] = mix(hashes[i] ^ sum)
		}
	}
	return hashes
}

// arrange puts the cells in the order of the engine and counts the values.
func (e *engine) arrange(r *Records) {
	e.cells = make([]uint32, e.n*len(e.fields))
	var space [1]uint32
	for f := range e.columns {
		c := &e.columns[f]
		c.counts = make([]uint32, len(c.values))
		for p, record := range e.order {
			cell := r.columns[f].cells[record]
			e.cells[p*len(e.fields)+f] = cell
			if cell != 0 {
				c.filled++
			}
			for _, v := range c.list(cell, &space) {
				c.counts[v]++
			}
		}
		e.removePlaceholders(f)
	}
}

// row has the cells of a record.
func (e *engine) row(p uint32) []uint32 {
	width := len(e.fields)
	return e.cells[int(p)*width:][:width]
}

func (c *engineColumn) list(cell uint32, space *[1]uint32) []uint32 {
	return listOf(cell, c.lists, space)
}

// comparable reports whether two records may be one person: with several files, records of one
// file may not.
func (e *engine) comparable(i, j uint32) bool {
	return e.files == nil || e.files[i] != e.files[j]
}

// pairsAmong counts the pairs of some positions that may be of one person.
func (e *engine) pairsAmong(positions iter.Seq[uint32]) float64 {
	n, sizes := 0., map[uint16]float64{}
	for p := range positions {
		n++
		if e.files != nil {
			sizes[e.files[p]]++
		}
	}
	all := n * (n - 1) / 2
	for _, size := range sizes {
		all -= size * (size - 1) / 2
	}
	return all
}

// hashText is FNV-1a, mixed, with a seed.
func hashText(s string, seed uint64) uint64 {
	h := uint64(14695981039346656037) ^ mix(seed+1)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return mix(h)
}

// mix is the finalizer of SplitMix64 [Steele, Lea and Flood 2014].
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// below maps a hash to a number from 0 to n-1.
func below(hash uint64, n int) int {
	high, _ := bits.Mul64(hash, uint64(n))
	return int(high)
}
