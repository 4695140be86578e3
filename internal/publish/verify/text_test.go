// SPDX-License-Identifier: Apache-2.0

package verify_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf8"

	"hide/internal/publish/verify"
)

func TestVerifyAcceptsWhatIsRight(t *testing.T) {
	result, err := verify.Release(newFixture(t).release)
	if err != nil {
		t.Fatal(err)
	}
	r := result.(*verify.Text)
	if !r.OK || r.Found != 0 {
		t.Fatalf("problems: %v", r.Problems)
	}
	if r.Documents != 4 || r.Tokens != 25 || r.Redactions["NAME"] != 4 || r.Files != 7 || r.Name != "release-1" {
		t.Errorf("report: %+v", r)
	}
}

// TestVerifyFindsEveryChange makes 1,000 random changes to a release of each kind, each on
// a fresh copy: one byte changed, a file removed, added, renamed, cut, extended, two
// swapped, and expects each to be found.
func TestVerifyFindsEveryChange(t *testing.T) {
	joint := publish(t, invent(t, 5, 12), jointSettings)
	byPolicy := safeHarborRelease()
	tokens := byPolicy.against(t).Tokens
	policyFiles, _, _ := byPolicy.build(tokens)
	for kind, whole := range map[string]fstest.MapFS{
		"text":             newFixture(t).release,
		"text by a policy": policyFiles,
		"table":            sealed("table", []byte(fuzzTable), map[string]string{"table.csv": "age,x\n1,a\n1,b\n[2-3],a\n[2-3],b\n", "1.hierarchy": "a;*\nb;*\n"}),
		"joint":            joint.fs(),
		"cube":             sealed("cube", []byte(fuzzCounts), map[string]string{"blocks.csv": fuzzBlocks}),
	} {
		if r, err := found(whole); err != nil || !r.OK {
			t.Fatalf("%s: %v, %v", kind, r.Problems, err)
		}
		names := slices.Sorted(maps.Keys(whole))
		rng := rand.New(rand.NewPCG(1, 2))
		for n := range 1000 {
			changed, what := mutate(rng, whole, names)
			r, err := found(changed)
			if err == nil && r.OK {
				t.Fatalf("%s, change %d (%s) was not found", kind, n, what)
			}
			if err == nil && r.Found == 0 {
				t.Fatalf("%s, change %d (%s): not OK, but no problem named", kind, n, what)
			}
		}
	}
}

func mutate(rng *rand.Rand, whole fstest.MapFS, names []string) (fstest.MapFS, string) {
	out := fstest.MapFS{}
	for name, f := range whole {
		out[name] = &fstest.MapFile{Data: slices.Clone(f.Data)}
	}
	name := names[rng.IntN(len(names))]
	f := out[name]
	switch rng.IntN(10) {
	case 0:
		delete(out, name)
		return out, "remove " + name
	case 1:
		extra := fmt.Sprintf("notes/%06d.txt", 5+rng.IntN(9))
		out[extra] = &fstest.MapFile{Data: []byte("more")}
		return out, "add " + extra
	case 2:
		other := names[rng.IntN(len(names))]
		if bytes.Equal(f.Data, out[other].Data) {
			other = names[(slices.Index(names, name)+1)%len(names)]
		}
		out[name], out[other] = out[other], out[name]
		return out, "swap " + name + " and " + other
	case 3:
		f.Data = append(f.Data, byte(rng.IntN(256)))
		return out, "extend " + name
	case 4:
		delete(out, name)
		out[name+"x"] = f
		return out, "rename " + name
	case 5:
		if len(f.Data) > 0 {
			f.Data = f.Data[:rng.IntN(len(f.Data))]
			return out, "cut " + name
		}
	}
	if len(f.Data) == 0 {
		f.Data = []byte{byte(rng.IntN(256))}
		return out, "fill " + name
	}
	at := rng.IntN(len(f.Data))
	f.Data[at] ^= byte(1 + rng.IntN(255))
	return out, fmt.Sprintf("byte %d of %s", at, name)
}

// TestVerifySeesThroughCoherentForgeries changes a release and then makes all
// hashes right again: the claims themselves must still be recomputed.
func TestVerifySeesThroughCoherentForgeries(t *testing.T) {
	line := func(f *fixture, n int, old, new string) {
		lines := strings.SplitAfter(string(f.release["notes.jsonl"].Data), "\n")
		if !strings.Contains(lines[n], old) {
			t.Fatalf("line %d has no %q", n, old)
		}
		lines[n] = strings.Replace(lines[n], old, new, 1)
		f.put("notes.jsonl", strings.Join(lines, ""))
	}
	cases := []struct {
		name   string
		change func(f *fixture)
		want   string
	}{
		{"text file differs", func(f *fixture) { f.put("notes/000001.txt", "Seen by [NAME] on [DATE]!\n") }, "is not the text of line 1"},
		{"place beside its placeholder", func(f *fixture) { line(f, 0, `"start":8,"end":14`, `"start":7,"end":13`) }, "does not hold its placeholder"},
		{"place too long", func(f *fixture) { line(f, 0, `"start":8,"end":14`, `"start":8,"end":15`) }, "does not hold its placeholder"},
		{"another label", func(f *fixture) { line(f, 0, `"label":"NAME"`, `"label":"DATE"`) }, "does not hold its placeholder"},
		{"unknown label", func(f *fixture) { line(f, 0, `"label":"NAME"`, `"label":"CITY"`) }, "unknown label"},
		{"redactions overlap", func(f *fixture) { line(f, 0, `"start":18,"end":24`, `"start":13,"end":19`) }, "starts before the previous one ends"},
		{"place outside", func(f *fixture) { line(f, 1, `"start":31,"end":37`, `"start":131,"end":137`) }, "does not hold its placeholder"},
		{"redaction not told", func(f *fixture) { line(f, 1, `{"start":31,"end":37,"label":"NAME"}`, ``) }, "claims wrong numbers of redactions"},
		{"ids swapped", func(f *fixture) { line(f, 0, "000001", "000002") }, "line 1 does not have the id 000001"},
		{"field twice", func(f *fixture) { line(f, 0, `{"id":"000001",`, `{"id":"000001","id":"000001",`) }, "not written as it should be"},
		{"unknown field", func(f *fixture) { line(f, 0, `{"id"`, `{"patient":"x","id"`) }, "not as expected at byte"},
		{"line removed", func(f *fixture) {
			_, rest, _ := strings.Cut(string(f.release["notes.jsonl"].Data), "\n")
			f.put("notes.jsonl", rest)
		}, "line 1 does not have the id 000001"},
		{"no last line feed", func(f *fixture) {
			f.put("notes.jsonl", strings.TrimSuffix(string(f.release["notes.jsonl"].Data), "\n"))
		}, "it has no end"},
		{"text file without a line", func(f *fixture) { f.put("notes/000009.txt", "x") }, "has no line in notes.jsonl"},
		{"a stranger", func(f *fixture) { f.put("mapping.jsonl", "x") }, "does not belong"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			f := newFixture(t)
			c.change(&f)
			f.reseal()
			r, err := found(f.release)
			if err != nil {
				t.Fatal(err)
			}
			if r.OK || !strings.Contains(fmt.Sprint(r.Problems), c.want) {
				t.Errorf("got %v, want %q", r.Problems, c.want)
			}
		})
	}
}

func TestVerifyRefusesOtherThings(t *testing.T) {
	other := newFixture(t)
	other.put("manifest.json", strings.Replace(string(other.release["manifest.json"].Data), "release 2", "release 3", 1))
	for name, fsys := range map[string]fs.FS{
		"empty folder":   fstest.MapFS{},
		"no manifest":    fstest.MapFS{"notes.jsonl": &fstest.MapFile{}},
		"not JSON":       fstest.MapFS{"manifest.json": &fstest.MapFile{Data: []byte("{")}},
		"another schema": other.release,
	} {
		if _, err := found(fsys); !errors.Is(err, verify.ErrNotRelease) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestVerifyNamesSymbolicLinks(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, newFixture(t).release); err != nil {
		t.Fatal(err)
	}
	outside := filepath.Join(t.TempDir(), "000001.txt")
	if err := os.Rename(filepath.Join(dir, "notes", "000001.txt"), outside); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(dir, "notes", "000001.txt")); err != nil {
		t.Fatal(err)
	}
	fsys, closer, err := verify.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer closer.Close()
	r, err := found(fsys)
	if err != nil {
		t.Fatal(err)
	}
	if r.OK || !strings.Contains(fmt.Sprint(r.Problems), "notes/000001.txt: is not a plain file") {
		t.Errorf("got %v", r.Problems)
	}
}

func writeZip(t *testing.T, prefix string, files fstest.MapFS, extra ...string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "release.zip")
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, n := range append(slices.Sorted(maps.Keys(files)), extra...) {
		w, err := z.Create(prefix + n)
		if err != nil {
			t.Fatal(err)
		}
		if f := files[n]; f != nil {
			w.Write(f.Data)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestOpenReadsZips(t *testing.T) {
	files := newFixture(t).release
	for _, prefix := range []string{"", "release-1/"} {
		fsys, closer, err := verify.Open(writeZip(t, prefix, files))
		if err != nil {
			t.Fatal(err)
		}
		if r, err := found(fsys); err != nil || !r.OK {
			t.Errorf("prefix %q: %v %v", prefix, err, r.Problems)
		}
		closer.Close()
	}
	for _, bad := range []string{"../evil", "/abs", "manifest.json", "folder/"} {
		if _, _, err := verify.Open(writeZip(t, "", files, bad)); err == nil {
			t.Errorf("a zip with %q was opened", bad)
		}
	}
	text := filepath.Join(t.TempDir(), "x")
	os.WriteFile(text, []byte("no zip"), 0o600)
	if _, _, err := verify.Open(text); err == nil {
		t.Error("a text file was opened as a release")
	}
}

func TestAgainstComparesWithOriginals(t *testing.T) {
	f := newFixture(t)
	r, err := f.against(f.mapping, f.originals)
	if err != nil {
		t.Fatal(err)
	}
	if !r.OK || r.Compared != 4 || r.Elsewhere != 0 {
		t.Errorf("report: %+v", r)
	}
}

func TestAgainstFindsWhatTheReleaseAloneHides(t *testing.T) {
	cases := []struct{ name, old, new, want string }{
		{"a word changed outside", "über Übelkeit", "ueber Übelkeit", "differs from the original"},
		{"a line break lost", `.\r\nMüller`, `.\nMüller`, "differs from the original"},
		{"text at the end changed", "was meant.", "was meant!", "after the last redaction differs"},
		{"an original missing", `"note 2"`, `"note 22"`, "the original of note 000003 is missing"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			f := newFixture(t)
			changed := strings.Replace(f.originals, c.old, c.new, 1)
			if changed == f.originals {
				t.Fatal("nothing changed")
			}
			r, err := f.against(f.mapping, changed)
			if err != nil {
				t.Fatal(err)
			}
			if r.OK || !strings.Contains(fmt.Sprint(r.Problems), c.want) {
				t.Errorf("got %v, want %q", r.Problems, c.want)
			}
		})
	}
}

func TestAgainstCountsWordsThatStandElsewhere(t *testing.T) {
	f := newFixture(t)
	originals := strings.Replace(f.originals, "Rose was", "says was", 1) // "says" stands in the same note, unredacted
	r, err := f.against(f.mapping, originals)
	if err != nil {
		t.Fatal(err)
	}
	if !r.OK || r.Elsewhere != 1 {
		t.Errorf("OK %v, elsewhere %d, want true, 1: %v", r.OK, r.Elsewhere, r.Problems)
	}
}

func TestAgainstRefusesAnotherReleasesMapping(t *testing.T) {
	f := newFixture(t)
	wrong := strings.Replace(f.mapping, sum(string(f.release["manifest.json"].Data)), strings.Repeat("0", 64), 1)
	for _, mapping := range []string{wrong, "", "{}\n", f.mapping + f.mapping} {
		if _, err := f.against(mapping, f.originals); err == nil {
			t.Errorf("a mapping of %d bytes was taken", len(mapping))
		}
	}
}

// TestProblemsComeInOrder: a report lists the first problems by name, the same
// ones every time.
func TestProblemsComeInOrder(t *testing.T) {
	f := newFixture(t)
	var names []string
	for i := range 100 + 50 {
		names = append(names, fmt.Sprintf("notes/%06d.txt", 100+i))
		f.put(names[i], "")
	}
	r, err := found(f.release)
	if err != nil {
		t.Fatal(err)
	}
	expectProblems(t, r, names, "is not listed in SHA256SUMS")
	f.reseal()
	if r, err = found(f.release); err != nil {
		t.Fatal(err)
	}
	expectProblems(t, r, names, "has no line in notes.jsonl")
}

// expectProblems wants the problem of each of the names, in order, as far as
// they are listed.
func expectProblems(t *testing.T, r *verify.Report, names []string, what string) {
	t.Helper()
	if len(r.Problems) != 100 || r.Found < len(names) {
		t.Fatalf("%d problems listed of %d", len(r.Problems), r.Found)
	}
	for i, p := range r.Problems {
		if want := (verify.Problem{File: names[i], What: what}); p != want {
			t.Fatalf("problem %d is %q, want %q", i+1, p, want)
		}
	}
}

func TestMissingOriginalsComeInOrder(t *testing.T) {
	f := newFixture(t)
	r, err := f.against(f.mapping, "")
	if err != nil || len(r.Problems) != 4 {
		t.Fatalf("problems %v, error %v", r.Problems, err)
	}
	for i, p := range r.Problems {
		if want := fmt.Sprintf("originals: the original of note %06d is missing", i+1); p.String() != want {
			t.Errorf("got %q, want %q", p, want)
		}
	}
}

func TestReportsNeverQuoteNotes(t *testing.T) {
	f := newFixture(t)
	rng := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		originals := []byte(f.originals)
		originals[rng.IntN(len(originals))] ^= byte(1 + rng.IntN(255))
		r, err := f.against(f.mapping, string(originals))
		said := fmt.Sprint(err, r.Problems)
		for _, secret := range []string{"Weiss", "Müller", "Rose", "Seen", "Übelkeit", "note 1"} {
			if strings.Contains(said, secret) {
				t.Fatalf("quotes %q: %s", secret, said)
			}
		}
	}
}

func FuzzText(f *testing.F) {
	whole := newFixture(&testing.T{}).release
	f.Add(whole["manifest.json"].Data, whole["notes.jsonl"].Data, whole["SHA256SUMS"].Data, []byte{})
	for _, r := range []policyRelease{safeHarborRelease(), surrogateRelease(), limitedRelease()} {
		files, _, _ := r.build(0)
		f.Add(files["manifest.json"].Data, files["notes.jsonl"].Data, files["SHA256SUMS"].Data, files["policy.json"].Data)
	}
	f.Add([]byte(`{}`), []byte(`{"id":"000001","text":"","redactions":[{"start":-1,"end":9223372036854775807,"label":""}]}`+"\n"), []byte("x"), []byte(`{"rules":[{}]}`))
	f.Fuzz(func(t *testing.T, manifest, notes, sums, policy []byte) {
		fsys := fstest.MapFS{
			"manifest.json": &fstest.MapFile{Data: manifest},
			"notes.jsonl":   &fstest.MapFile{Data: notes},
			"SHA256SUMS":    &fstest.MapFile{Data: sums},
			"policy.json":   &fstest.MapFile{Data: policy},
		}
		if r, err := verify.Release(fsys); err == nil && r.Common().OK && r.(*verify.Text).Documents > 0 {
			t.Error("documents without text files verified")
		}
	})
}

// FuzzForms looks for replacements and originals that stop the program.
func FuzzForms(f *testing.F) {
	for _, r := range []policyRelease{safeHarborRelease(), surrogateRelease()} {
		for _, n := range r.notes {
			f.Add(n.marked)
		}
	}
	f.Fuzz(func(t *testing.T, marked string) {
		if !utf8.ValidString(marked) || strings.Count(marked, "{{") != strings.Count(marked, "}}") {
			return
		}
		for _, inside := range strings.Split(marked, "{{")[1:] {
			inside, _, _ = strings.Cut(inside, "}}")
			if strings.Count(inside, ":") < 3 {
				return
			}
		}
		r := safeHarborRelease()
		r.notes = []policyNote{{"000001", 1, marked}}
		files, mapping, originals := r.build(0)
		if _, err := verify.Against(t.Context(), files, strings.NewReader(mapping), strings.NewReader(originals)); err != nil && !strings.Contains(err.Error(), "not as expected") {
			t.Error(err)
		}
	})
}
