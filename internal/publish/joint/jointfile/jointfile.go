// SPDX-License-Identifier: Apache-2.0

// Package jointfile reads the files of a release of notes together with their table: the
// configuration, the notes with their attributes, and the sensitive terms. Its errors have a
// hint, see [hint.Of].
//
//	c, err := jointfile.ReadConfig("roles.yaml")
//	view, err := jointfile.Read(ctx, c, jointfile.Input{Rows: "notes.csv", Config: "roles.yaml"}, nil)
package jointfile

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"hide/internal/annotate"
	"hide/internal/annotate/format"
	"hide/internal/hint"
	"hide/internal/publish/joint"
	"hide/internal/publish/table"
)

// Input names the files of a release.
type Input struct {
	Rows   string // the notes with their attributes: CSV, or JSONL
	Config string // the file of the configuration, for hints
	Terms  string // annotated JSONL with the sensitive terms of each row; "" for none

	// Tag finds the sensitive terms of a text, beside the patterns of the configuration. With nil
	// rules find them, unless the rows or Terms have them.
	Tag   func(text string) []annotate.Span
	Known bool // also find what the attributes say of people in their notes
}

// ReadConfig reads a configuration.
func ReadConfig(name string) (joint.Config, error) {
	f, err := open(name, "read the configuration")
	if err != nil {
		return joint.Config{}, err
	}
	defer f.Close() // only read
	c, err := joint.ReadConfig(f)
	if err != nil {
		return c, hint.Add(fmt.Errorf("read the configuration %s: %w", name, err), "docs/joint.md describes configurations")
	}
	return c, nil
}

// Read reads rows and their sensitive terms. It calls step while it looks for terms, unless step
// is nil.
func Read(ctx context.Context, c joint.Config, in Input, step func(done, total int)) (*joint.View, error) {
	rows, given, err := readRows(in.Rows, c)
	if err != nil {
		return nil, err
	}
	if in.Terms != "" {
		err = readTerms(in.Terms, rows)
	} else if !given || in.Tag != nil {
		err = in.findTerms(ctx, c, rows, step)
	}
	if err != nil {
		return nil, err
	}
	if in.Known {
		if _, err := joint.FindKnown(ctx, c, rows); err != nil {
			return nil, err
		}
	}
	view, err := joint.NewView(ctx, c, rows)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err != nil {
		return nil, hint.Add(fmt.Errorf("%s: %w", in.Rows, err), viewHint(err, in.Config))
	}
	return view, nil
}

// viewHint is the hint for rows that do not match the configuration.
func viewHint(err error, config string) string {
	if value := (*table.ValueError)(nil); errors.As(err, &value) && strings.Contains(value.Reason, "hierarchy") {
		return fmt.Sprintf("add the value to the hierarchy of attribute %q in %s, or correct the row", value.Column, config)
	}
	return "correct the row, or change the kind of the column in " + config
}

// open opens a file and refuses a folder. what is the beginning of its errors.
func open(name, what string) (*os.File, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	if info, err := f.Stat(); err == nil && info.IsDir() {
		f.Close() // nothing was read
		return nil, hint.Add(fmt.Errorf("%s: %s is a folder", what, name), "give a file")
	}
	return f, nil
}

// readRows reads the notes with their attributes; given reports whether they have sensitive
// terms.
func readRows(name string, c joint.Config) (rows []joint.Row, given bool, err error) {
	f, err := open(name, "read the notes")
	if err != nil {
		return nil, false, err
	}
	defer f.Close() // only read
	if ext := strings.ToLower(filepath.Ext(name)); ext == ".jsonl" || ext == ".ndjson" {
		docs, err := format.LoadJSONL(f, name)
		if err != nil {
			return nil, false, err
		}
		return joint.AnnotatedRows(docs, c)
	}
	var order []int
	err = format.Rows(f, name, func(header []string) error {
		order, err = c.Arrange(header)
		return err
	}, func(_ int, fields []string) error {
		rows = append(rows, c.Row(order, fields))
		return nil
	})
	return rows, false, err
}

// readTerms adds the terms of an annotated file to the rows.
func readTerms(name string, rows []joint.Row) error {
	f, err := open(name, "read the sensitive terms")
	if err != nil {
		return err
	}
	defer f.Close() // only read
	docs, err := format.LoadJSONL(f, name)
	if err != nil {
		return err
	}
	if err := joint.SetTerms(rows, docs); err != nil {
		return hint.Add(fmt.Errorf("%s: %w", name, err), "a record's id is the row, from 1, and its text that of the row, byte for byte")
	}
	return nil
}

func (in Input) findTerms(ctx context.Context, c joint.Config, rows []joint.Row, step func(done, total int)) error {
	tag := in.Tag
	if tag == nil {
		tag = c.RuleSpans
	}
	return c.FindTerms(ctx, rows, tag, func(done int) {
		if step != nil {
			step(done, len(rows))
		}
	})
}
