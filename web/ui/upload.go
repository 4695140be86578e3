// SPDX-License-Identifier: Apache-2.0

package ui

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"os"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Parts reads a form with files part by part, as they arrive, and keeps none.
type Parts struct {
	form  *multipart.Reader
	body  *tail
	end   string // the last boundary
	files int
}

// Part is one field or file of a form. It is read before the next one.
type Part struct {
	io.Reader
	Field string // name of the field
	File  string // name of the file; "" for a field without a file
}

// maxFileName bounds the name of an uploaded file with its folders, in bytes. Notes can be
// named after their files, and their names have the same limit.
const maxFileName = 1000

// Upload reads a form with files.
func Upload(c Context) (*Parts, error) {
	r := c.Request()
	_, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil {
		return nil, damagedUpload(err)
	}
	body := &tail{ReadCloser: r.Body}
	r.Body = body
	form, err := r.MultipartReader()
	if err != nil {
		return nil, damagedUpload(err)
	}
	return &Parts{form: form, body: body, end: "--" + params["boundary"] + "--"}, nil
}

// tail keeps the end of what was read. Package multipart takes a form that is cut off after
// a file for a whole one.
type tail struct {
	io.ReadCloser
	last []byte
}

func (t *tail) Read(p []byte) (int, error) {
	n, err := t.ReadCloser.Read(p)
	const enough = 256 // a boundary has at most 70 characters
	t.last = append(t.last, p[max(0, n-enough):n]...)
	t.last = append(t.last[:0], t.last[max(0, len(t.last)-enough):]...)
	return n, err
}

// atEnd checks that the form ends with its last boundary.
func (p *Parts) atEnd() error {
	if _, err := io.CopyN(io.Discard, p.body, 4<<10); err != nil && err != io.EOF {
		return damagedUpload(err)
	}
	if !bytes.HasSuffix(bytes.TrimRight(p.body.last, "\r\n\t "), []byte(p.end)) {
		return damagedUpload(io.ErrUnexpectedEOF)
	}
	return io.EOF
}

// Next gives the next part, and [io.EOF] after the last. An error about the form or the
// name of a file is an [*Error] that says which.
func (p *Parts) Next() (Part, error) {
	part, err := p.form.NextPart()
	if err == io.EOF { // a wrapped one is a form that was cut off
		return Part{}, p.atEnd()
	}
	if err != nil {
		return Part{}, damagedUpload(err)
	}
	out := Part{Reader: uploadReader{part}, Field: part.FormName()}
	_, params, err := mime.ParseMediaType(part.Header.Get("Content-Disposition"))
	if err != nil {
		return out, badFileName(p.files+1, "cannot be read")
	}
	name, isFile := params["filename"]
	if !isFile {
		return out, nil
	}
	buffered := bufio.NewReader(out.Reader)
	out.Reader = buffered
	if name == "" {
		return out, p.unnamed(buffered)
	}
	p.files++
	out.File, err = fileName(name, p.files)
	return out, err
}

// unnamed accepts a part without a name only when it is empty: browsers send such a part
// for a field in which no file was chosen.
func (p *Parts) unnamed(content *bufio.Reader) error {
	_, err := content.Peek(1)
	switch {
	case err == nil:
		return badFileName(p.files+1, "is empty")
	case errors.Is(err, io.EOF):
		return nil
	}
	return err
}

// fileName is the name of the n-th file with its folders, where the browser sends them. It
// is shown in reports and is never used as a path.
func fileName(name string, n int) (string, error) {
	name = strings.ReplaceAll(name, `\`, "/")
	switch {
	case len(name) > maxFileName:
		return "", badFileName(n, fmt.Sprintf("has more than %s bytes", Number(maxFileName)))
	case !utf8.ValidString(name):
		return "", badFileName(n, "is not UTF-8")
	case strings.ContainsFunc(name, unicode.IsControl):
		return "", badFileName(n, "has control characters")
	}
	for folder := range strings.SplitSeq(name, "/") {
		if folder == ".." {
			return "", badFileName(n, `contains ".."`)
		}
	}
	if name = path.Clean("/" + name)[1:]; name == "" {
		return "", badFileName(n, "has no letters")
	}
	return name, nil
}

func badFileName(n int, problem string) error {
	return Refuse(fmt.Sprintf("Nothing was taken. File %s cannot be accepted: its name %s.", Number(n), problem), "Rename the file and send it again.")
}

// damagedUpload explains why a form could not be read. What the server or the connection
// decided keeps its own explanation.
func damagedUpload(err error) error {
	var size *http.MaxBytesError
	if errors.As(err, &size) || errors.Is(err, context.Canceled) || errors.Is(err, os.ErrDeadlineExceeded) {
		return fmt.Errorf("read upload: %w", err)
	}
	return &Error{
		Status: http.StatusBadRequest, Title: "The files did not arrive",
		What: "The form with the files is damaged or was cut off. Nothing was taken.", Next: "Send it again.",
	}
}

// uploadReader explains errors of reading a part.
type uploadReader struct{ r io.Reader }

func (u uploadReader) Read(p []byte) (int, error) {
	n, err := u.r.Read(p)
	if err != nil && err != io.EOF { // a wrapped one is a part that was cut off
		err = damagedUpload(err)
	}
	return n, err
}
