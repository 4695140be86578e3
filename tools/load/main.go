// SPDX-License-Identifier: Apache-2.0

// Load measures a hide server under many people: annotators who edit and viewers whose
// pages refresh themselves. It makes a data folder with invented notes, starts the given
// binary on loopback, and prints a table of what it measured beside what hide aims at.
//
//	go build ./cmd/hide
//	go -C tools run ./load --hide ../hide --notes 2000 --for 3m
//	go -C tools run ./load --hide ../hide --cells soak --for 1h
//
// The cells:
//
//	quiet      every annotator edits notes of their own
//	training   the same while the server trains without a pause
//	one        all annotators edit the same long note
//	soak       own notes, trainings, exports and pages that come and go; it also compares
//	           memory and open descriptors of the second sixth of the time with the last
//
// Half of the viewers look at notes that nobody edits, with the list of notes beside them,
// half at notes that are being edited. Those fetch the note after a change, as the script
// of the page does. Annotators
// keep their pace only if the server does: the table says how many edits a second were
// asked for, and how many came.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"time"

	"hide/tools/rig"
)

// config is what the flags say.
type config struct {
	binary              string
	notes               int
	annotators, viewers int
	every, length       time.Duration
	cells               []string
	json                string
	fetch               bool
}

func main() {
	c, err := parse(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	held, err := run(ctx, c)
	if err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1)
	}
	if !held {
		fmt.Fprintln(os.Stderr, "load: edits were lost, or the memory of the soak grew")
		os.Exit(1)
	}
}

func parse(args []string) (config, error) {
	var c config
	f := flag.NewFlagSet("load", flag.ContinueOnError)
	f.StringVar(&c.binary, "hide", "", "`path` of the hide binary")
	f.IntVar(&c.notes, "notes", 2000, "`number` of notes in the project")
	f.IntVar(&c.annotators, "annotators", 50, "`number` of people who edit")
	f.IntVar(&c.viewers, "viewers", 200, "`number` of open pages beside those of the annotators")
	f.DurationVar(&c.every, "every", 2*time.Second, "`time` between two edits of an annotator")
	f.DurationVar(&c.length, "for", 3*time.Minute, "`time` of each cell")
	cells := f.String("cells", "quiet,training,one", "comma-separated `cells`: quiet, training, one, soak")
	f.StringVar(&c.json, "json", "", "`file` for the figures as JSON")
	f.BoolVar(&c.fetch, "fetch", true, "open pages fetch a note that changed, as the script of the page does")
	if err := f.Parse(args); err != nil {
		return c, err
	}
	c.cells = strings.Split(*cells, ",")
	for _, name := range c.cells {
		if _, known := kinds[name]; !known {
			return c, fmt.Errorf("unknown cell %q", name)
		}
	}
	if c.notes < c.annotators*len(c.cells)+restful {
		return c, errors.New("too few notes: every annotator needs one in each cell")
	}
	if c.binary == "" || c.annotators < 1 || c.viewers < 0 || c.every <= 0 || c.length <= 0 {
		return c, errors.New("give --hide, at least one annotator, and times above 0")
	}
	return c, nil
}

// run prepares one data folder, measures cell after cell on it and reports. held is false
// if an edit was lost or a soak was not flat.
func run(ctx context.Context, c config) (held bool, err error) {
	dir, err := os.MkdirTemp("", "hide-load-")
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	w, err := prepare(ctx, c, dir)
	if err != nil {
		return false, fmt.Errorf("prepare: %w", err)
	}
	r := report{Binary: c.binary, Version: w.version, Notes: c.notes, Annotators: c.annotators, Viewers: c.viewers}
	for _, name := range c.cells {
		fmt.Fprintf(os.Stderr, "load: cell %s, %v\n", name, c.length)
		one, err := w.measure(ctx, name)
		if err != nil {
			return false, fmt.Errorf("cell %s: %w", name, err)
		}
		r.Cells = append(r.Cells, one)
	}
	return r.held(), r.write(os.Stdout, c.json)
}

// ward is a prepared data folder.
type ward struct {
	config
	hide    rig.Hide
	version string
	shared  note   // the long note of the cell "one"
	open    []note // not annotated yet
	used    int    // how many of open earlier cells have taken
	entered bool   // the people have chosen their passwords
	codes   []string
}
