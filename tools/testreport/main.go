// SPDX-License-Identifier: Apache-2.0

// Testreport reads the output of `go test -json`. It prints a line for each package and the
// whole output of each failed test, then the ten slowest tests and the numbers of passed
// and failed tests. It fails when a test, a build or a package failed.
//
//	go test -json ./... | go -C tools run ./testreport
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

func main() {
	r := newReport(os.Stdout)
	if err := r.read(os.Stdin); err != nil {
		fmt.Fprintln(os.Stderr, "testreport:", err)
		os.Exit(1)
	}
	if !r.close() {
		os.Exit(1)
	}
}

// event is documented by cmd/test2json and `go help buildjson`.
type event struct {
	Action      string
	Package     string
	Test        string
	Elapsed     float64
	Output      string
	ImportPath  string
	FailedBuild string
}

type test struct {
	pkg, name string // name is "" for the package itself
}

func (t test) String() string { return t.pkg + " " + t.name }

// top says whether it is a test function, not a package or a subtest.
func (t test) top() bool { return t.name != "" && !strings.Contains(t.name, "/") }

type timed struct {
	test
	seconds float64
}

type report struct {
	w                       io.Writer
	output                  map[test][]string
	builds                  map[string][]string // compiler output, by import path
	open                    map[string]bool     // packages that are running
	slow                    []timed
	passed, failed, skipped int
	broken                  bool // a package or a build failed
}

func newReport(w io.Writer) *report {
	return &report{w: w, output: map[test][]string{}, builds: map[string][]string{}, open: map[string]bool{}}
}

func (r *report) read(from io.Reader) error {
	lines := bufio.NewReader(from)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			r.line(line)
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (r *report) line(line []byte) {
	var e event
	if json.Unmarshal(line, &e) != nil || e.Action == "" {
		r.w.Write(line) // output of the go command itself
		return
	}
	t := test{e.Package, e.Test}
	switch e.Action {
	case "start":
		r.open[e.Package] = true
	case "build-output":
		r.builds[e.ImportPath] = append(r.builds[e.ImportPath], e.Output)
	case "output":
		r.output[t] = append(r.output[t], e.Output)
	case "pass", "fail", "skip":
		r.end(t, e)
	}
}

func (r *report) end(t test, e event) {
	if t.name == "" {
		r.endPackage(t, e)
	} else if t.top() {
		r.slow = append(r.slow, timed{t, e.Elapsed})
		r.count(e.Action)
	}
	if e.Action == "fail" && t.name != "" {
		fmt.Fprintf(r.w, "\n--- FAIL: %s (%.1f s)\n%s\n", t, e.Elapsed, strings.Join(r.output[t], ""))
	}
	delete(r.output, t)
}

func (r *report) count(action string) {
	switch action {
	case "pass":
		r.passed++
	case "fail":
		r.failed++
	case "skip":
		r.skipped++
	}
}

func (r *report) endPackage(t test, e event) {
	delete(r.open, t.pkg)
	switch e.Action {
	case "pass":
		fmt.Fprintf(r.w, "ok    %7.1f s  %s\n", e.Elapsed, t.pkg)
	case "fail":
		r.broken = true
		fmt.Fprintf(r.w, "FAIL  %7.1f s  %s\n%s%s", e.Elapsed, t.pkg, strings.Join(r.builds[e.FailedBuild], ""), strings.Join(r.output[t], ""))
	}
}

// close prints the summary, and reports whether everything passed.
func (r *report) close() bool {
	slices.SortFunc(r.slow, func(a, b timed) int {
		return cmp.Or(cmp.Compare(b.seconds, a.seconds), cmp.Compare(a.String(), b.String()))
	})
	fmt.Fprintf(r.w, "\nThe slowest tests:\n")
	for _, s := range r.slow[:min(10, len(r.slow))] {
		fmt.Fprintf(r.w, "%7.1f s  %s\n", s.seconds, s.test)
	}
	for pkg := range r.open {
		fmt.Fprintf(r.w, "%s ended without a result\n", pkg)
	}
	skipped := ""
	if r.skipped > 0 {
		skipped = fmt.Sprintf(", %d skipped", r.skipped)
	}
	fmt.Fprintf(r.w, "\n%d passed, %d failed%s\n", r.passed, r.failed, skipped)
	return r.passed > 0 && r.failed == 0 && !r.broken && len(r.open) == 0
}
