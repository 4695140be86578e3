// SPDX-License-Identifier: Apache-2.0

package format

import (
	"bytes"
	"fmt"
	"io"
	"path"
	"strings"
)

// job is one thing to read: a file, a text with its annotations, or the reason why a file
// cannot be read.
type job struct {
	format  string
	input   input
	ann     *input
	problem *Problem
}

// plan decides how each input is read, keeping their order.
func (r *reader) plan(inputs []input) []job {
	anns, folders := map[string]*input{}, map[string]bool{}
	for i, in := range inputs {
		if base, found := strings.CutSuffix(in.name, ".ann"); found {
			anns[base] = &inputs[i]
			folders[path.Dir(in.name)] = true
		}
	}
	texts := map[string]bool{}
	for _, in := range inputs {
		texts[in.name] = true
	}
	var jobs []job
	for _, in := range inputs {
		j := job{input: in, format: r.opts.Format}
		base, isText := strings.CutSuffix(in.name, ".txt")
		switch {
		case r.skipped(in):
			continue
		case strings.HasSuffix(in.name, ".ann") && (j.format == "" || j.format == "brat"):
			if texts[strings.TrimSuffix(in.name, ".ann")+".txt"] {
				continue
			}
			j.problem = &Problem{File: in.show, Code: "pair", Offset: -1, Reason: "there is no .txt file for this .ann file", Hint: "add the text beside it"}
		case isText && (j.format == "brat" || j.format == "" && folders[path.Dir(in.name)]):
			j.format, j.ann = "brat", anns[base]
		case j.format == "brat":
			j.problem = &Problem{File: in.show, Code: "pair", Offset: -1, Reason: "neither a .txt nor an .ann file", Hint: "brat keeps x.txt and x.ann side by side"}
		case j.format == "":
			j.format, j.problem = detect(in)
		}
		jobs = append(jobs, j)
	}
	return jobs
}

// skipped adds a remark about files that programs leave beside notes.
func (r *reader) skipped(in input) bool {
	if path.Ext(in.name) != ".conf" {
		return false
	}
	r.remarks.add(1, "configuration file", "left out")
	return true
}

// detect uses the file name's extension where it is clear, and the content otherwise.
func detect(in input) (string, *Problem) {
	switch ext := strings.ToLower(path.Ext(in.name)); ext {
	case ".jsonl", ".ndjson":
		return "jsonl", nil
	case ".csv", ".tsv":
		return "csv", nil
	case ".conll", ".iob", ".iob2", ".bio", ".bioes", ".bilou", ".conll03", ".conll2003":
		return "conll", nil
	case ".xml", ".html", ".htm", ".rtf", ".pdf", ".doc", ".docx", ".odt", ".xls", ".xlsx", ".gz", ".tgz", ".tar", ".7z", ".rar", ".bz2", ".xz", ".parquet", ".hl7":
		return "", notReadable(in, ext)
	}
	head, err := firstBytes(in)
	if err != nil {
		return "", unreadable(err, place{file: in.show, offset: -1})
	}
	switch {
	case bytes.HasPrefix(head, []byte("PK\x03\x04")), bytes.HasPrefix(head, []byte("%PDF")), bytes.HasPrefix(head, []byte("\x1f\x8b")):
		return "", notReadable(in, "this kind of")
	case looksLikeRecord(head):
		return "jsonl", nil
	case looksLikeColumns(head):
		return "conll", nil
	case path.Ext(in.name) == "" && looksLikeTable(head):
		return "csv", nil
	}
	return "text", nil
}

func notReadable(in input, kind string) *Problem {
	return &Problem{
		File: in.show, Code: "format", Offset: -1,
		Reason: fmt.Sprintf("%s files cannot be read", kind),
		Hint:   "hide reads plain text, JSON lines, CSV, brat, CoNLL, and zip archives of these",
	}
}

// firstBytes is at most 16 KiB of the file, without a byte order mark.
func firstBytes(in input) ([]byte, error) {
	file, err := in.open()
	if err != nil {
		return nil, err
	}
	defer file.Close()
	head := make([]byte, 16<<10)
	n, err := io.ReadFull(file, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return nil, err
	}
	return bytes.TrimPrefix(head[:n], []byte("\xef\xbb\xbf")), nil
}

// looksLikeRecord reports whether head starts with an object that has a field "text", or
// "id" first.
func looksLikeRecord(head []byte) bool {
	rest, found := bytes.CutPrefix(head, []byte("{"))
	if !found {
		return false
	}
	rest = bytes.TrimLeft(rest, " \t")
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	return bytes.HasPrefix(rest, []byte(`"id"`)) || bytes.HasPrefix(rest, []byte(`"text"`)) || rest != nil && bytes.HasPrefix(rest, []byte(`"`)) && bytes.Contains(line, []byte(`"text":`))
}

// looksLikeColumns reports whether head starts with -DOCSTART-, or has at least ten lines
// of columns, all ending in a tag.
func looksLikeColumns(head []byte) bool {
	if bytes.HasPrefix(head, []byte("-DOCSTART-")) {
		return true
	}
	if cut := bytes.LastIndexByte(head, '\n'); cut >= 0 {
		head = head[:cut]
	}
	n := 0
	for line := range bytes.Lines(head) {
		columns := splitColumns(strings.TrimRight(string(line), "\r\n"))
		if len(columns) == 0 {
			continue
		}
		if len(columns) < 2 || !isTag(columns[len(columns)-1]) {
			return false
		}
		n++
	}
	return n >= 10
}
