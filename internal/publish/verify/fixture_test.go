// SPDX-License-Identifier: Apache-2.0

package verify

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// fixture is a release written by hand, as its description in docs/formats.md
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
	for i, text := range texts {
		id := fmt.Sprintf("%06d", i+1)
		lines.Write(rewritten(note{id, text, redactions[i]}))
		f.put("notes/"+id+".txt", text)
	}
	f.put("notes.jsonl", lines.String())
	f.put("manifest.json", f.manifest(t))
	f.put("SHA256SUMS", f.sums())
	f.broker(originals, covered, redactions)
	return f
}

func (f *fixture) put(name, content string) {
	f.release[name] = &fstest.MapFile{Data: []byte(content)}
}

func (f *fixture) manifest(t *testing.T) string {
	t.Helper()
	m := manifest{
		Schema: "hide release 1", Tool: "test", Created: "2026-11-20T10:00:00Z", Name: "release-1", Project: "p1",
		Statement: "evidence", Placeholder: "[LABEL]", Labels: []string{"NAME", "DATE"},
		Counts:     counts{4, 25, map[string]int{"NAME": 4, "DATE": 3}},
		Parameters: json.RawMessage(`{"lc":10}`), Figures: json.RawMessage(`{}`), Provenance: json.RawMessage(`{}`),
	}
	for _, name := range slices.Sorted(maps.Keys(f.release)) {
		data := f.release[name].Data
		m.Files = append(m.Files, listed{name, int64(len(data)), sum(data)})
	}
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text) + "\n"
}

func (f *fixture) sums() string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(f.release)) {
		if name != "SHA256SUMS" {
			fmt.Fprintf(&b, "%s  %s\n", sum(f.release[name].Data), name)
		}
	}
	return b.String()
}

func (f *fixture) broker(originals []string, covered [][][2]int, redactions [][]redaction) {
	var m, o strings.Builder
	fmt.Fprintf(&m, `{"schema":"hide mapping 1","manifest_sha256":%q,"documents":%d}`+"\n", sum(f.release["manifest.json"].Data), len(originals))
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
func (f *fixture) reseal(t *testing.T) {
	t.Helper()
	delete(f.release, "manifest.json")
	delete(f.release, "SHA256SUMS")
	f.put("manifest.json", f.manifest(t))
	f.put("SHA256SUMS", f.sums())
}

func sum(data []byte) string {
	s := sha256.Sum256(data)
	return hex.EncodeToString(s[:])
}
