// SPDX-License-Identifier: Apache-2.0

package format

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"

	"hide/internal/annotate"
	"hide/internal/annotate/entities"
)

// ReadEntities reads an entities file, one note a line:
//
//	{"id":"n1","entities":[{"start":0,"end":4,"label":"PERSON","entity":"e1","identifier":"DIRECT"}]}
//
// Positions count code points. It stops at the first mistake with a [*Problem] that calls
// the file name. It is strict: a field that it does not know could be the one that says
// what must be hidden.
func ReadEntities(in io.Reader, name string) ([]entities.Document, error) {
	l, _, err := newLines(in, maxLine)
	if err != nil {
		return nil, unreadable(err, place{file: name, offset: -1})
	}
	var docs []entities.Document
	seen := map[string]int{}
	for {
		line, _, err := l.read()
		if err == io.EOF {
			break
		}
		w := place{name, "line " + strconv.Itoa(l.number), l.start}
		if err != nil {
			return nil, unreadable(err, w)
		}
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		d, p := parseEntities(line)
		if p == nil {
			p = newID(seen, d.ID, l.number)
		}
		if p != nil {
			if p.located {
				p = p.inFile(w.offset)
			}
			return nil, p.at(w)
		}
		docs = append(docs, d)
	}
	if len(docs) == 0 {
		return nil, &Problem{File: name, Code: "empty-file", Reason: "the file contains no record", Offset: -1, Hint: entitiesHint}
	}
	return docs, nil
}

// ReadEntitiesFile is [ReadEntities] of a file on disk.
func ReadEntitiesFile(name string) ([]entities.Document, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, unreadable(err, place{file: name, offset: -1})
	}
	defer file.Close()
	return ReadEntities(file, name)
}

const entitiesHint = "each line is an object with id and entities"

// newID refuses a second record of a note.
func newID(seen map[string]int, id string, line int) *Problem {
	if first := seen[id]; first > 0 {
		return &Problem{Code: "duplicate-id", Reason: fmt.Sprintf("line %d has the same id", first), Hint: "write all mentions of a note on one line"}
	}
	seen[id] = line
	return nil
}

// parseEntities reads one line.
func parseEntities(line []byte) (d entities.Document, p *Problem) {
	if p := checkEncoding(line); p != nil {
		return d, p
	}
	if p := checkJSON(line); p != nil {
		return d, p
	}
	listed := false
	p = walkObject(line, func(key string, value json.RawMessage) (p *Problem) {
		switch key {
		case "id":
			d.ID, p = stringField(key, value)
		case "entities":
			listed = true
			d.Mentions, p = parseMentions(value)
		default:
			p = unknownField("a record has id and entities")
		}
		return p
	})
	switch {
	case p != nil:
		p.Hint = hintFor(p.Hint)
		return d, p
	case !listed:
		return d, &Problem{Code: "json", Reason: `no field "entities"`, Hint: entitiesHint}
	}
	return d, checkName(d.ID)
}

// hintFor replaces the hint of the scanner, which is about lines with notes.
func hintFor(hint string) string {
	if hint == notThe("").Hint {
		return entitiesHint
	}
	return hint
}

func unknownField(hint string) *Problem {
	return &Problem{Code: "json", Reason: "an unknown field", Hint: hint}
}

func stringField(name string, value json.RawMessage) (string, *Problem) {
	if value[0] != '"' {
		return "", notA(name, "string")
	}
	return stringOf(value), nil
}

// parseMentions reads the list of mentions. Offsets of problems would count from the list,
// so the number of the mention stands in their place.
func parseMentions(raw json.RawMessage) ([]entities.Mention, *Problem) {
	var out []entities.Mention
	p := walkArray(raw, func(value json.RawMessage) *Problem {
		if len(out) == MaxSpans {
			return tooManySpans()
		}
		m, p := parseMention(value)
		if p != nil {
			p.Reason = fmt.Sprintf("mention %d: %s", len(out)+1, p.Reason)
			return p
		}
		out = append(out, m)
		return nil
	})
	if p != nil {
		p.located = false
	}
	return out, p
}

// mentionFields are the fields of a mention, each of which is required.
var mentionFields = []string{"start", "end", "label", "entity", "identifier"}

func parseMention(raw json.RawMessage) (m entities.Mention, p *Problem) {
	fields := map[string]json.RawMessage{}
	p = walkObject(raw, func(key string, value json.RawMessage) *Problem {
		if !slices.Contains(mentionFields, key) {
			return unknownField("a mention has start, end, label, entity and identifier")
		}
		fields[key] = value
		return nil
	})
	if p != nil {
		return m, p
	}
	for _, name := range mentionFields {
		if fields[name] == nil {
			return m, &Problem{Code: "json", Reason: fmt.Sprintf("no field %q", name), Hint: "a mention has start, end, label, entity and identifier"}
		}
	}
	if p := mentionRange(&m, fields); p != nil {
		return m, p
	}
	return m, mentionNames(&m, fields)
}

// mentionRange reads the positions.
func mentionRange(m *entities.Mention, fields map[string]json.RawMessage) *Problem {
	start, fine := position(fields["start"])
	end, fineToo := position(fields["end"])
	if !fine || !fineToo || start < 0 || end <= start {
		return &Problem{Code: "span-range", Reason: "start and end are not two positions in order", Hint: "positions are Unicode characters from 0, the end is exclusive"}
	}
	m.Start, m.End = start, end
	return nil
}

// mentionNames reads the label, the entity and the identifier type.
func mentionNames(m *entities.Mention, fields map[string]json.RawMessage) *Problem {
	var text [3]string
	for i, name := range mentionFields[2:] {
		var p *Problem
		if text[i], p = stringField(name, fields[name]); p != nil {
			return p
		}
	}
	m.Label, m.Entity, m.Identifier = annotate.Label(text[0]), text[1], entities.Identifier(text[2])
	if err := annotate.CheckLabel(m.Label); err != nil {
		return &Problem{Code: "label", Reason: err.Error(), Hint: "rename the label in the file"}
	}
	if m.Entity == "" || len(m.Entity) > maxName {
		return &Problem{Code: "entity", Reason: fmt.Sprintf("the name of the entity has %d bytes", len(m.Entity)), Hint: fmt.Sprintf("names have 1 to %d bytes", maxName)}
	}
	if !m.Identifier.Valid() {
		return &Problem{Code: "identifier", Reason: "an unknown identifier type", Hint: "the types are DIRECT, QUASI and NO_MASK"}
	}
	return nil
}
