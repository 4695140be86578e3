// SPDX-License-Identifier: Apache-2.0

package verify_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"hide/internal/publish/verify"
)

// envelope is manifest.json as it is described in docs/formats.md.
type envelope struct {
	Schema    string          `json:"schema"`
	Kind      string          `json:"kind"`
	Tool      string          `json:"tool"`
	Version   string          `json:"version"`
	Created   string          `json:"created"`
	Name      string          `json:"name,omitempty"`
	Project   string          `json:"project,omitempty"`
	Statement string          `json:"statement"`
	Warnings  []string        `json:"warnings"`
	Linkage   json.RawMessage `json:"linkage,omitempty"`
	Claims    json.RawMessage `json:"claims"`
	Formulas  any             `json:"formula_safe,omitempty"`
	Files     []listed        `json:"files"`
}

type listed struct {
	Path   string `json:"path"`
	Bytes  int    `json:"bytes"`
	SHA256 string `json:"sha256"`
}

func sum(text string) string {
	s := sha256.Sum256([]byte(text))
	return hex.EncodeToString(s[:])
}

// sealed is a release of these files, whose manifest and SHA256SUMS list them as they
// are, as a forger would make it.
func sealed(kind string, claims []byte, files map[string]string) fstest.MapFS {
	m := envelope{Schema: "hide release 2", Kind: kind, Tool: "test", Created: "2026-11-20T10:00:00Z", Statement: "evidence", Warnings: []string{}, Claims: claims}
	return m.sealed(files)
}

func (m envelope) sealed(files map[string]string) fstest.MapFS {
	out := fstest.MapFS{}
	m.Files = []listed{}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		out[name] = &fstest.MapFile{Data: []byte(files[name])}
		m.Files = append(m.Files, listed{name, len(files[name]), sum(files[name])})
	}
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		text = []byte(fmt.Sprintf(`{"schema":%q,"claims":%s`, m.Schema, m.Claims)) // claims that a fuzzer made
	}
	out["manifest.json"] = &fstest.MapFile{Data: append(text, '\n')}
	out["SHA256SUMS"] = &fstest.MapFile{Data: []byte(sumsOf(out))}
	return out
}

func sumsOf(files fstest.MapFS) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if name != "SHA256SUMS" {
			fmt.Fprintf(&b, "%s  %s\n", sum(string(files[name].Data)), name)
		}
	}
	return b.String()
}

// found is what Release reports; its report is there even where err is not nil.
func found(files fs.FS) (*verify.Report, error) {
	r, err := verify.Release(files)
	return r.Common(), err
}

func TestTheListOfFilesIsChecked(t *testing.T) {
	right := []listed{{"notes.jsonl", 0, sum("")}}
	for name, c := range map[string]struct {
		files []listed
		want  string
	}{
		"right":         {right, ""},
		"empty":         {nil, "notes.jsonl: is not claimed by manifest.json"},
		"listed twice":  {append(right, right...), "file 2 of its list is not in order"},
		"another size":  {[]listed{{"notes.jsonl", 1, sum("")}}, "has 0 bytes, 1 are claimed"},
		"another sum":   {[]listed{{"notes.jsonl", 0, sum("x")}}, "does not have the SHA-256"},
		"no sum":        {[]listed{{"notes.jsonl", 0, ""}}, "does not have the SHA-256"},
		"a file more":   {append([]listed{{"a", 0, sum("")}}, right...), "file 1 of its list is not there"},
		"the manifest":  {append([]listed{{"manifest.json", 0, sum("")}}, right...), "has"},
		"in other ways": {append(right, listed{"a", 0, sum("")}), "file 2 of its list is not there"},
	} {
		m := envelope{Schema: "hide release 2", Kind: "text", Created: "2026-11-20T10:00:00Z", Warnings: []string{}, Claims: []byte(strings.NewReplacer("4", "0", "25", "0", `"DATE":3,"NAME":4`, "").Replace(textClaims)), Files: c.files}
		if c.files == nil {
			m.Files = []listed{}
		}
		text, err := json.MarshalIndent(m, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		files := fstest.MapFS{"notes.jsonl": {}, "manifest.json": {Data: append(text, '\n')}}
		files["SHA256SUMS"] = &fstest.MapFile{Data: []byte(sumsOf(files))}
		r, err := found(files)
		if err != nil || r.OK != (c.want == "") || !strings.Contains(fmt.Sprint(r.Problems), c.want) {
			t.Errorf("%s: %v, %v", name, r.Problems, err)
		}
	}
}

func TestTheEnvelopeIsWrittenInOneWay(t *testing.T) {
	for name, change := range map[string]func(string) string{
		"a blank more": func(s string) string { return strings.Replace(s, ": ", ":  ", 1) },
		"a field twice": func(s string) string {
			return strings.Replace(s, `"tool": "test"`, `"tool": "x",`+"\n"+`  "tool": "test"`, 1)
		},
		"a claim twice": func(s string) string {
			return strings.Replace(s, `"placeholder": "[LABEL]"`, `"placeholder": "x",`+"\n"+`    "placeholder": "[LABEL]"`, 1)
		},
		"no time": func(s string) string { return strings.Replace(s, "2026-11-20T10:00:00Z", "yesterday", 1) },
		"claims reordered": func(s string) string {
			return strings.Replace(s, `"figures": {},`+"\n    "+`"provenance": {}`, `"provenance": {},`+"\n    "+`"figures": {}`, 1)
		},
	} {
		f := newFixture(t)
		text := change(string(f.release["manifest.json"].Data))
		if text == string(f.release["manifest.json"].Data) {
			t.Fatalf("%s: nothing changed", name)
		}
		f.put("manifest.json", text)
		f.put("SHA256SUMS", sumsOf(f.release))
		if r, err := found(f.release); err != nil || r.OK || len(r.Problems) != 1 {
			t.Errorf("%s: %v, %v", name, r.Problems, err)
		}
	}
	for name, change := range map[string][2]string{
		"a field more": {`"tool": "test"`, `"tool": "test",` + "\n" + `  "k": 2`},
		"a claim more": {`"figures": {}`, `"figures": {}, "k": 2`},
		"another kind": {`"kind": "text"`, `"kind": "song"`},
	} {
		f := newFixture(t)
		f.put("manifest.json", strings.Replace(string(f.release["manifest.json"].Data), change[0], change[1], 1))
		if _, err := found(f.release); !errors.Is(err, verify.ErrNotRelease) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestAnOlderReleaseIsToldApart: its files are compared with SHA256SUMS and nothing more.
func TestAnOlderReleaseIsToldApart(t *testing.T) {
	for _, schema := range []string{"hide release 1", "hide table release 1", "hide joint release 1", "hide strong release 1"} {
		files := fstest.MapFS{"table.csv": {Data: []byte("a\n")}, "manifest.json": {Data: []byte(`{"schema":"` + schema + `"}`)}}
		files["SHA256SUMS"] = &fstest.MapFile{Data: []byte(sumsOf(files))}
		if r, err := found(files); !errors.Is(err, verify.ErrOlder) || !r.OK || r.SHA256 != sum(string(files["manifest.json"].Data)) {
			t.Errorf("%s: %+v, %v", schema, r, err)
		}
		files["table.csv"].Data = []byte("b\n")
		if r, err := found(files); !errors.Is(err, verify.ErrOlder) || r.OK {
			t.Errorf("%s, changed: %+v, %v", schema, r, err)
		}
	}
}
