// SPDX-License-Identifier: Apache-2.0

package format

import (
	"bufio"
	"io"

	"hide/internal/annotate"
)

// text reads a file that is one document.
func (r *reader) text(in input) error {
	r.used("text", "")
	w := place{file: in.show, offset: -1}
	text, bom, p := whole(in)
	if p != nil {
		return r.refuse(p.at(w))
	}
	r.marked(bom)
	return r.deliver(annotate.Annotated{Document: annotate.Document{Name: in.name, Text: text}}, w)
}

// whole reads a file of at most MaxDocument bytes and checks that it is text.
// bom tells whether a byte order mark stood before it.
func whole(in input) (text string, bom bool, p *Problem) {
	w := place{file: in.show, offset: -1}
	file, err := in.open()
	if err != nil {
		return "", false, unreadable(err, w)
	}
	defer file.Close()
	buffered := bufio.NewReader(file)
	bom, err = skipBOM(buffered)
	if err != nil {
		return "", false, unreadable(err, w)
	}
	data, err := io.ReadAll(io.LimitReader(buffered, MaxDocument+1))
	if err != nil {
		return "", false, unreadable(err, w)
	}
	if len(data) > MaxDocument {
		return "", bom, tooLarge()
	}
	text = string(data)
	if p := checkText(text); p != nil {
		return "", bom, p.inFile(bomSize(bom))
	}
	return text, bom, nil
}

// marked remarks on a byte order mark.
func (r *reader) marked(bom bool) {
	r.remarks.add(int(bomSize(bom)/3), "file", "byte order mark removed")
}

func bomSize(bom bool) int64 {
	if bom {
		return 3
	}
	return 0
}
