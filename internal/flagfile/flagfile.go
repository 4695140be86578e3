// SPDX-License-Identifier: Apache-2.0

// Package flagfile sets the flags of a command from a file, so that no option is declared
// twice: [Read]. Flags that name files with secrets are declared with [Secret] and checked
// with [CheckSecrets].
package flagfile

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"unicode/utf8"

	"hide/internal/hint"
	"hide/internal/words"
)

// maxFile is the most bytes that a file of options may have.
const maxFile = 64 << 10

// Read sets flags from a file with lines "name = value". A line that begins with "#" is a
// comment, and so is the rest of a line after a space and "#". Names are those of the flags,
// without dashes. A flag that was given on the command line keeps its value. barred are names
// that make no sense in a file.
//
// A file that everybody on the machine can change is refused. The error names the file, the
// line and what to do.
func Read(f *flag.FlagSet, path string, barred ...string) error {
	text, err := readOwned(path)
	if err != nil {
		return err
	}
	given, known := map[string]bool{}, []string{}
	f.Visit(func(one *flag.Flag) { given[one.Name] = true })
	f.VisitAll(func(one *flag.Flag) {
		if !slices.Contains(barred, one.Name) {
			known = append(known, one.Name)
		}
	})
	first := map[string]int{} // the line that set a name
	for i, line := range strings.Split(string(text), "\n") {
		fail := func(next, format string, args ...any) error {
			return hint.Add(fmt.Errorf("%s:%d: %s", path, i+1, fmt.Sprintf(format, args...)), next)
		}
		name, value, err := assignment(line)
		switch {
		case err != nil:
			return fail("a line is like addr = 127.0.0.1:8080", "%v", err)
		case name == "":
			continue
		case !slices.Contains(known, name):
			return fail(nearest(name, known), "unknown name %q", name)
		case first[name] > 0 && !repeats(f.Lookup(name)):
			return fail("remove one of the two lines", "%s stands in line %d, too", name, first[name])
		}
		first[name] = i + 1
		if given[name] {
			continue
		}
		if err := f.Set(name, value); err != nil {
			return fail("", "%s: %v", name, err)
		}
	}
	return nil
}

// readOwned reads a file that not everybody can change.
func readOwned(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o002 != 0 {
		return nil, hint.Add(fmt.Errorf("%s: everybody on this machine can change it", path), "run: chmod o-w "+path)
	}
	text, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	switch {
	case err != nil:
		return nil, err
	case len(text) > maxFile:
		return nil, fmt.Errorf("%s: it has more than %d KB", path, maxFile>>10)
	case !utf8.Valid(text) || bytes.IndexByte(text, 0) >= 0:
		return nil, fmt.Errorf("%s: it is not a text file in UTF-8", path)
	}
	return text, nil
}

// assignment reads one line. A line without an assignment has no name.
func assignment(line string) (name, value string, err error) {
	line = strings.TrimSpace(line)
	if line == "" || line[0] == '#' {
		return "", "", nil
	}
	name, value, ok := strings.Cut(line, "=")
	for _, mark := range []string{" #", "\t#"} {
		value, _, _ = strings.Cut(value, mark)
	}
	name, value = strings.TrimSpace(name), strings.TrimSpace(value)
	switch {
	case !ok:
		return "", "", errors.New(`there is no "="`)
	case name == "":
		return "", "", errors.New(`there is no name before "="`)
	case value == "":
		return "", "", fmt.Errorf("%s has no value", name)
	case value[0] == '"' || value[0] == '\'':
		return "", "", fmt.Errorf("the value of %s stands in quotes: leave them out", name)
	}
	return name, value, nil
}

func nearest(name string, known []string) string {
	if near, ok := words.Nearest(strings.TrimLeft(name, "-"), known); ok {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return "the names are those of the flags, without dashes"
}

// repeats reports whether a flag may be given several times. Those of package flag keep the
// last value only.
func repeats(f *flag.Flag) bool {
	_, single := f.Value.(flag.Getter)
	return !single
}

// secret is the value of a flag that names a file with a secret.
type secret struct{ path *string }

// Secret declares a flag that names a file with a secret. [CheckSecrets] refuses a file that
// everybody on the machine can read.
func Secret(f *flag.FlagSet, path *string, name, usage string) { f.Var(secret{path}, name, usage) }

func (s secret) Set(path string) error { *s.path = path; return nil }
func (s secret) Get() any              { return s.String() }
func (s secret) String() string {
	if s.path == nil {
		return ""
	}
	return *s.path
}

// CheckSecrets refuses the first file of a [Secret] flag that everybody can read. A missing
// file is for its reader to report.
func CheckSecrets(f *flag.FlagSet) (err error) {
	f.VisitAll(func(one *flag.Flag) {
		s, is := one.Value.(secret)
		if !is || s.String() == "" || err != nil || runtime.GOOS == "windows" {
			return
		}
		if info, failed := os.Stat(s.String()); failed == nil && info.Mode().Perm()&0o007 != 0 {
			err = hint.Add(fmt.Errorf("--%s: everybody on this machine can reach %s", one.Name, s), "run: chmod o-rwx "+s.String())
		}
	})
	return err
}
