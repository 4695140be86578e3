// SPDX-License-Identifier: Apache-2.0

package store

import (
	"archive/tar"
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"filippo.io/age"
)

// A backup of format 1 is this header, the length of the data file (8 bytes, big-endian),
// its SHA-256, and the data file. It has no files of releases. hide reads it and writes it
// no more.
const (
	oldBackupMagic  = "hide backup 1\n"
	oldBackupHeader = len(oldBackupMagic) + 8 + sha256.Size
)

const ageMagic = "age-encryption.org/v1\n"

// sink receives the contents of a backup. A name ends with a slash if it is a folder.
type sink func(name string, content io.Reader) error

// readBackup reads a whole backup, of either format, and verifies that it is complete and
// unchanged. What the sink received counts only if it returns nil.
func readBackup(r io.Reader, unlock func(*root) (*rootKeys, error), to sink) (BackupInfo, error) {
	in := bufio.NewReader(r)
	magic, err := in.Peek(len(oldBackupMagic))
	switch {
	case errors.Is(err, io.EOF):
		return BackupInfo{}, damagedBackup("it is cut short")
	case err != nil:
		return BackupInfo{}, fmt.Errorf("read the backup: %w", err)
	case string(magic) == oldBackupMagic:
		return readOldBackup(in, to)
	case string(magic) != ageMagic[:len(magic)]:
		return BackupInfo{}, errForeignBackup
	}
	id := &rootIdentity{unlock: unlock}
	plain, err := age.Decrypt(in, id)
	if id.err != nil {
		return BackupInfo{}, id.err
	}
	if err != nil {
		return BackupInfo{}, readError(err)
	}
	return readEntries(plain, to)
}

func damagedBackup(why string) error {
	return fmt.Errorf("the backup is damaged: %s; use another backup", why)
}

// readError tells a failure of the disk, and the end of a context, from damage.
func readError(err error) error {
	if _, ok := errors.AsType[*fs.PathError](err); ok || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("read the backup: %w", err)
	}
	return damagedBackup(err.Error())
}

// writeError is a failure of a sink.
type writeError struct{ error }

func (e *writeError) Unwrap() error { return e.error }

// readEntries reads the decrypted stream to its end: only then is it known to be complete.
func readEntries(plain io.Reader, to sink) (BackupInfo, error) {
	info, err := readTar(tar.NewReader(plain), to)
	if failed, ok := errors.AsType[*writeError](err); ok {
		return info, failed.error
	}
	if err != nil {
		return info, readError(err)
	}
	if _, err := io.Copy(io.Discard, plain); err != nil {
		return info, readError(err)
	}
	return info, nil
}

func readTar(in *tar.Reader, to sink) (info BackupInfo, err error) {
	for i := 0; ; i++ {
		h, err := in.Next()
		if errors.Is(err, io.EOF) && i >= 2 {
			return info, nil
		}
		if err != nil {
			return info, err
		}
		switch {
		case i == 0:
			err = readAbout(in, h, &info)
		case i == 1:
			err = readData(in, h, &info, to)
		default:
			err = readFile(in, h, &info, to)
		}
		if err != nil {
			return info, err
		}
	}
}

var errEntry = errors.New("it holds something that no backup holds")

func readAbout(in io.Reader, h *tar.Header, info *BackupInfo) error {
	if h.Name != backupEntry || h.Size > mostEntry {
		return errEntry
	}
	b, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(b, info); err != nil || info.Format < 2 {
		return errEntry
	}
	if info.Format > 2 {
		return &writeError{fmt.Errorf("the backup has format %d, and this hide reads up to 2: a newer hide has made it, so use that version", info.Format)}
	}
	return nil
}

func readData(in io.Reader, h *tar.Header, info *BackupInfo, to sink) error {
	if h.Name != dataName || h.Size != info.DataBytes {
		return errEntry
	}
	hash := sha256.New()
	if err := deliver(to, dataName, io.TeeReader(in, hash)); err != nil {
		return err
	}
	if fmt.Sprintf("%x", hash.Sum(nil)) != info.DataSum {
		return errors.New("the checksum of the data file is wrong")
	}
	return nil
}

func readFile(in io.Reader, h *tar.Header, info *BackupInfo, to sink) error {
	isFolder := h.Typeflag == tar.TypeDir
	name := filepath.FromSlash(strings.TrimSuffix(h.Name, "/"))
	inside := name == FilesFolder || strings.HasPrefix(name, FilesFolder+string(filepath.Separator))
	if !inside || !filepath.IsLocal(name) || !isFolder && h.Typeflag != tar.TypeReg {
		return errEntry
	}
	if isFolder {
		return deliver(to, name+"/", strings.NewReader(""))
	}
	info.Files++
	info.FileBytes += h.Size
	return deliver(to, name, in)
}

// deliver tells the failures of the sink from those of the backup.
func deliver(to sink, name string, content io.Reader) error {
	from := &errReader{r: content}
	err := to(name, from)
	if from.err != nil {
		return from.err
	}
	if err != nil {
		return &writeError{err}
	}
	return nil
}

// errReader remembers a failure to read.
type errReader struct {
	r   io.Reader
	err error
}

func (e *errReader) Read(b []byte) (int, error) {
	n, err := e.r.Read(b)
	if err != nil && !errors.Is(err, io.EOF) {
		e.err = err
	}
	return n, err
}

// readOldBackup reads format 1.
func readOldBackup(r io.Reader, to sink) (BackupInfo, error) {
	info := BackupInfo{Format: 1}
	head := make([]byte, oldBackupHeader)
	if _, err := io.ReadFull(r, head); errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return info, damagedBackup("it is cut short")
	} else if err != nil {
		return info, fmt.Errorf("read the backup: %w", err)
	}
	size := binary.BigEndian.Uint64(head[len(oldBackupMagic):])
	hash, count := sha256.New(), &counter{}
	err := deliver(to, dataName, io.TeeReader(r, io.MultiWriter(hash, count)))
	if failed, ok := errors.AsType[*writeError](err); ok {
		return info, failed.error
	}
	switch {
	case err != nil:
		return info, readError(err)
	case uint64(count.n) != size:
		return info, damagedBackup(fmt.Sprintf("it has %d bytes of %d", count.n, size))
	case !bytes.Equal(hash.Sum(nil), head[len(oldBackupMagic)+8:]):
		return info, damagedBackup("its checksum is wrong")
	}
	info.DataBytes, info.DataSum = count.n, fmt.Sprintf("%x", hash.Sum(nil))
	return info, nil
}

type counter struct{ n int64 }

func (c *counter) Write(b []byte) (int, error) {
	c.n += int64(len(b))
	return len(b), nil
}

// VerifyBackup reads a whole backup of this store and verifies that every byte is as it was
// written. It does not open the data file inside: [Drill] does. It stops when ctx ends.
func (s *Store) VerifyBackup(ctx context.Context, r io.Reader) (BackupInfo, error) {
	info, err := readBackup(&until{ctx: ctx, r: r}, s.unlockBackup, func(_ string, content io.Reader) error {
		_, err := io.Copy(io.Discard, content)
		return err
	})
	if err != nil {
		return info, fmt.Errorf("verify the backup: %w", err)
	}
	return info, nil
}

// unlockBackup has the keys of a backup of this store: it needs no passphrase.
func (s *Store) unlockBackup(r *root) (*rootKeys, error) {
	s.readers.RLock() // a rotation changes the keys
	defer s.readers.RUnlock()
	if _, err := s.keys.check.open(r.place(), r.Check); err != nil {
		return nil, fmt.Errorf("the backup was made with another root key: %w", ErrWrongKey)
	}
	return s.keys, nil
}

// intoFolder is a sink that writes below a folder, which must be empty. Everything is on
// disk when the folder is synced by the caller.
func intoFolder(dir *os.Root) sink {
	return func(name string, content io.Reader) error {
		if folder, ok := strings.CutSuffix(name, "/"); ok {
			return dir.Mkdir(folder, 0o700)
		}
		f, err := dir.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return err
		}
		_, err = io.Copy(f, content)
		return errors.Join(err, f.Sync(), f.Close())
	}
}

// LooksLikeBackup reports whether a file that begins with these bytes, at least 32, may be a
// backup. It does not verify it.
func LooksLikeBackup(start []byte) bool {
	return bytes.HasPrefix(start, []byte(ageMagic)) || bytes.HasPrefix(start, []byte(oldBackupMagic))
}
