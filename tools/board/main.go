// SPDX-License-Identifier: Apache-2.0

// Board measures a review session with many members: how many bytes each of them gets for
// the whole session, how long a move of the shared slider takes to reach them, and what the
// server spends. It makes a data folder with invented notes, freezes a candidate, opens a
// review, and starts the given binary on loopback.
//
//	go build ./cmd/hide
//	go -C tools run ./board --hide ../hide --members 30 --for 5m
//
// Every member has the page open and follows it as its script does: the page is fetched
// again when the session has gone a step further. One member moves the slider in bursts,
// three read passages, members ask and the broker answers, and in the end all vote.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"text/tabwriter"
	"time"

	"hide/tools/rig"
)

// config is what the flags say.
type config struct {
	binary   string
	patients int
	members  int
	passages int
	length   time.Duration
	json     string
}

func main() {
	c, err := parse(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "board:", err)
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	f, err := run(ctx, c)
	if err == nil {
		err = f.write(c)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "board:", err)
		os.Exit(1)
	}
}

func parse(args []string) (c config, err error) {
	f := flag.NewFlagSet("board", flag.ContinueOnError)
	f.StringVar(&c.binary, "hide", "", "`path` of the hide binary")
	f.IntVar(&c.patients, "patients", 100, "`number` of invented patients, with two to five notes each")
	f.IntVar(&c.members, "members", 30, "`number` of members, besides the broker")
	f.IntVar(&c.passages, "passages", 60, "`number` of passages that three members read")
	f.DurationVar(&c.length, "for", 5*time.Minute, "`time` from opening the pages to the vote")
	f.StringVar(&c.json, "json", "", "`file` for the figures as JSON")
	if err := f.Parse(args); err != nil {
		return c, err
	}
	if c.binary == "" || c.members < readers+2 || c.members > 30 || c.patients < 20 || c.passages < 1 || c.length < 20*time.Second {
		return c, fmt.Errorf("give --hide, %d to 30 members, at least 20 patients, a passage and 20 seconds", readers+2)
	}
	return c, nil
}

// run prepares a data folder, holds the session and measures it.
func run(ctx context.Context, c config) (f figures, err error) {
	dir, err := os.MkdirTemp("", "hide-board-")
	if err != nil {
		return f, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	h := rig.Hide{Binary: c.binary, Data: filepath.Join(dir, "data")}
	version, err := h.Version(ctx)
	if err != nil {
		return f, err
	}
	codes, err := prepare(ctx, c, h, dir)
	if err != nil {
		return f, fmt.Errorf("prepare: %w", err)
	}
	server, err := h.Serve(ctx)
	if err != nil {
		return f, err
	}
	defer func() { err = errors.Join(err, server.Stop()) }()
	m, err := gather(ctx, server, codes)
	if err != nil {
		return f, err
	}
	defer m.leave()
	f, err = m.hold(ctx, c)
	f.Version = version
	return f, err
}

const project = "p1" // the first of a new data folder

// prepare makes accounts, a project with a run, a frozen candidate and a review of it.
func prepare(ctx context.Context, c config, h rig.Hide, dir string) (codes []string, err error) {
	notes := filepath.Join(dir, "notes.jsonl")
	if err := h.Generate(ctx, c.patients, notes); err != nil {
		return nil, err
	}
	commands := [][]string{
		{"project", "create", "Board"},
		{"import", "--project", project, "--finished", notes},
		{"sanitize", "--project", project, "--lc", "1,2,5,10,20,50", "--folds", "2", "--choose", "10"},
		{"publish", "text", "--project", project, "--freeze"},
	}
	for _, args := range commands {
		if _, err := h.Command(ctx, args...); err != nil {
			return nil, err
		}
	}
	names := ""
	for i := range c.members + 1 {
		role := "reviewer"
		if i == 0 {
			role = "broker"
		}
		code, err := h.AddPerson(ctx, nameOf(i), role)
		if err != nil {
			return nil, err
		}
		if _, err := h.Command(ctx, "member", "add", project, nameOf(i), "--role", role); err != nil {
			return nil, err
		}
		codes = append(codes, code)
		if i > 0 {
			names += "," + nameOf(i)
		}
	}
	_, err = h.Command(ctx, "review", "open", "--project", project, "--question", "May these notes go out?", "--members", names[1:])
	return codes, err
}

func nameOf(i int) string {
	if i == 0 {
		return "Broker"
	}
	return fmt.Sprintf("Member %d", i)
}

// figures are what a session took. Times are in milliseconds.
type figures struct {
	Version string  `json:"version"`
	Members int     `json:"members"`
	Seconds float64 `json:"seconds"`

	Opened  float64 `json:"bytes_to_open_the_page"` // of a member who only looks, as all below
	Live    float64 `json:"bytes_of_live_frames"`
	Frames  float64 `json:"live_frames"`
	Fetched float64 `json:"bytes_fetched_again"`
	Fetches float64 `json:"fetches"`
	Total   float64 `json:"bytes_per_viewer"`
	Most    float64 `json:"bytes_of_the_viewer_with_most"`
	Reader  float64 `json:"bytes_of_a_reader"`

	Moves    int     `json:"moves"`
	Skipped  int     `json:"moves_shown_by_a_later_one"`
	MoveP50  float64 `json:"move_p50_ms"`
	MoveP95  float64 `json:"move_p95_ms"`
	MoveMost float64 `json:"move_slowest_ms"`

	CPU    float64 `json:"server_cpu_seconds"`
	Peak   int64   `json:"server_peak_bytes"`
	Failed int     `json:"failed_requests"`
	Lost   int     `json:"live_connections_lost"`
}

func (f figures) write(c config) error {
	fmt.Printf("%d members and the broker, %.0f s, %d cores; %s\n\n", f.Members, f.Seconds, runtime.NumCPU(), f.Version)
	t := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	for _, row := range []struct {
		what  string
		value float64
	}{
		{"bytes per viewer, whole session", f.Total},
		{"  to open the page", f.Opened},
		{"  of live frames", f.Live},
		{"  fetched again", f.Fetched},
		{"live frames per viewer", f.Frames},
		{"fetches per viewer", f.Fetches},
		{"bytes of the viewer with most", f.Most},
		{"bytes of a reader, passages included", f.Reader},
		{"moves of the slider", float64(f.Moves)},
		{"  shown by a later one", float64(f.Skipped)},
		{"  to a viewer, p50, ms", f.MoveP50},
		{"  p95", f.MoveP95},
		{"  slowest", f.MoveMost},
		{"server, processor seconds", f.CPU},
		{"server, peak memory, MiB", float64(f.Peak) / (1 << 20)},
		{"failed requests", float64(f.Failed)},
		{"live connections lost", float64(f.Lost)},
	} {
		fmt.Fprintf(t, "%s\t%.0f\n", row.what, row.value)
	}
	if err := t.Flush(); err != nil || c.json == "" {
		return err
	}
	return rig.WriteJSON(c.json, f)
}
