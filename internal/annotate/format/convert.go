// SPDX-License-Identifier: Apache-2.0

package format

import (
	"context"
	"errors"
	"io"
	"iter"

	"hide/internal/annotate"
)

// errNoMore stops a reading whose consumer wants no more documents.
var errNoMore = errors.New("enough documents")

// Documents yields what [Read] passes to its sink, and its error last. After that the report
// is complete.
func Documents(ctx context.Context, files []File, opts Options, report *Report) iter.Seq2[annotate.Annotated, error] {
	return func(yield func(annotate.Annotated, error) bool) {
		var err error
		*report, err = Read(ctx, files, opts, func(d annotate.Annotated) error {
			if !yield(d, nil) {
				return errNoMore
			}
			return nil
		})
		if err != nil && !errors.Is(err, errNoMore) {
			yield(annotate.Annotated{}, err)
		}
	}
}

// Conversion turns files of one format into a file of another, one document at a time.
type Conversion struct {
	Options        // how the files are read
	To      string // one of [Writable]
	// Map changes each document on the way. It may be nil.
	Map func(iter.Seq2[annotate.Annotated, error]) iter.Seq2[annotate.Annotated, error]
}

// Losses reads the files and says what the new file will not hold. Nothing is written.
func (c Conversion) Losses(ctx context.Context, files []File) (lost []string, report Report, err error) {
	lost, err = Losses(c.To, c.documents(ctx, files, &report))
	return lost, report, err
}

// Write reads the files again and writes the new one.
func (c Conversion) Write(ctx context.Context, files []File, w io.Writer) (report Report, err error) {
	err = Write(w, c.To, c.documents(ctx, files, &report))
	return report, err
}

func (c Conversion) documents(ctx context.Context, files []File, report *Report) iter.Seq2[annotate.Annotated, error] {
	docs := Documents(ctx, files, c.Options, report)
	if c.Map != nil {
		docs = c.Map(docs)
	}
	return docs
}
