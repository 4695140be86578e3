// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"

	"golang.org/x/term"

	"hide/internal/project"
)

// Exit codes.
const (
	exitDone   = 0
	exitFailed = 1
	exitMisuse = 2
)

// spareMemory is how much garbage, in per cent of what is in use, may gather before
// it is collected. Training holds few pointers, so that collecting twice as often
// as Go's default costs little and saves a fifth of the peak.
const spareMemory = 50

func main() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(spareMemory)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // so that a second signal kills
	os.Exit(run(ctx, os.Args[1:], &env{
		stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr,
		terminal: term.IsTerminal(int(os.Stderr.Fd())),
	}))
}

// run does what the arguments ask for and returns the exit code. Tests call it.
func run(ctx context.Context, args []string, e *env) int {
	err := dispatch(ctx, e, "", commands(), args)
	if errors.Is(err, errHelp) {
		return exitDone
	}
	if err == nil {
		return exitDone
	}
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		err = withHint(errors.New("interrupted"), hintOf(err))
	}
	report(e.stderr, err)
	var misuse *usageError
	if errors.As(err, &misuse) {
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
	if hint := hintOf(err); hint != "" {
		fmt.Fprintf(w, "hide: %s\n", oneLine(hint))
	}
}

func oneLine(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r == '\n' || r == '\r' }), "; ")
}

func hintOf(err error) string {
	var hinted *hintError
	if errors.As(err, &hinted) {
		return hinted.hint
	}
	var misuse *usageError
	if errors.As(err, &misuse) {
		return misuse.hint
	}
	var fromProject *project.Error
	if errors.As(err, &fromProject) {
		return fromProject.Hint
	}
	return ""
}
