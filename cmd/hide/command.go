// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
	"time"

	"hide/internal/caller"
	"hide/internal/hint"
	"hide/internal/lab"
	"hide/internal/meter"
	"hide/internal/option"
	"hide/internal/words"
)

// command is one row of a table of commands.
type command struct {
	name  string // as typed
	args  string // arguments in the usage line
	short string // one line for the list of commands, lower case
	run   func(ctx context.Context, e *env, args []string) error
}

// env is a command's access to the outside world. Tests build their own.
type env struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	terminal       bool             // stderr is a terminal: show progress
	now            func() time.Time // of sessions, for tests; nil means time.Now

	shared *folder      // that this process, a server, has open, when it runs a command for somebody
	theirs caller.Files // files of that command; nil means those of this process

	data    *dataFlags // of the current command, if it runs in the server that has the folder open
	command command    // the current command, its name with all verbs: "audit verify"
	json    bool       // --json was given; set by parse
}

// usageError is a mistake in what was typed: exit code 2.
type usageError struct{ text, hint string }

func (u *usageError) Error() string { return u.text }

// misuse makes a usageError. Its text must not quote a document.
func misuse(format string, args ...any) error {
	return &usageError{text: fmt.Sprintf(format, args...)}
}

// withHint adds a line with the next step to an error.
func withHint(err error, next string) error { return hint.Add(err, next) }

var (
	// errHelp is returned after help was printed on request.
	errHelp = errors.New("help was printed")
	// errReported is returned by a command that failed and has printed why.
	errReported = errors.New("failed")
)

// dispatch runs the command of the table that args[0] names. within is the command that
// has these verbs, "" for hide itself.
func dispatch(ctx context.Context, e *env, within string, table []command, args []string) error {
	if len(args) == 0 {
		writeCommands(e.stderr, within, table)
		return misuse("%s", strings.TrimPrefix(within+": no command given", ": "))
	}
	name := args[0]
	if isHelp(name) {
		return help(ctx, e, within, table, args[1:])
	}
	c, found := lookup(table, name)
	if !found {
		return unknownCommand(within, table, name)
	}
	inner := *e
	c.name = full(within, c.name)
	inner.command = c
	return c.run(ctx, &inner, args[1:])
}

// verbs makes the run function of a command with subcommands.
func verbs(table ...command) func(context.Context, *env, []string) error {
	return func(ctx context.Context, e *env, args []string) error {
		return dispatch(ctx, e, e.command.name, table, args)
	}
}

func full(within, name string) string { return strings.TrimSpace(within + " " + name) }

func lookup(table []command, name string) (command, bool) {
	for _, c := range table {
		if c.name == name {
			return c, true
		}
	}
	return command{}, false
}

func unknownCommand(within string, table []command, name string) error {
	names := make([]string, len(table))
	for i, c := range table {
		names[i] = c.name
	}
	return &usageError{
		text: fmt.Sprintf("unknown command %q", full(within, name)),
		hint: didYouMean(name, names, full("hide "+within, ""), full("hide help", within)),
	}
}

// flags starts the flag set of the current command, with --json.
func (e *env) flags() *flag.FlagSet {
	f := flag.NewFlagSet("hide "+e.command.name, flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.BoolVar(&e.json, "json", false, "print one JSON object on standard output")
	return f
}

// filterFlags is flags for a command that answers each line of standard input with JSON.
// It accepts --json without effect.
func (e *env) filterFlags() *flag.FlagSet {
	f := e.flags()
	f.Lookup("json").Usage = "has no effect: every answer is already a JSON object"
	return f
}

// parse reads flags and arguments in any order and returns the arguments, from least to
// most of them. The required flags must not be empty. A mistake is a [usageError]; -h
// prints the command's help.
func (e *env) parse(f *flag.FlagSet, args []string, least, most int, required ...string) ([]string, error) {
	var rest []string
	for {
		if err := f.Parse(args); err != nil {
			return nil, e.flagError(f, err)
		}
		if f.NArg() == 0 {
			break
		}
		if at := len(args) - f.NArg(); at > 0 && args[at-1] == "--" {
			rest = append(rest, f.Args()...)
			break
		}
		rest, args = append(rest, f.Arg(0)), f.Args()[1:]
	}
	if len(rest) < least {
		return nil, e.usage("missing argument: hide %s %s", e.command.name, e.command.args)
	}
	if len(rest) > most {
		return nil, e.usage("unexpected argument %q", rest[most])
	}
	if err := cmp.Or(e.refuseOverwrite(f), e.checkLateFiles(f), e.required(f, required...)); err != nil {
		return nil, err
	}
	return rest, e.besideServer(f)
}

func (e *env) flagError(f *flag.FlagSet, err error) error {
	if errors.Is(err, flag.ErrHelp) {
		writeHelp(e.stdout, e.command, f)
		return errHelp
	}
	if refused := option.Refused(f); refused != nil {
		return e.usage("%v", refused)
	}
	name, unknown := strings.CutPrefix(err.Error(), "flag provided but not defined: -")
	if !unknown {
		return e.usage("%s", strings.ReplaceAll(err.Error(), " -", " --"))
	}
	var names []string
	f.VisitAll(func(f *flag.Flag) { names = append(names, "--"+f.Name) })
	return &usageError{
		text: fmt.Sprintf("%s: unknown flag --%s", e.command.name, name),
		hint: didYouMean("--"+name, names, "", "hide help "+e.command.name),
	}
}

// usage is a [usageError] about the current command.
func (e *env) usage(format string, args ...any) error {
	return &usageError{
		text: e.command.name + ": " + fmt.Sprintf(format, args...),
		hint: "see: hide help " + e.command.name,
	}
}

// required refuses a missing required flag.
func (e *env) required(f *flag.FlagSet, names ...string) error {
	for _, name := range names {
		if f.Lookup(name).Value.String() == "" {
			return e.usage("--%s is missing", name)
		}
	}
	return nil
}

const about = `hide de-identifies clinical notes and measures the remaining PHI.

  import -> annotate <-> train -> sanitize -> review -> publish -> verify

To see it: hide demo
`

func isHelp(arg string) bool {
	return arg == "help" || arg == "-h" || arg == "-help" || arg == "--help"
}

// help answers "hide help [COMMAND [VERB]]" through the command itself, so that flags are
// described where they are declared.
func help(ctx context.Context, e *env, within string, table []command, args []string) error {
	if len(args) == 0 {
		writeCommands(e.stdout, within, table)
		return errHelp
	}
	c, found := lookup(table, args[0])
	if !found {
		return unknownCommand(within, table, args[0])
	}
	inner := *e
	c.name = full(within, c.name)
	inner.command = c
	return c.run(ctx, &inner, append(args[1:], "-h"))
}

func writeCommands(w io.Writer, within string, table []command) {
	if within == "" {
		fmt.Fprint(w, about, "\n")
	}
	fmt.Fprintf(w, "Usage: %s COMMAND ...\n\n", full("hide", within))
	width := 0
	for _, c := range table {
		width = max(width, len(c.name))
	}
	for _, c := range table {
		fmt.Fprintf(w, "  %-*s  %s\n", width, c.name, c.short)
	}
	fmt.Fprintf(w, "\nMore about one: %s COMMAND\n", full("hide help", within))
}

func writeHelp(w io.Writer, c command, f *flag.FlagSet) {
	fmt.Fprintf(w, "Usage: hide %s %s\n\n%s\n\n", c.name, c.args, words.Sentence(c.short))
	f.VisitAll(func(f *flag.Flag) {
		value, text, choices := option.Usage(f)
		fmt.Fprintf(w, "  --%s\n      %s%s\n", full(f.Name, value), words.Sentence(text), defaultOf(f))
		writeChoices(w, choices)
	})
}

// writeChoices lists the values of a flag: on one line, or one per line with their
// meaning.
func writeChoices(w io.Writer, choices []option.Choice) {
	var names []string
	for _, c := range choices {
		if meaning := cmp.Or(c.Help, c.Title); meaning != "" && c.Value != "" {
			fmt.Fprintf(w, "        %s: %s\n", c.Value, meaning)
		} else {
			names = append(names, c.Value)
		}
	}
	if len(names) > 0 {
		fmt.Fprintf(w, "      Values: %s\n", strings.Join(names, ", "))
	}
}

func defaultOf(f *flag.Flag) string {
	switch f.DefValue {
	case "", "0", "false", "0s", "[]":
		return ""
	}
	return " (default " + f.DefValue + ")"
}

// didYouMean suggests the nearest of names, or the command that lists them.
func didYouMean(got string, names []string, prefix, list string) string {
	if near, ok := words.Nearest(got, names); ok {
		return fmt.Sprintf("did you mean %q?", full(prefix, near))
	}
	return "the list is: " + list
}

// progress starts a progress line, which only a terminal shows. The caller ends it before
// anything else is printed.
func (e *env) progress(doing string) *meter.Line {
	if e.terminal {
		return meter.New(e.stderr, doing)
	}
	return meter.New(nil, doing)
}

// bars shows the progress of an experiment as that of a command.
func (e *env) bars() lab.Progress {
	return func(doing string) lab.Bar { return e.progress(doing) }
}
