// SPDX-License-Identifier: Apache-2.0

package joint

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"time"

	"hide/internal/parallel"
	"hide/internal/publish"
	"hide/internal/publish/joint/check"
)

// Origin says who writes a release, when, and what there is to warn of beside what its
// report does, such as other releases of the same people.
type Origin struct {
	Tool     string
	Created  time.Time
	Warnings []string
}

// Written is what there is of a release once its folder is. The mapping leads back to
// the patients; what the release was compared with is [View.WriteOriginals].
type Written struct {
	SHA256   string       // of manifest.json
	Verified check.Report // against the originals
	Mapping  []byte
}

// Write writes a release folder, which must not exist and appears whole or not at
// all: rows.jsonl, data.csv, report.json, report.txt, more, manifest.json and
// SHA256SUMS. Package check has to find it right against the originals before it
// appears.
func (r *Release) Write(ctx context.Context, dir string, o Origin, report Report, more ...publish.File) (Written, error) {
	view := r.recoding.view
	var out Written
	var mapping bytes.Buffer
	if err := r.WriteMapping(&mapping); err != nil {
		return out, err
	}
	out.Mapping = mapping.Bytes()
	files := append([]publish.File{
		{Name: "rows.jsonl", Write: r.WriteRows},
		{Name: "data.csv", Write: r.WriteCSV},
		{Name: "report.json", Write: publish.JSON(report)},
		{Name: "report.txt", Write: func(w io.Writer) error { return report.writeFile(w, o.Warnings) }},
	}, more...)
	manifest := func(sums []publish.FileSum) any { return view.Manifest(report, o, sums) }
	var err error
	out.SHA256, err = publish.WriteFiles(ctx, dir, files, manifest, func(fsys fs.FS) (err error) {
		out.Verified, err = view.compare(ctx, fsys, out.Mapping)
		if err == nil && !out.Verified.OK {
			err = fmt.Errorf("the release is not what it should be, in %d places: %s", out.Verified.Found, out.Verified.Problems[0])
		}
		return err
	})
	return out, err
}

// compare hands the originals to the check as they are written, since all of them
// would be all notes once more.
func (v *View) compare(ctx context.Context, fsys fs.FS, mapping []byte) (check.Report, error) {
	r, w := io.Pipe()
	done := make(chan struct{})
	go func() { // ends when r is closed
		defer close(done)
		w.CloseWithError(parallel.Guard(func() error { return v.WriteOriginals(w) })) //nolint:errcheck // never fails
	}()
	defer func() { r.Close(); <-done }() // the view is not read any more
	return check.Against(ctx, fsys, bytes.NewReader(mapping), r)
}

// writeFile is report.txt.
func (r Report) writeFile(w io.Writer, more []string) error {
	var text bytes.Buffer
	fmt.Fprintf(&text, "%s\n\n", Statement)
	r.WriteText(&text)
	for _, warning := range append(r.Warnings(), more...) {
		fmt.Fprintf(&text, "warning: %s\n", warning)
	}
	_, err := text.WriteTo(w)
	return err
}
