// SPDX-License-Identifier: Apache-2.0

package main

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	spdxjson "github.com/spdx/tools-golang/json"
)

// release builds this checkout for the system of the tests, in a folder with a name of its
// own. get are the arguments of git that put it there.
func release(t *testing.T, folder string, get ...string) *builder {
	t.Helper()
	root := filepath.Join(t.TempDir(), folder)
	if out, err := exec.Command("git", append(get, root)...).CombinedOutput(); err != nil {
		t.Fatalf("git: %v\n%s", err, out)
	}
	b := &builder{root: root, out: filepath.Join(t.TempDir(), "out")}
	if err := b.run("linux/amd64"); err != nil {
		t.Fatal(err)
	}
	return b
}

// TestTwoBuildsHaveTheSameBytes, whatever the folder is called, in a clone as in a worktree,
// and what they are works.
func TestTwoBuildsHaveTheSameBytes(t *testing.T) {
	a := release(t, "one", "clone", "--quiet", "--shared", "../..")
	b := release(t, "another/place", "-C", a.root, "worktree", "add", "--quiet", "--detach")
	if len(a.files) != 6 {
		t.Errorf("the release is %v", a.files)
	}
	read := func(from *builder, name string) []byte {
		text, err := os.ReadFile(filepath.Join(from.out, name))
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	for _, name := range append(a.files, "SHA256SUMS") {
		if one := read(a, name); !bytes.Equal(one, read(b, name)) {
			t.Errorf("%s differs between two builds", name)
		} else {
			t.Logf("%s: %d bytes, twice the same", name, len(one))
		}
	}
	if out, err := inFolder(a.out, "sha256sum", "--check", "--strict", "--quiet", "SHA256SUMS"); err != nil {
		t.Errorf("the sums are wrong: %s", out)
	}
	t.Run("binary", func(t *testing.T) { isHide(t, a, filepath.Join(a.out, "hide_"+a.version+"_linux_amd64")) })
	t.Run("images", func(t *testing.T) { imagesWork(t, a) })
	t.Run("deb", func(t *testing.T) { debIsWhole(t, a) })
	t.Run("parts", func(t *testing.T) { partsAreListed(t, a) })
}

func inFolder(dir, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// isHide runs a program: it is static and says of which commit it is.
func isHide(t *testing.T, b *builder, path string) {
	t.Helper()
	out, err := exec.Command(path, "version", "--json").Output()
	var v struct{ Version, Commit string }
	if err := errors.Join(err, json.Unmarshal(out, &v)); err != nil || v.Commit != b.commit.hash[:12] || v.Version != b.commit.version {
		t.Errorf("it says %q, %v; want the commit %s", out, err, b.commit.hash)
	}
	if out, err := exec.Command("ldd", path).CombinedOutput(); err == nil || !strings.Contains(string(out), "not a dynamic executable") {
		t.Errorf("it is not static: %s", out)
	}
}

// imagesWork unpacks both archives and runs the program in them.
func imagesWork(t *testing.T, b *builder) {
	docker, err := tarball.ImageFromPath(filepath.Join(b.out, "hide_"+b.version+"_amd64.docker.tar"), nil)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if out, err := inFolder(dir, "tar", "xf", filepath.Join(b.out, "hide_"+b.version+".oci.tar")); err != nil {
		t.Fatal(out)
	}
	index, err := layout.ImageIndexFromPath(dir)
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := index.IndexManifest()
	if err != nil || len(manifest.Manifests) != 1 || manifest.Manifests[0].Platform.String() != "linux/amd64" {
		t.Fatalf("the layout has %+v, %v", manifest, err)
	}
	oci, err := index.Image(manifest.Manifests[0].Digest)
	if err != nil {
		t.Fatal(err)
	}
	for kind, image := range map[string]v1.Image{"docker": docker, "oci": oci} {
		config, err := image.ConfigFile()
		if err != nil {
			t.Fatal(err)
		}
		c := config.Config
		if c.User != "65532:65532" || strings.Join(c.Entrypoint, " ") != "/usr/bin/hide" || len(c.Volumes) != 2 || c.Labels["org.opencontainers.image.revision"] != b.commit.hash {
			t.Errorf("%s: the configuration is %+v", kind, c)
		}
		root := t.TempDir()
		files := mutate.Extract(image)
		modes := unpack(t, root, files)
		files.Close()
		isHide(t, b, filepath.Join(root, "usr/bin/hide"))
		for name, want := range map[string]string{"var/lib/hide": "-rwx------ 65532", "var/lib/hide-keys": "-rwx------ 65532", "usr/bin/hide": "-rwxr-xr-x 0", "etc/hide/serve.conf": "-rw-r--r-- 0"} {
			if modes[name] != want {
				t.Errorf("%s: %s is %q, want %q", kind, name, modes[name], want)
			}
		}
	}
}

// unpack writes the files of a tar archive, and says who owns what with which mode.
func unpack(t *testing.T, root string, r io.Reader) map[string]string {
	t.Helper()
	modes := map[string]string{}
	for archive := tar.NewReader(r); ; {
		h, err := archive.Next()
		if err == io.EOF {
			return modes
		}
		if err != nil {
			t.Fatal(err)
		}
		name := strings.Trim(strings.TrimPrefix(h.Name, "./"), "/")
		modes[name] = os.FileMode(h.Mode&0o777).String() + " " + strconv.Itoa(h.Uid)
		at := filepath.Join(root, filepath.FromSlash(name))
		if h.Typeflag == tar.TypeDir {
			if err := os.MkdirAll(at, 0o755); err != nil {
				t.Fatal(err)
			}
			continue
		}
		text, err := io.ReadAll(archive)
		if err := errors.Join(err, os.MkdirAll(filepath.Dir(at), 0o755), os.WriteFile(at, text, os.FileMode(h.Mode)&0o777)); err != nil {
			t.Fatal(err)
		}
	}
}

// debIsWhole asks dpkg, where there is one, what the package holds.
func debIsWhole(t *testing.T, b *builder) {
	path := filepath.Join(b.out, "hide_"+b.version+"-1_amd64.deb")
	if _, err := exec.LookPath("dpkg-deb"); err != nil {
		t.Skip("dpkg-deb is not installed")
	}
	list, err := inFolder(b.out, "dpkg-deb", "--contents", path)
	if err != nil {
		t.Fatal(list)
	}
	for _, name := range []string{
		"./usr/bin/hide", "./usr/lib/systemd/system/hide.service", "./usr/lib/sysusers.d/hide.conf", "./etc/hide/serve.conf",
		"./usr/share/doc/hide/operator.md", "./usr/share/doc/hide/copyright", "./usr/share/doc/hide/nginx.conf", "./usr/share/doc/hide/Caddyfile", "./usr/share/doc/hide/hide.spdx.json",
	} {
		if !strings.Contains(list, " "+name+"\n") {
			t.Errorf("the package lacks %s", name)
		}
	}
	if strings.Contains(list, "/var/lib") {
		t.Error("the package owns folders of data: removing it would remove them")
	}
	dir := t.TempDir()
	if out, err := inFolder(b.out, "dpkg-deb", "--control", path, dir); err != nil {
		t.Fatal(out)
	}
	conf, err := os.ReadFile(filepath.Join(dir, "conffiles"))
	if err != nil || strings.TrimSpace(string(conf)) != "/etc/hide/serve.conf" {
		t.Errorf("the configuration files are %q, %v", conf, err)
	}
	for _, name := range []string{"postinst", "prerm", "postrm"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
}

// partsAreListed reads the list of parts as others read it.
func partsAreListed(t *testing.T, b *builder) {
	f, err := os.Open(filepath.Join(b.out, "hide_"+b.version+".spdx.json"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	doc, err := spdxjson.Read(f)
	if err != nil {
		t.Fatal(err)
	}
	versions, ids := map[string]string{}, map[string]bool{}
	for _, p := range doc.Packages {
		versions[p.PackageName] = p.PackageVersion
		if ids[string(p.PackageSPDXIdentifier)] {
			t.Errorf("two parts have the id %s", p.PackageSPDXIdentifier)
		}
		ids[string(p.PackageSPDXIdentifier)] = true
	}
	for _, name := range []string{"hide", "go", "htmx", "htmx-ext-ws", "go.etcd.io/bbolt", "github.com/labstack/echo/v4", "golang.org/x/crypto"} {
		if versions[name] == "" {
			t.Errorf("the parts lack %s", name)
		}
	}
	if len(doc.Packages) < 25 || len(doc.Relationships) != len(doc.Packages) {
		t.Errorf("%d parts and %d relations", len(doc.Packages), len(doc.Relationships))
	}
	t.Logf("%d parts", len(doc.Packages))
	packed, err := os.ReadFile(filepath.Join(b.out, "hide_"+b.version+"_linux_amd64"))
	if err != nil || bytes.Contains(packed, []byte(b.root)) {
		t.Errorf("the program names the folder that it was built in, %v", err)
	}
}
