// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"flag"
	"io"
	"strconv"
	"strings"

	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/project/links"
)

// linkProjectFlags are the flags of hide link for the records of a project.
type linkProjectFlags struct {
	data             *dataFlags
	project, decide  string
	undo             int
	list, replace    bool
	passOnly, status bool
}

var projectLinkFlags = []string{"decide", "undo", "list", "replace", "pass-only", "status", "data", "key", "secrets", "passphrase-file"}

func (e *env) linkProjectFlags(f *flag.FlagSet) *linkProjectFlags {
	v := &linkProjectFlags{data: e.dataFlags(f, "in")}
	f.StringVar(&v.project, "project", "", "link the records of this `PROJECT`, by id or name: the notes of a patient's key, and notes without a key")
	f.StringVar(&v.decide, "decide", "", "decide about two records by their numbers: `RECORD,RECORD=same` or RECORD,RECORD=different")
	f.BoolVar(&v.replace, "replace", false, "let --decide replace earlier decisions that contradict it")
	f.IntVar(&v.undo, "undo", 0, "undo the decision with this `NUMBER`")
	f.BoolVar(&v.list, "list", false, "list the decisions, and the pairs that wait for one")
	f.BoolVar(&v.passOnly, "pass-only", false, "compare once, without searching the notes for what linked records say")
	f.BoolVar(&v.status, "status", false, "print the figures of the newest run, and do not run")
	return v
}

// check refuses flags that would be ignored beside others.
func (v *linkProjectFlags) check(e *env, f *flag.FlagSet) error {
	actions := []string{"list", "status", "decide", "undo", "pass-only"}
	for i, action := range actions {
		if given(f)[action] {
			if err := e.refuseUnused(f, "with --"+action, actions[i+1:]...); err != nil {
				return err
			}
		}
	}
	if v.decide == "" {
		if err := e.refuseUnused(f, "without --decide", "replace"); err != nil {
			return err
		}
	}
	return e.refuseZero(f, "undo", "to link the records")
}

// linkProject runs the linkage of a project, or records a decision, and prints the figures.
func (e *env) linkProject(ctx context.Context, v *linkProjectFlags) error {
	return v.data.withProject(ctx, v.project, func(f *folder, p project.Overview) error {
		var err error
		switch {
		case v.list:
			return e.listLinks(ctx, f, p.ID)
		case v.decide != "":
			err = e.decideLink(ctx, f, p.ID, v)
		case v.undo > 0:
			err = f.projects.UndoLinkDecision(ctx, operator(ctx), p.ID, uint64(v.undo))
		case !v.status:
			err = e.runLinkage(ctx, f, p.ID, links.Options{PassOne: v.passOnly})
		}
		if err != nil {
			return err
		}
		st, err := f.projects.LinkState(ctx, operator(ctx), p.ID)
		if err != nil {
			return err
		}
		return e.result(struct {
			links.Figures
			Linked   bool         `json:"linked"`
			Passes   []links.Pass `json:"passes"`
			Imported int          `json:"imported_since"`
			Seconds  float64      `json:"seconds"`
		}{st.Figures, st.Linked, st.Run.Passes, st.ImportedSince, st.Run.Seconds}, st.Write)
	})
}

func (e *env) runLinkage(ctx context.Context, f *folder, id project.ID, o links.Options) error {
	if err := f.projects.StartLinking(ctx, operator(ctx), id, o); err != nil {
		return err
	}
	var p links.Progress
	err := e.follow(ctx, id, "linking records", f.projects.CancelLinking, func(ctx context.Context) (done, total int, doing string, running bool, err error) {
		p, err = f.projects.Linking(ctx, operator(ctx), id)
		return p.Done, p.Total, p.Doing, p.Running, err
	})
	if err == nil && p.Error != "" {
		err = errors.New(p.Error)
	}
	return err
}

func (e *env) decideLink(ctx context.Context, f *folder, id project.ID, v *linkProjectFlags) error {
	pair, answer, _ := strings.Cut(v.decide, "=")
	first, second, _ := strings.Cut(pair, ",")
	a, err1 := strconv.ParseUint(strings.TrimSpace(first), 10, 64)
	b, err2 := strconv.ParseUint(strings.TrimSpace(second), 10, 64)
	if err1 != nil || err2 != nil || answer != "same" && answer != "different" {
		return e.usage("--decide is RECORD,RECORD=same or RECORD,RECORD=different, with the numbers of records")
	}
	err := f.projects.DecideLink(ctx, operator(ctx), id, links.PairID{A: a, B: b}, answer == "same", v.replace)
	if _, contradicts := errors.AsType[*links.ContradictionError](err); contradicts {
		return withHint(err, "undo one of them with --undo NUMBER, or add --replace")
	}
	return err
}

// listLinks prints decisions and waiting pairs, by the numbers of records and notes only.
func (e *env) listLinks(ctx context.Context, f *folder, id project.ID) error {
	decisions, err := f.projects.LinkDecisions(ctx, operator(ctx), id)
	if err != nil {
		return err
	}
	queue, err := f.projects.LinkQueue(ctx, operator(ctx), id, 0, 200)
	if err != nil {
		return err
	}
	waiting := []map[string]any{}
	for _, p := range queue.Pairs {
		waiting = append(waiting, map[string]any{"records": []uint64{p.Pair.A, p.Pair.B}, "notes": [][]annotate.DocumentID{p.Left.Notes, p.Right.Notes}, "probability": p.Probability, "status": p.Status, "linked": p.Linked})
	}
	return e.result(map[string]any{"decisions": append([]links.Decision{}, decisions...), "waiting": waiting, "left": queue.Left}, func(w io.Writer) {
		for _, d := range decisions {
			d.Write(w)
		}
		for _, p := range queue.Pairs {
			p.Write(w)
		}
	})
}
