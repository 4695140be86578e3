// SPDX-License-Identifier: Apache-2.0

package dense

import (
	"math"
	"math/rand/v2"
	"strings"
	"unicode"
	"unicode/utf8"
)

// likeness is logistic regression over the hashed character n-grams of words,
// trained by AdaGrad (Duchi, Hazan and Singer 2011).
type likeness struct {
	base    float64
	weights []float32 // by hash, gramTable
}

const (
	gramTable  = 1 << 16
	gramLeast  = 2
	gramMost   = 5
	gramEpochs = 4
	gramRate   = 0.3
	longest    = 32 // characters of a word that are looked at
)

// spelling is what n-grams see of a word: digits are alike.
func spelling(word string) string {
	runes := 0
	return strings.Map(func(r rune) rune {
		if runes++; runes > longest || r == utf8.RuneError {
			return -1
		}
		if unicode.IsDigit(r) {
			return '0'
		}
		return r
	}, word)
}

// gramsOf hashes the n-grams of a word in lower case between marks of its ends,
// and whether it has capitals.
func gramsOf(word string) []uint16 {
	runes := []rune("^" + strings.ToLower(word) + "$")
	var out []uint16
	for n := gramLeast; n <= gramMost; n++ {
		for i := 0; i+n <= len(runes); i++ {
			out = append(out, gram(runes[i:i+n]))
		}
	}
	first, _ := utf8.DecodeRuneInString(word)
	switch {
	case word != strings.ToLower(word) && word == strings.ToUpper(word):
		return append(out, gram([]rune{-1}))
	case unicode.IsUpper(first):
		return append(out, gram([]rune{-2}))
	}
	return out
}

func gram(runes []rune) uint16 {
	h := uint64(14695981039346656037)
	for _, r := range runes {
		h = (h ^ uint64(uint32(r))) * 1099511628211
	}
	return uint16(h ^ h>>16 ^ h>>32 ^ h>>48)
}

// logOdds of a word being sensitive, by its n-grams.
func (l *likeness) logOdds(grams []uint16) float64 {
	sum := 0.0
	for _, g := range grams {
		sum += float64(l.weights[g])
	}
	return l.base + sum/math.Sqrt(float64(len(grams)))
}

// fitLikeness trains on distinct words: counts[w] says how often word w occurs
// and is sensitive. A word counts by the square root of how often it occurs, so
// that common ones do not drown the rest.
func fitLikeness(grams [][]uint16, counts []count, prior float64) *likeness {
	l := &likeness{prior, make([]float32, gramTable)}
	var words []int
	for w, c := range counts {
		if c.n > 0 {
			words = append(words, w)
		}
	}
	squares := make([]float32, gramTable)
	random := rand.New(rand.NewPCG(1, uint64(len(words))))
	for range gramEpochs {
		random.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
		for _, w := range words {
			c := counts[w]
			scale := 1 / math.Sqrt(float64(len(grams[w])))
			p := 1 / (1 + math.Exp(-l.logOdds(grams[w])))
			slope := float32(math.Sqrt(float64(c.n)) * (p - float64(c.s)/float64(c.n)) * scale)
			for _, g := range grams[w] {
				squares[g] += slope * slope
				l.weights[g] -= gramRate * slope / float32(math.Sqrt(float64(squares[g])+1e-6))
			}
		}
	}
	return l
}
