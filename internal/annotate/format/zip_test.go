// SPDX-License-Identifier: Apache-2.0

package format

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"hide/internal/annotate"
)

// crafted packs entries whose headers the caller may corrupt.
func crafted(t testing.TB, content string, headers ...*zip.FileHeader) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, h := range headers {
		entry, err := w.CreateHeader(h)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(entry, content); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func link(t testing.TB, mode fs.FileMode) string {
	h := &zip.FileHeader{Name: "a.txt"}
	h.SetMode(mode)
	return crafted(t, "/etc/passwd", h)
}

// overlapping has two entries in its directory that share the bytes of the first.
func overlapping(t testing.TB) string {
	data := []byte(archive(t, "a.txt", "Gwendolyn was here", "b.txt", "Gwendolyn was here"))
	// The directory (signature PK\x01\x02) has the position of an entry at byte 42.
	second := bytes.LastIndex(data, []byte("PK\x01\x02"))
	copy(data[second+42:], []byte{0, 0, 0, 0})
	return string(data)
}

// lying claims in its directory that the entry unpacks to ten bytes.
func lying(t testing.TB) string {
	data := []byte(archive(t, "a.txt", strings.Repeat("Gwendolyn ", 100)))
	list := bytes.LastIndex(data, []byte("PK\x01\x02"))
	binary.LittleEndian.PutUint32(data[list+24:], 10)
	return string(data)
}

// longer claims in its directory that the entry is packed in 1 MiB.
func longer(t testing.TB) string {
	data := []byte(archive(t, "a.txt", strings.Repeat("Gwendolyn ", 100)))
	list := bytes.LastIndex(data, []byte("PK\x01\x02"))
	binary.LittleEndian.PutUint32(data[list+20:], 1<<20)
	return string(data)
}

func TestBadZip(t *testing.T) {
	pack := func(content string) []File { return []File{file("x.zip", content)} }
	whole := archive(t, "a.txt", strings.Repeat("Gwendolyn ", 50))
	damaged := []byte(archive(t, "a.txt", strings.Repeat("Gwendolyn, Zoë! ", 50)))
	damaged[45] ^= 0xff
	names := []string{"../a.txt", "/a.txt", `..\a.txt`, `C:\a.txt`, "C:a.txt", "a/../../b.txt", "a//b.txt", "./a.txt", "..", "a\x00b", "a\xff", "a\nb"}
	var cases []badCase
	for _, n := range names {
		cases = append(cases, badCase{fmt.Sprintf("name %q", n), pack(archive(t, "good.txt", "x", n, "Gwendolyn")), Options{}, "zip-path", "", -1})
	}
	for name, mode := range map[string]fs.FileMode{"symbolic link": fs.ModeSymlink | 0o777, "device": fs.ModeDevice | 0o600, "pipe": fs.ModeNamedPipe | 0o600} {
		cases = append(cases, badCase{name, pack(link(t, mode)), Options{}, "zip-path", "", -1})
	}
	encrypted := &zip.FileHeader{Name: "a.txt", Flags: 1}
	cases = append(cases,
		badCase{"no zip", pack("Gwendolyn"), Options{}, "zip", "", -1},
		badCase{"empty file", pack(""), Options{}, "zip", "", -1},
		badCase{"cut off", pack(whole[:len(whole)-10]), Options{}, "zip", "", -1},
		badCase{"cut off in the middle", pack(whole[:len(whole)/2]), Options{}, "zip", "", -1},
		badCase{"damaged entry", pack(string(damaged)), Options{}, "zip", "", -1},
		badCase{"encrypted", pack(crafted(t, "Gwendolyn", encrypted)), Options{}, "zip-encrypted", "", -1},
		badCase{"zip in a zip", pack(archive(t, "b.ZIP", whole)), Options{}, "zip-nested", "", -1},
		badCase{"zip in a zip by another name", pack(archive(t, "b.dat", whole)), Options{}, "format", "", -1},
		badCase{"ratio", pack(archive(t, "a.txt", strings.Repeat("x", 8<<20))), Options{}, "zip-bomb", "entry 1", -1},
		badCase{"overlapping entries", pack(overlapping(t)), Options{}, "zip-bomb", "", -1},
		badCase{"lying size", pack(lying(t)), Options{}, "zip", "", -1},
		badCase{"lying packed size", pack(longer(t)), Options{}, "zip-bomb", "", -1},
		badCase{"too many entries", pack(manyEntries(t, maxEntries+1)), Options{}, "zip-bomb", "entry 100001", -1},
		badCase{"far too many entries", pack(manyEntries(t, 340_000)), Options{}, "zip-bomb", "", -1},
		badCase{"same name twice", pack(archive(t, "a.txt", "x", "A.txt", "y")), Options{}, "duplicate-id", "", -1},
		badCase{"bad text inside", pack(archive(t, "a.txt", "Gwendolyn\xe9")), Options{}, "encoding", "", 9},
	)
	runBad(t, cases)
}

// manyEntries is an archive of n empty entries.
func manyEntries(t testing.TB, n int) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := range n {
		if _, err := w.CreateRaw(&zip.FileHeader{Name: fmt.Sprint(i)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestExpansionIsCountedOverAllEntries refuses archives whose entries are each harmless, in
// one archive or in several, before the sink gets a note.
func TestExpansionIsCountedOverAllEntries(t *testing.T) {
	zeros := func(prefix string, entries int) string {
		pairs := []string{prefix + "first.txt", "An ordinary note."}
		for i := range entries {
			pairs = append(pairs, fmt.Sprintf("%s%d.txt", prefix, i), strings.Repeat(" \n", 450_000)+"x")
		}
		return archive(t, pairs...)
	}
	one, other := zeros("a", 1), zeros("b", 1)
	for name, files := range map[string][]File{
		"one archive":      {file("x.zip", zeros("", 30))},
		"several archives": {file("y.zip", one), file("x.zip", other)},
	} {
		t.Run(name, func(t *testing.T) {
			docs, _, err := readAll(Options{}, files...)
			var p *Problem
			if !errors.As(err, &p) || p.Code != "zip-bomb" || p.File != "x.zip" || p.Record != "entry 3" && p.Record != "entry 2" || !strings.Contains(p.Reason, "200 times") {
				t.Errorf("got %v", err)
			}
			if len(docs) > 0 {
				t.Errorf("%d notes reached the sink", len(docs))
			}
		})
	}
	if docs, _ := mustRead(t, Options{}, file("y.zip", one)); len(docs) != 2 {
		t.Error("an archive below the limits is refused")
	}
	docs, report, err := readAll(Options{SkipBad: true}, file("x.zip", zeros("", 30)), file("y.zip", one))
	if err != nil || len(docs) != 2 || report.Refused != 1 {
		t.Errorf("with bad archives skipped: %d notes, %d refused, %v", len(docs), report.Refused, err)
	}
}

func TestMoreThanFourGiBIsRefusedWithoutUnpacking(t *testing.T) {
	data := []byte(archive(t, "a.txt", "x", "b.txt", "x", "c.txt", "x"))
	// Every entry claims 2 GiB unpacked of 1 GiB packed; the claim alone must be refused.
	for at := 0; ; {
		i := bytes.Index(data[at:], []byte("PK\x01\x02"))
		if i < 0 {
			break
		}
		at += i
		binary.LittleEndian.PutUint32(data[at+20:], 1<<30)
		binary.LittleEndian.PutUint32(data[at+24:], 2<<30)
		at += 4
	}
	_, _, err := readAll(Options{}, file("x.zip", string(data)))
	if p := (*Problem)(nil); !errors.As(err, &p) || p.Code != "zip-bomb" || !strings.Contains(p.Reason, "4 GiB") {
		t.Errorf("got %v", err)
	}
}

func TestArchivesOfSystemsAreCleaned(t *testing.T) {
	docs, _ := mustRead(t, Options{}, file("x.ZIP", archive(t, "notes/", "", "notes/a.txt", "A", "__MACOSX/notes/._a.txt", "\x00\x05", "notes/.DS_Store", "\x00", "Thumbs.db", "\x00")))
	if len(docs) != 1 || docs[0].Name != "notes/a.txt" {
		t.Errorf("%d documents", len(docs))
	}
}

func TestZipFromDiskNeedsNoCopy(t *testing.T) {
	p := filepath.Join(t.TempDir(), "x.zip")
	if err := os.WriteFile(p, []byte(archive(t, "a.txt", "A", "b.txt", "B")), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "missing"))
	files, done, err := FromPaths([]string{p})
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	if docs, _ := mustRead(t, Options{}, files...); len(docs) != 2 {
		t.Errorf("%d documents", len(docs))
	}
}

func TestSpooledZipLeavesNothingBehind(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	if docs, _ := mustRead(t, Options{}, file("x.zip", archive(t, "a.txt", "A"))); len(docs) != 1 {
		t.Errorf("%d documents", len(docs))
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) > 0 {
		t.Errorf("%d files are left, %v", len(left), err)
	}
}

func TestLargeArchiveStreams(t *testing.T) {
	note := strings.Repeat("All work and no play makes a dull note. ", 1<<20/40)
	var pairs []string
	for i := range 20 {
		pairs = append(pairs, fmt.Sprintf("%d.csv", i), "text\n"+note+fmt.Sprint(i)+"\n")
	}
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := 0; i < len(pairs); i += 2 {
		entry, err := w.CreateHeader(&zip.FileHeader{Name: pairs[i], Method: zip.Store})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(entry, pairs[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	var heap []uint64
	_, err := Read(t.Context(), []File{file("x.zip", b.String())}, Options{}, func(annotate.Annotated) error {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		heap = append(heap, m.HeapAlloc)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if first, most := heap[1], slices.Max(heap[2:]); most > first+4<<20 {
		t.Errorf("heap grew from %d to %d MiB over %d notes of one", first>>20, most>>20, len(heap))
	}
}

func FuzzZip(f *testing.F) {
	f.Add([]byte(archive(f, "a.txt", "A note.", "b.ann", "T1\tX 0 1\tA\n")))
	f.Add([]byte(overlapping(f)))
	f.Add([]byte(lying(f)))
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, _, err := readAll(Options{SkipBad: true}, file("x.zip", string(data))); err != nil {
			t.Fatal(err)
		}
	})
}
