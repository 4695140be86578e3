// SPDX-License-Identifier: Apache-2.0

package hide_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"go/format"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a-h/templ"
	"github.com/a-h/templ/generator"
	"github.com/a-h/templ/parser/v2"
)

// TestGeneratedTemplatesAreFresh does what `go tool templ generate` does, without its
// watcher and its language server, which take minutes to compile.
func TestGeneratedTemplatesAreFresh(t *testing.T) {
	left := map[string]bool{}
	sources(t, func(name, _ string) {
		if generated(name) {
			left[name] = true
		}
	}, ".go")
	sources(t, func(name, _ string) {
		code := strings.TrimSuffix(name, ".templ") + "_templ.go"
		delete(left, code)
		want, err := codeOf(name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			return
		}
		if got, err := os.ReadFile(code); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not the code of %s: run 'go tool templ generate' and commit what it writes", code, path.Base(name))
		}
	}, ".templ")
	for code := range left {
		t.Errorf("%s is left over: its template is gone", code)
	}
}

// codeOf generates the code of a template.
func codeOf(name string) ([]byte, error) {
	file, err := parser.Parse(name)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if _, err := generator.Generate(file, &b, generator.WithVersion(templ.Version()), generator.WithFileName(name)); err != nil {
		return nil, err
	}
	return format.Source(b.Bytes())
}

func TestVendoredFilesAreWhatTheyWere(t *testing.T) { checkSums(t, "static/vendor", "*.js") }

// TestGeneratedKernelsAreFresh compares checksums, because the library that writes assembly
// takes minutes to compile. `./test long` generates the kernels anew.
func TestGeneratedKernelsAreFresh(t *testing.T) {
	checkSums(t, "tools/kernelgen", "*.go", "../../internal/crf/kernel/avx2_amd64.*")
	if t.Failed() {
		t.Log("run 'go generate ./internal/crf/kernel' and commit what it writes")
	}
}

// checkSums compares the files that match patterns in a folder with its SHA256SUMS.
func checkSums(t *testing.T, folder string, patterns ...string) {
	t.Helper()
	text, err := os.ReadFile(path.Join(folder, "SHA256SUMS"))
	if err != nil {
		t.Fatal(err)
	}
	sums := map[string]string{}
	for line := range strings.Lines(string(text)) {
		sum, name, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "  ")
		sums[path.Join(folder, name)] = sum
	}
	for _, pattern := range patterns {
		names, err := filepath.Glob(path.Join(folder, pattern))
		if err != nil || len(names) == 0 {
			t.Errorf("no file matches %s in %s: %v", pattern, folder, err)
		}
		for _, name := range names {
			content, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if sum := sha256.Sum256(content); hex.EncodeToString(sum[:]) != sums[name] {
				t.Errorf("%s is not the file of %s/SHA256SUMS", name, folder)
			}
			delete(sums, name)
		}
	}
	for name := range sums {
		t.Errorf("%s is in %s/SHA256SUMS, but not there", name, folder)
	}
}
