// SPDX-License-Identifier: Apache-2.0

package importing

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	"hide/internal/annotate/format"
	"hide/internal/project"
	"hide/web/ui"
)

// upload is the content of an import form: options, and files on disk.
type upload struct {
	options project.ImportOptions
	files   []format.File
	folder  string
	open    []*encryptedFile
}

// maxUploadFiles and maxFieldSize bound what a form may hold besides bytes.
const (
	maxUploadFiles = 100_000
	maxFieldSize   = 64 << 10
)

// receive reads the parts of the form in the order they come. Files go to disk
// under numbers, not under their names, encrypted with a key that only this process
// knows, and each is unlinked as soon as it is open where the system allows it: a
// crash leaves no note behind, and neither does the medium.
func receive(c ui.Context) (*upload, error) {
	parts, err := ui.Upload(c)
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "hide-import-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for the upload: %w", err)
	}
	up := &upload{folder: folder}
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
	if len(up.files) == 0 {
		return up, ui.Refuse("No file was chosen.", "Choose one or more files, or drop them on the page.")
	}
	up.options.Random = up.options.Random && up.options.Finished // as the page says
	return up, nil
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
	u.set(part.Field, strings.TrimSpace(string(value)))
	return nil
}

func (u *upload) set(name, value string) {
	switch name {
	case "format":
		u.options.Format = value
	case "skip":
		u.options.SkipBad = value == "1"
	case "finished":
		u.options.Finished = value == "1"
	case "random":
		u.options.Random = value == "1"
	case "column-id":
		u.options.Columns.ID = value
	case "column-text":
		u.options.Columns.Text = value
	case "column-patient":
		u.options.Columns.Patient = value
	case "column-attribute":
		if value != "" {
			u.options.Columns.Attributes = append(u.options.Columns.Attributes, value)
		}
	}
}

func (u *upload) takeFile(part ui.Part) error {
	if len(u.files) == maxUploadFiles {
		return ui.Refuse(fmt.Sprintf("There are more than %s files.", ui.Number(maxUploadFiles)), "Put them into a zip.")
	}
	f, err := newEncryptedFile(u.folder)
	if err != nil {
		return fmt.Errorf("keep upload: %w", err)
	}
	u.open = append(u.open, f)
	size, err := io.Copy(f, part)
	if err != nil {
		return fmt.Errorf("keep upload: %w", err)
	}
	u.files = append(u.files, format.File{Name: part.File, Size: size, Open: func() (io.ReadCloser, error) {
		return uploaded{io.NewSectionReader(f, 0, size)}, nil
	}})
	return nil
}

// uploaded reads a file that stays open until the import has ended. It can be read at any
// offset, as zips need.
type uploaded struct{ *io.SectionReader }

func (uploaded) Close() error { return nil }

// Close removes the files.
func (u *upload) Close() error {
	var errs []error
	for _, f := range u.open {
		errs = append(errs, f.Close())
	}
	return errors.Join(append(errs, os.RemoveAll(u.folder))...)
}
