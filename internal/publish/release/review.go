// SPDX-License-Identifier: Apache-2.0

package release

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"hide/internal/outfile"
)

// Review is what a release says about the review before it. A release that no project made
// has none.
type Review struct {
	Rule string `json:"rule"` // of the project, in words
	// Candidate is the [CandidateHash] of the release. Its approval is that of
	// these files.
	Candidate string `json:"candidate"`

	// What follows is empty if the rule needs no review.

	Session     int        `json:"session,omitempty"` // number of the review in its project
	Decided     *time.Time `json:"decided,omitempty"`
	Until       *time.Time `json:"valid_until,omitempty"` // the release had to be published before
	Approved    int        `json:"approved,omitempty"`    // votes
	Refused     int        `json:"refused,omitempty"`
	Abstained   int        `json:"abstained,omitempty"`
	Conditions  []string   `json:"conditions,omitempty"`
	Forecast    string     `json:"expected_before_reading,omitempty"`
	Certificate string     `json:"at_most_after_reading,omitempty"`
	Key         string     `json:"key,omitempty"` // fingerprint of the key that signs the evidence pack
}

// CandidateHash identifies the files of a release, whatever its manifest says: the SHA-256
// of their lines in SHA256SUMS. Anybody can compute it:
//
//	grep -v '  manifest.json$' SHA256SUMS | sha256sum
func CandidateHash(files []File) string {
	h := sha256.New()
	h.Write(sumsOf(slices.DeleteFunc(slices.Clone(files), func(f File) bool { return f.Path == manifestFile })))
	return hex.EncodeToString(h.Sum(nil))
}

// Listed reads which files a release folder has, as its manifest lists them.
func Listed(dir string) ([]File, error) {
	m, _, err := readManifest(dir)
	return m.Files, err
}

func readManifest(dir string) (m Manifest, claims json.RawMessage, err error) {
	text, err := os.ReadFile(filepath.Join(dir, manifestFile))
	if err != nil {
		return m, nil, fmt.Errorf("read %s: %w", manifestFile, err)
	}
	m.Claims = &claims
	if json.Unmarshal(text, &m) != nil {
		return m, nil, Damaged(manifestFile)
	}
	return m, claims, nil
}

// Amend moves a release folder that nobody has seen yet to its final place, with a review in
// its manifest. The folder appears whole or not at all. It returns the SHA-256 of the new
// manifest. warn, if not nil, gives the manifest's warnings as they are to be.
func Amend(from, to string, review Review, warn func([]string) []string) (sum string, err error) {
	m, claims, err := readManifest(from)
	if err != nil {
		return "", err
	}
	if _, err := os.Lstat(to); err == nil {
		return "", fmt.Errorf("write release to %s: %w", to, os.ErrExist)
	}
	review.Candidate = CandidateHash(m.Files)
	m.Review, m.Claims = &review, claims
	if warn != nil {
		m.Warnings = warn(m.Warnings)
	}
	text, err := m.text()
	if err != nil {
		return "", err
	}
	sha := sha256.Sum256(text)
	sum = hex.EncodeToString(sha[:])
	if err := errors.Join(m.rewrite(from, text, sum), outfile.SyncFolder(from)); err != nil {
		return "", err
	}
	if err := os.Rename(from, to); err != nil {
		return "", fmt.Errorf("move release into place: %w", err)
	}
	if err := outfile.SyncFolder(filepath.Dir(to)); err != nil {
		return "", errors.Join(err, os.RemoveAll(to))
	}
	return sum, nil
}

// Rebuild writes the files of a frozen release into a folder, which appears whole or not at
// all. It fails if a file is not the listed one; files without a hash are taken as they are.
func Rebuild(ctx context.Context, dir string, files []File, read func(File) io.Reader) (err error) {
	f, err := Create(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Discard()) }()
	for i, file := range files {
		if err := ctx.Err(); err != nil {
			return err
		}
		if sub := path.Dir(file.Path); sub != "." && !slices.Contains(f.folders, sub) {
			if err := f.Mkdir(sub); err != nil {
				return err
			}
		}
		err := f.Add(file.Path, func(w io.Writer) error {
			_, err := io.Copy(w, read(file))
			return err
		})
		if err != nil {
			return err
		}
		if file.SHA256 != "" && f.files[i].SHA256 != file.SHA256 {
			return Damaged(file.Path)
		}
	}
	return f.commit(ctx)
}

// rewrite replaces the manifest of a folder that is not in its place yet, and its line in
// SHA256SUMS.
func (m Manifest) rewrite(dir string, text []byte, sum string) error {
	sums := sumsOf(append(slices.Clone(m.Files), File{Path: manifestFile, SHA256: sum}))
	return errors.Join(rewrite(dir, manifestFile, text), rewrite(dir, sumsFile, sums))
}

// rewrite replaces a file of a folder that is not in its place yet.
func rewrite(dir, name string, text []byte) error {
	f, err := os.OpenFile(filepath.Join(dir, name), os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Sync(), f.Close())
}

// Remap gives a re-identification map the manifest that it belongs to now. Its first line
// names the manifest.
func Remap(mapping []byte, was, is string) []byte {
	head, rest, _ := bytes.Cut(mapping, []byte("\n"))
	head = []byte(strings.Replace(string(head), was, is, 1))
	return append(append(head, '\n'), rest...)
}
