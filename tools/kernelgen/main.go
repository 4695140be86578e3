// SPDX-License-Identifier: Apache-2.0

// Kernelgen writes the AVX2 assembly of hide/internal/crf/kernel, and the Go
// declarations that go with it.
//
//	kernelgen FOLDER
//
// It makes avx2_amd64.s and avx2_amd64.go in the folder. What each function
// computes is said in the package that it is for; here it is said how.
package main

import (
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"
)

const license = "// SPDX-License-Identifier: Apache-2.0\n\n"

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: kernelgen FOLDER")
		os.Exit(2)
	}
	if err := generate(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "kernelgen:", err)
		os.Exit(1)
	}
}

func generate(folder string) error {
	g := newGenerator()
	g.vectors()
	g.bfloat16s()
	g.gathers()
	g.exponentials()
	g.dense()
	g.split()
	g.sparse()
	g.expectations()
	g.items()
	g.singles()
	g.agreement()
	file, err := g.Result()
	if err != nil {
		build.LogError(log.New(os.Stderr, "", 0), err, 0)
		return errors.New("no code")
	}
	if err := pass.Compile.Execute(file); err != nil {
		return err
	}
	config := printer.Config{Name: "tools/kernelgen", Pkg: "kernel"}
	for name, p := range map[string]printer.Printer{
		"avx2_amd64.s":  printer.NewGoAsm(config),
		"avx2_amd64.go": printer.NewStubs(config),
	} {
		text, err := p.Print(file)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(folder, name), append([]byte(license), text...), 0o644); err != nil {
			return err
		}
	}
	return nil
}
