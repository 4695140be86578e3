// SPDX-License-Identifier: Apache-2.0

package fulltext_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"hide/internal/fulltext"
)

// zipf makes texts of 150 words whose frequencies follow Zipf's law, and of three numbers of
// their own. w0 is in nearly every text, and w2000 in few.
func zipf(r *rand.Rand) string {
	const vocabulary = 200_000
	var b strings.Builder
	for range 150 {
		fmt.Fprintf(&b, "w%d ", int(math.Pow(vocabulary, r.Float64()))-1)
	}
	fmt.Fprintf(&b, "%d %d %d", r.IntN(1e8), r.IntN(1e8), r.IntN(1e8))
	return b.String()
}

// index is one of 20,000 documents.
func index(b *testing.B) (s *shelf, textBytes int) {
	r := rand.New(rand.NewPCG(1, 2))
	run := fulltext.NewRun()
	for doc := range uint64(20_000) {
		text := zipf(r)
		textBytes += len(text)
		run.Add(doc+1, text)
	}
	return merge(b, run), textBytes
}

func BenchmarkMatch(b *testing.B) {
	s, textBytes := index(b)
	size := 0
	for _, p := range s.pages {
		size += len(p)
	}
	for name, typed := range map[string]string{"rare": "w2000", "common": "w0", "two-common": "w0 w1", "rare-and-common": "w2000 w0", "prefix": "w99*"} {
		b.Run(name, func(b *testing.B) {
			q := fulltext.Parse(typed)
			for b.Loop() {
				if docs, err := s.Match(q, s.page); err != nil || len(docs) == 0 {
					b.Fatal(len(docs), err)
				}
			}
			b.ReportMetric(float64(size)/float64(textBytes), "index/text")
		})
	}
}

func BenchmarkRun(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	texts := make([]string, 2000)
	for i := range texts {
		texts[i] = zipf(r)
	}
	b.SetBytes(int64(len(texts[0])))
	run, doc := fulltext.NewRun(), uint64(0)
	for b.Loop() {
		doc++
		if run.Add(doc, texts[doc%2000]); run.Full() {
			run.Reset()
		}
	}
}
