// SPDX-License-Identifier: Apache-2.0

package store

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
)

// TestReadyUntilDamageIsNoticed: readers of the reason may be strangers.
func TestReadyUntilDamageIsNoticed(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "secret-folder")
	s, err := Open(Options{Dir: dir, Create: true})
	if err != nil {
		t.Fatal(err)
	}
	before, err := s.Audited()
	if err := errors.Join(err, s.Ready(t.Context()), s.Record(Event{Actor: "u-1", Action: "test"})); err != nil {
		t.Fatal(err)
	}
	if after, err := s.Audited(); err != nil || after != before+1 {
		t.Errorf("%d rows, then %d, %v", before, after, err)
	}
	if size, err := s.Size(); err != nil || size < 4096 {
		t.Errorf("the data file has %d bytes, %v", size, err)
	}
	_ = s.damaged("space p1", errors.New("a tag is wrong"))
	if err := s.Ready(t.Context()); err == nil || strings.Contains(err.Error(), "secret-folder") || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("after damage: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Ready(t.Context()); !errors.Is(err, ErrClosed) {
		t.Errorf("after closing: %v", err)
	}
}
