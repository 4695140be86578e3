// SPDX-License-Identifier: Apache-2.0

package format

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os/exec"
	"strings"
	"time"

	"hide/internal/annotate"
)

// pdfKind is PDF, as the text that poppler finds in it.
func pdfKind() kind {
	return kind{
		Format: Format{
			Name: "pdf", Title: "PDF", Files: "one note per document, its text as pdftotext gives it; scanned pages have none", Endings: []string{".pdf"},
			Remark: "Needs the program pdftotext (Debian: poppler-utils).",
		},
		claims: func(p *probe) bool { return p.begins("%PDF-") },
		read:   (*reader).pdf,
	}
}

// maxPDFTime bounds the work on one document.
const maxPDFTime = time.Minute

func (r *reader) pdf(in input) error {
	r.used("pdf", "")
	w := place{file: in.show, offset: -1}
	program, err := exec.LookPath("pdftotext")
	if err != nil {
		return r.refuse((&Problem{Code: "pdf", Reason: "PDF files are read with the program pdftotext, which is not installed", Hint: "install poppler-utils, or save the document as text"}).at(w))
	}
	file, err := in.bytes()
	if err != nil {
		return r.refuse(unreadable(err, w))
	}
	defer file.Close()
	text, err := pdfText(r.ctx, program, file)
	if err != nil {
		return r.refuse(unreadable(err, w))
	}
	return r.deliver(annotate.Annotated{Document: annotate.Document{Name: in.name, Text: text}}, w)
}

// pdfText runs pdftotext on a file, which it gets and answers through pipes: nothing is
// written to disk.
func pdfText(ctx context.Context, program string, file io.Reader) (string, error) {
	ctx, stop := context.WithTimeout(ctx, maxPDFTime)
	defer stop()
	out := &limitedBuffer{left: MaxDocument + 1, full: stop}
	run := exec.CommandContext(ctx, program, "-layout", "-enc", "UTF-8", "-q", "-", "-")
	run.Stdin, run.Stdout = io.LimitReader(file, maxXML), out
	run.Env = []string{"LC_ALL=C.UTF-8"}
	err := run.Run()
	switch {
	case out.left == 0:
		return "", tooLarge()
	case ctx.Err() != nil:
		return "", &Problem{Code: "pdf", Offset: -1, Reason: "pdftotext took longer than a minute", Hint: "save the document as text"}
	case err != nil:
		return "", &Problem{Code: "pdf", Offset: -1, Reason: "pdftotext cannot read the document", Hint: "check that it opens and has no password, or save it as text"}
	}
	text := strings.TrimRight(out.text.String(), "\n\f ") + "\n"
	if strings.TrimSpace(text) == "" {
		return "", &Problem{Code: "pdf", Offset: -1, Reason: "there is no text in the document: its pages are pictures", Hint: "recognise the text first (OCR)"}
	}
	return text, nil
}

// limitedBuffer stops a program that writes too much. The buffer is not embedded: its
// ReadFrom would pass by the limit.
type limitedBuffer struct {
	text bytes.Buffer
	left int
	full func()
}

func (b *limitedBuffer) Write(p []byte) (int, error) {
	n := min(len(p), b.left)
	b.left -= n
	b.text.Write(p[:n])
	if n < len(p) {
		b.full()
		return n, errors.New("too much text")
	}
	return n, nil
}
