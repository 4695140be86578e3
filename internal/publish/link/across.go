// SPDX-License-Identifier: Apache-2.0

package link

// acrossFiles gives pairs of records of different files. One file may be much smaller than
// another: then nearly all pairs of records are of one file, and must not be tried.
type acrossFiles struct {
	positions []uint32 // file after file
	starts    []int    // where each file starts in positions, and the end of the last
}

func (e *engine) acrossFiles() *acrossFiles {
	a := &acrossFiles{starts: []int{0}}
	for file := uint16(0); len(a.positions) < e.n; file++ {
		for p, of := range e.files {
			if of == file {
				a.positions = append(a.positions, uint32(p))
			}
		}
		a.starts = append(a.starts, len(a.positions))
	}
	return a
}

// all calls yield with each pair.
func (a *acrossFiles) all(yield func(i, j uint32)) {
	for file := range len(a.starts) - 1 {
		for _, i := range a.positions[a.starts[file]:a.starts[file+1]] {
			for _, j := range a.positions[a.starts[file+1]:] {
				yield(min(i, j), max(i, j))
			}
		}
	}
}

// draw maps a hash to a pair. Each pair has the same probability.
func (a *acrossFiles) draw(hash uint64) (i, j uint32) {
	n := len(a.positions)
	ordered := 0 // pairs in either order
	for file := range len(a.starts) - 1 {
		ordered += a.size(file) * (n - a.size(file))
	}
	at, file := below(hash, ordered), 0
	for ; at >= a.size(file)*(n-a.size(file)); file++ {
		at -= a.size(file) * (n - a.size(file))
	}
	others := n - a.size(file)
	first, second := a.starts[file]+at/others, at%others
	if second >= a.starts[file] {
		second += a.size(file)
	}
	return a.positions[first], a.positions[second]
}

func (a *acrossFiles) size(file int) int { return a.starts[file+1] - a.starts[file] }
