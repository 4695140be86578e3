// SPDX-License-Identifier: Apache-2.0

package drill

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"time"

	"hide/internal/words"
)

// WriteText writes the report for people.
func (r *Report) WriteText(w io.Writer) error {
	var b bytes.Buffer
	if r.OK {
		fmt.Fprintln(&b, "The backup can be restored. Nothing was changed.")
	} else {
		fmt.Fprintf(&b, "The backup was restored, and %s found. Nothing was changed.\n", words.Count(len(r.Problems), "problem was", "problems were"))
	}
	for _, p := range r.Problems {
		fmt.Fprintf(&b, "  problem: %s\n", p)
	}
	made := "at a time that it does not say (format 1)"
	if !r.Backup.Made.IsZero() {
		made = fmt.Sprintf("%s, %s before this check", r.Backup.Made.UTC().Format(time.RFC3339), r.Age)
	}
	fmt.Fprintf(&b, "Checked:      %s, in %.1f seconds\n", r.Began.Format(time.RFC3339), r.Seconds)
	fmt.Fprintf(&b, "Backup made:  %s\n", made)
	fmt.Fprintf(&b, "Data file:    %s bytes, %s decrypted and verified\n", words.Number(int(r.Backup.DataBytes)), words.Count(r.Values, "value", "values"))
	fmt.Fprintf(&b, "Audit trail:  complete, %s\n", words.Count(int(r.AuditRows), "row", "rows"))
	fmt.Fprintf(&b, "Data folder:  %s\n", r.newer())
	fmt.Fprintf(&b, "Releases:     %s, %s bytes\n", words.Count(r.Files, "file", "files"), words.Number(int(r.Bytes)))
	for _, p := range r.Projects {
		fmt.Fprintf(&b, "Project %s:   %d of %s read, with %s; %s verified\n", p.ID, p.Read,
			words.Count(p.Notes, "note", "notes"), words.Count(p.Spans, "span", "spans"), words.Count(p.Releases, "release", "releases"))
	}
	if len(r.Sealed) > 0 {
		fmt.Fprintf(&b, "Without secret, not read: %s\n", strings.Join(r.Sealed, ", "))
	}
	_, err := w.Write(b.Bytes())
	return err
}

func (r *Report) newer() string {
	switch {
	case !r.NewerKnown:
		return "its audit head cannot be read with this key, so what is newer than the backup is unknown"
	case r.NewerRows == 0:
		return "nothing in it is newer than the backup"
	}
	return "has " + words.Count(int(r.NewerRows), "audit row", "audit rows") + " that are newer than the backup"
}
