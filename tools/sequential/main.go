// SPDX-License-Identifier: Apache-2.0

// Sequential lists the packages of a module whose tests run in one goroutine, in which
// the race detector can find nothing.
//
//	sequential FOLDER [concurrent]
//
// Such a package, and whatever of the module it and its tests import, has no go
// statement, calls nothing that is called Go, Parallel, RunParallel, AfterFunc or Pull,
// and imports neither net, whose handlers run in goroutines, nor unsafe, which the race
// detector's build checks. With "concurrent" it lists the others.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

type pkg struct {
	ImportPath, Dir                    string
	GoFiles, TestGoFiles, XTestGoFiles []string
	Deps, TestImports, XTestImports    []string
}

func main() {
	log.SetFlags(0)
	if len(os.Args) < 2 || len(os.Args) > 3 || len(os.Args) == 3 && os.Args[2] != "concurrent" {
		log.Fatal("usage: sequential FOLDER [concurrent]")
	}
	all, err := list(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	for _, path := range split(all, len(os.Args) == 3) {
		fmt.Println(path)
	}
}

// list is the packages of the module in a folder.
func list(dir string) (map[string]*pkg, error) {
	c := exec.Command("go", "list", "-json=ImportPath,Dir,GoFiles,TestGoFiles,XTestGoFiles,Deps,TestImports,XTestImports", "./...")
	c.Dir, c.Stderr = dir, os.Stderr
	out, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("go list in %s: %w", dir, err)
	}
	all := map[string]*pkg{}
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		p := &pkg{}
		if err := d.Decode(p); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, err
		}
		all[p.ImportPath] = p
	}
}

// split is the packages with tests that run in one goroutine, or those that do not.
func split(all map[string]*pkg, concurrent bool) (out []string) {
	forks := map[string]bool{}
	for path, p := range all {
		forks[path] = p.forks(p.GoFiles)
	}
	for path, p := range all {
		tests := slices.Concat(p.TestGoFiles, p.XTestGoFiles)
		apart := forks[path] || p.forks(tests) || slices.ContainsFunc(p.below(all), func(dep string) bool { return forks[dep] })
		if len(tests) > 0 && apart == concurrent {
			out = append(out, path)
		}
	}
	slices.Sort(out)
	return out
}

// below is what p and its tests import, and what that imports.
func (p *pkg) below(all map[string]*pkg) []string {
	out := slices.Clone(p.Deps)
	for _, path := range slices.Concat(p.TestImports, p.XTestImports) {
		if out = append(out, path); all[path] != nil {
			out = append(out, all[path].Deps...)
		}
	}
	return out
}

func (p *pkg) forks(files []string) bool {
	return slices.ContainsFunc(files, func(name string) bool {
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			log.Fatal(err)
		}
		return forks(f)
	})
}

var (
	calls   = []string{"Go", "Parallel", "RunParallel", "AfterFunc", "Pull", "Pull2"}
	imports = []string{`"net"`, `"net/http"`, `"net/http/httptest"`, `"unsafe"`}
)

// forks tells whether a file may start a goroutine or has something else that only the
// race detector's build checks.
func forks(f *ast.File) (yes bool) {
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			yes = true
		case *ast.ImportSpec:
			yes = yes || slices.Contains(imports, n.Path.Value)
		case *ast.SelectorExpr:
			yes = yes || slices.Contains(calls, n.Sel.Name)
		}
		return !yes
	})
	return yes
}
