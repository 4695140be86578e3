// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// system is what a binary runs on.
type system struct {
	os, arch string
	tested   bool // ./test runs on it
}

func (s system) String() string { return s.os + "/" + s.arch }

// systems are those of a release. The tests run on Linux; the other binaries are built
// from the same source and have never been started by them.
var systems = []system{
	{"linux", "amd64", true}, {"linux", "arm64", false}, {"darwin", "amd64", false}, {"darwin", "arm64", false}, {"windows", "amd64", false},
}

// binary is a built program.
type binary struct {
	system
	path string
}

// commit is what a release is made of.
type commit struct {
	hash    string
	time    time.Time
	tag     string // the version that a tag "v1.2.3" of this commit names; "" without one
	version string // that the source names: the next release
	changed bool   // files differ from the commit
}

var versionLine = regexp.MustCompile(`(?m)^var version = "(\d+\.\d+\.\d+)"$`)

func readCommit(root string) (c commit, err error) {
	source, err := os.ReadFile(filepath.Join(root, "cmd", "hide", "main.go"))
	if err != nil {
		return c, err
	}
	line := versionLine.FindSubmatch(source)
	if line == nil {
		return c, errors.New("cmd/hide/main.go has no line `var version = \"1.2.3\"`")
	}
	c.version = string(line[1])
	shown, err := git(root, "log", "-1", "--format=%H %ct")
	if err != nil {
		return c, err
	}
	hash, seconds, _ := strings.Cut(shown, " ")
	unix, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return c, fmt.Errorf("the time of the commit: %w", err)
	}
	c.hash, c.time = hash, time.Unix(unix, 0).UTC()
	if tag, err := git(root, "describe", "--tags", "--exact-match", "--match", "v[0-9]*"); err == nil {
		c.tag = strings.TrimPrefix(tag, "v")
	}
	changed, err := git(root, "status", "--porcelain", "--untracked-files=no")
	c.changed = changed != ""
	return c, err
}

func git(root string, args ...string) (string, error) {
	out, err := exec.Command("git", append([]string{"-C", root}, args...)...).Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w", args[0], err)
	}
	return strings.TrimSpace(string(out)), nil
}

// short names the commit as hide version does.
func (c commit) short() string {
	if c.changed {
		return c.hash[:12] + "+changes"
	}
	return c.hash[:12]
}

// packageVersion is the tag, or a version that sorts before the release it leads to.
func (c commit) packageVersion() string {
	v := c.tag
	if v == "" {
		v = c.version + "~" + c.time.Format("20060102150405") + "." + c.hash[:12]
	}
	if c.changed {
		v += "+changes"
	}
	return v
}

// build makes the static program for one system.
func (b *builder) build(s system) (binary, error) {
	name := "hide_" + b.version + "_" + s.os + "_" + s.arch
	if !s.tested {
		name += "_untested"
	}
	if s.os == "windows" {
		name += ".exe"
	}
	path, err := filepath.Abs(filepath.Join(b.out, name))
	if err != nil {
		return binary{}, err
	}
	// Go stamps the commit in a clone only, not in a worktree: the bytes would differ.
	flags := "-s -w -buildid= -X main.builtFrom=" + b.commit.short()
	if b.commit.tag != "" {
		flags += " -X main.version=" + b.commit.tag
	}
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-mod=readonly", "-ldflags", flags, "-o", path, "./cmd/hide")
	cmd.Dir, cmd.Stderr = b.root, os.Stderr
	// GOFLAGS and GOAMD64 of the machine must not decide what is released.
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+s.os, "GOARCH="+s.arch, "GOFLAGS=", "GOAMD64=v1", "GOARM64=v8.0", "GOEXPERIMENT=")
	if err := cmd.Run(); err != nil {
		return binary{}, fmt.Errorf("build for %s: %w", s, err)
	}
	return binary{s, path}, b.made(name)
}

// pages copies the pages of docs and the samples to a folder. All pages, since the guide of
// operators leads to most of them.
func (b *builder) pages(dir string) error {
	all, err := filepath.Glob(filepath.Join(b.root, "docs", "*.md"))
	if err != nil {
		return err
	}
	for _, name := range []string{"CHANGELOG.md", "LICENSE", "SECURITY.md", "packaging/nginx.conf", "packaging/Caddyfile", "packaging/serve.conf"} {
		all = append(all, filepath.Join(b.root, name))
	}
	for _, from := range all {
		text, err := os.ReadFile(from)
		text = bytes.ReplaceAll(text, []byte("](../SECURITY.md"), []byte("](SECURITY.md")) // it lies beside the pages here
		if err := errors.Join(err, os.WriteFile(filepath.Join(dir, filepath.Base(from)), text, 0o644)); err != nil {
			return err
		}
	}
	return nil
}

// texts makes a folder with what stands beside the program in packages and images: the
// licences, the list of parts, the pages of docs and the samples.
func (b *builder) texts(built []binary) (dir string, err error) {
	if dir, err = os.MkdirTemp("", "hide-release-"); err != nil {
		return "", err
	}
	if err := b.pages(dir); err != nil {
		return dir, err
	}
	licenses, err := b.licenses(built[0])
	if err := errors.Join(err, os.WriteFile(filepath.Join(dir, "copyright"), licenses, 0o644)); err != nil {
		return dir, err
	}
	parts, err := b.parts(built)
	if err != nil {
		return dir, err
	}
	name := "hide_" + b.version + ".spdx.json"
	if err := errors.Join(os.WriteFile(filepath.Join(dir, "hide.spdx.json"), parts, 0o644), os.WriteFile(filepath.Join(b.out, name), parts, 0o644)); err != nil {
		return dir, err
	}
	return dir, b.made(name)
}
