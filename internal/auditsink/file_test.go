// SPDX-License-Identifier: Apache-2.0

package auditsink_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hide/internal/auditsink"
	"hide/internal/hint"
)

func fileAt(path string) auditsink.Options {
	o := auditsink.Options{File: path}
	o.Hurry()
	return o
}

// linesOf are the complete lines of files, in their order.
func linesOf(t *testing.T, paths ...string) (lines [][]byte) {
	t.Helper()
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines(text) {
			if line[len(line)-1] == '\n' {
				lines = append(lines, bytes.TrimSuffix(line, []byte("\n")))
			}
		}
	}
	return lines
}

// TestTheFileSurvivesRotationAndKills renames the file as logrotate does, and kills the
// program, at random moments.
func TestTheFileSurvivesRotationAndKills(t *testing.T) {
	trail, dir := newTrail(), t.TempDir()
	path := filepath.Join(dir, "audit.jsonl")
	random := rand.New(rand.NewPCG(1, 0))
	var paths []string
	for life := range 12 {
		trail.kill(false)
		c, stop := started(t, fileAt(path), trail)
		for range 3 {
			trail.add(random.IntN(300), time.Now())
			time.Sleep(time.Duration(random.IntN(4)) * time.Millisecond)
			if random.IntN(2) == 0 {
				old := filepath.Join(dir, fmt.Sprintf("audit.%d", len(paths)))
				if err := os.Rename(path, old); err == nil {
					paths = append(paths, old)
				}
			}
		}
		if life%2 == 1 {
			wait(t, "a life without a kill", func() bool { return behind(c) == 0 })
		}
		trail.kill(true)
		stop()
	}
	trail.kill(false)
	trail.add(1, time.Now())
	c, stop := started(t, fileAt(path), trail)
	wait(t, "the last row", func() bool { return behind(c) == 0 })
	stop()
	if err := missing(trail, linesOf(t, append(paths, path)...)); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file has mode %v, %v", info.Mode(), err)
	}
}

// TestALineThatWasCutShortComesAgain: a kill in the middle of a write leaves a part of a line.
func TestALineThatWasCutShortComesAgain(t *testing.T) {
	trail, path := newTrail(), filepath.Join(t.TempDir(), "audit.jsonl")
	trail.add(2, time.Now())
	writeFile(t, path, trail.lines[0].JSON[:20])
	c, _ := started(t, fileAt(path), trail)
	wait(t, "the rows", func() bool { return behind(c) == 0 })
	lines := linesOf(t, path)
	if len(lines) != 3 || len(lines[0]) != 20 {
		t.Fatalf("%d lines", len(lines))
	}
	if err := missing(trail, lines[1:]); err != nil {
		t.Error(err)
	}
}

// TestAStartChangesNoFile: another server may be writing a line, or the disk may be full.
func TestAStartChangesNoFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	writeFile(t, path, []byte(`{"seq":1`))
	if _, err := auditsink.New(fileAt(path)); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != `{"seq":1` {
		t.Errorf("the file holds %q, %v", text, err)
	}
}

// TestAFullDiskDelaysTheFile writes to a file system that is always full.
func TestAFullDiskDelaysTheFile(t *testing.T) {
	o := fileAt("/dev/full")
	if _, err := auditsink.New(o); err == nil || !strings.Contains(err.Error(), "regular") {
		t.Fatalf("a device: %v", err)
	}
	trail, path := newTrail(), filepath.Join(t.TempDir(), "audit.jsonl")
	c, _ := started(t, fileAt(path), trail)
	if err := os.Rename(path, path+".1"); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(path, 0o700); err != nil { // nothing can be written there
		t.Fatal(err)
	}
	trail.add(3, time.Now())
	wait(t, "the failure", func() bool { return c.Status()[0].Why != "" })
	if s := c.Status()[0]; s.Behind != 3 || strings.Contains(s.Why, path) {
		t.Errorf("status %+v", s)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	wait(t, "the rows", func() bool { return behind(c) == 0 })
	if err := missing(trail, linesOf(t, path)); err != nil {
		t.Error(err)
	}
}

func TestTheFileIsElsewhereAndPrivate(t *testing.T) {
	dir := t.TempDir()
	data := filepath.Join(dir, "data")
	if err := os.MkdirAll(filepath.Join(data, "deep"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(data, "deep"), filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	open := filepath.Join(dir, "open.jsonl")
	writeFile(t, open, nil)
	if err := os.Chmod(open, 0o644); err != nil {
		t.Fatal(err)
	}
	group := filepath.Join(dir, "group.jsonl")
	writeFile(t, group, nil)
	if err := os.Chmod(group, 0o640); err != nil {
		t.Fatal(err)
	}
	for path, says := range map[string]string{
		filepath.Join(data, "a.jsonl"): "in the data folder", filepath.Join(dir, "link", "a.jsonl"): "in the data folder",
		open: "chmod", filepath.Join(dir, "absent", "a.jsonl"): "must exist", dir: "directory",
		filepath.Join(dir, "data.jsonl"): "", group: "",
	} {
		_, err := auditsink.New(auditsink.Options{File: path, DataDir: data})
		if says == "" {
			if err != nil {
				t.Errorf("%s: %v", path, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error()+hint.Of(err), says) {
			t.Errorf("%s: %v", path, err)
		}
	}
}
