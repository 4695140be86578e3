// SPDX-License-Identifier: Apache-2.0

// Package outfile writes the files that a command was asked for, and checks before the work
// whether they can be written after it.
package outfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"

	"hide/internal/hint"
)

// Write writes a file that appears whole or not at all, readable by its
// owner only, and returns its size. When it returns, file and name are on disk. An empty name writes nothing.
func Write(name string, fill func(io.Writer) error) (int64, error) {
	if name == "" {
		return 0, nil
	}
	p, err := Begin(name)
	if err != nil {
		return 0, err
	}
	return p.fill(fill)
}

// Create writes a new file, readable by its owner only. It refuses a file that exists, and
// removes an incomplete one.
func Create(name string, fill func(io.Writer) error) error {
	p, err := BeginNew(name)
	if err != nil {
		return err
	}
	_, err = p.fill(fill)
	return err
}

// Pending is a file that is being written.
type Pending struct {
	File *os.File
	name string // that it gets at the end
}

// Begin starts what [Write] does.
func Begin(name string) (*Pending, error) {
	temp, err := os.CreateTemp(filepath.Dir(name), Unfinished(filepath.Base(name))+"*")
	if err != nil {
		return nil, err
	}
	return &Pending{temp, name}, nil
}

// BeginNew starts what [Create] does.
func BeginNew(name string) (*Pending, error) {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	return &Pending{f, name}, nil
}

// Keep gives the written file its name.
func (p *Pending) Keep() error {
	if p.File.Name() != p.name {
		if err := os.Rename(p.File.Name(), p.name); err != nil {
			return err
		}
	}
	return SyncFolder(filepath.Dir(p.name))
}

// Drop removes the file.
func (p *Pending) Drop() error { return os.Remove(p.File.Name()) }

func (p *Pending) fill(fill func(io.Writer) error) (size int64, err error) {
	if size, err = FillAndSync(p.File, fill); err == nil {
		err = p.Keep()
	}
	if err != nil {
		return 0, errors.Join(err, p.Drop())
	}
	return size, nil
}

// Unfinished is what the names of unfinished files begin with in the folder where [Write]
// writes a file of this name. A process that is killed leaves one behind.
func Unfinished(base string) string { return "." + base + ".part-" }

// FillAndSync writes a file to the disk, closes it, and returns its size.
func FillAndSync(f *os.File, fill func(io.Writer) error) (int64, error) {
	err := fill(f)
	size, seekErr := f.Seek(0, io.SeekCurrent)
	return size, errors.Join(err, seekErr, f.Sync(), f.Close())
}

// SyncFolder makes the names in a folder durable. Some systems and disks cannot: they
// return EINVAL or refuse to open a folder, which is no error.
func SyncFolder(dir string) error {
	d, err := os.Open(dir)
	if errors.Is(err, fs.ErrPermission) {
		return nil // the folder can be written, but not listed
	}
	if err != nil {
		return err
	}
	defer d.Close() // only read
	if err := d.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) && runtime.GOOS != "windows" {
		return err
	}
	return nil
}

// CheckNew refuses a path that exists or cannot be written. "" is accepted.
func CheckNew(path string) error {
	if path == "" {
		return nil
	}
	if _, err := os.Lstat(path); err == nil {
		return hint.Add(fmt.Errorf("%s exists already", path), "choose another name, or remove it first")
	}
	return CheckWritable(path)
}

// CheckWritable refuses a path that could not be written: its folder must exist and be
// writable, and the path must not be a folder. "" is accepted.
func CheckWritable(path string) error {
	if path == "" {
		return nil
	}
	if at, err := os.Stat(path); err == nil && at.IsDir() {
		return hint.Add(fmt.Errorf("%s is a folder", path), "give the name of a file in it")
	}
	temp, err := os.CreateTemp(filepath.Dir(path), ".hide-*")
	if err != nil {
		return hint.Add(fmt.Errorf("%s cannot be written: %w", path, Cause(err)), "its folder must exist and be writable")
	}
	return errors.Join(temp.Close(), os.Remove(temp.Name()))
}

// Cause is the reason of a file error, without the name of the file.
func Cause(err error) error {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		return path.Err
	}
	return err
}
