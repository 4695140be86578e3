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
	"hide/internal/publish/release"
	"hide/internal/publish/verify"
)

// Origin says who writes a release, when, and warnings in addition to those of its
// report, such as other releases of the same people.
type Origin struct {
	Tool     string
	Created  time.Time
	Warnings []string
}

// Written is a finished release. Mapping is its re-identification map, which leads back
// to the patients; the release was compared with [View.WriteOriginals].
type Written struct {
	SHA256   string        // of manifest.json
	Verified *verify.Joint // against the originals
	Mapping  []byte
}

// Write writes a release folder, which must not exist and appears whole or not at
// all: rows.jsonl, data.csv, report.json, report.txt, more, manifest.json and
// SHA256SUMS. Package verify has to find it right against the originals before it
// appears.
func (r *Release) Write(ctx context.Context, dir string, o Origin, report Report, more ...release.Content) (Written, error) {
	view := r.recoding.view
	var out Written
	var mapping bytes.Buffer
	if err := r.WriteMapping(&mapping); err != nil {
		return out, err
	}
	out.Mapping = mapping.Bytes()
	files := append([]release.Content{
		{Name: "rows.jsonl", Write: r.WriteRows},
		{Name: "data.csv", Write: r.WriteCSV},
		release.JSON("report.json", report),
		{Name: "report.txt", Write: func(w io.Writer) error { return report.writeFile(w, o.Warnings) }},
	}, more...)
	m := release.Manifest{
		Kind: release.Joint, Version: o.Tool, Created: o.Created, Statement: Statement, Warnings: append(report.Warnings(), o.Warnings...), Claims: view.Claims(report),
	}
	var err error
	out.SHA256, err = release.Write(ctx, dir, m, files, func(fsys fs.FS) (err error) {
		out.Verified, err = view.compare(ctx, fsys, out.Mapping)
		if err == nil && !out.Verified.OK {
			err = fmt.Errorf("the release does not pass verification, at %d places: %s", out.Verified.Found, out.Verified.Problems[0])
		}
		return err
	})
	return out, err
}

// compare streams the originals to the verifier: in memory they would be all notes
// once more.
func (v *View) compare(ctx context.Context, fsys fs.FS, mapping []byte) (*verify.Joint, error) {
	r, w := io.Pipe()
	done := make(chan struct{})
	go func() { // ends when r is closed
		defer close(done)
		w.CloseWithError(parallel.Guard(func() error { return v.WriteOriginals(w) })) //nolint:errcheck // never fails
	}()
	defer func() { r.Close(); <-done }() // nothing reads the view any more
	found, err := verify.Against(ctx, fsys, bytes.NewReader(mapping), r)
	report, _ := found.(*verify.Joint)
	return report, err
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
