// SPDX-License-Identifier: Apache-2.0

package format

import (
	"io"
	"strconv"
	"strings"

	"hide/internal/annotate"
)

// phrases are the spans of PhysioNet records, by the names of their notes.
type phrases map[string][]given

// maxPhraseLines bounds a file of phrases, which is held while the records are read.
const maxPhraseLines = 250_000

// phraseEndings name files with the spans of records. What is before the ending is the name
// of the file of records, without its own ending.
var phraseEndings = []string{"-phi.phrase", ".phrase", ".phi"}

// recordEndings are of files of records.
var recordEndings = []string{".text", ".txt", ""}

// phrasePairs finds the files of phrases: which input has its spans in which other, and
// which inputs are such files, with the input that they belong to or -1.
func phrasePairs(inputs []input) (beside map[int]int, belongs map[int]int) {
	beside, belongs = map[int]int{}, map[int]int{}
	var names map[string]int
	for i, in := range inputs {
		base, found := phraseBase(in.name)
		if !found {
			continue
		}
		if names == nil {
			names = map[string]int{}
			for k, other := range inputs {
				names[other.name] = k
			}
		}
		belongs[i] = -1
		for _, ending := range recordEndings {
			if k, there := names[base+ending]; there {
				beside[k], belongs[i] = i, k
				break
			}
		}
	}
	return beside, belongs
}

func phraseBase(name string) (string, bool) {
	for _, ending := range phraseEndings {
		if base, found := strings.CutSuffix(name, ending); found {
			return base, true
		}
	}
	return "", false
}

func withoutRecords(in input) *Problem {
	return &Problem{File: in.show, Code: "pair", Offset: -1, Reason: "there are no PhysioNet records for this file", Hint: "add the file of records beside it: x.text for x-phi.phrase or x.phi"}
}

// readPhrases reads a file of phrases in one of two forms:
//
//	patient record start end type phrase
//
//	Patient 1<tab>Note 2
//	start start end
func (r *reader) readPhrases(in input) (phrases, *Problem) {
	file, err := in.open()
	if err != nil {
		return nil, unreadable(err, place{file: in.show, offset: -1})
	}
	defer file.Close()
	l, bom, err := newLines(file, maxAnnLine)
	if err != nil {
		return nil, unreadable(err, place{file: in.show, offset: -1})
	}
	r.marked(bom)
	all, n, note := phrases{}, 0, ""
	for {
		raw, _, err := l.read()
		if err == io.EOF {
			return all, nil
		}
		w := place{in.show, "line " + strconv.Itoa(l.number), l.start}
		if err != nil {
			return nil, unreadable(err, w)
		}
		line := strings.TrimSuffix(string(raw), "\r")
		if p := checkText(line); p != nil {
			return nil, p.inFile(l.start).at(w)
		}
		if strings.TrimSpace(line) == "" {
			continue
		}
		if patient, record, found := noteLine(line); found {
			note = patient + "-" + record
			continue
		}
		if n++; n > maxPhraseLines {
			return nil, (&Problem{Code: "too-many-spans", Reason: "the file has more than 250,000 spans", Hint: "split the file of records and this one"}).at(w)
		}
		name, g, p := phraseLine(line, note)
		if p != nil {
			return nil, p.at(w)
		}
		g.place = w
		all[name] = append(all[name], g)
	}
}

// noteLine is "Patient 1<tab>Note 2".
func noteLine(line string) (patient, record string, found bool) {
	f := strings.Fields(line)
	if len(f) != 4 || f[0] != "Patient" || f[2] != "Note" {
		return "", "", false
	}
	return f[1], f[3], true
}

// phraseLine reads a line with a span; note is that of the last line "Patient .. Note ..".
func phraseLine(line, note string) (name string, g given, p *Problem) {
	var from, to string
	if f := strings.Fields(line); note != "" && len(f) == 3 {
		name, from, to, g.label = note, f[1], f[2], "PHI"
	} else if f := strings.SplitN(line, " ", 6); len(f) == 6 {
		name, from, to, g.label = f[0]+"-"+f[1], f[2], f[3], annotate.Label(f[4])
		g.surface = &f[5]
	} else {
		return "", g, &Problem{Code: "phrase", Reason: "not a line of PHI", Hint: "lines are: patient record start end type phrase, or: start start end below Patient 1 and Note 1"}
	}
	var fine, fineToo bool
	g.start, fine = position([]byte(from))
	g.end, fineToo = position([]byte(to))
	if !fine || !fineToo {
		return "", g, &Problem{Code: "span-range", Reason: "span out of range: a position that is not a whole number"}
	}
	return name, g, nil
}
