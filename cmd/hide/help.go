// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"strings"

	"hide/internal/option"
)

const about = `hide de-identifies clinical notes and measures what is left.

  import -> annotate <-> train -> sanitize -> review -> publish -> verify

To see it: hide demo
`

func isHelp(arg string) bool {
	return arg == "help" || arg == "-h" || arg == "-help" || arg == "--help"
}

// help answers "hide help [COMMAND [VERB]]" by asking the command itself, so
// that its flags are described where they are declared.
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
	fmt.Fprintf(w, "Usage: hide %s %s\n\n%s\n\n", c.name, c.args, sentence(c.short))
	f.VisitAll(func(f *flag.Flag) {
		value, text := option.Usage(f)
		fmt.Fprintf(w, "  --%s\n      %s%s\n", full(f.Name, value), text, defaultOf(f))
	})
}

func sentence(short string) string {
	return strings.ToUpper(short[:1]) + short[1:] + "."
}

func defaultOf(f *flag.Flag) string {
	switch f.DefValue {
	case "", "0", "false", "0s", "[]":
		return ""
	}
	return " (default " + f.DefValue + ")"
}
