// SPDX-License-Identifier: Apache-2.0

// Hide de-identifies clinical notes: an honest broker imports them, annotates PHI while a
// model trains on the annotations, measures what an attacker could still find, and
// publishes.
//
// Each subcommand has a file of its own and one row in the table in commands.go. It
// declares its flags with [env.flags], reads them with [env.parse], does its work through
// the packages under internal, and reports with [env.result]. It returns its error; only
// [run] prints it.
//
// The rules of this program's terminal:
//
//   - Standard output carries results only; with --json, exactly one JSON object.
//   - Everything else goes to standard error. Progress is shown only if that is
//     a terminal.
//   - An error is one line, "hide: what was being done: why", without capitals
//     and full stop, and at most one line with the next step. Neither contains
//     text of a document.
//   - The exit code is 0 for success, 1 for a failure and 2 for a usage error.
//   - The first interrupt cancels in an orderly way, a second one kills.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"
	_ "time/tzdata" // for systems without time zones, such as our image

	_ "golang.org/x/crypto/x509roots/fallback" // for systems without certificates of authorities, such as our image
	"golang.org/x/term"

	"hide/internal/hint"
	"hide/internal/project"
	"hide/internal/protect"
	"hide/internal/tabular"
)

// Exit codes.
const (
	exitDone   = 0
	exitFailed = 1
	exitMisuse = 2
)

// spareMemory is the garbage collector's target in per cent of the live heap. Training
// holds few pointers, so collecting twice as often as by default costs little and saves a
// fifth of the peak.
const spareMemory = 50

func main() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(spareMemory)
	}
	if err := protect.NoDumps(); err != nil {
		fmt.Fprintln(os.Stderr, "hide:", err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal then kills
	os.Exit(run(ctx, os.Args[1:], &env{
		stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr,
		terminal: term.IsTerminal(int(os.Stderr.Fd())),
	}))
}

// run executes the arguments and returns the exit code. Tests call it.
func run(ctx context.Context, args []string, e *env) int {
	err := dispatch(ctx, e, "", commands(), args)
	if beside, ok := errors.AsType[*besideError](err); ok {
		var exit int
		if exit, err = e.runBeside(ctx, beside.server, args); err == nil {
			return exit
		}
	}
	if err == nil || errors.Is(err, errHelp) {
		return exitDone
	}
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		err = withHint(errors.New("interrupted"), hintOf(err))
	}
	report(e.stderr, err)
	if _, ok := errors.AsType[*usageError](err); ok {
		return exitMisuse
	}
	return exitFailed
}

// report prints an error as one line and its hint as another.
func report(w io.Writer, err error) {
	if errors.Is(err, errReported) {
		return
	}
	fmt.Fprintf(w, "hide: %s\n", oneLine(err.Error()))
	if next := hintOf(err); next != "" {
		fmt.Fprintf(w, "hide: %s\n", oneLine(next))
	}
}

func oneLine(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r == '\n' || r == '\r' }), "; ")
}

func hintOf(err error) string {
	if next := hint.Of(err); next != "" {
		return next
	}
	if misuse, ok := errors.AsType[*usageError](err); ok {
		return misuse.hint
	}
	if wrong, ok := errors.AsType[*tabular.Error](err); ok {
		return wrong.Hint
	}
	if fromProject, ok := errors.AsType[*project.Error](err); ok {
		return fromProject.Hint
	}
	return ""
}

// version is the next release; builds from a checkout add the commit. A build of a tagged
// commit is given the version of the tag by the linker.
var version = "0.1.0"

// builtFrom is the commit of a program of a release, given by the linker.
var builtFrom string

func runVersion(_ context.Context, e *env, args []string) error {
	if _, err := e.parse(e.flags(), args, 0, 0); err != nil {
		return err
	}
	commit, goVersion := build()
	v := struct {
		Version string `json:"version"`
		Commit  string `json:"commit,omitempty"`
		Go      string `json:"go"`
	}{version, commit, goVersion}
	return e.result(v, func(w io.Writer) {
		fmt.Fprintln(w, "hide", full(v.Version, v.Commit), v.Go)
	})
}

// toolVersion is the program version that bundles and releases record.
func toolVersion() string {
	commit, _ := build()
	return full(version, commit)
}

// build is the commit, with "+changes" if the tree was modified, and the version of Go.
func build() (commit, goVersion string) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return builtFrom, ""
	}
	changed := ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			commit = s.Value[:min(12, len(s.Value))]
		case s.Key == "vcs.modified" && s.Value == "true":
			changed = "+changes"
		}
	}
	if commit != "" {
		commit += changed
	}
	return cmp.Or(builtFrom, commit), info.GoVersion
}
