// SPDX-License-Identifier: Apache-2.0

package parallel

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func TestReaderReadsAllBytes(t *testing.T) {
	text := strings.Repeat("0123456789", 30_000)
	for name, in := range map[string]io.Reader{"whole": strings.NewReader(text), "end with data": iotest.DataErrReader(strings.NewReader(text))} {
		if err := iotest.TestReader(Reader(t.Context(), in), []byte(text)); err != nil {
			t.Error(name, err)
		}
	}
	broken := errors.New("broken")
	got, err := io.ReadAll(Reader(t.Context(), io.MultiReader(strings.NewReader("ab"), iotest.ErrReader(broken))))
	if string(got) != "ab" || err != broken {
		t.Errorf("got %q, %v", got, err)
	}
}

// TestReaderEndsWithItsContext waits for input that never comes.
func TestReaderEndsWithItsContext(t *testing.T) {
	in, never := io.Pipe()
	defer never.Close()
	ctx, cancel := context.WithCancel(t.Context())
	r := Reader(ctx, in)
	go func() {
		io.WriteString(never, "ab")
		cancel()
	}()
	if got, err := io.ReadAll(r); len(got) > 2 || !errors.Is(err, context.Canceled) {
		t.Errorf("got %q, %v", got, err)
	}
	if n, err := r.Read(make([]byte, 1)); n != 0 || !errors.Is(err, context.Canceled) {
		t.Errorf("read %d bytes after the end, %v", n, err)
	}
}
