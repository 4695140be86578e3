// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"hide/internal/caller"
	"hide/internal/project"
	"hide/internal/project/dp"
	"hide/internal/project/release"
	publishdp "hide/internal/publish/dp"
	"hide/internal/publish/ledger"
	envelope "hide/internal/publish/release"
)

// projectStarter reads a configuration. It returns a check that needs no budget, and the
// function that starts the publication.
type projectStarter func(ctx context.Context, f *folder, id project.ID, config []byte, v *strongFlags) (check, start func() error, err error)

// projectStrong is the JSON output.
type projectStrong struct {
	release.Release
	Replayed bool           `json:"replayed"`
	Account  ledger.Account `json:"account"`
}

// publishProject publishes from a project with its budget, and records the release there
// as the pages do.
func (v *strongFlags) publishProject(ctx context.Context, e *env, read projectStarter, write func(io.Writer, projectStrong)) error {
	config, err := caller.ReadFile(e.files(), v.config)
	if err != nil {
		return err
	}
	return v.ledger.data.withProject(ctx, v.project, func(d *folder, p project.Overview) error {
		check, start, err := read(ctx, d, p.ID, config, v)
		if err != nil {
			return err
		}
		if err := v.openProjectBudget(ctx, d, p.ID, check); err != nil {
			return err
		}
		if err := start(); err != nil {
			return unlinkedHint(p.ID, err)
		}
		if v.ending {
			return e.frozen(ctx, d, p.ID)
		}
		out, err := e.projectStrong(ctx, d, p.ID)
		if err != nil {
			return err
		}
		e.warn(out.Strong.Warnings)
		return errors.Join(e.handOut(ctx, d, p.ID, out.Release, v.out), e.result(out, func(w io.Writer) {
			write(w, out)
			writeLinkage(w, out.Release)
		}))
	})
}

// openProjectBudget opens the budget of --limit, unless it would be too small or the
// request is refused.
func (v *strongFlags) openProjectBudget(ctx context.Context, d *folder, id project.ID, check func() error) error {
	if v.limit == 0 {
		return nil
	}
	b, err := d.projects.Budget(ctx, operator(ctx), id)
	switch {
	case err != nil:
		return err
	case !b.Open && v.epsilon > v.limit:
		return fmt.Errorf("epsilon %v exceeds the limit of %v: no budget was opened", v.epsilon, v.limit)
	case !b.Open:
		if err := check(); err != nil {
			return err
		}
		return explainLedger(d.projects.OpenBudget(ctx, operator(ctx), id, dp.BudgetOpening{Limit: v.limit, Despite: v.despite}))
	case b.Limit != v.limit:
		return withHint(fmt.Errorf("the project already has a budget, of %v", b.Limit), "omit --limit; to raise a limit on record: hide ledger raise")
	}
	return nil
}

// projectStrong waits for a release, and reads the remaining budget.
func (e *env) projectStrong(ctx context.Context, d *folder, id project.ID) (projectStrong, error) {
	r, err := e.followPublish(ctx, d, id)
	if err != nil {
		return projectStrong{}, err
	}
	st, err := d.projects.Publishing(ctx, operator(ctx), id)
	if err != nil {
		return projectStrong{}, err
	}
	b, err := d.projects.Budget(ctx, operator(ctx), id)
	return projectStrong{r, st.Before > 0, b.Account}, err
}

func startProjectCube(ctx context.Context, f *folder, id project.ID, config []byte, v *strongFlags) (check, start func() error, err error) {
	set, err := dp.ParseCube(config)
	if err != nil {
		return nil, nil, err
	}
	set.Epsilon, set.Unlinked = v.epsilon, v.unlinked
	check = func() error {
		_, err := f.projects.EstimateCube(ctx, operator(ctx), id, set)
		return err
	}
	return check, func() error { return f.projects.StartPublishCube(ctx, operator(ctx), id, v.ending.of(), set) }, nil
}

// projectQuestion runs a query over the domain of a cube.
func projectQuestion(text string) projectStarter {
	return func(ctx context.Context, f *folder, id project.ID, config []byte, v *strongFlags) (check, start func() error, err error) {
		c, err := dp.ParseCube(config)
		if err != nil {
			return nil, nil, err
		}
		set := dp.QuerySettings{Epsilon: v.epsilon, Source: c.Source, Dimensions: c.Dimensions, Question: text, Unjoined: c.Unjoined, Unlinked: v.unlinked}
		check = func() error {
			_, err := f.projects.EstimateQuery(ctx, operator(ctx), id, set)
			return err
		}
		return check, func() error { return f.projects.StartQuery(ctx, operator(ctx), id, v.ending.of(), set) }, nil
	}
}

func startProjectSequences(ctx context.Context, f *folder, id project.ID, config []byte, v *strongFlags) (check, start func() error, err error) {
	set, of, err := dp.ParseSequences(config)
	if err != nil {
		return nil, nil, err
	}
	known, err := f.projects.Identifiers(ctx, operator(ctx), id)
	if err != nil {
		return nil, nil, err
	}
	i := slices.IndexFunc(known.Attributes, func(a release.Identifier) bool { return a.Name == of })
	if i < 0 {
		return nil, nil, withHint(fmt.Errorf("the project has no attribute %q", of), `the configuration names one as the table page does: "of": "WARD"`)
	}
	set.Epsilon, set.Of, set.Unlinked = v.epsilon, known.Attributes[i].Key, v.unlinked
	check = func() error {
		_, err := f.projects.EstimateSequences(ctx, operator(ctx), id, set)
		return err
	}
	return check, func() error { return f.projects.StartPublishSequences(ctx, operator(ctx), id, v.ending.of(), set) }, nil
}

func writeProjectStrong(w io.Writer, p projectStrong) {
	writeStrong(w, strongPublished{Folder: p.Name, SHA256: p.SHA256, Replayed: p.Replayed, Account: p.Account, Manifest: publishdp.Manifest{
		Kind: envelope.Kind(p.Kind), Epsilon: p.Strong.Epsilon, Promise: p.Strong.Promise, Errors: p.Strong.Errors, Trends: p.Strong.Trends,
	}})
}

func writeProjectAnswer(w io.Writer, p projectStrong) {
	a := p.Strong.Asked
	writeColumns(w, a.Columns, a.Rows)
	if more := a.Groups - len(a.Rows); more > 0 {
		fmt.Fprintf(w, "and %d more, in %s\n", more, p.Name)
	}
	fmt.Fprintf(w, "mean absolute error of a count %s, upper bound (95 %%) %s\n%s, manifest.json %s\n", amount(p.Strong.Errors[0].Release), amount(a.Within), p.Name, p.SHA256)
	writeTrends(w, p.Strong.Trends)
	if p.Replayed {
		fmt.Fprint(w, "answered before, at no cost; ")
	}
	fmt.Fprintf(w, "%s: %v of %v spent, %v left\n", p.Account.Lineage, p.Account.Spent, p.Account.Limit, p.Account.Left)
}
