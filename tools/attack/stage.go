// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"hide/tools/rig"
)

const projectID = "p1" // the first of a new data folder

// stage is what an attack plays on: a server over a copy of the prepared data folder.
type stage struct {
	hide   rig.Hide
	server *rig.Server
	quick  bool
	dir    string // for files of the attack
}

// size is the small or the full size of an attack.
func (s *stage) size(quick, full int) int {
	if s.quick {
		return quick
	}
	return full
}

func (s *stage) wait(quick, full time.Duration) time.Duration {
	if s.quick {
		return quick
	}
	return full
}

// prepare makes a data folder with an administrator, a project and a few notes.
func prepare(ctx context.Context, h rig.Hide, dir string) (rig.Hide, error) {
	if _, err := h.Command(ctx, "project", "create", "Attacked"); err != nil {
		return h, err
	}
	code, err := h.AddPerson(ctx, "Root", "admin")
	if err != nil {
		return h, err
	}
	notes := filepath.Join(dir, "notes.jsonl")
	if err := h.Generate(ctx, 5, notes); err != nil {
		return h, err
	}
	if _, err := h.Command(ctx, "import", "--project", projectID, notes); err != nil {
		return h, err
	}
	s, err := h.Serve(ctx)
	if err != nil {
		return h, err
	}
	_, err = s.Accept("Root", code)
	return h, errors.Join(err, s.Stop())
}

// perform runs an attack on a server of its own.
func perform(ctx context.Context, a attack, prepared rig.Hide, dir string, quick bool) (o outcome, err error) {
	s := &stage{hide: rig.Hide{Binary: prepared.Binary, Data: filepath.Join(dir, "data")}, quick: quick, dir: dir}
	if err := os.MkdirAll(s.hide.Data, 0o700); err != nil {
		return o, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := copyFolder(prepared.Data, s.hide.Data); err != nil {
		return o, err
	}
	if s.server, err = s.hide.Serve(ctx); err != nil {
		return o, err
	}
	defer func() { err = errors.Join(err, s.server.Stop()) }()
	o, err = a.try(ctx, s)
	if err == nil && !s.server.Answers() {
		o.held, o.what = false, o.what+"; the server does not answer any more"
	}
	return o, err
}

// copyFolder copies a data folder and what lies beside it under the same name: the key and
// the head of the audit trail.
func copyFolder(from, to string) error {
	beside, err := filepath.Glob(from + ".*")
	if err != nil {
		return err
	}
	for _, f := range beside {
		if err := copyTree(f, to+f[len(from):]); err != nil {
			return err
		}
	}
	return copyTree(from, to)
}

func copyTree(from, to string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		at := to + path[len(from):]
		if d.IsDir() {
			return os.MkdirAll(at, 0o700)
		}
		if !d.Type().IsRegular() {
			return nil // a socket of a server that has ended
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(at, content, 0o600)
	})
}

// memory watches what the program itself holds until the attack is over.
type memory struct {
	before, most int64
	stop         func() error
}

func (s *stage) watchMemory() (*memory, error) {
	u, err := s.server.Usage()
	if err != nil {
		return nil, err
	}
	m := &memory{before: u.Anonymous, most: u.Anonymous}
	end, ended := make(chan struct{}), make(chan error, 1)
	go func() {
		for {
			select {
			case <-end:
				ended <- nil
				return
			case <-time.After(50 * time.Millisecond):
			}
			u, err := s.server.Usage()
			if err != nil {
				ended <- err
				return
			}
			m.most = max(m.most, u.Anonymous)
		}
	}()
	m.stop = sync.OnceValue(func() error {
		close(end)
		return <-ended
	})
	return m, nil
}

// growth is in MiB.
func (m *memory) growth() int64 { return (m.most - m.before) >> 20 }

func (m *memory) String() string { return fmt.Sprintf("memory %d to %d MiB", m.before>>20, m.most>>20) }

// onDisk is the size of the data folder in MiB.
func (s *stage) onDisk() (int64, error) {
	var total int64
	err := filepath.WalkDir(s.hide.Data, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			total += info.Size()
		}
		return err
	})
	return total >> 20, err
}
