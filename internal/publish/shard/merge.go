// SPDX-License-Identifier: Apache-2.0

package shard

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"hide/internal/hint"
	"hide/internal/outfile"
	"hide/internal/publish/release"
	"hide/internal/publish/verify"
	"hide/internal/words"
)

// Merged is a finished release.
type Merged struct {
	Folder string `json:"folder"`
	SHA256 string `json:"manifest_sha256"`
	Claims Claims `json:"claims"`
}

// found is a manifest and where it is.
type found struct {
	*Manifest
	dir, name string
}

// Merge makes one verified release of all shards in the folders. It refuses shards of
// different wholes, missing and doubled ones, and outputs that are not those of their
// manifests. It holds the manifests in memory, and none of the outputs.
func Merge(ctx context.Context, dirs []string, out, version string, created time.Time) (_ *Merged, err error) {
	if err := outfile.CheckNew(out); err != nil {
		return nil, err
	}
	all, err := collect(dirs)
	if err == nil {
		err = checkAll(all)
	}
	if err != nil {
		return nil, err
	}
	claims := claimsOf(all)
	if c := claims.Counts; c.Notes == 0 && c.Refused > 0 {
		return nil, hint.Add(fmt.Errorf("nothing to release: none of %s of the input could be read", words.Count(c.Refused, "record", "records")),
			"see the reasons in the .errors files of the shards, correct the input, and redact it again")
	}
	f, err := release.Create(out)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Discard()) }()
	if err := f.Add(releaseNames[claims.Format], func(w io.Writer) error { return copyAll(ctx, w, all) }); err != nil {
		return nil, err
	}
	sum, err := f.Finish(ctx, release.Manifest{
		Kind: release.Bulk, Version: version, Created: created, Statement: Statement,
		Warnings: warningsOf(all[0].Settings.Format, claims.Counts.Refused), Claims: claims,
	}, verified)
	if err != nil {
		return nil, err
	}
	return &Merged{out, sum, claims}, nil
}

// verified refuses a release that the independent checker does not accept.
func verified(files fs.FS) error {
	r, err := verify.Release(files)
	if err != nil {
		return err
	}
	if common := r.Common(); !common.OK {
		return hint.Add(fmt.Errorf("the merged release is not what it claims: %v", common.Problems[0]), "redact the shards again with --again")
	}
	return nil
}

// collect reads the manifests in the folders, by shard.
func collect(dirs []string) ([]*found, error) {
	for i := range dirs {
		dirs[i] = filepath.Clean(dirs[i])
	}
	dirs = slices.Compact(slices.Sorted(slices.Values(dirs)))
	var all []*found
	for _, dir := range dirs {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", dir, outfile.Cause(err))
		}
		for _, e := range entries {
			if !strings.HasPrefix(e.Name(), "shard-") || filepath.Ext(e.Name()) != manifestExtension {
				continue
			}
			name := filepath.Join(dir, e.Name())
			m, err := ReadManifest(name)
			if err != nil {
				return nil, err
			}
			if m.Name() != e.Name() {
				return nil, hint.Add(fmt.Errorf("%s is the manifest of shard %d of %d", name, m.Shard, m.Of), "give the file its own name again: "+m.Name())
			}
			all = append(all, &found{m, dir, name})
		}
	}
	if len(all) == 0 {
		return nil, hint.Add(fmt.Errorf("no shard is done in %s", strings.Join(dirs, ", ")), "redact shards first: hide redact --in PATTERN --shard 0/16 --out FOLDER")
	}
	slices.SortStableFunc(all, func(a, b *found) int { return cmp.Compare(a.Shard, b.Shard) })
	return all, nil
}

// checkAll refuses shards that do not make one whole.
func checkAll(all []*found) error {
	for _, m := range all[1:] {
		if what := all[0].misfit(m.Manifest); what != "" {
			return hint.Add(fmt.Errorf("%s is of %s than %s", m.name, what, all[0].name), "merge the shards of one run only: redact the others again, or move them away")
		}
	}
	for i, m := range all[1:] {
		if m.Shard == all[i].Shard {
			return hint.Add(fmt.Errorf("shard %d of %d is there twice: %s and %s", m.Shard, m.Of, all[i].name, m.name), "leave one of the two out")
		}
	}
	if len(all) < all[0].Of {
		missing := missing(all)
		return hint.Add(fmt.Errorf("%s of %d %s missing: %s", words.Count(all[0].Of-len(all), "shard", "shards"), all[0].Of, isOrAre(len(missing)), listed(missing)),
			fmt.Sprintf("redact it with the same input and bundle: --shard %d/%d", missing[0], all[0].Of))
	}
	return checkChain(all)
}

func isOrAre(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

func missing(all []*found) (numbers []int) {
	next := 0
	for _, m := range all {
		for ; next < m.Shard; next++ {
			numbers = append(numbers, next)
		}
		next++
	}
	for ; next < all[0].Of; next++ {
		numbers = append(numbers, next)
	}
	return numbers
}

// listed names the first numbers.
func listed(numbers []int) string {
	const most = 10
	var names []string
	for _, n := range numbers[:min(len(numbers), most)] {
		names = append(names, fmt.Sprint(n))
	}
	if more := len(numbers) - most; more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, ", ")
}

// checkChain recomputes the identity of the input from what the shards have read: the range of
// each one continues that of the shard before.
func checkChain(all []*found) error {
	list, last := newInputList(), Range{}
	gap := func(m *found, what string) error {
		return hint.Add(fmt.Errorf("%s: shard %d of %d %s", m.name, m.Shard, m.Of, what), "redact all shards again with --again: the input changed between them")
	}
	for _, m := range all {
		for _, r := range m.Read.Ranges {
			if last.File == "" && r.From != 0 || last.File != "" && !r.follows(last) {
				return gap(m, "does not begin where the shard before it ends")
			}
			if r.File != last.File {
				list.add(r.File, r.Bytes)
			}
			last = r
		}
	}
	m := all[len(all)-1]
	if last.To != last.Bytes || list.input() != m.Input {
		return gap(m, "does not end where the input ends")
	}
	return nil
}

// copyAll writes the outputs one after the other. It also checks the files of errors, which
// hold what the counts of refused records rest on.
func copyAll(ctx context.Context, w io.Writer, all []*found) error {
	for _, m := range all {
		if err := m.checkErrors(ctx, m.dir); err != nil {
			return err
		}
		if err := m.checkFile(ctx, m.dir, m.Output, w); err != nil {
			return err
		}
	}
	return nil
}

// Summarize says in a few lines for people what the release is.
func (r *Merged) Summarize(w io.Writer) {
	c := r.Claims
	fmt.Fprintf(w, "%s: %s of %s\n", r.Folder, words.Count(c.Counts.Notes, "note", "notes"), words.Count(len(c.Shards), "shard", "shards"))
	if c.Counts.Refused > 0 {
		fmt.Fprintf(w, "left out because they cannot be read: %d\n", c.Counts.Refused)
	}
	fmt.Fprintf(w, "manifest.json %s\n", r.SHA256)
}
