// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"hide/internal/option"
)

// given are the flags that were given, whatever their value.
func given(f *flag.FlagSet) map[string]bool {
	names := map[string]bool{}
	f.Visit(func(one *flag.Flag) { names[one.Name] = true })
	return names
}

// refuseUnused refuses flags that were given although they change nothing under the
// circumstances: the person who gave them expects that they do.
func (e *env) refuseUnused(f *flag.FlagSet, circumstances string, names ...string) error {
	var refused error
	f.Visit(func(given *flag.Flag) {
		if refused == nil && slices.Contains(names, given.Name) {
			refused = e.usage("--%s changes nothing %s: leave it out", given.Name, circumstances)
		}
	})
	return refused
}

// refuseZero refuses a number below 1 that was given: only leaving the flag out means
// something else.
func (e *env) refuseZero(f *flag.FlagSet, name, without string) error {
	if n := f.Lookup(name).Value.(flag.Getter).Get().(int); n < 1 && given(f)[name] {
		return e.usage("--%s is %d; numbers start at 1: leave it out %s", name, n, without)
	}
	return nil
}

// fileCause is the reason of an error of a file, without the name of the file.
func fileCause(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

// refused makes a usage error of a problem with an option, of which a nil one is none.
func (e *env) refused(err error) error {
	problem := (*option.Problem)(nil)
	switch {
	case !errors.As(err, &problem):
		return err
	case problem == nil:
		return nil
	}
	return e.usage("%v", problem)
}

// Names of flags that mean the same in every command.
var (
	readFlags  = []string{"in", "train", "test", "model", "transfer", "config", "population"}
	writeFlags = []string{"out", "report", "svg", "csv", "html", "dump-attributes", "dump-test", "ledger", "head"}

	// Files that are written when all the work is done, in every command that has them.
	lateFlags = []string{"report", "svg", "csv", "html", "dump-attributes", "dump-test"}
)

// checkLateFiles refuses, before the work, files that could not be written after it.
func checkLateFiles(f *flag.FlagSet) error {
	var refused error
	f.Visit(func(late *flag.Flag) {
		if refused != nil || !slices.Contains(lateFlags, late.Name) {
			return
		}
		if err := checkWritable(late.Value.String()); err != nil {
			refused = withHint(fmt.Errorf("--%s: %w", late.Name, err), hintOf(err))
		}
	})
	return refused
}

// refuseOverwrite refuses to write over a file that is read: annotated notes are somebody's
// work. It compares with os.SameFile, not by name.
func (e *env) refuseOverwrite(f *flag.FlagSet) error {
	var refused error
	f.Visit(func(read *flag.Flag) {
		from, err := os.Stat(read.Value.String())
		if err != nil || !slices.Contains(readFlags, read.Name) {
			return
		}
		f.Visit(func(write *flag.Flag) {
			if to, err := os.Stat(write.Value.String()); err == nil && slices.Contains(writeFlags, write.Name) && os.SameFile(from, to) {
				refused = e.usage("--%s and --%s name the same file: choose another name for --%[1]s", write.Name, read.Name)
			}
		})
	})
	return refused
}
