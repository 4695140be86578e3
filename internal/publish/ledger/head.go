// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

const headSchema = "hide ledger head 1"

// Head is the end of the chain, as it is kept outside of the database.
type Head struct {
	Schema string           `json:"schema"`
	ID     string           `json:"ledger"`
	Seq    uint64           `json:"seq"`
	Hash   string           `json:"hash"`           // of entry Seq
	Spent  map[string]Micro `json:"spent"`          // by lineage
	Void   []string         `json:"void,omitempty"` // lineages of which something was released that promises less, sorted
}

func (h Head) equal(o Head) bool {
	return h.Schema == o.Schema && h.ID == o.ID && h.Seq == o.Seq && h.Hash == o.Hash && maps.Equal(h.Spent, o.Spent) && slices.Equal(h.Void, o.Void)
}

// readHead reads a head file. ok is false when there is none.
func readHead(path string) (h Head, ok bool, err error) {
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return h, false, nil
	}
	if err != nil {
		return h, false, fmt.Errorf("ledger head: %w", err)
	}
	if err := json.Unmarshal(raw, &h); err != nil || h.Schema != headSchema {
		return h, false, fmt.Errorf("%s is not the head of a ledger", path)
	}
	return h, true, nil
}

// writeHead replaces a head file, whole, and makes that last. step is called
// between its writes.
func writeHead(path string, h Head, step func(string)) error {
	raw, err := json.Marshal(h)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".new-")
	if err != nil {
		return fmt.Errorf("ledger head: %w", err)
	}
	_, err = f.Write(append(raw, '\n'))
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return errors.Join(fmt.Errorf("ledger head: %w", err), os.Remove(f.Name()))
	}
	step("head written")
	if err := os.Rename(f.Name(), path); err != nil {
		return errors.Join(fmt.Errorf("ledger head: %w", err), os.Remove(f.Name()))
	}
	step("head renamed")
	return syncDir(filepath.Dir(path))
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// sweepHead removes what a process that was killed left of heads being written.
func sweepHead(path string) {
	left, _ := filepath.Glob(path + ".new-*") // a name that is no pattern leaves litter, no harm
	for _, name := range left {
		os.Remove(name)
	}
}
