// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"hide/internal/annotate"
	"hide/internal/annotate/format"
	"hide/internal/publish/joint"
	tables "hide/internal/publish/table"
)

// readJoint reads configuration, rows and sensitive terms.
func (e *env) readJoint(ctx context.Context, v jointFlags) (*joint.View, error) {
	c, err := readJointConfig(v.config)
	if err != nil {
		return nil, err
	}
	c.OwnValues = v.own || c.OwnValues && !v.given["own-values"]
	rows, given, err := readJointRows(v.in, c)
	if err != nil {
		return nil, err
	}
	if v.spans != "" {
		err = readTerms(v.spans, rows)
	} else if !given || v.model != "" {
		err = e.findTerms(ctx, v.model, c, rows)
	}
	if err != nil {
		return nil, err
	}
	if v.known {
		if _, err := joint.FindKnown(ctx, c, rows); err != nil {
			return nil, err
		}
	}
	view, err := joint.NewView(ctx, c, rows)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err != nil {
		return nil, withHint(fmt.Errorf("%s: %w", v.in, err), viewHint(err, v.config))
	}
	return view, nil
}

// viewHint is what to do about rows that do not fit a configuration.
func viewHint(err error, config string) string {
	if value := (*tables.ValueError)(nil); errors.As(err, &value) && strings.Contains(value.Reason, "hierarchy") {
		return fmt.Sprintf("add the value to the hierarchy of attribute %q in %s, or correct the row", value.Column, config)
	}
	return "correct the row, or change the kind of the column in " + config
}

// openFile opens a file that is no folder. what is said of one that cannot be opened.
func openFile(name, what string) (*os.File, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	if info, err := f.Stat(); err == nil && info.IsDir() {
		f.Close() // nothing was read
		return nil, withHint(fmt.Errorf("%s: %s is a folder", what, name), "give a file")
	}
	return f, nil
}

func readJointConfig(name string) (joint.Config, error) {
	f, err := openFile(name, "read the configuration")
	if err != nil {
		return joint.Config{}, err
	}
	defer f.Close() // only read
	c, err := joint.ReadConfig(f)
	if err != nil {
		return c, withHint(fmt.Errorf("read the configuration %s: %w", name, err), "docs/joint.md describes configurations")
	}
	return c, nil
}

// readJointRows reads the notes with their attributes; given says whether they
// came with sensitive terms.
func readJointRows(name string, c joint.Config) (rows []joint.Row, given bool, err error) {
	f, err := openFile(name, "read the notes")
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

// readTerms puts the terms of an annotated file into the rows.
func readTerms(name string, rows []joint.Row) error {
	f, err := openFile(name, "read the sensitive terms")
	if err != nil {
		return err
	}
	defer f.Close() // only read
	docs, err := format.LoadJSONL(f, name)
	if err != nil {
		return err
	}
	if err := joint.SetTerms(rows, docs); err != nil {
		return withHint(fmt.Errorf("%s: %w", name, err), "a record's id is the row, from 1, and its text that of the row, byte for byte")
	}
	return nil
}

// findTerms finds the sensitive terms with the configuration's patterns, and with a model
// or, without one, with rules.
func (e *env) findTerms(ctx context.Context, model string, c joint.Config, rows []joint.Row) error {
	tag := c.RuleSpans
	if model != "" {
		m, err := readModel(model)
		if err != nil {
			return err
		}
		tag = func(text string) (spans []annotate.Span) {
			note := annotate.NewNote(annotate.Annotated{Document: annotate.Document{Text: text}})
			for _, found := range m.Tag(note.View()) {
				spans = append(spans, found.Span)
			}
			return spans
		}
	}
	line := e.progress("looking for sensitive terms, notes")
	defer line.end()
	return c.FindTerms(ctx, rows, tag, func(done int) { line.step(done, len(rows), "") })
}
