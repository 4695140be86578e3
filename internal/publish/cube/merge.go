// SPDX-License-Identifier: Apache-2.0

package cube

// mergeSD is by how many standard deviations of their noise two halves must differ to
// remain separate: as for a node of a prefix tree.
const mergeSD = 2.0

// merge undoes splits, from the smallest blocks up, whose halves do not differ in the
// counts of the second phase. Their noise is independent of the first phase, so that they
// show whether a split was chosen because of the data or because of noise. It reads only
// released counts and costs nothing. For halves with counts n1 and n2 in v1 and v2 of v
// cells,
//
//	d = n1 v2/v - n2 v1/v,  var d = var n1 (v2/v)^2 + var n2 (v1/v)^2
//
// is how far they are from the same density.
func (p *part) merge(z float64) {
	if p.halves[0] == nil {
		return
	}
	a, b := p.halves[0], p.halves[1]
	a.merge(z)
	b.merge(z)
	if a.halves[0] != nil || b.halves[0] != nil {
		return
	}
	v := float64(p.volume())
	s1, s2 := float64(a.volume())/v, float64(b.volume())/v
	d := a.total*s2 - b.total*s1
	if d*d < z*z*(a.vari*s2*s2+b.vari*s1*s1) {
		p.halves = [2]*part{}
		p.total, p.vari, p.draws = a.total+b.total, a.vari+b.vari, a.draws+b.draws
	}
}
