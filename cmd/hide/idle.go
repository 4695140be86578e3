// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"flag"
	"io/fs"
	"slices"

	"hide/internal/option"
)

// given are the flags that were given, whatever their value.
func given(f *flag.FlagSet) map[string]bool {
	names := map[string]bool{}
	f.Visit(func(one *flag.Flag) { names[one.Name] = true })
	return names
}

// idle refuses flags that were given and change nothing under the circumstances: who
// gave them believes otherwise.
func (e *env) idle(f *flag.FlagSet, circumstances string, names ...string) error {
	var refused error
	f.Visit(func(given *flag.Flag) {
		if refused == nil && slices.Contains(names, given.Name) {
			refused = e.usage("--%s changes nothing %s: leave it out", given.Name, circumstances)
		}
	})
	return refused
}

// unused is the refusal of a flag of a table that would change nothing; nil of nil.
func (e *env) unused(p *option.Problem) error {
	if p == nil {
		return nil
	}
	return e.usage("%v", p)
}

// numbered refuses a number below 1 that was given: its flag stands for something else
// only when it is left out.
func (e *env) numbered(f *flag.FlagSet, name, without string) error {
	if n := f.Lookup(name).Value.(flag.Getter).Get().(int); n < 1 && given(f)[name] {
		return e.usage("--%s is %d; numbers begin at 1: leave it out %s", name, n, without)
	}
	return nil
}

// cause is what went wrong with a file, for an error that names the file itself.
func cause(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

// refused makes a mistake in what was typed of a problem with an option.
func (e *env) refused(err error) error {
	if problem := (*option.Problem)(nil); errors.As(err, &problem) {
		return e.usage("%v", problem)
	}
	return err
}
