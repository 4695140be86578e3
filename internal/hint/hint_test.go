// SPDX-License-Identifier: Apache-2.0

package hint_test

import (
	"errors"
	"fmt"
	"io/fs"
	"testing"

	"hide/internal/hint"
)

func TestHintsStayWithTheirError(t *testing.T) {
	first := hint.Add(fs.ErrNotExist, "first")
	for want, err := range map[string]error{
		"":       fs.ErrNotExist,
		"first":  fmt.Errorf("read: %w", first),
		"second": hint.Add(fmt.Errorf("read: %w", first), "second"),
	} {
		if got := hint.Of(err); got != want || !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%v: hint %q, want %q", err, got, want)
		}
	}
	if got := hint.Of(errors.Join(errors.New("other"), first)); got != "first" || first.Error() != fs.ErrNotExist.Error() || hint.Of(nil) != "" {
		t.Errorf("hint %q of %v", got, first)
	}
}
