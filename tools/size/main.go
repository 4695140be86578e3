// SPDX-License-Identifier: Apache-2.0

// Size measures what grows with the number of notes of a project: import, the data file,
// start-up, pages, search, backup and the check of the audit trail. It makes a data folder
// of invented notes for each number, runs the given binary on loopback, and prints a table
// with a column for each number and the growth from the first to the last.
//
//	go build ./cmd/hide
//	go -C tools run ./size --hide ../hide --notes 10000,100000,1000000
//
// A million notes take about 8 GB of disk below --dir and the better part of an hour.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"time"

	"hide/tools/rig"
)

// config is what the flags say.
type config struct {
	binary string
	notes  []int
	visits int
	wait   time.Duration
	dir    string
	json   string
}

func main() {
	c, err := parse(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "size:", err)
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, c); err != nil {
		fmt.Fprintln(os.Stderr, "size:", err)
		os.Exit(1)
	}
}

func parse(args []string) (config, error) {
	var c config
	f := flag.NewFlagSet("size", flag.ContinueOnError)
	f.StringVar(&c.binary, "hide", "", "`path` of the hide binary")
	notes := f.String("notes", "10000,100000", "comma-separated `numbers` of notes, ascending")
	f.IntVar(&c.visits, "visits", 30, "`number` of times that each page is opened")
	f.DurationVar(&c.wait, "wait", 20*time.Minute, "`time` to wait for one answer")
	f.StringVar(&c.dir, "dir", "", "`folder` for the data, in place of the system's folder for temporary files")
	f.StringVar(&c.json, "json", "", "`file` for the figures as JSON")
	if err := f.Parse(args); err != nil {
		return c, err
	}
	for _, text := range strings.Split(*notes, ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n < 2*finished {
			return c, fmt.Errorf("--notes: give numbers from %d", 2*finished)
		}
		c.notes = append(c.notes, n)
	}
	if c.binary == "" || c.visits < 1 || c.visits > finished {
		return c, fmt.Errorf("give --hide, and --visits from 1 to %d", finished)
	}
	return c, nil
}

// run measures one number of notes after the other, each in a folder that is removed
// afterwards, and prints the table.
func run(ctx context.Context, c config) error {
	r := report{Binary: c.binary}
	for _, n := range c.notes {
		fmt.Fprintf(os.Stderr, "size: %d notes\n", n)
		f, err := c.measure(ctx, n)
		if err != nil {
			return fmt.Errorf("%d notes: %w", n, err)
		}
		r.Sizes = append(r.Sizes, f)
	}
	r.write(os.Stdout)
	if c.json == "" {
		return nil
	}
	return rig.WriteJSON(c.json, r)
}

func (c config) measure(ctx context.Context, n int) (f figures, err error) {
	dir, err := os.MkdirTemp(c.dir, "hide-size-")
	if err != nil {
		return f, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	m := &measurement{config: c, dir: dir, hide: rig.Hide{Binary: c.binary, Data: dir + "/data"}}
	m.Notes = n
	for _, step := range []func(context.Context) error{m.fill, m.serve, m.keep} {
		if err := step(ctx); err != nil {
			return m.figures, err
		}
	}
	return m.figures, nil
}
