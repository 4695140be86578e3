// SPDX-License-Identifier: Apache-2.0

// Typecheck checks the types of the packages of a module from their source, with their
// tests. It compiles nothing: for a module with many dependencies that takes seconds, and
// `go vet` minutes where nothing is in the cache.
//
//	go -C tools run ./typecheck ../beam
package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"

	"golang.org/x/tools/go/packages"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: typecheck FOLDER")
		os.Exit(2)
	}
	n, err := check(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, "typecheck:", err)
		os.Exit(1)
	}
	if n > 0 {
		os.Exit(1)
	}
}

// check prints the errors of the module in folder and returns their number.
func check(folder string) (int, error) {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return 0, err
	}
	found, err := packages.Load(&packages.Config{
		Dir:   folder,
		Tests: true,
		ParseFile: func(set *token.FileSet, name string, text []byte) (*ast.File, error) {
			return parse(folder, set, name, text)
		},
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports |
			packages.NeedDeps | packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesInfo,
	}, "./...")
	if err != nil {
		return 0, err
	}
	if len(found) == 0 {
		return 0, fmt.Errorf("%s has no packages", folder)
	}
	errors := 0
	for _, p := range found {
		for _, e := range p.Errors {
			fmt.Fprintln(os.Stderr, e)
			errors++
		}
	}
	return errors, nil
}

// parse reads a file. Bodies of functions outside folder are left out: callers need their
// types alone. Files that cmd/go makes, such as the main function of tests, have no suffix.
func parse(folder string, set *token.FileSet, name string, text []byte) (*ast.File, error) {
	file, err := parser.ParseFile(set, name, text, parser.SkipObjectResolution)
	if err != nil || filepath.Dir(name) == folder || filepath.Ext(name) != ".go" {
		return file, err
	}
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok {
			f.Body = nil
		}
	}
	return file, nil
}
