// SPDX-License-Identifier: Apache-2.0

package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"go.etcd.io/bbolt"
)

// A backup is this header, the length of the data file (8 bytes, big-endian), its
// SHA-256, and the data file. It is encrypted like the data file, and does not contain
// the root key.
const (
	backupMagic  = "hide backup 1\n"
	backupHeader = len(backupMagic) + 8 + sha256.Size
	backupTemp   = "backup.tmp-"
)

// Backup writes a backup of the store at this moment. Work continues meanwhile: a slow w
// blocks nobody. Without the key file, or the passphrase, a backup is useless.
func (s *Store) Backup(w io.Writer) (err error) {
	f, err := os.CreateTemp(s.opts.Dir, backupTemp)
	if err != nil {
		return fmt.Errorf("backup: %w", plain(err))
	}
	defer func() { err = errors.Join(err, f.Close(), os.Remove(f.Name())) }()
	hash := sha256.New()
	var size int64
	if err := s.read(func(btx *bbolt.Tx) error {
		size, err = btx.WriteTo(io.MultiWriter(f, hash))
		return err
	}); err != nil {
		return fmt.Errorf("backup: %w", plain(err))
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	head := binary.BigEndian.AppendUint64([]byte(backupMagic), uint64(size))
	head = hash.Sum(head)
	if _, err := io.Copy(w, io.MultiReader(bytes.NewReader(head), f)); err != nil {
		return fmt.Errorf("backup: %w", plain(err))
	}
	return nil
}

// Restore makes the store in opts.Dir, which must not exist or be empty, from a backup.
// Everything in the backup is verified (every page, value and audit row) before the
// folder gets its name. The restore is recorded ([Store.Restored]) and audited, with the
// number of audit rows newer than the backup if the audit head next to the folder shows
// them.
func Restore(r io.Reader, opts Options) error {
	opts, err := opts.complete()
	if err != nil {
		return err
	}
	opts.Create = false
	if err := vacant(opts.Dir); err != nil {
		return err
	}
	parent := filepath.Dir(opts.Dir)
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return fmt.Errorf("restore: %w", plain(err))
	}
	temp, err := os.MkdirTemp(parent, filepath.Base(opts.Dir)+".restore-")
	if err != nil {
		return fmt.Errorf("restore: %w", plain(err))
	}
	defer os.RemoveAll(temp)
	inner := opts
	inner.Dir, inner.restoredTo = temp, opts.head()
	defer os.Remove(inner.head())
	if err := unpack(r, inner.data()); err != nil {
		return err
	}
	if err := verifyRestored(inner); err != nil {
		return err
	}
	return moveIn(inner, opts)
}

func vacant(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	if len(entries) > 0 {
		return fmt.Errorf("restore: %s is not empty: move it away first: %w", dir, fs.ErrExist)
	}
	return nil
}

// unpack writes the data file of a complete backup.
func unpack(r io.Reader, path string) error {
	bad := func(why string) error {
		return fmt.Errorf("restore: the backup is damaged: %s; use another backup", why)
	}
	head := make([]byte, backupHeader)
	if _, err := io.ReadFull(r, head); errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return bad("it is cut short")
	} else if err != nil {
		return fmt.Errorf("restore: read the backup: %w", err)
	}
	if !bytes.HasPrefix(head, []byte(backupMagic)) {
		return errors.New("restore: this is not a backup that this hide can read")
	}
	size := binary.BigEndian.Uint64(head[len(backupMagic):])
	n, sum, err := copyHashed(r, path)
	switch {
	case err != nil:
		return fmt.Errorf("restore: %w", plain(err))
	case uint64(n) != size:
		return bad("it has " + strconv.FormatInt(n, 10) + " bytes of " + strconv.FormatUint(size, 10))
	case !bytes.Equal(sum, head[len(backupMagic)+8:]):
		return bad("its checksum is wrong")
	}
	return nil
}

func copyHashed(r io.Reader, path string) (n int64, sum []byte, err error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return 0, nil, err
	}
	hash := sha256.New()
	n, err = io.Copy(io.MultiWriter(f, hash), r)
	return n, hash.Sum(nil), errors.Join(err, f.Sync(), f.Close())
}

func verifyRestored(opts Options) error {
	s, err := Open(opts)
	if err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	err = s.Check(context.Background(), nil)
	if err := errors.Join(err, s.Close()); err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	return nil
}

// moveIn gives a restored folder its name, after its audit head.
func moveIn(from, to Options) error {
	err := os.Rename(from.head(), to.head())
	if err == nil {
		if err = os.Remove(to.Dir); errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
	}
	if err == nil {
		err = os.Rename(from.Dir, to.Dir)
	}
	if err = errors.Join(err, syncDir(filepath.Dir(to.Dir))); err != nil {
		return fmt.Errorf("restore: %w", plain(err))
	}
	return nil
}

// restoreEvent describes what a restored store lacks, as far as the head of the previous
// store shows.
func (s *Store) restoreEvent(rows uint64) (Event, error) {
	ev := Event{Actor: System, Action: "store.restore", Detail: fmt.Sprintf("backup of %d audit rows", rows)}
	old, ok, err := readHead(s.opts.restoredTo, &s.keys.head)
	if err != nil {
		return ev, fmt.Errorf("audit head: %w", plain(err))
	}
	if ok && old.seq > rows {
		ev.Detail += fmt.Sprintf("; %d newer rows, %d to %d, are not in it", old.seq-rows, rows+1, old.seq)
	}
	return ev, nil
}

// unfinished is what the names of temporary files have between the name that the file will
// get and a random number.
const unfinished = ".new-"

// sweep removes what killed processes were writing: backups, a first data file, key files,
// audit heads and secrets.
func sweep(opts Options) {
	for _, pattern := range []string{
		filepath.Join(opts.Dir, backupTemp), opts.data() + unfinished, opts.KeyFile + unfinished, opts.head() + unfinished,
	} {
		left, _ := filepath.Glob(pattern + "*")
		for _, name := range left {
			os.Remove(name)
		}
	}
	sweepSecrets(opts.Secrets)
}

// secretWriting is how long a secret may take to be written.
const secretWriting = time.Minute

// sweepSecrets removes the files of unfinished secrets. Other data folders with the same key
// file write to the same folder, so new files are left alone. The content of a file is not
// overwritten: it may be another name of a finished secret.
func sweepSecrets(dir string) {
	left, _ := filepath.Glob(filepath.Join(dir, "*"+unfinished+"*"))
	for _, name := range left {
		if info, err := os.Stat(name); err == nil && time.Since(info.ModTime()) > secretWriting {
			os.Remove(name)
		}
	}
}
