// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"text/tabwriter"
	"time"

	"hide/internal/corpus"
	"hide/internal/project"
	"hide/internal/project/training"
)

// inProject runs fn on the project of --project, with least to most arguments.
func (e *env) inProject(ctx context.Context, args []string, least, most int, fn func(f *folder, p project.Overview, rest []string) error) error {
	flags := e.flags()
	d := e.dataFlags(flags)
	name := flags.String("project", "", "`project` of the dictionaries, by id or name")
	rest, err := e.parse(flags, args, least, most, "project")
	if err != nil {
		return err
	}
	return d.withProject(ctx, *name, func(f *folder, p project.Overview) error {
		return fn(f, p, rest)
	})
}

// runDictionaryAdd reads every file before it adds the first. A dictionary gets the name
// of its file.
func runDictionaryAdd(ctx context.Context, e *env, args []string) error {
	return e.inProject(ctx, args, 1, 1<<10, func(f *folder, p project.Overview, files []string) error {
		read := make([]training.DictionaryFile, len(files))
		for i, file := range files {
			lists, err := corpus.Dictionary(file, e.files().Open)
			if err != nil {
				return err
			}
			read[i] = training.DictionaryFile{Name: filepath.Base(file), Lists: lists}
		}
		if err := f.projects.AddDictionaries(ctx, operator(ctx), p.ID, read); err != nil {
			return err
		}
		return e.writeDictionaries(ctx, f, p)
	})
}

func runDictionaryList(ctx context.Context, e *env, args []string) error {
	return e.inProject(ctx, args, 0, 0, func(f *folder, p project.Overview, _ []string) error {
		return e.writeDictionaries(ctx, f, p)
	})
}

func runDictionaryRemove(ctx context.Context, e *env, args []string) error {
	return e.inProject(ctx, args, 1, 1, func(f *folder, p project.Overview, rest []string) error {
		if err := f.projects.RemoveDictionary(ctx, operator(ctx), p.ID, rest[0]); err != nil {
			return err
		}
		return e.writeDictionaries(ctx, f, p)
	})
}

// writeDictionaries prints the project's dictionaries.
func (e *env) writeDictionaries(ctx context.Context, f *folder, p project.Overview) error {
	all, err := f.projects.Dictionaries(ctx, operator(ctx), p.ID)
	if err != nil {
		return err
	}
	return e.result(map[string]any{"project": p.ID, "dictionaries": all}, func(w io.Writer) {
		t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		fmt.Fprintln(t, "NAME\tLISTS\tPHRASES\tADDED")
		for _, d := range all {
			fmt.Fprintf(t, "%s\t%d\t%d\t%s\n", d.Name, d.Lists, d.Phrases, d.Added.Format(time.RFC3339))
		}
		_ = t.Flush() // a table that cannot be written shows in the next write
	})
}
