// SPDX-License-Identifier: Apache-2.0

package importing

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"hide/internal/annotate/format"
	"hide/internal/project"
	"hide/internal/spool"
	"hide/web/ui"
)

// upload is the content of an import form: options, and the files.
type upload struct {
	*spool.Files
	options project.ImportOptions
}

// maxUploadFiles and maxFieldSize bound what a form may hold besides bytes.
const (
	maxUploadFiles = 100_000
	maxFieldSize   = 64 << 10
)

// receive reads the parts of the form in the order they come. Files go to disk one after
// another, without their names, encrypted. grow asks for room on the disk; it may be nil.
func receive(c ui.Context, grow func(int64) error) (*upload, error) {
	parts, err := ui.Upload(c)
	if err != nil {
		return nil, err
	}
	kept, err := spool.New(grow)
	if err != nil {
		return nil, err
	}
	up := &upload{Files: kept}
	for {
		part, err := parts.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return up, err
		}
		if err := up.take(part); err != nil {
			return up, err
		}
	}
	if len(up.Files.Files) == 0 {
		return up, ui.Refuse("No file was chosen.", "Choose one or more files, or drop them on the page.")
	}
	return up, checkOptions(up.options.Options)
}

// checkOptions refuses names that the lists of the page do not have.
func checkOptions(o format.Options) error {
	readable := func(f format.Format) bool { return f.Read && f.Name == o.Format }
	switch {
	case o.Format != "" && !slices.ContainsFunc(format.Formats(), readable):
		return ui.Refuse("Unknown format.", "Choose a format of the list.")
	case o.Encoding != "" && !slices.Contains(format.Encodings(), o.Encoding):
		return ui.Refuse("Unknown encoding.", "Choose an encoding of the list.")
	}
	return nil
}

func (u *upload) take(part ui.Part) error {
	if part.Field == "files" {
		if part.File == "" {
			return nil // an empty file field
		}
		return u.takeFile(part)
	}
	value, err := io.ReadAll(io.LimitReader(part, maxFieldSize+1))
	if err != nil {
		return err
	}
	if len(value) > maxFieldSize {
		return &http.MaxBytesError{Limit: maxFieldSize}
	}
	setOption(&u.options, part.Field, strings.TrimSpace(string(value)))
	return nil
}

// setOption takes a field about how files are read.
func setOption(o *project.ImportOptions, name, value string) {
	switch name {
	case "format":
		o.Format = value
	case "encoding":
		o.Encoding = value
	case "column-id":
		o.Columns.ID = value
	case "column-text":
		o.Columns.Text = value
	case "column-patient":
		o.Columns.Patient = value
	}
}

func (u *upload) takeFile(part ui.Part) error {
	if len(u.Files.Files) == maxUploadFiles {
		return ui.Refuse(fmt.Sprintf("There are more than %s files.", ui.Number(maxUploadFiles)), "Put them into a zip.")
	}
	return u.Take(part.File, part)
}
