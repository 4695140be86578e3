// SPDX-License-Identifier: Apache-2.0

package store

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"go.etcd.io/bbolt"
)

const (
	aloneEvery = 5 * time.Millisecond // between two looks for a moment without readers
	leastRest  = time.Millisecond     // after a portion
)

// alone runs fn while there is neither a writer nor a reader: fn may change keys that
// readers use. Readers that wait inside of other readers would deadlock with a waiting
// writer of a lock, so that it tries until it finds a moment.
func (s *Store) alone(ctx context.Context, fn func() error) error {
	for {
		done, err := s.tryAlone(fn)
		if done {
			return err
		}
		if err := rest(ctx, aloneEvery); err != nil {
			return err
		}
	}
}

func (s *Store) tryAlone(fn func() error) (done bool, err error) {
	s.write.Lock()
	defer s.write.Unlock()
	if !s.readers.TryLock() {
		return false, nil
	}
	defer s.readers.Unlock()
	return true, fn()
}

// portion runs one transaction of a long work, and then rests as long as it took, so that
// others get at least half of the time.
func (s *Store) portion(ctx context.Context, fn func() error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.write.Lock()
	begin := time.Now()
	err := fn()
	took := time.Since(begin)
	s.write.Unlock()
	if err != nil {
		return err
	}
	return rest(ctx, max(took, leastRest))
}

func rest(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// Rotations lists what is being rotated: names of spaces, and "" for the root key.
func (s *Store) Rotations() (names []string, err error) {
	err = s.read(func(btx *bbolt.Tx) error {
		old, err := getOld(btx, s.keys)
		if old != nil {
			names = append(names, "")
		}
		return err
	})
	s.mu.RLock()
	defer s.mu.RUnlock()
	for name, keys := range s.spaces {
		if keys.old != nil {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, err
}

// HasPassphrase reports whether the root key is derived from a passphrase.
func (s *Store) HasPassphrase() bool { return s.description().Source == sourcePassphrase }

// KeyStatus says how often keys were replaced.
type KeyStatus struct {
	Root     string        `json:"root"` // "key file" or "passphrase"
	Rotating bool          `json:"rotating"`
	Spaces   []SpaceStatus `json:"spaces"`
}

// SpaceStatus is that of one space.
type SpaceStatus struct {
	Name     string `json:"name"`
	Rotated  uint32 `json:"rotated"` // how often
	Rotating bool   `json:"rotating"`
}

// Keys says how often keys were replaced.
func (s *Store) Keys() (KeyStatus, error) {
	st := KeyStatus{Root: "key file"}
	if s.HasPassphrase() {
		st.Root = "passphrase"
	}
	names, err := s.Rotations()
	st.Rotating = slices.Contains(names, "")
	s.mu.RLock()
	defer s.mu.RUnlock()
	for name, keys := range s.spaces {
		st.Spaces = append(st.Spaces, SpaceStatus{name, keys.generation, keys.old != nil})
	}
	slices.SortFunc(st.Spaces, func(a, b SpaceStatus) int { return cmp.Compare(a.Name, b.Name) })
	return st, err
}

// FinishRotation continues the rotations that were begun, also by a process that was
// killed. progress, which may be nil, is called with the finished and all values of one
// rotation.
func (s *Store) FinishRotation(ctx context.Context, progress func(done, total int)) error {
	names, err := s.Rotations()
	for _, name := range names {
		if err != nil {
			return err
		}
		if name == "" {
			err = s.finishRoot(ctx, progress)
		} else {
			err = s.finishSpace(ctx, name, progress)
		}
	}
	return err
}

// reseal encrypts with k, in the same format, what k or the older key has encrypted. The
// result has the same size.
func (k *sealKey) reseal(place, sealed []byte, older *sealKey) ([]byte, error) {
	if len(sealed) < sealOverhead || older == nil {
		return nil, errSeal
	}
	format := sealed[0]
	if format != sealFormat && format != sealCompressed {
		return nil, errSeal
	}
	for _, key := range []*sealKey{older, k} {
		if value, err := key.aead().Open(nil, sealed[1:1+nonceSize], sealed[1+nonceSize:], inFormat(format, place)); err == nil {
			return k.encrypt(format, place, value), nil
		}
	}
	return nil, errors.New("the value opens neither with the new key nor with the old one")
}
