// SPDX-License-Identifier: Apache-2.0

package main

import (
	"flag"
	"fmt"
	"os"
	"slices"
)

// Names of flags that mean the same in every command.
var (
	readFlags  = []string{"in", "train", "test", "model", "transfer", "config", "population"}
	writeFlags = []string{"out", "report", "svg", "csv", "html", "dump-attributes", "dump-test", "ledger", "head"}

	// Files that are written when all the work is done, in every command that has them.
	lateFlags = []string{"report", "svg", "csv", "html", "dump-attributes", "dump-test"}
)

// outlets refuses files that could not be written at the end, before the work.
func outlets(f *flag.FlagSet) error {
	var refused error
	f.Visit(func(late *flag.Flag) {
		if refused != nil || !slices.Contains(lateFlags, late.Name) {
			return
		}
		if err := writable(late.Value.String()); err != nil {
			refused = withHint(fmt.Errorf("--%s: %w", late.Name, err), hintOf(err))
		}
	})
	return refused
}

// apart refuses to write over what is read: annotated notes are somebody's work.
// It goes by the file, whatever its name.
func (e *env) apart(f *flag.FlagSet) error {
	var refused error
	f.Visit(func(read *flag.Flag) {
		from, err := os.Stat(read.Value.String())
		if err != nil || !slices.Contains(readFlags, read.Name) {
			return
		}
		f.Visit(func(write *flag.Flag) {
			if to, err := os.Stat(write.Value.String()); err == nil && slices.Contains(writeFlags, write.Name) && os.SameFile(from, to) {
				refused = e.usage("--%s would write over the file of --%s: give it another name", write.Name, read.Name)
			}
		})
	})
	return refused
}
