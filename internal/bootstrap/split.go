// SPDX-License-Identifier: Apache-2.0

package bootstrap

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"hide/internal/annotate"
)

// Split holds a share of notes out for testing: whole patients, drawn by seed,
// until share of the notes are held out. Both parts keep the order of notes.
func Split(notes []annotate.Annotated, share float64, seed uint64) (pool, test []annotate.Annotated, err error) {
	size := map[string]int{}
	for _, n := range notes {
		size[n.Group()]++
	}
	groups := make([]string, 0, len(size))
	for g := range size {
		groups = append(groups, g)
	}
	slices.Sort(groups)
	random := rand.New(rand.NewPCG(seed, streamSplit))
	random.Shuffle(len(groups), func(i, j int) { groups[i], groups[j] = groups[j], groups[i] })
	held, enough := map[string]bool{}, share*float64(len(notes))
	for n := 0; len(groups) > 0 && float64(n) < enough; groups = groups[1:] {
		held[groups[0]] = true
		n += size[groups[0]]
	}
	for _, n := range notes {
		if held[n.Group()] {
			test = append(test, n)
		} else {
			pool = append(pool, n)
		}
	}
	if len(pool) == 0 || len(test) == 0 {
		return nil, nil, fmt.Errorf("%d notes of %d patients cannot be split into training notes and test notes", len(notes), len(size))
	}
	return pool, test, nil
}

// Streams of random numbers, so that one seed serves several purposes.
const (
	streamSplit = 0x73706c6974
	streamOrder = 0x6f72646572
	streamBias  = 0x62696173
)
