// SPDX-License-Identifier: Apache-2.0

package format

import (
	"archive/zip"
	"bufio"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"hide/internal/annotate"
	"hide/internal/filename"
)

// documents is what a writer reads.
type documents = iter.Seq2[annotate.Annotated, error]

// each checks the spans of every document and passes it to write. It stops at the first
// error.
func each(docs documents, write func(annotate.Annotated) error) error {
	n := 0
	for d, err := range docs {
		n++
		if err == nil {
			d.Spans = slices.Clone(d.Spans)
			err = annotate.CheckSpans(d.Text, d.Spans)
		}
		if err == nil {
			err = write(d)
		}
		if err != nil {
			return fmt.Errorf("document %d: %w", n, err)
		}
	}
	return nil
}

// fileEach makes a writer of a zip archive with one file for each document.
func fileEach(ending string, write func(*bufio.Writer, annotate.Annotated) error) func(io.Writer, documents) error {
	return func(w io.Writer, docs documents) error {
		archive, names := zip.NewWriter(w), filename.NewSet()
		err := each(docs, func(d annotate.Annotated) error {
			entry, err := archive.Create(names.Path(d.Name, ending) + ending)
			if err != nil {
				return err
			}
			buffered := bufio.NewWriter(entry)
			if err := write(buffered, d); err != nil {
				return err
			}
			return buffered.Flush()
		})
		if err != nil {
			return err
		}
		return archive.Close()
	}
}

// oneFile makes a writer of one file: a head, every document, and a foot.
func oneFile(head string, write func(out *bufio.Writer, n int, d annotate.Annotated) error, foot string) func(io.Writer, documents) error {
	return func(w io.Writer, docs documents) error {
		out := bufio.NewWriter(w)
		out.WriteString(head)
		n := 0
		err := each(docs, func(d annotate.Annotated) error {
			n++
			return write(out, n, d)
		})
		if err != nil {
			return err
		}
		out.WriteString(foot)
		return out.Flush()
	}
}

// What writers do to a note that their format cannot hold. Each sentence names the part of
// the note that changes.
const (
	lostID      = "the id changes, because it becomes the name of a file"
	lostIDChars = "characters of the id that XML cannot hold are replaced"
	lostPatient = "the patient is left out"
	lostText    = "characters of the text that XML cannot hold are replaced"
)

// fileNamed reports whether the name of a file with the ending gives the document's name
// back.
func fileNamed(d annotate.Annotated, ending string) bool {
	return filename.NewSet().Path(d.Name, ending) == d.Name
}

// sentences joins what is lost, without the empty ones.
func sentences(lost ...string) string {
	return strings.Join(slices.DeleteFunc(lost, func(s string) bool { return s == "" }), "; ")
}

// when is s if it applies, "" otherwise.
func when(applies bool, s string) string {
	if applies {
		return s
	}
	return ""
}
