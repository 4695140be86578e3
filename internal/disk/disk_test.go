// SPDX-License-Identifier: Apache-2.0

package disk_test

import (
	"errors"
	"strings"
	"testing"

	"hide/internal/disk"
)

func TestADiskWarnsBelowATenthAndRefusesBelowATwentieth(t *testing.T) {
	const gb = 1 << 30
	for _, c := range []struct {
		free, total    uint64
		warns, refuses bool
	}{
		{100 * gb, 100 * gb, false, false},
		{10 * gb, 100 * gb, false, false},
		{10*gb - 1, 100 * gb, true, false},
		{5 * gb, 100 * gb, true, false},
		{5*gb - 1, 100 * gb, true, true},
		{0, 100 * gb, true, true},
		{40 * gb, 10000 * gb, false, false}, // enough, although it is a small share
		{39 * gb, 10000 * gb, true, false},
		{19 * gb, 10000 * gb, true, true},
		{0, 0, false, false}, // a file system that does not say
	} {
		g := disk.WatchWith(func(string) (disk.Space, error) { return disk.Space{Free: c.free, Total: c.total}, nil })
		_, refuses := errors.AsType[*disk.FullError](g.Check())
		if warns := g.Warning() != ""; warns != c.warns || refuses != c.refuses || (g.Ready(t.Context()) != nil) != c.refuses {
			t.Errorf("%d of %d: warns %v, refuses %v", c.free, c.total, warns, refuses)
		}
		if c.refuses && !strings.Contains(g.Warning(), "are refused until") {
			t.Errorf("%d of %d: %s", c.free, c.total, g.Warning())
		}
	}
	unknown := disk.WatchWith(func(string) (disk.Space, error) { return disk.Space{}, errors.New("unknown") })
	if unknown.Check() != nil || unknown.Warning() != "" {
		t.Error("a disk that cannot be measured is taken for full")
	}
}

func TestTheDiskOfAFolderIsMeasured(t *testing.T) {
	free, err := disk.Watch(t.TempDir()).Free()
	if err != nil || free == 0 {
		t.Errorf("%d bytes, %v", free, err)
	}
	if _, err := disk.Watch(t.TempDir() + "/absent").Free(); err == nil {
		t.Error("an absent folder was measured")
	}
}
