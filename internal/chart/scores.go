// SPDX-License-Identifier: Apache-2.0

package chart

import (
	"context"
	"io"

	"hide/internal/crf/score"
)

// WriteScores writes scores as one HTML page with its styles in it: figures by
// label with intervals, leaks and reliability diagrams. It holds labels and
// numbers, and no text of notes.
func WriteScores(ctx context.Context, w io.Writer, r score.Report) error {
	return writePage(ctx, w, "hide evaluate", reportBody(&r))
}

// otherWay is a way to count that has no labels.
type otherWay struct {
	name string
	score.Tally
}

// otherWays are what the i2b2-2014 script counts.
func otherWays(r *score.Report) []otherWay {
	ways := i2b2Ways("i2b2-2014", r.I2B2.I2B2Figures)
	if r.I2B2.HIPAA != nil {
		ways = append(ways, i2b2Ways("i2b2-2014 HIPAA", *r.I2B2.HIPAA)...)
	}
	return ways
}

func i2b2Ways(name string, f score.I2B2Figures) []otherWay {
	return []otherWay{
		{name + " strict", f.Strict.Micro}, {name + " relaxed", f.Relaxed.Micro}, {name + " token", f.Token.Micro},
		{name + " binary strict", f.BinaryStrict.Micro}, {name + " binary token", f.BinaryToken.Micro},
	}
}
