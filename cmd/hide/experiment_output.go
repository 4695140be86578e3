// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"flag"
	"io"
	"strings"

	"hide/internal/chart"
)

// experimentOutput says where results go beside standard output.
type experimentOutput struct {
	csv     string
	html    string
	resume  string
	command string // as typed
}

func (o *experimentOutput) declare(f *flag.FlagSet) {
	f.StringVar(&o.resume, "resume", "", "keep what is finished in `FILE`, and go on from there when the same is run again; more modes, learners and values of L/C may be asked for")
	f.StringVar(&o.csv, "csv", "", "write every figure, one a line, to `FILE`")
	f.StringVar(&o.html, "html", "", "write charts and tables as one HTML page to `FILE`; it holds labels and numbers, no text of notes")
}

// write writes the files that were asked for.
func (o experimentOutput) write(ctx context.Context, r experimentJSON) error {
	if o.csv != "" {
		if _, err := writeFile(o.csv, r.writeCSV); err != nil {
			return err
		}
	}
	if o.html == "" {
		return nil
	}
	_, err := writeFile(o.html, func(w io.Writer) error { return chart.WriteReport(ctx, w, r.charts()) })
	return err
}

// commandLine is how to run the same again in a shell.
func commandLine(args []string) string {
	words := []string{"hide", "experiment"}
	for _, a := range args {
		words = append(words, shellWord(a))
	}
	return strings.Join(words, " ")
}

// shellWord quotes what a shell would not take as it is.
func shellWord(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./,=:+@%", r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
