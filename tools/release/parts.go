// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"cmp"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spdx/tools-golang/spdx"
	"github.com/spdx/tools-golang/spdx/v2/common"
)

// vendored is what hide embeds besides modules of Go.
type vendored struct{ name, version, license, file, comment string }

var htmxVersion = regexp.MustCompile(`version:"([0-9][^"]*)"|VERSION="([0-9][^"]*)"|version="([0-9][^"]*)"`)

// vendored lists them. The version of htmx stands in its file.
func (b *builder) vendored() ([]vendored, error) {
	const file = "static/vendor/htmx.min.js"
	text, err := os.ReadFile(filepath.Join(b.root, file))
	if err != nil {
		return nil, err
	}
	found := htmxVersion.FindSubmatch(text)
	if found == nil {
		return nil, fmt.Errorf("%s does not name its version", file)
	}
	version := string(bytes.Join(found[1:], nil))
	return []vendored{
		{"htmx", version, "0BSD", file, "embedded into the pages"},
		{"htmx-ext-ws", version, "0BSD", "static/vendor/hx-ws.min.js", "embedded into the pages"},
		{"glove", "", "PDDL-1.0", "internal/crf/classes/english.bin", "word classes made of these vectors are embedded; see internal/crf/classes/NOTICE"},
	}, nil
}

// modules are the modules of Go in all binaries, by path.
func modules(built []binary) ([]*debug.Module, string, error) {
	all, goVersion := map[string]*debug.Module{}, ""
	for _, bin := range built {
		info, err := buildinfo.ReadFile(bin.path)
		if err != nil {
			return nil, "", fmt.Errorf("read what %s is made of: %w", bin, err)
		}
		goVersion = info.GoVersion
		for _, m := range info.Deps {
			if m.Replace != nil {
				m = m.Replace
			}
			all[m.Path] = m
		}
	}
	var list []*debug.Module
	for _, m := range all {
		list = append(list, m)
	}
	slices.SortFunc(list, func(a, b *debug.Module) int { return cmp.Compare(a.Path, b.Path) })
	return list, goVersion, nil
}

// parts is the list of parts as SPDX 2.3.
func (b *builder) parts(built []binary) ([]byte, error) {
	mods, goVersion, err := modules(built)
	if err != nil {
		return nil, err
	}
	others, err := b.vendored()
	if err != nil {
		return nil, err
	}
	hide := &spdx.Package{
		PackageName: "hide", PackageSPDXIdentifier: "Package-hide", PackageVersion: b.version, PackageDownloadLocation: "NOASSERTION",
		PackageLicenseConcluded: "Apache-2.0", PackageLicenseDeclared: "Apache-2.0", PackageCopyrightText: "NOASSERTION",
		PackageSourceInfo: "git commit " + b.commit.hash, PrimaryPackagePurpose: "APPLICATION",
	}
	doc := &spdx.Document{
		SPDXVersion: spdx.Version, DataLicense: spdx.DataLicense, SPDXIdentifier: "DOCUMENT", DocumentName: "hide " + b.version,
		DocumentNamespace: "https://spdx.org/spdxdocs/hide-" + b.version + "-" + b.commit.hash,
		CreationInfo: &spdx.CreationInfo{
			Created:  b.commit.time.Format("2006-01-02T15:04:05Z"),
			Creators: []common.Creator{{CreatorType: "Tool", Creator: "hide-release"}, {CreatorType: "Organization", Creator: "The maintainers of hide"}},
		},
		Packages:      []*spdx.Package{hide},
		Relationships: []*spdx.Relationship{relation("DOCUMENT", "DESCRIBES", "Package-hide")},
	}
	add := func(p *spdx.Package, how string) {
		doc.Packages = append(doc.Packages, p)
		doc.Relationships = append(doc.Relationships, relation("Package-hide", how, p.PackageSPDXIdentifier))
	}
	add(part("go", strings.TrimPrefix(goVersion, "go"), "BSD-3-Clause", "pkg:golang/std@"+strings.TrimPrefix(goVersion, "go"), "the standard library and the runtime"), "STATIC_LINK")
	for _, m := range mods {
		add(part(m.Path, m.Version, "NOASSERTION", "pkg:golang/"+m.Path+"@"+m.Version, "go.sum: "+m.Sum), "STATIC_LINK")
	}
	for _, v := range others {
		sum, err := sumOf(filepath.Join(b.root, v.file))
		if err != nil {
			return nil, err
		}
		p := part(v.name, v.version, v.license, "", v.comment)
		p.PackageFileName, p.PackageChecksums = v.file, []common.Checksum{{Algorithm: common.SHA256, Value: sum}}
		add(p, "CONTAINS")
	}
	text, err := json.MarshalIndent(doc, "", " ")
	return append(text, '\n'), err
}

var notInAnID = regexp.MustCompile(`[^A-Za-z0-9.-]+`)

func part(name, version, license, purl, comment string) *spdx.Package {
	p := &spdx.Package{
		PackageName: name, PackageSPDXIdentifier: common.ElementID("Package-" + notInAnID.ReplaceAllString(name, "-")), PackageVersion: version,
		PackageDownloadLocation: "NOASSERTION", PackageLicenseConcluded: license, PackageLicenseDeclared: license,
		PackageCopyrightText: "NOASSERTION", PackageComment: comment,
	}
	if purl != "" {
		p.PackageExternalReferences = []*spdx.PackageExternalReference{{Category: "PACKAGE-MANAGER", RefType: "purl", Locator: purl}}
	}
	return p
}

func relation(from common.ElementID, how string, to common.ElementID) *spdx.Relationship {
	return &spdx.Relationship{RefA: common.MakeDocElementID("", string(from)), RefB: common.MakeDocElementID("", string(to)), Relationship: how}
}

// licenses is one text with the licences of hide and of everything in the binary, which
// most of them ask for.
func (b *builder) licenses(bin binary) ([]byte, error) {
	var out bytes.Buffer
	write := func(title, path string) error {
		text, err := os.ReadFile(path)
		fmt.Fprintf(&out, "%s\n%s\n%s\n\n%s\n\n", strings.Repeat("=", 72), title, strings.Repeat("=", 72), bytes.TrimSpace(text))
		return err
	}
	errs := []error{
		write("hide", filepath.Join(b.root, "LICENSE")),
		write("htmx", filepath.Join(b.root, "static/vendor/htmx-LICENSE.txt")),
		write("word classes", filepath.Join(b.root, "internal/crf/classes/NOTICE")),
	}
	goroot, err := goOutput(b.root, "env", "GOROOT")
	errs = append(errs, err, write("the standard library of Go", filepath.Join(goroot, "LICENSE")))
	mods, _, err := modules([]binary{bin})
	errs = append(errs, err)
	for _, m := range mods {
		dir, err := goOutput(b.root, "list", "-m", "-f", "{{.Dir}}", m.Path)
		if err != nil {
			return nil, err
		}
		found, err := licenseFiles(dir)
		errs = append(errs, err)
		if len(found) == 0 {
			errs = append(errs, fmt.Errorf("module %s has no licence", m.Path))
		}
		for _, path := range found {
			errs = append(errs, write(m.Path+" "+m.Version+", "+filepath.Base(path), path))
		}
	}
	return out.Bytes(), errors.Join(errs...)
}

func goOutput(dir string, args ...string) (string, error) {
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go %s: %w", args[0], err)
	}
	return strings.TrimSpace(string(out)), nil
}

// licenseFiles are the licences and notices at the top of a module.
func licenseFiles(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	var found []string
	for _, e := range entries {
		name := strings.ToUpper(e.Name())
		if !e.IsDir() && (strings.HasPrefix(name, "LICEN") || strings.HasPrefix(name, "COPYING") || strings.HasPrefix(name, "NOTICE")) {
			found = append(found, filepath.Join(dir, e.Name()))
		}
	}
	return found, err
}
