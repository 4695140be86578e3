// SPDX-License-Identifier: Apache-2.0

package format

import (
	"bytes"
	"fmt"
	"path"
	"strings"
)

// job is one thing to read: a file, a text with its annotations, or the reason why a file
// cannot be read.
type job struct {
	kind    kind
	input   input
	ann     *input // of a brat text
	problem *Problem
}

// plan decides how each input is read, keeping their order.
func (r *reader) plan(inputs []input) []job {
	var jobs []job
	anns, folders, texts := map[string]*input{}, map[string]bool{}, map[string]bool{}
	for i, in := range inputs {
		if base, found := strings.CutSuffix(in.name, ".ann"); found {
			anns[base] = &inputs[i]
			folders[path.Dir(in.name)] = true
		}
		texts[in.name] = true
	}
	var beside, belongs map[int]int
	if r.opts.Format == "" || r.opts.Format == "physionet" {
		beside, belongs = phrasePairs(inputs)
	}
	for i := range inputs {
		if inputs[i].query != nil {
			jobs = append(jobs, job{kind: queryKind(), input: inputs[i]})
			continue
		}
		if r.skipped(inputs[i]) {
			continue
		}
		in, p := r.decode(inputs[i])
		inputs[i] = in
		if k, found := beside[i]; found {
			in.beside = &inputs[k]
		}
		j := job{input: in, problem: p}
		base, isAnn := strings.CutSuffix(in.name, ".ann")
		stem, isText := strings.CutSuffix(in.name, ".txt")
		want := r.opts.Format
		of, isPhrases := belongs[i]
		switch {
		case p != nil:
		case isPhrases && of >= 0:
			continue
		case isPhrases:
			j.problem = withoutRecords(in)
		case isAnn && (want == "" || want == "brat"):
			if texts[base+".txt"] {
				continue
			}
			j.problem = &Problem{File: in.show, Code: "pair", Offset: -1, Reason: "there is no .txt file for this .ann file", Hint: "add the text beside it"}
		case isText && (want == "brat" || want == "" && folders[path.Dir(in.name)]):
			j.kind, j.ann = bratKind(), anns[stem]
		case want == "brat":
			j.problem = &Problem{File: in.show, Code: "pair", Offset: -1, Reason: "neither a .txt nor an .ann file", Hint: "brat keeps x.txt and x.ann side by side"}
		case want != "":
			j.kind, _ = findKind(want)
		default:
			j.kind, j.problem = detect(in)
		}
		jobs = append(jobs, j)
		if in.beside != nil && j.kind.Name != "physionet" {
			jobs = append(jobs, job{problem: withoutRecords(*in.beside)})
		}
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

// detect finds the one format that claims a file. Text is claimed only by what looks like
// text and nobody else claims.
func detect(in input) (kind, *Problem) {
	p, err := newProbe(in)
	if err != nil {
		return kind{}, unreadable(err, place{file: in.show, offset: -1})
	}
	var claimed []kind
	for _, k := range kinds() {
		if k.claims != nil && k.claims(p) {
			claimed = append(claimed, k)
		}
	}
	switch len(claimed) {
	case 1:
		return claimed[0], nil
	case 0:
		if odd := p.unlikeText(); odd != "" {
			return kind{}, unclaimed(in, odd)
		}
		return textKind(), nil
	}
	var titles []string
	for _, k := range claimed {
		titles = append(titles, k.Title)
	}
	return kind{}, &Problem{
		File: in.show, Code: "format", Offset: -1,
		Reason: fmt.Sprintf("the file could be %s", strings.Join(titles, " or ")),
		Hint:   "choose the format, or rename the file",
	}
}

// unclaimed refuses a file that no reader knows.
func unclaimed(in input, odd string) *Problem {
	return &Problem{
		File: in.show, Code: "format", Offset: -1,
		Reason: "no reader knows this file, and it is not plain text: " + odd,
		Hint:   "hide reads " + namesOf(isReadable) + ", and zip archives of these; if it is text all the same, choose plain text",
	}
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
