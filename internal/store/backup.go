// SPDX-License-Identifier: Apache-2.0

package store

import (
	"archive/tar"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"filippo.io/age"
	"go.etcd.io/bbolt"
)

// FilesFolder is the folder in the data folder whose files are not encrypted at rest.
// Backups hold them, encrypted.
const FilesFolder = "releases"

// A backup of format 2 is an age file (age-encryption.org/v1). Its key is wrapped by the
// root key, see [rootRecipient]. Inside is a tar stream: backupEntry first, then the data
// file, then the folders and files of FilesFolder. age encrypts chunks of 64 KiB, numbers
// them and marks the last one, so that a cut, swapped, repeated or foreign chunk does not
// open.
const (
	backupTemp  = "backup.tmp-"
	backupEntry = "backup.json"
	mostEntry   = 1 << 16 // bytes of backupEntry
)

// BackupInfo describes a backup.
type BackupInfo struct {
	Format    int       `json:"format"`     // 1 or 2
	Made      time.Time `json:"made"`       // zero in format 1
	Rows      uint64    `json:"audit_rows"` // of the audit trail; 0 in format 1
	DataBytes int64     `json:"data_bytes"` // of the data file
	DataSum   string    `json:"data_sha256"`
	Files     int       `json:"-"` // in FilesFolder, counted while the backup is read
	FileBytes int64     `json:"-"`
}

// snapshot is a copy of the data file at one moment.
type snapshot struct {
	f    *os.File
	info BackupInfo
	root *root // of that moment
	keys *rootKeys
}

// Backup writes a backup of the store at this moment, with the files in [FilesFolder].
// Work continues meanwhile: a slow w blocks nobody. It needs space for a copy of the data
// file in the data folder. Without the key file, or the passphrase, nobody can read a
// backup, and it does not hold the secrets of the spaces. It stops when ctx ends.
func (s *Store) Backup(ctx context.Context, w io.Writer) (err error) {
	snap, err := s.snapshot(ctx)
	if err != nil {
		return fmt.Errorf("backup: copy the data file: %w", plain(err))
	}
	defer func() { err = errors.Join(err, snap.f.Close(), os.Remove(snap.f.Name())) }()
	files := filepath.Join(s.opts.Dir, FilesFolder)
	if err := snap.writeWith(&until{ctx: ctx, w: w}, func(out *tar.Writer) error { return addFiles(out, files) }); err != nil {
		return fmt.Errorf("backup: %w", plain(err))
	}
	return nil
}

// spare is the space that the copy of the data file must leave on the disk, so that people
// can save edits meanwhile.
const spare = 64 << 20

// checkRoom refuses a copy that would fill the disk. A disk that cannot be measured counts as
// one with room.
func (s *Store) checkRoom(bytes int64) error {
	free, err := s.opts.free(s.opts.Dir)
	if err != nil || free >= uint64(bytes)+spare {
		return nil //nolint:nilerr // writing will tell
	}
	return fmt.Errorf("it takes %d MB in %s while the backup is made, and %d MB are free: %w", bytes/1e6, s.opts.Dir, free/1e6, syscall.ENOSPC)
}

// snapshot copies the data file first, because a slow reader of the backup would otherwise
// keep bbolt from using the pages that become free.
func (s *Store) snapshot(ctx context.Context) (*snapshot, error) {
	f, err := os.CreateTemp(s.opts.Dir, backupTemp)
	if err != nil {
		return nil, err
	}
	snap := &snapshot{f: f, info: BackupInfo{Format: 2, Made: s.opts.Now().UTC().Round(0)}}
	hash := sha256.New()
	copied := &until{ctx: ctx, w: io.MultiWriter(f, hash)}
	err = s.read(func(btx *bbolt.Tx) error {
		snap.keys = s.keys
		st, err := getState(btx, snap.keys)
		if err != nil {
			return s.damaged("", err)
		}
		snap.info.Rows = st.head.seq
		if snap.root, err = decodeRoot(btx.Bucket(metaBucket).Get(rootKey)); err != nil {
			return s.damaged("", err)
		}
		if err := s.checkRoom(btx.Size()); err != nil {
			return err
		}
		snap.info.DataBytes, err = btx.WriteTo(copied)
		return cmp.Or(copied.err, err) // bbolt hides what some errors are
	})
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close(), os.Remove(f.Name()))
	}
	snap.info.DataSum = fmt.Sprintf("%x", hash.Sum(nil))
	return snap, nil
}

// writeWith writes a backup with what files adds to the data file.
func (snap *snapshot) writeWith(w io.Writer, files func(*tar.Writer) error) error {
	sealed, err := age.Encrypt(w, &rootRecipient{snap.root, snap.keys})
	if err != nil {
		return err
	}
	out := tar.NewWriter(sealed)
	about, err := json.Marshal(snap.info)
	if err != nil {
		return err
	}
	if err := addEntry(out, backupEntry, int64(len(about)), strings.NewReader(string(about))); err != nil {
		return err
	}
	if err := addEntry(out, dataName, snap.info.DataBytes, snap.f); err != nil {
		return err
	}
	if err := files(out); err != nil {
		return err
	}
	return errors.Join(out.Close(), sealed.Close())
}

func addEntry(out *tar.Writer, name string, size int64, content io.Reader) error {
	if err := out.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: size, Typeflag: tar.TypeReg}); err != nil {
		return err
	}
	_, err := io.Copy(out, content)
	return err
}

// unfinishedFolder is part of the names of folders that are still being written.
const unfinishedFolder = ".part-"

// addFiles adds the folders and files below dir. A file that is deleted meanwhile is not
// in the backup.
func addFiles(out *tar.Writer, dir string) error {
	dir, err := filepath.EvalSymlinks(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	return filepath.WalkDir(dir, func(at string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		} else if err != nil {
			return err
		}
		below, err := filepath.Rel(dir, at)
		if err != nil {
			return err
		}
		name := path.Join(FilesFolder, filepath.ToSlash(below))
		switch {
		case d.IsDir() && strings.Contains(d.Name(), unfinishedFolder):
			return fs.SkipDir
		case d.IsDir():
			return out.WriteHeader(&tar.Header{Name: name + "/", Mode: 0o700, Typeflag: tar.TypeDir})
		case !d.Type().IsRegular():
			return fmt.Errorf("%s is neither a file nor a folder: move it out of the folder %s", at, FilesFolder)
		}
		return addFile(out, name, at)
	})
}

func addFile(out *tar.Writer, name, at string) error {
	f, err := os.Open(at)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	defer f.Close() // only read
	info, err := f.Stat()
	if err != nil {
		return err
	}
	return addEntry(out, name, info.Size(), f)
}

// unfinished is what the names of temporary files have between the name that the file will
// get and a random number.
const unfinished = ".new-"

// sweep removes what killed processes were writing: backups, a first data file, key files,
// audit heads and secrets.
func sweep(opts Options) {
	if opts.drill != "" {
		return // the key and the secrets belong to another folder
	}
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
