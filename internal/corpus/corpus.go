// SPDX-License-Identifier: Apache-2.0

// Package corpus reads whole files that commands name: annotated notes, models,
// dictionaries and word classes. Its errors name the file and have a hint, see [hint.Of].
//
//	notes, report, err := corpus.Notes(ctx, "notes.jsonl")
//	model, err := corpus.Model("names.model")
//	lists, err := corpus.Dictionaries("dictionaries")
//	tables, err := corpus.Classes("builtin,notes.classes")
package corpus

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"hide/internal/annotate"
	"hide/internal/annotate/dictionary"
	"hide/internal/annotate/format"
	"hide/internal/crf"
	"hide/internal/crf/classes"
	"hide/internal/hint"
	"hide/internal/outfile"
)

// Notes reads an annotated file or folder.
func Notes(ctx context.Context, name string) ([]annotate.Annotated, format.Report, error) {
	files, done, err := format.FromPaths([]string{name})
	if err != nil {
		return nil, format.Report{}, fmt.Errorf("read %s: %w", name, outfile.Cause(err))
	}
	defer done()
	var docs []annotate.Annotated
	report, err := format.Read(ctx, files, format.Options{}, func(d annotate.Annotated) error {
		docs = append(docs, d)
		return nil
	})
	if p := (*format.Problem)(nil); errors.As(err, &p) && p.Code == "column" {
		p.Hint = "a table has no spans to measure: import it with hide import --text-column, annotate, and use hide export"
	}
	if err != nil {
		return nil, report, fmt.Errorf("read %s: %w", name, err)
	}
	return docs, report, nil
}

// Model reads a model.
func Model(name string) (*crf.Model, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("read model %s: %w", name, outfile.Cause(err))
	}
	defer f.Close() // only read
	m, err := crf.Decode(f)
	if err != nil {
		return nil, hint.Add(fmt.Errorf("%s: %w", name, err), "train it again with hide train")
	}
	return m, nil
}

// Dictionaries reads every file of a folder except hidden ones. An empty name means no folder.
func Dictionaries(folder string) ([]dictionary.List, error) {
	if folder == "" {
		return nil, nil
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, fmt.Errorf("read dictionaries: %w", err)
	}
	var lists []dictionary.List
	for _, entry := range entries {
		if entry.IsDir() || strings.HasPrefix(entry.Name(), ".") {
			continue
		}
		more, err := Dictionary(filepath.Join(folder, entry.Name()), os.Open)
		if err != nil {
			return nil, err
		}
		lists = append(lists, more...)
	}
	if len(lists) == 0 {
		return nil, hint.Add(fmt.Errorf("read dictionaries: %s holds no file", folder), dictionary.Hint)
	}
	return lists, nil
}

// Dictionary reads the lists of one file, which open opens: os.Open, or another way to the
// files that a command names.
func Dictionary(name string, open func(string) (*os.File, error)) ([]dictionary.List, error) {
	f, err := open(name)
	if err != nil {
		return nil, fmt.Errorf("read dictionary: %w", err)
	}
	defer f.Close() // only read
	lists, err := dictionary.Read(filepath.Base(name), f)
	if err != nil {
		return nil, hint.Add(fmt.Errorf("read dictionary %s: %w", name, err), dictionary.Hint)
	}
	return lists, nil
}

// Names of tables in [Classes]. The program's own is used where it knows the language of the
// notes, or always.
const (
	AutoClasses    = "auto"
	BuiltinClasses = "builtin"
)

// Classes reads comma-separated tables of word classes: [AutoClasses], which is a nil table,
// [BuiltinClasses], and files. An empty list is nil.
func Classes(names string) ([]*classes.Table, error) {
	if names == "" {
		return nil, nil
	}
	var tables []*classes.Table
	for name := range strings.SplitSeq(names, ",") {
		switch name = strings.TrimSpace(name); name {
		case AutoClasses:
			tables = append(tables, nil)
			continue
		case "":
			return nil, fmt.Errorf("%q names an empty table of word classes", names)
		}
		t, err := ClassTable(name)
		if err != nil {
			return nil, err
		}
		tables = append(tables, t)
	}
	return tables, nil
}

// ClassTable reads one table of word classes.
func ClassTable(name string) (*classes.Table, error) {
	if name == BuiltinClasses {
		return classes.Builtin(), nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("read word classes: %w", err)
	}
	defer f.Close() // only read
	t, err := classes.Read(f)
	if err != nil {
		return nil, fmt.Errorf("read word classes %s: %w", name, err)
	}
	return t, nil
}
