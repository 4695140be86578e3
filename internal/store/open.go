// SPDX-License-Identifier: Apache-2.0

package store

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"hide/internal/disk"

	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"
)

const (
	lockWait = time.Second
	// smallFile is the size up to which Open checks every page and every digest.
	smallFile = 64 << 20
	mapAhead  = 1 << 30 // address space, not memory: readers then do not block a writer that grows the file
	growBy    = 1 << 20
	// newPageSize is the page size of new files. Values of one to three kB leave much
	// of a page of 4 kB empty. Larger pages make each small change cost more.
	newPageSize = 1 << 13
)

// Options say where a store is and how it is decrypted.
type Options struct {
	// Dir is the data folder.
	Dir string
	// KeyFile holds the root key. "" means Dir + ".key", next to the folder. Not used if
	// the store is encrypted with a passphrase.
	KeyFile string
	// Secrets is the folder with the secrets of the spaces. "" means the name of the key
	// file without ".key", plus ".secrets". It must not be in the data folder, nor in a
	// backup.
	Secrets string
	// Passphrase is called for a passphrase. If it is set when a store is made, the root
	// key is derived from the passphrase and there is no key file.
	Passphrase func() ([]byte, error)
	// Now is the clock for audit rows. nil means time.Now.
	Now func() time.Time
	// Create makes the store if it does not exist.
	Create bool

	restoredTo string // Restore only: where the audit head will be
	drill      string // Drill only: the folder for new secrets; others are only read
	inspect    bool   // Inspect only: the file is only read

	free func(dir string) (uint64, error) // bytes that may still be written; for tests
}

func (o Options) complete() (Options, error) {
	if o.Dir == "" {
		return o, errors.New("no data folder given")
	}
	o.Dir = filepath.Clean(o.Dir)
	o.KeyFile = cmp.Or(o.KeyFile, o.Dir+".key")
	o.Secrets = cmp.Or(o.Secrets, secretsOf(o.KeyFile))
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.free == nil {
		o.free = disk.Free
	}
	for what, path := range map[string]string{"key file": o.KeyFile, "folder of secrets": o.Secrets} {
		if rel, err := filepath.Rel(o.Dir, path); err == nil && filepath.IsLocal(rel) {
			return o, fmt.Errorf("%s %s is inside the data folder: keep it beside, so that one copy does not take both", what, path)
		}
	}
	return o, nil
}

// secretsOf is the folder of secrets of a key file. A key that was replaced has the secrets of
// its successor.
func secretsOf(key string) string {
	if before, _, replaced := strings.Cut(filepath.Base(key), ".key.old-"); replaced {
		key = filepath.Join(filepath.Dir(key), before)
	}
	return strings.TrimSuffix(key, ".key") + ".secrets"
}

func (o Options) data() string { return filepath.Join(o.Dir, dataName) }
func (o Options) head() string { return o.Dir + ".head" }

// Dir is the data folder.
func (s *Store) Dir() string { return s.opts.Dir }

// Open opens the store in opts.Dir. It fails with a [*LockedError] if another process
// has it open (after waiting one second), a [*DamageError], ErrWrongKey, a
// [*SchemaError], an [*OwnerError], or fs.ErrNotExist if there is no store and Create is not
// set. Files up to 64 MB are checked completely. In larger files the tree and the totals
// are checked, and the rest by [Store.Check].
func Open(opts Options) (*Store, error) { return open(opts, steps()) }

func open(opts Options, steps []step) (*Store, error) {
	opts, err := opts.complete()
	if err != nil {
		return nil, err
	}
	if err := checkOwner(opts.Dir); err != nil {
		return nil, err
	}
	if err := ensure(opts); err != nil {
		return nil, err
	}
	s, err := openFile(opts)
	if err != nil {
		return nil, err
	}
	if err := s.start(steps); err != nil {
		return nil, errors.Join(err, s.abandon())
	}
	return s, nil
}

// ensure makes the data file if it does not exist and Create is set.
func ensure(opts Options) error {
	_, err := os.Stat(opts.data())
	if !errors.Is(err, fs.ErrNotExist) {
		return plain(err)
	}
	if !opts.Create {
		return fmt.Errorf("there is no data in %s: %w", opts.Dir, fs.ErrNotExist)
	}
	return create(opts)
}

// openFile locks the data file, checks its pages, and only then opens it with bbolt.
func openFile(opts Options) (s *Store, err error) {
	s = &Store{opts: opts, path: opts.data(), spaces: map[string]*spaceKeys{}, sealed: map[string]*MissingSecretError{}}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); r != nil {
			s, err = nil, errors.Join(s.damaged("", fmt.Errorf("%v", r)), s.file.Close())
		}
	}()
	s.db, err = bbolt.Open(s.path, 0o600, &bbolt.Options{
		Timeout:         lockWait,
		FreelistType:    bbolt.FreelistMapType,
		InitialMmapSize: ahead(),
		NoStatistics:    true,
		ReadOnly:        opts.inspect,
		OpenFile:        s.lockAndCheck,
	})
	if err != nil {
		return nil, openError(opts, err)
	}
	s.db.AllocSize = growBy
	return s, nil
}

// ahead is 0 where reserving address space would grow the file, or where address space
// is scarce.
func ahead() int {
	if runtime.GOOS == "windows" || strconv.IntSize < 64 {
		return 0
	}
	return mapAhead
}

func openError(opts Options, err error) error {
	var damage *DamageError
	switch {
	case errors.As(err, &damage):
		return err
	case errors.Is(err, berrors.ErrTimeout):
		return &LockedError{Path: opts.data(), Holder: holder(opts.Dir)}
	case errors.Is(err, berrors.ErrInvalid), errors.Is(err, berrors.ErrChecksum), errors.Is(err, berrors.ErrVersionMismatch):
		return &DamageError{Place: opts.data(), Err: err}
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("this user may not write the data: %w", err)
	}
	return fmt.Errorf("open the data: %w", plain(err))
}

// lockAndCheck opens the data file for bbolt. It takes the lock first, because the pages
// of a file being written by another process cannot be checked.
func (s *Store) lockAndCheck(path string, flag int, mode os.FileMode) (*os.File, error) {
	f, err := os.OpenFile(path, flag&^os.O_CREATE, mode)
	if err != nil {
		return nil, err
	}
	s.file = f
	if err := lock(f, lockWait); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	if err := checkFile(f); err != nil {
		return nil, errors.Join(&DamageError{Place: path, Err: err}, f.Close())
	}
	return f, nil
}

func checkFile(f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	metas, err := readMetas(f)
	if err != nil {
		return err
	}
	_, err = checkPages(f, info.Size(), metas[0], info.Size() > smallFile)
	return err
}

// start unlocks an open file, migrates it to this program's schema and verifies what
// can be verified quickly.
func (s *Store) start(steps []step) error {
	if err := s.unlock(firstSchema + len(steps)); err != nil {
		return err
	}
	if err := writePID(s.opts.Dir); err != nil {
		return fmt.Errorf("note the process id: %w", plain(err))
	}
	sweep(s.opts)
	if err := s.loadSpaces(); err != nil {
		return err
	}
	if err := s.checkTotals(); err != nil {
		return err
	}
	if err := s.loadOld(); err != nil {
		return err
	}
	if err := s.startHead(); err != nil {
		return err
	}
	if err := s.migrate(steps); err != nil {
		return err
	}
	return errors.Join(s.moveKeyFiles(), s.resumeShred(), s.resumeWipe())
}

// unlock reads the root key's parameters and derives the keys.
func (s *Store) unlock(newest int) error {
	var raw []byte
	var files *keyFiles
	if err := s.read(func(btx *bbolt.Tx) (err error) {
		if b := btx.Bucket(metaBucket); b != nil {
			raw = append(raw, b.Get(rootKey)...)
			files, err = getKeyFiles(btx)
		}
		return err
	}); err != nil {
		return err
	}
	r, err := decodeRoot(raw)
	if err != nil {
		return s.damaged("", err)
	}
	if r.Schema > newest {
		return &SchemaError{Path: s.path, Found: r.Schema, Known: newest}
	}
	s.root = r
	s.keys, err = r.unlock(s.opts)
	if err != nil && files != nil && files.New != "" { // killed before the new key got its name
		next := s.opts
		next.KeyFile = s.besideKey(files.New)
		if keys, nextErr := r.unlock(next); nextErr == nil {
			s.keys, err = keys, nil
		}
	}
	return err
}

var errVanished = errors.New("the data file is gone, though the audit head beside the folder says that there was one")

// create makes an empty store. It is built under another name and renamed at the end,
// so a crash leaves either no data file or a complete one.
func create(opts Options) error {
	if err := os.MkdirAll(opts.Dir, 0o700); err != nil {
		return fmt.Errorf("data folder: %w", plain(err))
	}
	r, keys, err := newRoot(opts)
	if err != nil {
		return err
	}
	if head, ok, err := readHead(opts.head(), &keys.head); err != nil {
		return fmt.Errorf("audit head: %w", plain(err))
	} else if ok && head.seq > 1 {
		return &DamageError{Place: opts.data(), Err: errVanished}
	}
	temp, err := os.CreateTemp(opts.Dir, dataName+unfinished)
	if err != nil {
		return fmt.Errorf("data folder: %w", plain(err))
	}
	defer os.Remove(temp.Name())
	if err := temp.Close(); err != nil {
		return err
	}
	if err := initialise(opts, temp.Name(), r, keys); err != nil {
		return fmt.Errorf("make the data file: %w", plain(err))
	}
	err = publish(temp.Name(), opts.data())
	if errors.Is(err, fs.ErrExist) {
		return nil // another process was faster: its file is used
	}
	return plain(err)
}

// initialise writes the first transaction of a store.
func initialise(opts Options, path string, r *root, keys *rootKeys) error {
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{Timeout: lockWait, FreelistType: bbolt.FreelistMapType, PageSize: newPageSize})
	if err != nil {
		return err
	}
	var st state
	err = db.Update(func(btx *bbolt.Tx) error {
		for _, name := range [][]byte{metaBucket, spacesBucket, ledgerBucket, auditBucket} {
			if _, err := btx.CreateBucket(name); err != nil {
				return err
			}
		}
		if err := btx.Bucket(metaBucket).Put(rootKey, r.encode()); err != nil {
			return err
		}
		if err := addSystem(btx, keys, &st, random(keySize)); err != nil {
			return err
		}
		first := Event{Actor: System, Action: "store.create"}
		if err := appendAudit(btx, keys, &st, System, first, opts.Now()); err != nil {
			return err
		}
		return putState(btx, keys, &st)
	})
	return errors.Join(err, db.Close())
}
