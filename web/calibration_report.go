// SPDX-License-Identifier: Apache-2.0

package web

import (
	"context"
	"fmt"
	"io"

	"hide/internal/project"
)

// WriteReport writes scores as one HTML page with its styles in it: figures by
// label with intervals, leaks and reliability diagrams. It holds labels and
// numbers, and no text of notes.
func WriteReport(ctx context.Context, w io.Writer, r project.Report) error {
	files, err := newAssets()
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(w, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"+
		"<title>hide evaluate</title><style>%s</style></head><body>", files.files["app.css"]); err != nil {
		return err
	}
	if err := reportBody(&r).Render(ctx, w); err != nil {
		return err
	}
	_, err = io.WriteString(w, "</body></html>\n")
	return err
}

// otherWay is a way to count that has no labels.
type otherWay struct {
	name string
	project.Tally
}

// otherWays are what the i2b2-2014 script counts.
func otherWays(r *project.Report) []otherWay {
	ways := i2b2Ways("i2b2-2014", r.I2B2.I2B2Figures)
	if r.I2B2.HIPAA != nil {
		ways = append(ways, i2b2Ways("i2b2-2014 HIPAA", *r.I2B2.HIPAA)...)
	}
	return ways
}

func i2b2Ways(name string, f project.I2B2Figures) []otherWay {
	return []otherWay{
		{name + " strict", f.Strict.Micro}, {name + " relaxed", f.Relaxed.Micro}, {name + " token", f.Token.Micro},
		{name + " binary strict", f.BinaryStrict.Micro}, {name + " binary token", f.BinaryToken.Micro},
	}
}
