// SPDX-License-Identifier: Apache-2.0

package projecttest

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// Shared is a data folder with which tests of a package begin. The first of them makes it,
// and each has a copy. TestMain removes it.
type Shared struct {
	once   sync.Once
	folder string
}

// Copy opens a bench over a copy of what prepare makes.
func (s *Shared) Copy(t *testing.T, prepare func(*Bench)) *Bench {
	t.Helper()
	s.once.Do(func() {
		b := New(t)
		prepare(b)
		folder, err := os.MkdirTemp("", "hide-shared")
		if err != nil {
			t.Fatal(err)
		}
		b.Shut()
		if err := CopyData(folder, filepath.Dir(b.Folder)); err != nil {
			t.Fatal(err)
		}
		b.Open() // its own end closes it
		s.folder = folder
	})
	if s.folder == "" {
		t.Fatal("what the tests share could not be made")
	}
	return (&Bench{Folder: filepath.Join(s.folder, "data")}).Copy(t)
}

// Run runs the tests of a package and removes what they shared.
func (s *Shared) Run(m *testing.M) int {
	defer func() { os.RemoveAll(s.folder) }() //nolint:errcheck // it is a temporary folder
	return m.Run()
}
