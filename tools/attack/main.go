// SPDX-License-Identifier: Apache-2.0

// Attack tries on a hide binary what testers of a hospital tried, over loopback, and prints
// what happened. It ends with 1 if an attack succeeded.
//
//	go build ./cmd/hide
//	go -C tools run ./attack --hide ../hide --quick
//	go -C tools run ./attack --hide ../hide --only flood,sockets
//
// Every attack has a server and a data folder of its own, which are removed afterwards.
// Nothing leaves the machine, and all notes are invented.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"hide/tools/rig"
)

// attack is one thing that must not work.
type attack struct {
	name string
	what string
	try  func(ctx context.Context, s *stage) (outcome, error)
}

// outcome is what an attack achieved.
type outcome struct {
	held bool
	what string
}

func outcomeOf(held bool, format string, args ...any) (outcome, error) {
	return outcome{held, fmt.Sprintf(format, args...)}, nil
}

func attacks() []attack {
	return []attack{
		{"flood", "ten strangers sign in with names of many megabytes", flood},
		{"zip", "a zip whose entries expand a thousandfold, each one a little", bomb},
		{"slow", "strangers send a byte a second", slow},
		{"token", "an upload without the form's token asks for a backup", forged},
		{"formula", "a published table keeps cells that spreadsheets execute", formula},
		{"lockout", "a stranger keeps the only administrator out", lockout},
		{"recovery", "an administrator without password needs the server stopped", recovery},
		{"password", "a common password is accepted", weak},
		{"sockets", "a live connection survives signing out", signedOut},
		{"hoard", "one person holds all live connections", hoard},
		{"library", "a library has a known weakness", library},
		{"twins", "JSON keys that differ in case are dropped", twins},
		{"attribute", "one attribute of many megabytes fills the memory", attribute},
		{"names", "odd file names and formats break an import", oddNames},
		{"people", "accounts that look like others, or like the program", confusable},
		{"devices", "an export holds names of Windows devices", devices},
		{"scope", "an access token asks for more than its scope", beyond},
		{"revoked", "an import goes on with an access token that was revoked", revoked},
		{"cookie", "the API takes a cookie, or a token in the address", borrowed},
	}
}

func main() {
	binary := flag.String("hide", "", "`path` of the hide binary")
	quick := flag.Bool("quick", false, "small sizes and short waits")
	only := flag.String("only", "", "comma-separated `names` of attacks (default: all)")
	flag.Parse()
	if *binary == "" || flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "attack: give --hide")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	chosen, err := choose(*only)
	if err != nil {
		fmt.Fprintln(os.Stderr, "attack:", err)
		os.Exit(2)
	}
	held, err := run(ctx, *binary, *quick, chosen)
	if err != nil {
		fmt.Fprintln(os.Stderr, "attack:", err)
	}
	if err != nil || !held {
		os.Exit(1)
	}
}

func choose(only string) ([]attack, error) {
	all := attacks()
	if only == "" {
		return all, nil
	}
	var chosen []attack
	for _, name := range strings.Split(only, ",") {
		at := slices.IndexFunc(all, func(a attack) bool { return a.name == name })
		if at < 0 {
			return nil, fmt.Errorf("there is no attack %q", name)
		}
		chosen = append(chosen, all[at])
	}
	return chosen, nil
}

// run tries the attacks one after the other and prints a line for each.
func run(ctx context.Context, binary string, quick bool, chosen []attack) (held bool, err error) {
	dir, err := os.MkdirTemp("", "hide-attack-")
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	prepared, err := prepare(ctx, rig.Hide{Binary: binary, Data: filepath.Join(dir, "data")}, dir)
	if err != nil {
		return false, fmt.Errorf("prepare: %w", err)
	}
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "attack\theld\twhat was tried\twhat happened")
	held = true
	for _, a := range chosen {
		fmt.Fprintf(os.Stderr, "attack: %s\n", a.name)
		o, err := perform(ctx, a, prepared, filepath.Join(dir, a.name), quick)
		if err != nil {
			o = outcome{false, "could not be tried: " + err.Error()}
		}
		held = held && o.held
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", a.name, yes(o.held), a.what, o.what)
	}
	return held, table.Flush()
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "NO"
}
