// SPDX-License-Identifier: Apache-2.0

package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"go.etcd.io/bbolt"
)

// Inspection is what a look at a store finds. It changes nothing.
type Inspection struct {
	Schema     int  `json:"schema"` // of the file; 0 if it was not read
	Known      int  `json:"known"`  // the newest that this program knows
	Passphrase bool `json:"passphrase"`

	Rows     uint64    `json:"rows"`               // of the audit trail
	Newest   time.Time `json:"newest"`             // the latest time among the last rows; zero if none was read
	HeadGone bool      `json:"head_gone"`          // the audit head beside the folder is missing
	Sealed   []string  `json:"sealed,omitempty"`   // spaces without their secret
	Rotating bool      `json:"rotating,omitempty"` // a rotation of keys has not ended
}

// newestOf is among how many of the last rows Inspection.Newest is sought. A store that was
// opened with a wrong clock has written a few rows with wrong times since.
const newestOf = 100

// Inspect looks at a store that no process has open. Unlike [Open] it migrates and writes
// nothing, and it reads older files as they are. Its errors are those of [Open]. What was
// read before an error is in the Inspection.
func Inspect(opts Options) (Inspection, error) {
	in := Inspection{Known: firstSchema + len(steps())}
	opts, err := opts.complete()
	if err != nil {
		return in, err
	}
	if _, err := os.Stat(opts.data()); errors.Is(err, fs.ErrNotExist) {
		return in, fmt.Errorf("there is no data in %s: %w", opts.Dir, fs.ErrNotExist)
	}
	opts.inspect = true
	s, err := openFile(opts)
	if err != nil {
		return in, err
	}
	err = s.look(&in)
	return in, errors.Join(err, s.abandon())
}

// look reads a file that was opened to be read only.
func (s *Store) look(in *Inspection) error {
	err := s.unlock(in.Known)
	if newer, ok := errors.AsType[*SchemaError](err); ok {
		in.Schema = newer.Found
	}
	if s.root != nil {
		in.Schema, in.Passphrase = s.root.Schema, s.root.Source == sourcePassphrase
	}
	if err != nil {
		return err
	}
	if err := s.loadSpaces(); err != nil {
		return err
	}
	if err := s.loadOld(); err != nil {
		return err
	}
	found, err := s.Inspect()
	*in = found
	return err
}

// Inspect looks at an open store.
func (s *Store) Inspect() (Inspection, error) {
	in := Inspection{Known: firstSchema + len(steps()), Sealed: s.SealedSpaces()}
	rotating, err := s.Rotations()
	if err != nil {
		return in, err
	}
	in.Rotating = len(rotating) > 0
	if err := s.lookAtHead(&in); err != nil {
		return in, err
	}
	rows, err := s.AuditRows(0, newestOf, nil)
	if err != nil {
		return in, err
	}
	for _, r := range rows {
		in.Rows = max(in.Rows, r.Seq)
		if r.Time.After(in.Newest) {
			in.Newest = r.Time
		}
	}
	return in, nil
}

// lookAtHead compares the audit trail with the head beside the folder. The head is read
// first: it is written after the trail.
func (s *Store) lookAtHead(in *Inspection) error {
	return s.read(func(btx *bbolt.Tx) error {
		in.Schema, in.Passphrase = s.root.Schema, s.root.Source == sourcePassphrase
		head, ok, err := readHead(s.opts.head(), &s.keys.head)
		if err == nil && !ok && s.keys.oldHead != nil {
			head, ok, err = readHead(s.opts.head(), s.keys.oldHead)
		}
		if err != nil {
			return fmt.Errorf("audit head: %w", plain(err))
		}
		st, err := getState(btx, s.keys)
		if err != nil {
			return s.damaged("", err)
		}
		in.HeadGone = !ok
		if head.seq > st.head.seq && !s.opts.inspect { // written after this transaction began
			return nil
		}
		return s.follows(btx, st, head)
	})
}

// Places are the files of a store, with the defaults for what the options leave out.
type Places struct {
	Data, Head   string // the data file, and the audit head beside the folder
	Key, Secrets string // not in the data folder
}

// Places says where the files are. It fails if the options contradict each other.
func (o Options) Places() (Places, error) {
	o, err := o.complete()
	return Places{Data: o.data(), Head: o.head(), Key: o.KeyFile, Secrets: o.Secrets}, err
}
