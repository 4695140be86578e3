// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
)

// Parameters are what is fixed before anybody can know which passages are drawn.
type Parameters struct {
	Passages int     `json:"passages"` // of the candidate
	Doubtful int     `json:"doubtful"` // of them, the most doubtful ones, all read
	Planned  int     `json:"planned"`  // to be drawn from the others
	Plants   int     `json:"plants"`   // surrogate identifiers planted in the passages to read
	Anytime  bool    `json:"any_time"` // the bound is looked at while people read
	Alpha    float64 `json:"alpha"`    // 1 minus the confidence
}

// String is the text of the parameters in a commitment, such as
// "passages=15000 doubtful=200 planned=450 plants=150 any_time=true alpha=0.05".
func (p Parameters) String() string {
	return fmt.Sprintf("passages=%d doubtful=%d planned=%d plants=%d any_time=%t alpha=%g", p.Passages, p.Doubtful, p.Planned, p.Plants, p.Anytime, p.Alpha)
}

// Prefixes of what is hashed. Each ends with a line feed.
const (
	commitmentPrefix = "hide commitment 1\n"
	seedPrefix       = "hide seed 1\n"
	plantsPrefix     = "hide plants 1\n"
)

// Commitment binds the broker to a secret before another member gives a number:
//
//	SHA-256("hide commitment 1\n" || secret || candidate || parameters)
//
// with the 32 bytes of the secret, the 32 bytes of the candidate's hash, and
// [Parameters.String] in ASCII.
func Commitment(secret, candidate [32]byte, p Parameters) [32]byte {
	return sha256.Sum256(bytes.Join([][]byte{[]byte(commitmentPrefix), secret[:], candidate[:], []byte(p.String())}, nil))
}

// Seed decides the draw. Neither the broker nor the member who gives the number later can
// choose it alone:
//
//	SHA-256("hide seed 1\n" || secret || number)
//
// with the 32 bytes of the secret and the number as UTF-8 text as it was entered, without
// white space before and after it.
func Seed(secret [32]byte, number string) [32]byte { return seedOf(seedPrefix, secret, number) }

// PlantSeed is [Seed] with the prefix "hide plants 1\n": it decides the planted identifiers
// and where they stand.
func PlantSeed(secret [32]byte, number string) [32]byte { return seedOf(plantsPrefix, secret, number) }

func seedOf(prefix string, secret [32]byte, number string) [32]byte {
	return sha256.Sum256(bytes.Join([][]byte{[]byte(prefix), secret[:], []byte(strings.TrimSpace(number))}, nil))
}

// Order is the order in which passages are drawn: ascending by
//
//	SHA-256(seed || index)
//
// compared as bytes, with the 32 bytes of the seed and the passage's index among all
// passages of the candidate, from 0, as 8 bytes, big endian. The first n are the sample.
// passages are the indices of the passages that are not read as doubtful; their order does not matter.
func Order(seed [32]byte, passages []int) []int {
	type drawn struct {
		passage int
		hash    [32]byte
	}
	all := make([]drawn, len(passages))
	var text [40]byte
	copy(text[:], seed[:])
	for i, p := range passages {
		binary.BigEndian.PutUint64(text[32:], uint64(p))
		all[i] = drawn{p, sha256.Sum256(text[:])}
	}
	slices.SortFunc(all, func(a, b drawn) int {
		return cmp.Or(bytes.Compare(a.hash[:], b.hash[:]), cmp.Compare(a.passage, b.passage))
	})
	out := make([]int, len(all))
	for i, d := range all {
		out[i] = d.passage
	}
	return out
}

// Doubtful divides passages by doubt, such as the expected number of identifiers left in
// each: the n most doubtful, most doubtful first, and the indices of the others. Ties go
// to the first.
func Doubtful(doubts []float64, n int) (doubtful, others []int) {
	order := make([]int, len(doubts))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(doubts[b], doubts[a]) })
	n = max(0, min(n, len(order)))
	return order[:n:n], slices.Sorted(slices.Values(order[n:]))
}
