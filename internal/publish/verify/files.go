// SPDX-License-Identifier: Apache-2.0

package verify

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"
)

// Names of the parts of a release.
const (
	manifestName = "manifest.json"
	sumsName     = "SHA256SUMS"
	notesName    = "notes.jsonl"
	notesFolder  = "notes"
)

// file is what a file of the release is found to be.
type file struct {
	found bool
	bytes int64
	sum   string // SHA-256 in lower-case hexadecimal
}

// walk hashes every file and reports whatever is no plain file.
func (c *checker) walk() error {
	return fs.WalkDir(c.fsys, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (name == "." || name == notesFolder):
			return nil
		case !d.Type().IsRegular():
			c.report.add(name, "is not a plain file")
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		return c.hash(name)
	})
}

func (c *checker) hash(name string) error {
	f, err := c.fsys.Open(name)
	if err != nil {
		return err
	}
	defer f.Close() // only read
	h := sha256.New()
	n, err := io.Copy(h, f)
	if err != nil {
		c.report.add(name, "cannot be read whole")
		n = -1
	}
	c.files[name] = file{true, n, hex.EncodeToString(h.Sum(nil))}
	c.report.Files++
	c.report.Bytes += max(n, 0)
	return nil
}

// checkSums compares SHA256SUMS with what was found, byte for byte: there is
// only one right way to write it.
func (c *checker) checkSums() error {
	var want strings.Builder
	for _, name := range slices.Sorted(maps.Keys(c.files)) {
		if name != sumsName {
			fmt.Fprintf(&want, "%s  %s\n", c.files[name].sum, name)
		}
	}
	got, err := c.read(sumsName, int64(want.Len())+1<<20)
	if err != nil {
		c.report.add(sumsName, "%v", err)
		return nil
	}
	if string(got) == want.String() {
		return nil
	}
	c.nameSums(got)
	return nil
}

// nameSums says which lines of SHA256SUMS are wrong.
func (c *checker) nameSums(got []byte) {
	before := c.report.Found
	listed := map[string]bool{}
	for line := range strings.Lines(string(got)) {
		sum, name, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "  ")
		switch {
		case !ok || !c.files[name].found || name == sumsName:
			c.report.add(sumsName, "lists a file that is not there")
			continue
		case c.files[name].sum != sum:
			c.report.add(name, "is not the file that %s lists", sumsName)
		}
		listed[name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(c.files)) {
		if !listed[name] && name != sumsName {
			c.report.add(name, "is not listed in %s", sumsName)
		}
	}
	if c.report.Found == before {
		c.report.add(sumsName, "is not in order")
	}
}

// read reads a small file whole.
func (c *checker) read(name string, limit int64) ([]byte, error) {
	f, err := c.fsys.Open(name)
	if err != nil {
		return nil, fmt.Errorf("cannot be opened")
	}
	defer f.Close() // only read
	var b bytes.Buffer
	if _, err := io.Copy(&b, io.LimitReader(f, limit+1)); err != nil {
		return nil, fmt.Errorf("cannot be read whole")
	}
	if int64(b.Len()) > limit {
		return nil, fmt.Errorf("is longer than %d bytes", limit)
	}
	return b.Bytes(), nil
}
