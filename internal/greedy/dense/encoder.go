// SPDX-License-Identifier: Apache-2.0

package dense

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"hide/internal/crf"
	"hide/internal/greedy/boost"
)

// Encoder describes tokens of any document. It is immutable and safe for
// concurrent use.
type Encoder struct {
	lists  *crf.Lists
	share  float64
	counts *table
	like   *likeness

	scorers sync.Pool // of *scorer
}

// Encoder is the trained part of f, without its corpus.
func (f *Fitted) Encoder() *Encoder {
	var used []int32 // keys that count something
	for k, c := range f.counts {
		if c.n > 0 {
			used = append(used, int32(k))
		}
	}
	hashes := f.corpus.hashes
	slices.SortFunc(used, func(a, b int32) int { return cmp.Compare(hashes[a], hashes[b]) })
	counts := newTableBuilder(len(used), f.share)
	for _, k := range used {
		counts.add(hashes[k], f.counts[k])
	}
	return &Encoder{lists: f.corpus.lists, share: f.share, counts: counts.done(), like: f.whole}
}

// Share is the sensitive share of the training tokens, strictly between 0 and 1.
func (e *Encoder) Share() float64 { return e.share }

// Width is the number of columns of a token.
func (e *Encoder) Width() int { return width(e.lists) }

// The columns: rates, counts, name-likeness of the word before, the word, and the word
// after, and untrained columns.
const (
	firstCount    = keys
	firstLikeness = firstCount + 4
	firstStatic   = firstLikeness + 3
)

// counted are the keys whose logarithmic count is a column too.
var counted = [firstLikeness - firstCount]int{keyWord, keyLower, keyPairBefore, keyPairAfter}

// lowerCount is the place of keyLower in counted.
const lowerCount = 1

// width is the number of columns of a token.
func width(lists *crf.Lists) int { return firstStatic + statics(lists.Len()) }

// Likeness lists the columns of name-likeness.
func Likeness() []int { return []int{firstLikeness, firstLikeness + 1, firstLikeness + 2} }

// Flags lists the columns that a second stage uses beside the log-odds of base learners:
// the characters of the token, its place, the rate and count of its word, and the novelty
// of the document.
func Flags() []int {
	flags := []int{keyLower, keyMember, firstCount + lowerCount}
	for _, c := range []int{colClass, colLength, colDigits, colGap, colGapAfter, colLinePlace, colLineEnd, colHeadDistance, colTimes, colTitle, colCredit, colKind, colRunKind, colNovelty} {
		flags = append(flags, firstStatic+c)
	}
	return flags
}

// NoveltyFlag is the place of the novelty of the document in [Flags].
func NoveltyFlag() int { return slices.Index(Flags(), firstStatic+colNovelty) }

// Pattern is a spelling that identifies by its form alone.
type Pattern uint8

// The patterns. Their values are stored: do not reorder them.
const (
	NoPattern Pattern = iota
	Email
	URL
	FullDate
	Phone
	Patterns // number of patterns, including none
)

// PatternOf is the pattern of a row of columns. Punctuation at the ends of a string
// without spaces, such as a full stop, is not part of it.
func PatternOf(x boost.Matrix, row int) Pattern {
	if x[firstStatic+colClass][row] < 0 && min(x[firstStatic+colRunAt][row], x[firstStatic+colRunLeft][row]) == 0 {
		return NoPattern
	}
	switch runOrder[max(0, int(x[firstStatic+colRunKind][row]))] {
	case "EMAIL":
		return Email
	case "URL":
		return URL
	case "DATE":
		return FullDate
	}
	switch kindOrder[max(0, int(x[firstStatic+colKind][row]))] {
	case "DATE":
		return FullDate
	case "PHONE":
		return Phone
	}
	return NoPattern
}

// newMatrix has all columns in one piece of memory.
func newMatrix(columns, rows int) boost.Matrix {
	x, all := make(boost.Matrix, columns), make([]float32, columns*rows)
	for c := range x {
		x[c] = all[c*rows : (c+1)*rows : (c+1)*rows]
	}
	return x
}

// The untrained columns before those of lists and ways.
const (
	colClass = iota
	colLength
	colDigits
	colNumber
	colGap
	colGapAfter
	colLinePlace
	colLineEnd
	colLineSize
	colHeadDistance
	colSectionAt
	colAbove
	colBelow
	colPosition
	colTimes
	colTitle
	colCredit
	colKind
	colRunKind
	colRunAt
	colRunLeft
	colHidden
	colHiddenNear
	colNovelty
	colUsed
	colElsewhere = colUsed + crf.Ways
	colLists     = colElsewhere + crf.Ways
)

// classOrder puts the classes of names last, so that one split separates them from the
// rest.
const classOrder = "^p12345lxuMCAT"

// kindOrder are the identifiers of [crf.Fact.Kind].
var kindOrder = []string{"", "RECORD", "TIME", "AGE", "AGE90", "WEEKDAY", "MONTH", "DAY", "DATE", "PHONE", "SSN", "POSTAL"}

var runOrder = []string{"", "IP", "DATE", "URL", "EMAIL"}

func place(of string, in []string) float32 {
	for i, s := range in {
		if s == of {
			return float32(i)
		}
	}
	return -1
}

func classNumber(c byte) float32 {
	if i := strings.IndexByte(classOrder, c); i >= 0 {
		return float32(i)
	}
	return -1 // marks
}

// statics is the number of columns with this number of lists.
func statics(lists int) int { return colLists + lists }

// describe fills in the untrained columns of token t, without those of lists.
func (r *reader) describe(t int, row []float32) {
	w, f := &r.words[r.at[t+2]], &r.facts[t]
	row[colClass], row[colLength] = w.class, w.length
	row[colDigits], row[colNumber] = float32(f.Digits), w.numbers
	row[colGap], row[colGapAfter] = float32(f.Gap), 3
	if t+1 < len(r.facts) {
		row[colGapAfter] = float32(r.facts[t+1].Gap)
	}
	row[colLinePlace], row[colLineEnd], row[colLineSize] = float32(f.LinePlace), flag(f.LineEnd), float32(f.LineSize)
	row[colHeadDistance], row[colSectionAt] = float32(f.HeadDistance), float32(f.SectionAt)
	row[colAbove], row[colBelow] = float32(f.Above), float32(f.Below)
	row[colPosition] = float32(t) / float32(len(r.facts))
	row[colTimes] = r.log(r.times[w.lower])
	row[colTitle], row[colCredit] = distance(f.Title), distance(f.Credit)
	row[colKind], row[colRunKind] = place(f.Kind, kindOrder), place(f.RunKind, runOrder)
	row[colRunAt], row[colRunLeft] = float32(f.RunAt), float32(f.RunLeft)
	row[colHidden] = flag(r.hidden(t))
	row[colHiddenNear] = flag(r.hidden(t-1)) + 2*flag(r.hidden(t+1))
	for way := range crf.Ways {
		row[colUsed+way] = float32(f.Used >> way & 1)
		row[colElsewhere+way] = float32(f.Elsewhere >> way & 1)
	}
}

func (r *reader) hidden(t int) bool { return t >= 0 && t < len(r.mask) && r.mask[t] }

func (r *reader) log(n int32) float32 {
	if int(n) < len(r.logs) {
		return r.logs[n]
	}
	return float32(math.Log(float64(n)))
}

// distance puts none, 0, after all others.
func distance(n int8) float32 {
	if n == 0 {
		return 9
	}
	return float32(n)
}

func flag(b bool) float32 {
	if b {
		return 1
	}
	return 0
}

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
