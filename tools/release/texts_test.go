// SPDX-License-Identifier: Apache-2.0

package main

import (
	"archive/tar"
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestTheLayerOfTheImageIsAWholeArchive: container engines refuse one without its end, which
// is two empty blocks. The reader of Go takes it.
func TestTheLayerOfTheImageIsAWholeArchive(t *testing.T) {
	dir := t.TempDir()
	program := filepath.Join(t.TempDir(), "hide")
	if err := errors.Join(os.WriteFile(program, []byte("odd"), 0o755), os.WriteFile(filepath.Join(dir, "serve.conf"), []byte("addr = x\n"), 0o644)); err != nil {
		t.Fatal(err)
	}
	b := &builder{commit: commit{time: time.Unix(1e9, 0)}}
	raw, err := b.layer(binary{systems[0], program}, dir)
	if err != nil {
		t.Fatal(err)
	}
	end := make([]byte, 1024)
	if len(raw)%512 != 0 || !bytes.HasSuffix(raw, end) {
		t.Errorf("%d bytes, without the end of an archive", len(raw))
	}
	names := map[string]bool{}
	for r := tar.NewReader(bytes.NewReader(raw)); ; {
		h, err := r.Next()
		if err != nil {
			break
		}
		names[h.Name] = true
	}
	if !names["usr/bin/hide"] || !names["etc/hide/serve.conf"] {
		t.Errorf("the layer has %v", names)
	}
}

// TestThePagesLeadToEachOther: a page of the folder of documentation names no page that the
// packages lack.
func TestThePagesLeadToEachOther(t *testing.T) {
	dir := t.TempDir()
	if err := (&builder{root: "../.."}).pages(dir); err != nil {
		t.Fatal(err)
	}
	link := regexp.MustCompile(`\]\(([A-Za-z-]+\.md)`)
	pages, _ := filepath.Glob(filepath.Join(dir, "*.md"))
	if len(pages) < 20 {
		t.Errorf("only %d pages", len(pages))
	}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, to := range link.FindAllSubmatch(text, -1) {
			if _, err := os.Stat(filepath.Join(dir, string(to[1]))); err != nil {
				t.Errorf("%s leads to %s, which is not in the packages", filepath.Base(page), to[1])
			}
		}
	}
	for _, operator := range []string{"operator-guide.md", "SECURITY.md"} {
		if text, err := os.ReadFile(filepath.Join(dir, operator)); err != nil || bytes.Contains(text, []byte("](../SECURITY.md")) {
			t.Errorf("%s: %v, or it leads out of the folder", operator, err)
		}
	}
}

// TestTheCommitIsRead: the version of the next release is in the source, in one line.
func TestTheCommitIsRead(t *testing.T) {
	c, err := readCommit("../..")
	if err != nil || c.version == "" || len(c.hash) != 40 || !strings.HasPrefix(c.short(), c.hash[:12]) {
		t.Errorf("%+v, %v", c, err)
	}
}
