// SPDX-License-Identifier: Apache-2.0

package format

import (
	"archive/zip"
	"bufio"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"strings"
	"unicode"

	"hide/internal/annotate"
)

// WriteBratZip writes an archive with x.txt and x.ann for each document, and an
// annotation.conf that lists the labels. The texts are written byte for byte. A
// document's name becomes its file's; characters that some system does not allow
// there are written as %XX, and two names that would then be one are refused.
func WriteBratZip(w io.Writer, docs iter.Seq2[annotate.Annotated, error]) error {
	archive := zip.NewWriter(w)
	taken, labels := names{}, map[annotate.Label]bool{}
	n := 0
	for d, err := range docs {
		n++
		if err == nil && !taken.add(fileName(d.Name)) {
			err = duplicate()
		}
		if err == nil {
			err = writeBrat(archive, d)
		}
		if err != nil {
			return fmt.Errorf("document %d: %w", n, err)
		}
		for _, s := range d.Spans {
			labels[s.Label] = true
		}
	}
	if err := writeEntry(archive, "annotation.conf", bratConfiguration(labels)); err != nil {
		return err
	}
	return archive.Close()
}

func writeBrat(archive *zip.Writer, d annotate.Annotated) error {
	if err := annotate.CheckSpans(d.Text, slices.Clone(d.Spans)); err != nil {
		return err
	}
	name := fileName(d.Name)
	if err := writeEntry(archive, name+".txt", d.Text); err != nil {
		return err
	}
	entry, err := archive.Create(name + ".ann")
	if err != nil {
		return err
	}
	buffered := bufio.NewWriter(entry)
	offsets := annotate.NewOffsets(d.Text)
	for i, s := range d.Spans {
		start, end := offsets.Range(s)
		fmt.Fprintf(buffered, "T%d\t%s %d %d\t%s\n", i+1, s.Label, start, end, oneLine(s.Surface(d.Text)))
	}
	return buffered.Flush()
}

func writeEntry(archive *zip.Writer, name, content string) error {
	entry, err := archive.Create(name)
	if err != nil {
		return err
	}
	_, err = io.WriteString(entry, content)
	return err
}

func bratConfiguration(labels map[annotate.Label]bool) string {
	var b strings.Builder
	b.WriteString("[entities]\n")
	for _, l := range slices.Sorted(maps.Keys(labels)) {
		b.WriteString(string(l) + "\n")
	}
	b.WriteString("[relations]\n[events]\n[attributes]\n")
	return b.String()
}

// fileName is a path that every system allows, without the ending .txt.
func fileName(name string) string {
	parts := strings.Split(strings.TrimSuffix(name, ".txt"), "/")
	for i, part := range parts {
		parts[i] = safePart(part)
	}
	return strings.Join(parts, "/")
}

func safePart(part string) string {
	var b strings.Builder
	for i, r := range part {
		edge := i == 0 || i == len(part)-1
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r), r == '_', r == '-':
			b.WriteRune(r)
		case !edge && (r == '.' || r == ' ' || strings.ContainsRune("+,=@()", r)):
			b.WriteRune(r)
		default:
			for _, c := range []byte(string(r)) {
				fmt.Fprintf(&b, "%%%02X", c)
			}
		}
	}
	if b.Len() == 0 {
		return "%"
	}
	return b.String()
}
