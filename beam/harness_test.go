// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal/extworker"

	"hide/internal/annotate"
	"hide/internal/crf"
	"hide/internal/hospital"
	"hide/internal/publish/publishtest"
)

// TestMain lets tests run jobs and workers as processes of their own.
func TestMain(m *testing.M) {
	filesystem.Register("trap", func(context.Context) filesystem.Interface { return trap{} })
	switch os.Getenv("HIDE_BEAM") {
	case "job":
		main()
	case "pool":
		pool()
	default:
		var err error
		if programs, err = os.MkdirTemp("", "hide-beam-*"); err != nil {
			panic(err)
		}
		code := m.Run()
		_ = os.RemoveAll(programs)
		os.Exit(code)
	}
}

// programs is the folder of programs that tests build.
var programs string

// pool starts workers in this process when runners ask for them, until standard input ends.
func pool() {
	workers, err := extworker.StartLoopback(context.Background(), 0)
	if err != nil {
		panic(err)
	}
	fmt.Println(workers.EnvironmentConfig(context.Background()))
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// trap is an object store over a folder: its files are read from their start only, and it has
// no folders to rename.
type trap struct{}

// deadly is the name of a file that kills the process that reads it, "" for none.
var deadly = os.Getenv("HIDE_BEAM_DEADLY")

// untilFailure is how many changes of a trap succeed before one fails. Below zero all succeed.
var untilFailure = func() *atomic.Int64 { n := new(atomic.Int64); n.Store(-1); return n }()

func (trap) Close() error { return nil }

func onDisk(name string) string { return strings.TrimPrefix(name, "trap://") }

func (trap) List(_ context.Context, pattern string) ([]string, error) {
	names, err := filepath.Glob(onDisk(pattern))
	for i := range names {
		names[i] = "trap://" + names[i]
	}
	return slices.DeleteFunc(names, func(name string) bool { i, err := os.Stat(onDisk(name)); return err != nil || i.IsDir() }), err
}

func (trap) OpenRead(_ context.Context, name string) (io.ReadCloser, error) {
	f, err := os.Open(onDisk(name))
	if err != nil {
		return nil, err
	}
	return struct {
		io.Reader
		io.Closer
	}{trapReader{f}, f}, nil
}

// trapReader dies in the middle of a deadly file.
type trapReader struct{ *os.File }

func (r trapReader) Read(p []byte) (int, error) {
	if filepath.Base(r.Name()) != deadly {
		return r.File.Read(p)
	}
	if at, err := r.Seek(0, io.SeekCurrent); err != nil || at > 0 {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	}
	return r.File.Read(p[:len(p)/2])
}

func (trap) OpenWrite(_ context.Context, name string) (io.WriteCloser, error) {
	if err := change(); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(onDisk(name)), 0o700); err != nil {
		return nil, err
	}
	return os.Create(onDisk(name))
}

func (trap) Size(_ context.Context, name string) (int64, error) {
	i, err := os.Stat(onDisk(name))
	if err != nil {
		return 0, err
	}
	return i.Size(), nil
}

func (trap) Remove(_ context.Context, name string) error {
	if err := change(); err != nil {
		return err
	}
	return os.Remove(onDisk(name))
}

func (trap) Rename(_ context.Context, from, to string) error {
	if err := change(); err != nil {
		return err
	}
	if i, err := os.Stat(onDisk(from)); err != nil || i.IsDir() {
		return errors.Join(errors.New("not an object"), err)
	}
	return errors.Join(os.MkdirAll(filepath.Dir(onDisk(to)), 0o700), os.Rename(onDisk(from), onDisk(to)))
}

func change() error {
	if untilFailure.Load() >= 0 && untilFailure.Add(-1) < 0 {
		untilFailure.Store(-1)
		return errors.New("the store fails")
	}
	return nil
}

// world is a folder with an input and a bundle.
type world struct {
	*testing.T
	dir string
}

// newWorld writes notes of a hospital to files of different sizes, one of them empty, and
// trains a small bundle.
func newWorld(t *testing.T) world {
	t.Helper()
	w := world{t, t.TempDir()}
	files := make([]bytes.Buffer, 4)
	n := 0
	for note := range hospital.Generate(hospital.Options{Patients: 12, Seed: 5}) {
		line, err := json.Marshal(map[string]string{"id": note.Name, "text": note.Text})
		w.no(err)
		files[min(n/5, 3)].Write(append(line, '\n'))
		n++
	}
	for i, f := range files {
		w.write(fmt.Sprintf("notes-%d.jsonl", i), bytes.TrimSuffix(f.Bytes(), []byte("\n")))
	}
	w.write("notes-1a.jsonl", nil)
	var learnt []annotate.Note
	for note := range hospital.Generate(hospital.Options{Patients: 5, Seed: 1}) {
		learnt = append(learnt, annotate.NewNote(note))
	}
	b, err := publishtest.Bundle(annotate.Views(learnt), crf.Options{MaxIterations: 10, Features: crf.Affix})
	w.no(err)
	var bundle bytes.Buffer
	w.no(b.Encode(&bundle))
	w.write("bundle", bundle.Bytes())
	return w
}

func (w world) no(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

func (w world) write(name string, text []byte) {
	w.Helper()
	w.no(os.WriteFile(filepath.Join(w.dir, name), text, 0o600))
}

// glob is the names of files, without the folder of the world.
func (w world) glob(pattern string) []string {
	names, err := filepath.Glob(filepath.Join(w.dir, pattern))
	w.no(err)
	for i := range names {
		names[i] = strings.TrimPrefix(names[i], w.dir+"/")
	}
	return names
}

// together is the text of files in the order of their names.
func (w world) together(pattern string) string {
	var all []byte
	for _, name := range w.glob(pattern) {
		text, err := os.ReadFile(filepath.Join(w.dir, name))
		w.no(err)
		all = append(all, text...)
	}
	return string(all)
}

// job runs a job in a process of its own and returns what it said.
func (w world) job(args ...string) (string, error) {
	c := exec.Command(os.Args[0], append([]string{"--bundle", w.dir + "/bundle"}, args...)...)
	c.Env = append(os.Environ(), "HIDE_BEAM=job", "TMPDIR="+w.TempDir())
	said, err := c.CombinedOutput()
	return string(said), err
}

// workers starts a process for workers. It returns the flags with which a job uses them, and
// a channel that has the end of the process.
func (w world) workers(env string) (flags []string, ended <-chan error) {
	w.Helper()
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), "HIDE_BEAM=pool", env)
	_, err := c.StdinPipe()
	w.no(err)
	out, err := c.StdoutPipe()
	w.no(err)
	w.no(c.Start())
	w.Cleanup(func() { _ = c.Process.Kill() })
	address, err := bufio.NewReader(out).ReadString('\n')
	w.no(err)
	end := make(chan error, 1)
	go func() { end <- c.Wait() }()
	return []string{"--environment_type=EXTERNAL", "--environment_config=" + strings.TrimSpace(address), "--worker_binary=" + w.dir + "/bundle"}, end
}
