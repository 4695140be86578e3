// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"hide/internal/annotate/labels"
	"hide/internal/project"
)

func runProjectCreate(ctx context.Context, e *env, args []string) error {
	flags := e.flags()
	d := e.dataFlags(flags)
	set := flags.String("labels", "", "a label set ("+labels.SetNames()+"), or comma-separated `labels` (default: i2b2-2014)")
	approvals := flags.Int("approvals", project.DefaultRule().Approvals, "`number` of other people who must approve each release; 0 lets one person publish alone")
	rest, err := e.parse(flags, args, 1, 1)
	if err != nil {
		return err
	}
	return d.withFolder(true, func(f *folder) error {
		p, err := f.projects.Create(ctx, operator(ctx), rest[0], labels.ParseSet(*set))
		if err != nil {
			return err
		}
		rule := project.DefaultRule()
		rule.Approvals = *approvals
		if err := f.projects.SetRule(ctx, operator(ctx), p.ID, rule); err != nil {
			return err
		}
		return e.result(map[string]any{"id": p.ID, "name": p.Name}, func(w io.Writer) { fmt.Fprintln(w, p.ID) })
	})
}

func runProjectList(ctx context.Context, e *env, args []string) error {
	flags := e.flags()
	d := e.dataFlags(flags)
	if _, err := e.parse(flags, args, 0, 0); err != nil {
		return err
	}
	return d.withFolder(false, func(f *folder) error {
		all, err := f.projects.Projects(ctx, operator(ctx))
		if err != nil {
			return err
		}
		sealed, err := f.projects.Sealed(ctx, operator(ctx))
		if err != nil {
			return err
		}
		v := map[string]any{"projects": projectRows(all)}
		if len(sealed) > 0 {
			v["projects_without_secret"] = sealed
		}
		return e.result(v, func(w io.Writer) {
			writeProjects(w, all)
			for _, id := range sealed {
				fmt.Fprintf(w, "%s cannot be opened: its secret is missing. Bring it back with hide project-secret import --in FILE.\n", id)
			}
		})
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

// settingsFlags change the settings of a project; flags that are not given change
// nothing.
type settingsFlags struct {
	preset, without, rules, sampling string
	c2, minRecall, blind             float64
}

func runProjectSettings(ctx context.Context, e *env, args []string) error {
	var v settingsFlags
	f := e.flags()
	d := e.dataFlags(f)
	f.Float64Var(&v.minRecall, "min-recall", 0, "show suggestions when a recall of `PERCENT` has been measured; 0 shows them at once")
	f.StringVar(&v.rules, "rules", "", "`on` or off: whether rules suggest until a model does")
	f.Float64Var(&v.blind, "blind", 0, "annotate `PERCENT` of the notes without suggestions")
	f.StringVar(&v.preset, "preset", "", "`PRESET` of feature families: default, thorough (two passes: more accurate, five times the work), or hide (those of the dissertation)")
	f.StringVar(&v.without, "without", "", "comma-separated `FAMILIES` of the preset to leave out; none leaves nothing out")
	f.Float64Var(&v.c2, "c2", 0, "weight `W` of the squared penalty; 0 means the default")
	f.StringVar(&v.sampling, "sampling", "", "`SAMPLING` of training words, such as o=0.5+window=4+cost=PATIENT:3; none uses all")
	rest, err := e.parse(f, args, 1, 1)
	if err != nil {
		return err
	}
	return d.withProject(ctx, rest[0], func(folder *folder, p project.Overview) error {
		set, err := folder.projects.Settings(ctx, operator(ctx), p.ID)
		if err != nil {
			return err
		}
		changed, err := e.changeSettings(f, v, &set)
		if err != nil {
			return err
		}
		if changed {
			if err := e.settingsError(folder.projects.SetSettings(ctx, operator(ctx), p.ID, set)); err != nil {
				return err
			}
		}
		return e.result(settingsJSON(set), func(w io.Writer) { writeSettings(w, set) })
	})
}

// changeSettings applies the given flags.
func (e *env) changeSettings(f *flag.FlagSet, v settingsFlags, set *project.Settings) (changed bool, err error) {
	f.Visit(func(given *flag.Flag) {
		changed = changed || given.Name != "data" && given.Name != "json"
		switch given.Name {
		case "min-recall":
			set.MinRecall = v.minRecall / 100
		case "blind":
			set.Blind = v.blind / 100
		case "preset":
			set.Preset = v.preset
		case "without":
			set.Without = nil
			if v.without != "" && v.without != "none" {
				set.Without = strings.Split(v.without, ",")
			}
		case "c2":
			set.C2 = v.c2
		case "rules":
			set.Rules = v.rules == "on"
			if v.rules != "on" && v.rules != "off" {
				err = e.usage("--rules is on or off")
			}
		case "sampling":
			if wrong := set.Sampling.UnmarshalText([]byte(noneEmpty(v.sampling))); wrong != nil {
				err = e.usage("--sampling: %v", wrong)
			}
		}
	})
	return changed, err
}

func noneEmpty(text string) string {
	if text == "none" {
		return ""
	}
	return text
}

// settingsError turns invalid settings into a usage error.
func (e *env) settingsError(err error) error {
	if wrong, ok := errors.AsType[*project.SettingsError](err); ok {
		return e.usage("%v", wrong)
	}
	return err
}

func settingsJSON(s project.Settings) map[string]any {
	return map[string]any{
		"min_recall": s.MinRecall, "rules": s.Rules, "blind": s.Blind, "preset": s.Preset, "without": append([]string{}, s.Without...), "c2": s.C2, "sampling": s.Sampling.String(),
	}
}

func writeSettings(w io.Writer, s project.Settings) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	rules, c2 := "off", "default"
	if s.Rules {
		rules = "on"
	}
	if s.C2 > 0 {
		c2 = fmt.Sprintf("%g", s.C2)
	}
	fmt.Fprintf(t, "min-recall\t%g %%\tshow suggestions from this recall\n", rounded(100*s.MinRecall))
	fmt.Fprintf(t, "rules\t%s\trules suggest while no model does\n", rules)
	fmt.Fprintf(t, "blind\t%g %%\tnotes annotated without suggestions\n", rounded(100*s.Blind))
	fmt.Fprintf(t, "preset\t%s\tfeature families\n", s.Preset)
	fmt.Fprintf(t, "without\t%s\tfamilies left out\n", orNone(strings.Join(s.Without, ",")))
	fmt.Fprintf(t, "c2\t%s\tweight of the squared penalty\n", c2)
	fmt.Fprintf(t, "sampling\t%s\ttraining words\n", orNone(s.Sampling.String()))
	_ = t.Flush() // a table that cannot be written shows in the next write
}

func orNone(text string) string {
	if text == "" {
		return "none"
	}
	return text
}

// rounded removes binary rounding errors of a percentage.
func rounded(v float64) float64 {
	const fine = 1e6
	return float64(int64(v*fine+0.5)) / fine
}
