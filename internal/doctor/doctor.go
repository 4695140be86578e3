// SPDX-License-Identifier: Apache-2.0

// Package doctor judges an installation of hide from facts that were gathered about it.
//
//	report := doctor.Examine(facts)
//	report.WriteText(os.Stdout)
//	if report.Failed > 0 { ... }
//
// It reads no file, clock or network: package gather makes the [Facts]. Each [Check] says
// what was found and what to do next, in words without any text of notes.
package doctor

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Status says how a check ended.
type Status string

// The statuses of a check.
const (
	OK      Status = "ok"
	Warn    Status = "warn"    // it works, and something should be changed
	Fail    Status = "fail"    // something does not work, or data are at risk
	Skipped Status = "skipped" // it could not be looked at: Found says why
)

// Check is one thing that was looked at.
type Check struct {
	Name   string `json:"name"`
	Status Status `json:"status"`
	Found  string `json:"found"`
	Next   string `json:"next,omitempty"` // what to do; "" if nothing is to be done
}

// Report is what was found about an installation.
type Report struct {
	OK     bool    `json:"ok"` // no check failed
	Failed int     `json:"failed"`
	Warned int     `json:"warned"`
	Checks []Check `json:"checks"`
}

// Examine judges facts. The order of the checks is always the same.
func Examine(f Facts) Report {
	var r Report
	for _, part := range []func(*Facts) []Check{
		server, data, key, permissions, left, secrets, disks, backups, copies, memory, clocks, certificates, proxy, issuer,
	} {
		r.Checks = append(r.Checks, part(&f)...)
	}
	for _, c := range r.Checks {
		switch c.Status {
		case Fail:
			r.Failed++
		case Warn:
			r.Warned++
		}
	}
	r.OK = r.Failed == 0
	return r
}

// WriteText writes a table: status, name and what was found, with the next step below.
func (r Report) WriteText(w io.Writer) error {
	width := 0
	for _, c := range r.Checks {
		width = max(width, utf8.RuneCountInString(c.Name))
	}
	var b strings.Builder
	for _, c := range r.Checks {
		fmt.Fprintf(&b, "%-7s  %-*s  %s\n", c.Status, width, c.Name, c.Found)
		if c.Next != "" {
			fmt.Fprintf(&b, "%*s  do: %s\n", 9+width, "", c.Next)
		}
	}
	fmt.Fprintf(&b, "\n%d checks: %d failed, %d warnings\n", len(r.Checks), r.Failed, r.Warned)
	_, err := io.WriteString(w, b.String())
	return err
}

// one is a list of one check.
func one(name string, s Status, next, format string, args ...any) []Check {
	return []Check{{Name: name, Status: s, Found: fmt.Sprintf(format, args...), Next: next}}
}
