// SPDX-License-Identifier: Apache-2.0

package publish

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
)

// spool keeps redacted documents on disk in the order they came until all are
// there and their random order can be drawn. It holds nothing but what will be
// published.
type spool struct {
	file  *os.File // nil before the first document and after close
	ends  []int64  // ends[i] is where document i ends; it starts where the one before ends
	bytes int64
}

func (s *spool) add(d released) error {
	line, err := json.Marshal(d)
	if err != nil {
		return err
	}
	n, err := s.file.Write(line)
	s.bytes += int64(n)
	s.ends = append(s.ends, s.bytes)
	return err
}

// close may be called again.
func (s *spool) close() error {
	if s.file == nil {
		return nil
	}
	file := s.file
	s.file = nil
	return file.Close()
}

func (s *spool) get(i int) (released, error) {
	start := int64(0)
	if i > 0 {
		start = s.ends[i-1]
	}
	line := make([]byte, s.ends[i]-start)
	var d released
	if _, err := s.file.ReadAt(line, start); err != nil && err != io.EOF {
		return d, err
	}
	dec := json.NewDecoder(bytes.NewReader(line))
	if err := dec.Decode(&d); err != nil {
		return d, fmt.Errorf("read note %d back: %w", i, err)
	}
	return d, nil
}
