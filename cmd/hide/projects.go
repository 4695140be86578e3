// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"hide/internal/annotate"
	"hide/internal/project"
)

func runProjectCreate(ctx context.Context, e *env, args []string) error {
	flags := e.flags()
	d := e.dataFlags(flags)
	labels := flags.String("labels", "", "comma-separated `labels` (default: those of i2b2-2014)")
	rest, err := e.parse(flags, args, 1, 1)
	if err != nil {
		return err
	}
	return d.withFolder(true, func(f *folder) error {
		p, err := f.projects.Create(ctx, operator(), rest[0], labelSet(*labels))
		if err != nil {
			return err
		}
		return e.result(map[string]any{"id": p.ID, "name": p.Name}, func(w io.Writer) { fmt.Fprintln(w, p.ID) })
	})
}

// labelSet makes a label set of a comma-separated list, nil of nothing.
func labelSet(list string) annotate.LabelSet {
	return annotate.LabelSet(nil).With(labelList(list)...)
}

func labelList(list string) []annotate.Label {
	var labels []annotate.Label
	for l := range strings.SplitSeq(list, ",") {
		if l = strings.TrimSpace(l); l != "" {
			labels = append(labels, annotate.Label(l))
		}
	}
	return labels
}

func runProjectList(ctx context.Context, e *env, args []string) error {
	flags := e.flags()
	d := e.dataFlags(flags)
	if _, err := e.parse(flags, args, 0, 0); err != nil {
		return err
	}
	return d.withFolder(false, func(f *folder) error {
		all, err := f.projects.Projects(ctx, operator())
		if err != nil {
			return err
		}
		return e.result(map[string]any{"projects": projectRows(all)}, func(w io.Writer) { writeProjects(w, all) })
	})
}

func projectRows(all []project.Overview) []map[string]any {
	rows := []map[string]any{}
	for _, p := range all {
		rows = append(rows, map[string]any{
			"id": p.ID, "name": p.Name, "documents": p.Documents, "done": p.Done, "annotations": p.Annotations, "releases": p.Releases,
		})
	}
	return rows
}

func writeProjects(w io.Writer, all []project.Overview) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "ID\tNAME\tNOTES\tDONE\tSPANS\tRELEASES")
	for _, p := range all {
		fmt.Fprintf(t, "%s\t%s\t%d\t%d\t%d\t%d\n", p.ID, p.Name, p.Documents, p.Done, p.Annotations, p.Releases)
	}
	t.Flush()
}
