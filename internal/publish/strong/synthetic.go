// SPDX-License-Identifier: Apache-2.0

package strong

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"strings"

	"hide/internal/publish/cube"
	"hide/internal/publish/prefixtree"
	"hide/internal/publish/release"
)

// mostSynthetic bounds what is written of invented rows, in bytes. Noise of a tiny
// epsilon adds up to more rows than anybody reads, and labels may be long.
const mostSynthetic = 64 << 20

// tellCut says of a file of invented rows that it holds fewer than there were to be.
// They are drawn one by one, so that those that are there are as the release counts.
func (m *Manifest) tellCut(name string, cut bool) {
	if cut {
		m.Warnings = append(m.Warnings, fmt.Sprintf("%s was cut off at %d MiB: it has fewer rows than the release counts, in the same proportions.", name, mostSynthetic>>20))
	}
}

// syntheticCSV writes invented rows, each as it is drawn, up to so many bytes, and
// says whether there were to be more.
func syntheticCSV(r *cube.Release, most int) (raw []byte, cut bool, err error) {
	recs, err := r.Synthetic(release.Random())
	if err != nil {
		return nil, false, err
	}
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	row := make([]string, len(r.Domain))
	for d, dim := range r.Domain {
		row[d] = dim.Name
	}
	w.Write(row) //nolint:errcheck // into memory
	for rec := range recs {
		w.Flush()
		whole := b.Len()
		for d, at := range rec {
			row[d] = r.Domain[d].Label(at)
		}
		w.Write(row) //nolint:errcheck // into memory
		w.Flush()
		if b.Len() > most {
			b.Truncate(whole)
			return b.Bytes(), true, nil
		}
	}
	w.Flush()
	return b.Bytes(), false, nil
}

// syntheticText writes invented sequences as syntheticCSV does rows.
func (c SequencesConfig) syntheticText(t *prefixtree.Tree, most int) (raw []byte, cut bool) {
	var b bytes.Buffer
	for seq := range t.Synthetic(release.Random()) {
		line := strings.Join(c.labels(seq), c.joiner())
		if b.Len()+len(line)+1 > most {
			return b.Bytes(), true
		}
		b.WriteString(line + "\n")
	}
	return b.Bytes(), false
}
