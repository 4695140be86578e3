// SPDX-License-Identifier: Apache-2.0

package store

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hide/internal/testsize"

	"go.etcd.io/bbolt"
)

// unpackSchema2 unpacks the files of a store that was written by the last program before
// compression, and a backup of it.
func unpackSchema2(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	archive, err := zip.OpenReader(filepath.Join("testdata", "schema2.zip"))
	must(t, err)
	defer archive.Close()
	for _, f := range archive.File {
		path := filepath.Join(dir, f.Name)
		must(t, os.MkdirAll(filepath.Dir(path), 0o700))
		in, err := f.Open()
		must(t, err)
		var content bytes.Buffer
		_, err = content.ReadFrom(in)
		must(t, err)
		must(t, os.WriteFile(path, content.Bytes(), 0o600))
	}
	return dir
}

// wantSchema2 is what that store holds.
func wantSchema2() map[string]string {
	want := map[string]string{}
	for n := range 12 {
		space := []string{System, "p1"}[n%2]
		want[space+"/note/"+string(Key(uint64(n)))] = strings.Repeat(fmt.Sprintf("value %d; ", n), n*n)
	}
	return want
}

func atNine(o Options) Options {
	o.Now = func() time.Time { return time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC) }
	return o
}

// TestFilesAndBackupsFromBeforeCompressionAreRead also writes to them.
func TestFilesAndBackupsFromBeforeCompressionAreRead(t *testing.T) {
	dir := unpackSchema2(t)
	opts := atNine(Options{Dir: filepath.Join(dir, "data")})
	restored := atNine(Options{Dir: filepath.Join(dir, "restored"), KeyFile: opts.Dir + ".key"})
	must(t, Restore(bytes.NewReader(mustRead(t, filepath.Join(dir, "backup"))), restored))
	for _, opts := range []Options{opts, restored} {
		want := wantSchema2()
		for range 2 {
			s := mustOpen(t, opts)
			if got, err := content(s); err != nil || !maps.Equal(got, want) {
				t.Fatalf("the content differs: %v", err)
			}
			if s.root.Schema != firstSchema+len(steps()) || s.db.Info().PageSize != 4096 {
				t.Errorf("schema %d, pages of %d bytes", s.root.Schema, s.db.Info().PageSize)
			}
			for _, n := range []uint64{3, 40} {
				want["p1/note/"+string(Key(n))] = strings.Repeat("new ", 500)
				mustPut(t, s, "p1", "note", string(Key(n)), strings.Repeat("new ", 500))
			}
			mustClose(t, s)
		}
	}
}

// TestEveryValueComesBack stores values of all sizes, up to 3 MB, that compress well, badly, or
// not.
func TestEveryValueComesBack(t *testing.T) {
	opts, rng := testOptions(t), rand.New(rand.NewPCG(8, 8))
	s := mustOpen(t, opts)
	want := map[string]string{}
	must(t, s.Update(System, func(tx *Tx) error {
		for i := range 300 {
			value := make([]byte, rng.IntN(1<<rng.IntN(18)))
			letters := 1 + rng.IntN(256)
			for at := range value {
				value[at] = byte(rng.IntN(letters))
			}
			if i%5 == 0 {
				value = []byte(dictionary[rng.IntN(len(dictionary)):])
			}
			if i < 3 { // larger than the window of the compressor
				value = bytes.Repeat(append(value, byte(i), byte(rng.IntN(256))), (3<<20)/(len(value)+2))
			}
			want[System+"/b/"+string(Key(uint64(i)))] = string(value)
			must(t, tx.Put("b", Key(uint64(i)), value))
		}
		return tx.Audit(testEvent)
	}))
	mustClose(t, s)
	if got, err := content(mustOpen(t, opts)); err != nil || !maps.Equal(got, want) {
		t.Errorf("the content differs: %v", err)
	}
}

// TestSpaceOfNotes bounds the size of a file with values that look like notes.
func TestSpaceOfNotes(t *testing.T) {
	testsize.Slow(t)
	opts, rng := testOptions(t), rand.New(rand.NewPCG(9, 9))
	s := mustOpen(t, opts)
	syllables := strings.Fields("ba ce di fo gu la me ni po ru sa te vi wo xu")
	bytes := 0
	for first := 0; first < 2000; first += 500 {
		must(t, s.Update(System, func(tx *Tx) error {
			for n := first; n < first+500; n++ {
				var note strings.Builder
				for note.Len() < 1500 {
					for range 1 + rng.IntN(4) {
						note.WriteString(syllables[rng.IntN(len(syllables))])
					}
					note.WriteByte(' ')
				}
				bytes += note.Len()
				must(t, tx.Put("note", Key(uint64(n)), []byte(note.String())))
			}
			return tx.Audit(testEvent)
		}))
	}
	mustClose(t, s)
	used := int64(mustMetas(t, opts.data())[0].high) * newPageSize
	if share := float64(used) / float64(bytes); share > 0.65 {
		t.Errorf("%d bytes of values take %d bytes, %.2f times as many", bytes, used, share)
	}
}

// TestPagesKeepRoomForKeysBetweenOthers: full pages would each be split by the first new key.
func TestPagesKeepRoomForKeysBetweenOthers(t *testing.T) {
	s := mustOpen(t, testOptions(t))
	rng := rand.New(rand.NewPCG(10, 10))
	fill := map[string]float64{}
	for bucket, key := range map[string]func(i int) []byte{
		"appended": func(i int) []byte { return Key(uint64(i)) },
		"between":  func(int) []byte { return Key(rng.Uint64()) },
	} {
		for i := range 40 {
			must(t, s.Update(System, func(tx *Tx) error {
				for j := range 50 {
					must(t, tx.Put(bucket, key(50*i+j), Key(rng.Uint64())))
				}
				return tx.Audit(testEvent)
			}))
		}
		must(t, s.read(func(btx *bbolt.Tx) error {
			stats := btx.Bucket(dataBucket(System, bucket)).Stats()
			fill[bucket] = float64(stats.LeafInuse) / float64(stats.LeafAlloc)
			return nil
		}))
	}
	if fill["appended"] < 0.9 || fill["between"] < 0.5 || fill["between"] > 0.85 {
		t.Errorf("pages are filled to %v", fill)
	}
}

// TestTheFormatOfAValueIsAuthenticated: a compressed value must not be read as a plain one,
// nor the reverse.
func TestTheFormatOfAValueIsAuthenticated(t *testing.T) {
	key, place := new(sealKey), bind("here")
	for _, value := range []string{strings.Repeat("long and repeated ", 20), "short"} {
		sealed := key.sealShort(place, []byte(value))
		if got, err := key.open(place, sealed); err != nil || string(got) != value {
			t.Errorf("got %q, %v", got, err)
		}
		for format := range 5 {
			changed := bytes.Clone(sealed)
			changed[0] = byte(format)
			if _, err := key.open(place, changed); (err == nil) != (changed[0] == sealed[0]) {
				t.Errorf("format %d read as %d: %v", sealed[0], format, err)
			}
		}
	}
}

// TestWhatDoesNotDecompressIsAnError: only somebody with the key can store such a value.
func TestWhatDoesNotDecompressIsAnError(t *testing.T) {
	long := []byte(strings.Repeat("long and repeated ", 20))
	short, ok := compress(long)
	if !ok || len(short) > len(long)/4 {
		t.Fatalf("%d bytes became %d", len(long), len(short))
	}
	huge := append(append([]byte{0x28, 0xB5, 0x2F, 0xFD, 0xE0}, binary.LittleEndian.AppendUint64(nil, 1<<40)...), 1, 0, 0)
	key, place := new(sealKey), bind("here")
	for what, content := range map[string][]byte{
		"garbage": []byte("garbage"), "cut": short[:len(short)-3], "too large": huge,
	} {
		got, err := key.open(place, key.encrypt(sealCompressed, place, content))
		if !errors.Is(err, errCompressed) {
			t.Errorf("%s: got %d bytes, %v", what, len(got), err)
		}
	}
}

// FuzzCompressedValue: what decompresses comes back from a second compression, and nothing
// panics.
func FuzzCompressedValue(f *testing.F) {
	short, _ := compress([]byte(strings.Repeat("long and repeated ", 20)))
	f.Add(short)
	f.Add([]byte("garbage"))
	f.Add([]byte{0x28, 0xB5, 0x2F, 0xFD, 0x04, 0x00, 0x09, 0x00, 0x00, 'x'})
	f.Fuzz(func(t *testing.T, content []byte) {
		value, err := decompress(content)
		if err != nil {
			return
		}
		if short, ok := compress(value); ok {
			again, err := decompress(short)
			if err != nil || !bytes.Equal(again, value) {
				t.Errorf("%d bytes came back as %d, %v", len(value), len(again), err)
			}
		}
	})
}
