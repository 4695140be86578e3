// SPDX-License-Identifier: Apache-2.0

package links

import "slices"

// bridges are the links without which a patient of three records or more falls apart [Tarjan
// 1974], as a set of pairs.
func (g *groups) bridges(links []scoredPair) map[[2]int]bool {
	of := map[int][]scoredPair{}
	for _, p := range links {
		of[g.root[p.a]] = append(of[g.root[p.a]], p)
	}
	found := map[[2]int]bool{}
	for root, members := range g.members {
		if len(members) > 2 {
			bridgesOf(members, of[root], found)
		}
	}
	for _, p := range links {
		if g.follows(p) {
			delete(found, [2]int{p.a, p.b}) // the two are equal in everything
		}
	}
	return found
}

// step is a link from a record to another of the same patient.
type step struct{ to, link int }

// walk is a search through the links of a patient, depth first. It keeps its own stack, because a
// patient may have very many records.
type walk struct {
	next  [][]step
	order []int // when a record was reached, 0 if not yet
	low   []int // the earliest record that can be reached from below without the link above
	time  int
}

// visit is a record on the way from the first.
type visit struct{ at, by, from, done int }

func bridgesOf(members []int, links []scoredPair, found map[[2]int]bool) {
	w := &walk{next: make([][]step, len(members)), order: make([]int, len(members)), low: make([]int, len(members))}
	for i, p := range links {
		a, _ := slices.BinarySearch(members, p.a)
		b, _ := slices.BinarySearch(members, p.b)
		w.next[a], w.next[b] = append(w.next[a], step{b, i}), append(w.next[b], step{a, i})
	}
	w.search(func(link int) { found[[2]int{links[link].a, links[link].b}] = true })
}

func (w *walk) search(found func(link int)) {
	stack := []visit{w.enter(0, -1, -1)}
	for len(stack) > 0 {
		v := &stack[len(stack)-1]
		if v.done < len(w.next[v.at]) {
			s := w.next[v.at][v.done]
			v.done++
			switch {
			case s.link == v.by:
			case w.order[s.to] > 0:
				w.low[v.at] = min(w.low[v.at], w.order[s.to])
			default:
				stack = append(stack, w.enter(s.to, s.link, v.at))
			}
			continue
		}
		left := *v
		stack = stack[:len(stack)-1]
		if left.from < 0 {
			continue
		}
		w.low[left.from] = min(w.low[left.from], w.low[left.at])
		if w.low[left.at] > w.order[left.from] {
			found(left.by)
		}
	}
}

func (w *walk) enter(at, by, from int) visit {
	w.time++
	w.order[at], w.low[at] = w.time, w.time
	return visit{at: at, by: by, from: from}
}
