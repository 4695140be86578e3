// SPDX-License-Identifier: Apache-2.0

package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"go.etcd.io/bbolt"
)

var errVanished = errors.New("the data file is gone, though the audit head beside the folder says that there was one")

// create makes an empty store. It is built under another name and given its own
// at the end: a crash leaves either no data file or a whole one.
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
	temp, err := os.CreateTemp(opts.Dir, dataName+".new-")
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
		return nil // another process was faster: its file is as good, and is opened next
	}
	return plain(err)
}

// initialise writes the first transaction of a store.
func initialise(opts Options, path string, r *root, keys *rootKeys) error {
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{Timeout: lockWait, FreelistType: bbolt.FreelistMapType})
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
		if err := addSpace(btx, keys, &st, System, random(keySize)); err != nil {
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
