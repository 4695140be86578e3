// SPDX-License-Identifier: Apache-2.0

package verify_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"hide/internal/publish/verify"
)

// note is a line of notes.jsonl.
type note struct {
	ID         string      `json:"id"`
	Text       string      `json:"text"`
	Redactions []redaction `json:"redactions"`
}

type redaction struct {
	Start int    `json:"start"`
	End   int    `json:"end"`
	Label string `json:"label"`
}

// fixture is a release of text written by hand, as its description in docs/formats.md
// says, together with what only the broker has.
type fixture struct {
	release   fstest.MapFS
	mapping   string
	originals string
}

// notesOf the fixture: the second has a lookalike of a placeholder that nobody
// redacted, the third is empty, the fourth is not ASCII.
func newFixture(t *testing.T) fixture {
	t.Helper()
	texts := []string{
		"Seen by [NAME] on [DATE].\n",
		"The template says [NAME] here, [NAME] was meant.",
		"",
		"Frau [NAME], geb. [DATE], klagt über Übelkeit 🙂.\r\n[NAME] [DATE]",
	}
	redactions := [][]redaction{
		{{8, 14, "NAME"}, {18, 24, "DATE"}},
		{{31, 37, "NAME"}},
		{},
		{{5, 11, "NAME"}, {18, 24, "DATE"}, {50, 56, "NAME"}, {57, 63, "DATE"}},
	}
	originals := []string{
		"Seen by Dr. Weiss on 3/4.\n",
		"The template says [NAME] here, Rose was meant.",
		"",
		"Frau Müller, geb. 1.2.1934, klagt über Übelkeit 🙂.\r\nMüller 3.3.",
	}
	covered := [][][2]int{{{8, 17}, {21, 24}}, {{31, 35}}, {}, {{5, 11}, {18, 26}, {52, 58}, {59, 63}}}
	f := fixture{release: fstest.MapFS{}}
	var lines bytes.Buffer
	enc := json.NewEncoder(&lines)
	enc.SetEscapeHTML(false)
	for i, text := range texts {
		id := fmt.Sprintf("%06d", i+1)
		if err := enc.Encode(note{id, text, redactions[i]}); err != nil {
			t.Fatal(err)
		}
		f.put("notes/"+id+".txt", text)
	}
	f.put("notes.jsonl", lines.String())
	f.reseal()
	f.broker(originals, covered, redactions)
	return f
}

func (f *fixture) put(name, content string) {
	f.release[name] = &fstest.MapFile{Data: []byte(content)}
}

const textClaims = `{"placeholder":"[LABEL]","labels":["NAME","DATE"],"counts":{"notes":4,"tokens":25,"redactions":{"DATE":3,"NAME":4}},"parameters":{"lc":10},"figures":{},"provenance":{}}`

func (f *fixture) broker(originals []string, covered [][][2]int, redactions [][]redaction) {
	var m, o strings.Builder
	fmt.Fprintf(&m, `{"schema":"hide mapping 1","manifest_sha256":%q,"documents":%d}`+"\n", sum(string(f.release["manifest.json"].Data)), len(originals))
	for i, text := range originals {
		var rows []string
		for j, r := range redactions[i] {
			rows = append(rows, fmt.Sprintf(`{"start":%d,"end":%d,"at":%d,"at_end":%d,"label":%q}`, covered[i][j][0], covered[i][j][1], r.Start, r.End, r.Label))
		}
		fmt.Fprintf(&m, `{"id":"%06d","document":%d,"name":"note %d","redactions":[%s]}`+"\n", i+1, 40-i, i, strings.Join(rows, ","))
		line, _ := json.Marshal(map[string]any{"id": fmt.Sprintf("note %d", i), "text": text, "spans": []int{}})
		o.Write(append(line, '\n'))
	}
	f.mapping, f.originals = m.String(), o.String()
}

// reseal makes manifest and sums agree with the files again, as a forger would.
func (f *fixture) reseal() { f.resealWith(textClaims) }

func (f *fixture) resealWith(claims string) {
	files := map[string]string{}
	for name, file := range f.release {
		if name != "manifest.json" && name != "SHA256SUMS" {
			files[name] = string(file.Data)
		}
	}
	m := envelope{
		Schema: "hide release 2", Kind: "text", Tool: "test", Created: "2026-11-20T10:00:00Z", Name: "release-1", Project: "p1",
		Statement: "evidence", Warnings: []string{}, Claims: []byte(claims),
	}
	f.release = m.sealed(files)
}

// against is what the broker finds.
func (f *fixture) against(mapping, originals string) (*verify.Text, error) {
	r, err := verify.Against(context.Background(), f.release, strings.NewReader(mapping), strings.NewReader(originals))
	text, _ := r.(*verify.Text)
	return text, err
}
