// SPDX-License-Identifier: Apache-2.0

package publish

import (
	"path/filepath"
	"testing"

	"hide/internal/annotate"
)

func BenchmarkRedact(b *testing.B) {
	bundle, docs := testBundle(b), corpus(b, 200)
	tokens := 0
	for b.Loop() {
		for _, d := range docs {
			bundle.Redact(d.Text)
			tokens += len(annotate.Tokenize(d.Text))
		}
	}
	b.ReportMetric(float64(tokens)/b.Elapsed().Seconds(), "tokens/s")
}

func BenchmarkWriteRelease(b *testing.B) {
	bundle, docs := testBundle(b), corpus(b, 1000)
	dir, n := b.TempDir(), 0
	for b.Loop() {
		n++
		if _, err := WriteRelease(b.Context(), filepath.Join(dir, releasedID(n, 1)), inputs(docs), bundle, testMeta(), nil); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(n*len(docs))/b.Elapsed().Seconds(), "documents/s")
}
