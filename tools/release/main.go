// SPDX-License-Identifier: Apache-2.0

// Release builds what a release of hide hands out, from the checkout of one commit:
//
//	./release [--out FOLDER] [--only linux/amd64]
//
// It writes static binaries, Debian and RPM packages, images for containers, a list of
// what the binaries are made of (SPDX), and SHA256SUMS. Two builds of a commit with the
// same Go have the same bytes: paths, build ids, user names and clocks are left out, and
// every time is that of the commit.
//
// It is a module of its own, since the libraries that write packages are large and nothing
// else needs them.
package main

import (
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	var b builder
	flag.StringVar(&b.root, "root", ".", "the `folder` of the checkout")
	flag.StringVar(&b.out, "out", "dist", "the `folder` to write; what is in it is removed")
	only := flag.String("only", "", "systems to build for, such as linux/amd64,linux/arm64; \"\" means all")
	flag.Parse()
	if err := b.run(*only); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// builder makes one release.
type builder struct {
	root, out string
	commit    commit
	version   string // of packages and file names: "0.1.0" or "0.1.0~20260131.0123456789ab"
	files     []string
}

// run builds everything for the systems, all if only is "".
func (b *builder) run(only string) error {
	chosen, err := choose(only)
	if err != nil {
		return err
	}
	if b.commit, err = readCommit(b.root); err != nil {
		return err
	}
	b.version = b.commit.packageVersion()
	if err := errors.Join(os.RemoveAll(b.out), os.MkdirAll(b.out, 0o755)); err != nil {
		return err
	}
	var built []binary
	for _, s := range chosen {
		bin, err := b.build(s)
		if err != nil {
			return err
		}
		built = append(built, bin)
	}
	texts, err := b.texts(built)
	if err != nil {
		return err
	}
	defer os.RemoveAll(texts)
	if err := b.packages(built, texts); err != nil {
		return err
	}
	if err := b.images(built, texts); err != nil {
		return err
	}
	if now, err := readCommit(b.root); err != nil || now != b.commit {
		return errors.Join(errors.New("the checkout changed while the release was built: build it again"), err)
	}
	return b.sums()
}

// choose finds systems by their names.
func choose(only string) ([]system, error) {
	if only == "" {
		return systems, nil
	}
	var chosen []system
	for name := range strings.SplitSeq(only, ",") {
		i := slices.IndexFunc(systems, func(s system) bool { return s.String() == name })
		if i < 0 {
			return nil, fmt.Errorf("--only: there is no system %q; the systems are %v", name, systems)
		}
		chosen = append(chosen, systems[i])
	}
	return chosen, nil
}

// made notes a file of the release and says how large it is.
func (b *builder) made(name string) error {
	info, err := os.Stat(filepath.Join(b.out, name))
	if err != nil {
		return err
	}
	b.files = append(b.files, name)
	fmt.Printf("%7.2f MB  %s\n", float64(info.Size())/1e6, name)
	return nil
}

// sums writes SHA256SUMS, which `sha256sum --check` reads.
func (b *builder) sums() error {
	slices.Sort(b.files)
	var list strings.Builder
	for _, name := range b.files {
		sum, err := sumOf(filepath.Join(b.out, name))
		if err != nil {
			return err
		}
		fmt.Fprintf(&list, "%s  %s\n", sum, name)
	}
	return os.WriteFile(filepath.Join(b.out, "SHA256SUMS"), []byte(list.String()), 0o644)
}

func sumOf(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return fmt.Sprintf("%x", h.Sum(nil)), nil
}
