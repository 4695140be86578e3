// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/goreleaser/nfpm/v2"
	"github.com/goreleaser/nfpm/v2/deb"
	"github.com/goreleaser/nfpm/v2/files"
	"github.com/goreleaser/nfpm/v2/rpm"
)

const description = `de-identification of clinical notes
 hide lets an honest broker annotate identifiers in clinical notes in the
 browser, measures what an attacker could still find, and publishes notes and
 tables. Data are encrypted, and nothing is sent anywhere.`

// packages writes a Debian and an RPM package for each Linux.
func (b *builder) packages(built []binary, texts string) error {
	for _, bin := range built {
		if bin.os != "linux" {
			continue
		}
		for _, p := range []nfpm.Packager{deb.Default, rpm.DefaultRPM} {
			if err := b.pack(p, bin, texts); err != nil {
				return fmt.Errorf("package for %s: %w", bin, err)
			}
		}
	}
	return nil
}

func (b *builder) pack(p nfpm.Packager, bin binary, texts string) error {
	beside, err := filepath.Glob(filepath.Join(texts, "*"))
	if err != nil {
		return err
	}
	info := nfpm.WithDefaults(b.info(bin, beside))
	name := p.ConventionalFileName(info)
	f, err := os.Create(filepath.Join(b.out, name))
	if err != nil {
		return err
	}
	defer f.Close()
	if err := p.Package(info, f); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return b.made(name)
}

// info describes the package. Folders of data are not in it: removing the package must not
// remove them. beside are the files that lie in the folder of documentation.
func (b *builder) info(bin binary, beside []string) *nfpm.Info {
	from := func(name string) string { return filepath.Join(b.root, "packaging", name) }
	file := func(src, dst, kind string, mode os.FileMode) *files.Content {
		return &files.Content{Source: src, Destination: dst, Type: kind, FileInfo: &files.ContentFileInfo{Owner: "root", Group: "root", Mode: mode, MTime: b.commit.time}}
	}
	contents := files.Contents{
		file(bin.path, "/usr/bin/hide", "", 0o755),
		file(from("hide.service"), "/usr/lib/systemd/system/hide.service", "", 0o644),
		file(from("sysusers.conf"), "/usr/lib/sysusers.d/hide.conf", "", 0o644),
		file(from("serve.conf"), "/etc/hide/serve.conf", "config|noreplace", 0o644),
	}
	for _, path := range beside {
		if name := filepath.Base(path); name != "serve.conf" { // it is in /etc
			contents = append(contents, file(path, "/usr/share/doc/hide/"+name, "", 0o644))
		}
	}
	return &nfpm.Info{
		Name: "hide", Arch: bin.arch, Platform: "linux", Version: b.version, VersionSchema: "none", Release: "1",
		Section: "science", Priority: "optional", Maintainer: "The maintainers of hide", Vendor: "hide", Description: description,
		License: "Apache-2.0", MTime: b.commit.time, DisableGlobbing: true,
		Overridables: nfpm.Overridables{
			Contents: contents,
			Umask:    0o022,
			Suggests: []string{"systemd"},
			Scripts:  nfpm.Scripts{PostInstall: from("postinst.sh"), PreRemove: from("prerm.sh"), PostRemove: from("postrm.sh")},
			Deb:      nfpm.Deb{Compression: "gzip", Fields: map[string]string{"Bugs": "see /usr/share/doc/hide/SECURITY.md"}},
			RPM:      nfpm.RPM{Compression: "gzip", BuildHost: "hide", Group: "Applications/Engineering", Summary: "de-identification of clinical notes", Packager: "The maintainers of hide"},
		},
	}
}
