// SPDX-License-Identifier: Apache-2.0

package main

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// The user of a container. No account of the machine has the number.
const containerUser = 65532

// images writes one archive for `docker load` for each Linux, and one archive in the
// layout of the Open Container Initiative with all of them.
func (b *builder) images(built []binary, texts string) error {
	index := v1.ImageIndex(mutate.IndexMediaType(empty.Index, types.OCIImageIndex))
	any := false
	for _, bin := range built {
		if bin.os != "linux" {
			continue
		}
		image, err := b.image(bin, texts)
		if err != nil {
			return fmt.Errorf("image for %s: %w", bin, err)
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: image, Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: bin.os, Architecture: bin.arch}}})
		any = true
		if err := b.dockerArchive(bin, image); err != nil {
			return err
		}
	}
	if !any {
		return nil
	}
	return b.ociArchive(index)
}

// tag of the images: a tag has no "~" or "+".
func (b *builder) tag() string {
	return string(bytes.Map(func(r rune) rune {
		if r == '~' || r == '+' {
			return '-'
		}
		return r
	}, []byte(b.version)))
}

func (b *builder) dockerArchive(bin binary, image v1.Image) error {
	ref, err := name.NewTag("hide:" + b.tag())
	if err != nil {
		return err
	}
	file := "hide_" + b.version + "_" + bin.arch + ".docker.tar"
	if err := tarball.WriteToFile(filepath.Join(b.out, file), ref, image); err != nil {
		return err
	}
	return b.made(file)
}

func (b *builder) ociArchive(index v1.ImageIndex) error {
	dir, err := os.MkdirTemp("", "hide-oci-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if _, err := layout.Write(dir, index); err != nil {
		return err
	}
	file := "hide_" + b.version + ".oci.tar"
	out, err := os.Create(filepath.Join(b.out, file))
	if err != nil {
		return err
	}
	defer out.Close()
	if err := errors.Join(tarFolder(out, dir, b.commit.time), out.Close()); err != nil {
		return err
	}
	return b.made(file)
}

// tarFolder writes the files of a folder in the order of their names.
func tarFolder(w io.Writer, dir string, at time.Time) error {
	t := tar.NewWriter(w)
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		if d.IsDir() {
			return t.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: filepath.ToSlash(name) + "/", Mode: 0o755, ModTime: at, Format: tar.FormatPAX})
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		err = t.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: filepath.ToSlash(name), Mode: 0o644, Size: int64(len(text)), ModTime: at, Format: tar.FormatPAX})
		if err == nil {
			_, err = t.Write(text)
		}
		return err
	})
	return errors.Join(err, t.Close())
}

// image is the program, its texts, its user and two empty folders that belong to the user.
func (b *builder) image(bin binary, texts string) (v1.Image, error) {
	raw, err := b.layer(bin, texts)
	if err != nil {
		return nil, err
	}
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(raw)), nil }, tarball.WithMediaType(types.OCILayer))
	if err != nil {
		return nil, err
	}
	base := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	image, err := mutate.Append(base, mutate.Addendum{Layer: layer, History: v1.History{Created: v1.Time{Time: b.commit.time}, CreatedBy: "./release"}})
	if err != nil {
		return nil, err
	}
	return mutate.ConfigFile(image, b.config(image, bin))
}

func (b *builder) config(image v1.Image, bin binary) *v1.ConfigFile {
	c, err := image.ConfigFile()
	if err != nil {
		panic("release: an image in memory has no configuration: " + err.Error())
	}
	c = c.DeepCopy()
	c.OS, c.Architecture, c.Created, c.Author = bin.os, bin.arch, v1.Time{Time: b.commit.time}, "The maintainers of hide"
	c.Config = v1.Config{
		User:         fmt.Sprintf("%d:%d", containerUser, containerUser),
		Entrypoint:   []string{"/usr/bin/hide"},
		Cmd:          []string{"serve", "--config", "/etc/hide/serve.conf"},
		Env:          []string{"HOME=/var/lib/hide"},
		WorkingDir:   "/var/lib/hide",
		StopSignal:   "SIGTERM",
		ExposedPorts: map[string]struct{}{"8080/tcp": {}},
		Volumes:      map[string]struct{}{"/var/lib/hide": {}, "/var/lib/hide-keys": {}},
		Labels: map[string]string{
			"org.opencontainers.image.title": "hide", "org.opencontainers.image.description": "de-identification of clinical notes",
			"org.opencontainers.image.licenses": "Apache-2.0", "org.opencontainers.image.version": b.version,
			"org.opencontainers.image.revision": b.commit.hash, "org.opencontainers.image.created": b.commit.time.Format(time.RFC3339),
		},
	}
	return c
}

// layer is the only layer of the image, as a tar archive.
func (b *builder) layer(bin binary, texts string) ([]byte, error) {
	var out bytes.Buffer
	t := tar.NewWriter(&out)
	put := func(name string, mode int64, owner int, text []byte) error {
		h := &tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: mode, Uid: owner, Gid: owner, Size: int64(len(text)), ModTime: b.commit.time, Format: tar.FormatPAX}
		if text == nil {
			h.Typeflag, h.Name = tar.TypeDir, name+"/"
		}
		if err := t.WriteHeader(h); err != nil {
			return err
		}
		_, err := t.Write(text)
		return err
	}
	var errs []error
	for _, dir := range []string{"etc", "etc/hide", "usr", "usr/bin", "usr/share", "usr/share/doc", "usr/share/doc/hide", "var", "var/lib"} {
		errs = append(errs, put(dir, 0o755, 0, nil))
	}
	errs = append(errs,
		put("tmp", 0o1777, 0, nil),
		put("var/lib/hide", 0o700, containerUser, nil), put("var/lib/hide-keys", 0o700, containerUser, nil),
		put("etc/passwd", 0o644, 0, fmt.Appendf(nil, "hide:x:%d:%d:hide:/var/lib/hide:/sbin/nologin\n", containerUser, containerUser)),
		put("etc/group", 0o644, 0, fmt.Appendf(nil, "hide:x:%d:\n", containerUser)))
	names, err := filepath.Glob(filepath.Join(texts, "*"))
	errs = append(errs, err)
	slices.Sort(names)
	for _, path := range append(names, bin.path) {
		text, err := os.ReadFile(path)
		to, mode := "usr/share/doc/hide/"+filepath.Base(path), int64(0o644)
		switch {
		case path == bin.path:
			to, mode = "usr/bin/hide", 0o755
		case filepath.Base(path) == "serve.conf":
			to = "etc/hide/serve.conf"
		}
		errs = append(errs, err, put(to, mode, 0, text))
	}
	// Close writes the end of the archive: only then are its bytes complete.
	err = errors.Join(append(errs, t.Close())...)
	return out.Bytes(), err
}
