// SPDX-License-Identifier: Apache-2.0

package spool

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

func TestEncryptedFileReadsBackFromEveryPlace(t *testing.T) {
	f, err := newEncryptedFile(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	draw := rand.New(rand.NewPCG(1, 2))
	text := make([]byte, 1000)
	for i := range text {
		text[i] = byte(draw.Uint32())
	}
	for rest := text; len(rest) > 0; {
		n := min(len(rest), 1+draw.IntN(70))
		if _, err := f.Write(rest[:n]); err != nil {
			t.Fatal(err)
		}
		rest = rest[n:]
	}
	for at := range text {
		p := make([]byte, min(len(text)-at, 1+at%40))
		if n, err := f.ReadAt(p, int64(at)); n != len(p) || (err != nil && err != io.EOF) || !bytes.Equal(p, text[at:at+n]) {
			t.Fatalf("at %d: %d bytes, %v, or other ones", at, n, err)
		}
	}
	if n, err := f.ReadAt(make([]byte, 9), int64(len(text))); n != 0 || err != io.EOF {
		t.Errorf("behind the end: %d bytes, %v", n, err)
	}
}

func TestEncryptedFileHasANameOnlyWhereItMust(t *testing.T) {
	folder := t.TempDir()
	f, err := newEncryptedFile(folder)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) != 0 {
		t.Errorf("%d files are left (%v)", len(left), err)
	}
}

func TestUploadNeverStandsOnDisk(t *testing.T) {
	const canary = "Canarywoman was seen on 3 May"
	var packed bytes.Buffer
	z := zip.NewWriter(&packed)
	w, err := z.CreateHeader(&zip.FileHeader{Name: "canaryman.txt", Method: zip.Store})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(w, canary); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	up, err := New(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer up.Close()
	if err := errors.Join(up.Take("a.txt", strings.NewReader(strings.Repeat(canary+"\n", 5000))), up.Take("b.zip", &packed)); err != nil {
		t.Fatal(err)
	}
	raw := make([]byte, up.Size())
	if _, err := up.kept.file.ReadAt(raw, 0); err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{"Canary", "canaryman", "PK\x03\x04"} {
		if bytes.Contains(raw, []byte(word)) {
			t.Errorf("%q is on disk", word)
		}
	}
	if len(up.Files) != 2 {
		t.Fatalf("%d files", len(up.Files))
	}
	for _, f := range up.Files {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		if f.Name == "b.zip" {
			z, err := zip.NewReader(r.(io.ReaderAt), f.Size)
			if err != nil || z.File[0].Name != "canaryman.txt" {
				t.Errorf("the zip cannot be read in place: %v", err)
			}
		}
	}
}

func TestAFullSpoolTakesNoMore(t *testing.T) {
	full := errors.New("no room")
	left := int64(10)
	up, err := New(func(n int64) error {
		if left -= n; left < 0 {
			return full
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	defer up.Close()
	if err := up.Take("a", strings.NewReader("123456")); err != nil {
		t.Error(err)
	}
	if err := up.Take("b", strings.NewReader("123456")); !errors.Is(err, full) || len(up.Files) != 1 {
		t.Errorf("got %v, %d files", err, len(up.Files))
	}
}
