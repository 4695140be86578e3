// SPDX-License-Identifier: Apache-2.0

package shard

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"hide/internal/hint"
	"hide/internal/outfile"
)

// Find lists the files that the patterns match, by name, each once. Empty files are left out,
// because they cannot be cut. A pattern is a path, in which * and ? stand for other characters.
func Find(patterns []string) ([]File, error) {
	var names []string
	for _, pattern := range patterns {
		matches, err := match(pattern)
		if err != nil {
			return nil, err
		}
		if len(matches) == 0 {
			return nil, hint.Add(fmt.Errorf("--in %q matches no file", pattern), "quote the pattern, and check the folder")
		}
		names = append(names, matches...)
	}
	for i, name := range names {
		names[i] = filepath.ToSlash(filepath.Clean(name))
	}
	slices.Sort(names)
	return Sizes(context.Background(), System{}, slices.Compact(names))
}

// match lists what a pattern matches. A path that exists is no pattern: its name may have
// characters of patterns.
func match(pattern string) ([]string, error) {
	if _, err := os.Lstat(pattern); err == nil {
		return []string{pattern}, nil
	}
	if _, err := filepath.Match(pattern, ""); err != nil {
		return nil, hint.Add(fmt.Errorf("--in %q is not a pattern", pattern), "a bracket is not closed, or a backslash is at the end")
	}
	if slices.Contains(strings.Split(filepath.ToSlash(pattern), "/"), "**") {
		return nil, hint.Add(fmt.Errorf("--in %q: ** does not stand for folders of any depth", pattern), "give --in for each depth: --in 'notes/*.jsonl' --in 'notes/*/*.jsonl'")
	}
	return expand(pattern)
}

// expand differs from [filepath.Glob] in this: a folder that cannot be read is an error. The
// files in it would be missing without a word.
func expand(pattern string) (names []string, err error) {
	dir, base := filepath.Split(pattern)
	dirs := []string{filepath.Clean(dir)}
	if _, err := os.Lstat(dirs[0]); err != nil && strings.ContainsAny(dir, "*?[") {
		if dirs, err = expand(filepath.Clean(dir)); err != nil {
			return nil, err
		}
	}
	for _, dir := range dirs {
		entries, err := readFolder(dir)
		if err != nil {
			return nil, hint.Add(fmt.Errorf("read folder %s: %w", dir, outfile.Cause(err)), "a folder that a pattern goes through must be readable, or files could be missing")
		}
		for _, e := range entries {
			if fits, _ := filepath.Match(base, e.Name()); fits { // the pattern is a good one
				names = append(names, filepath.Join(dir, e.Name()))
			}
		}
	}
	return names, nil
}

// readFolder lists a folder. What is not a folder has no entries. A link to a folder that is
// not there is an error: its volume may not be mounted.
func readFolder(name string) ([]fs.DirEntry, error) {
	if _, err := os.Lstat(name); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	info, err := os.Stat(name)
	if err != nil || !info.IsDir() {
		return nil, err
	}
	return os.ReadDir(name)
}

// Sizes looks up the sizes of the files of an input. Empty files are left out.
func Sizes(ctx context.Context, s Storage, names []string) ([]File, error) {
	files := make([]File, 0, len(names))
	for _, name := range names {
		if !utf8.ValidString(name) {
			return nil, hint.Add(fmt.Errorf("the name of the file %q is not UTF-8", name), "rename the file: a manifest cannot hold this name")
		}
		n, err := s.Size(ctx, name)
		if err != nil {
			return nil, err
		}
		if n > 0 {
			files = append(files, File{Path: name, Bytes: n})
		}
	}
	return files, nil
}
