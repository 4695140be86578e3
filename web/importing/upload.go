// SPDX-License-Identifier: Apache-2.0

package importing

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"

	"hide/internal/annotate/format"
	"hide/internal/project"
	"hide/web/ui"
)

// upload is the content of an import form: options, and the files in one encrypted file on
// disk.
type upload struct {
	options project.ImportOptions
	files   []format.File
	folder  string
	kept    *encryptedFile
	grow    func(bytes int64) error // asks for room on the disk; may be nil
}

// maxUploadFiles and maxFieldSize bound what a form may hold besides bytes.
const (
	maxUploadFiles = 100_000
	maxFieldSize   = 64 << 10
)

// receive reads the parts of the form in the order they come. Files go to disk one after
// another, without their names, encrypted with a key that only this process knows. The file
// on disk is unlinked as soon as it is open where the system allows it: a crash leaves no
// note behind, and neither does the medium.
func receive(c ui.Context, grow func(int64) error) (*upload, error) {
	parts, err := ui.Upload(c)
	if err != nil {
		return nil, err
	}
	up := &upload{grow: grow}
	if up.folder, err = os.MkdirTemp("", "hide-import-"); err != nil {
		return nil, fmt.Errorf("make a folder for the upload: %w", err)
	}
	if up.kept, err = newEncryptedFile(up.folder); err != nil {
		return up, fmt.Errorf("keep upload: %w", err)
	}
	_ = os.Remove(up.folder) // it is empty where an open file can lose its name
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
	if len(u.files) == maxUploadFiles {
		return ui.Refuse(fmt.Sprintf("There are more than %s files.", ui.Number(maxUploadFiles)), "Put them into a zip.")
	}
	start := u.kept.size
	if _, err := io.Copy(u, part); err != nil {
		return fmt.Errorf("keep upload: %w", err)
	}
	size := u.kept.size - start
	u.files = append(u.files, format.File{Name: part.File, Size: size, Open: func() (io.ReadCloser, error) {
		return uploaded{io.NewSectionReader(u.kept, start, size)}, nil
	}})
	return nil
}

// Write adds to the file on disk, if there is room.
func (u *upload) Write(p []byte) (int, error) {
	if u.grow != nil {
		if err := u.grow(int64(len(p))); err != nil {
			return 0, err
		}
	}
	return u.kept.Write(p)
}

// size is how many bytes the files have.
func (u *upload) size() int64 { return u.kept.size }

// uploaded reads a file that stays open as long as the upload is kept. It can be read at any
// offset, as zips need.
type uploaded struct{ *io.SectionReader }

func (uploaded) Close() error { return nil }

// Close removes the files.
func (u *upload) Close() error {
	var err error
	if u.kept != nil {
		err = u.kept.Close()
	}
	return errors.Join(err, os.RemoveAll(u.folder))
}
