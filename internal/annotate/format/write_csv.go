// SPDX-License-Identifier: Apache-2.0

package format

import (
	"bufio"
	"fmt"
	"io"
	"iter"
	"strings"

	"hide/internal/annotate"
)

// WriteCSV writes a table with the columns id, patient, text and the given
// attributes, one document a row, RFC 4180 with every field quoted. Spans are
// not written. [Read] gives the documents back byte for byte.
func WriteCSV(w io.Writer, attributes []string, docs iter.Seq2[annotate.Annotated, error]) error {
	buffered := bufio.NewWriter(w)
	writeRow(buffered, append([]string{"id", "patient", "text"}, attributes...))
	n := 0
	for d, err := range docs {
		n++
		if err != nil {
			return fmt.Errorf("document %d: %w", n, err)
		}
		row := []string{d.Name, d.Patient, d.Text}
		for _, a := range attributes {
			row = append(row, d.Attributes[a])
		}
		if err := writeRow(buffered, row); err != nil {
			return fmt.Errorf("write document %d: %w", n, err)
		}
	}
	return buffered.Flush()
}

func writeRow(w *bufio.Writer, fields []string) error {
	for i, f := range fields {
		if i > 0 {
			w.WriteByte(',')
		}
		w.WriteString(`"` + strings.ReplaceAll(f, `"`, `""`) + `"`)
	}
	_, err := w.WriteString("\r\n")
	return err
}
