// SPDX-License-Identifier: Apache-2.0

package dp

import (
	"context"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/project/release"
	"hide/internal/publish/cube"
	"hide/internal/publish/dp"
	"hide/internal/publish/ledger"
	"hide/internal/publish/query"
)

// QuerySettings are one counting query about a project's patients, over a public
// domain. All settings are public and become part of the release.
type QuerySettings struct {
	Epsilon    ledger.Micro
	Source     string      // source of the categories, in words
	Dimensions cube.Domain // as in [CubeSettings]
	Question   string      // SELECT COUNT(*) ..., see package query
	Unjoined   int64       // as in [CubeSettings]
}

// QueryEstimate is the expected error of a query, from public numbers alone.
type QueryEstimate struct {
	Groups int     // counts in the answer
	Off    float64 // mean error of each
	Within float64 // error of each that is exceeded in 5 of 100 cases
}

// mostKept is how many groups of an answer are recorded.
const mostKept = 1000

// counts returns the settings of a cube over the same domain.
func (set QuerySettings) counts() CubeSettings {
	return CubeSettings{Epsilon: set.Epsilon, Source: set.Source, Dimensions: set.Dimensions, Method: cube.Uniform, Unjoined: set.Unjoined}
}

// check refuses queries that are invalid for any data.
func (set QuerySettings) check() (*query.Query, error) {
	if err := set.counts().check(); err != nil {
		return nil, err
	}
	q, err := query.Parse(set.Question, set.Dimensions)
	if err != nil {
		return nil, project.Invalidf("write a query such as SELECT COUNT(*) WHERE sex = 'F' GROUP BY ward, with the listed categories", "query: %v", err)
	}
	if err := q.Check(); err != nil {
		return nil, project.Invalidf("group by fewer attributes", "%v", err)
	}
	return q, nil
}

// EstimateQuery computes the expected error from the query alone. It reads the data
// only to refuse what publishing would refuse.
func (s *Service) EstimateQuery(ctx context.Context, by account.User, id project.ID, set QuerySettings) (QueryEstimate, error) {
	ws, err := s.enter(by, account.Sanitize, id)
	if err != nil {
		return QueryEstimate{}, err
	}
	q, err := set.check()
	if err != nil {
		return QueryEstimate{}, err
	}
	if err := s.checkCube(ctx, ws, set.counts()); err != nil {
		return QueryEstimate{}, err
	}
	a := q.Plan(set.counts().bound(), set.Epsilon)
	return QueryEstimate{a.Phase.Counts, a.Phase.Scale, a.Within}, nil
}

// StartQuery is [Service.StartPublishCube] for a query.
func (s *Service) StartQuery(ctx context.Context, by account.User, id project.ID, set QuerySettings) error {
	if _, err := s.EstimateQuery(ctx, by, id, set); err != nil {
		return err
	}
	ws, err := s.projects.Workspace(id)
	if err != nil {
		return err
	}
	return s.startStrong(ws, release.Status{Kind: release.KindQuery, Asked: &set}, func(ctx context.Context, l *ledger.Ledger) error {
		return s.releaseQuery(ctx, ws, by, l, set)
	})
}

func (s *Service) releaseQuery(ctx context.Context, ws *project.Workspace, by account.User, l *ledger.Ledger, set QuerySettings) error {
	v, keys, err := s.cubeView(ctx, ws, set.Dimensions)
	if err != nil {
		return err
	}
	if err := s.listWeak(l, ws.ID); err != nil {
		return err
	}
	counts := set.counts()
	config := counts.config(ws.ID)
	config.Method = "" // a query has no method
	made, err := dp.AnswerQuery(ctx, l, config, set.Question, counts.rows(v.Table, keys), set.Epsilon, dp.Meta{Tool: s.projects.Version(), Now: s.projects.Now})
	if err != nil {
		return err
	}
	asked, err := set.asked(made)
	if err != nil {
		return err
	}
	return s.keepStrong(ctx, ws, by, release.KindQuery, release.StrongRelease{Dimensions: namesOf(set.Dimensions), Asked: asked}, made)
}

// asked is the record of an answer.
func (set QuerySettings) asked(made dp.Release) (*release.Asked, error) {
	answer, err := made.Answer()
	return &release.Asked{
		Question: set.Question, Domain: set.Dimensions, Unjoined: set.Unjoined, Within: made.Manifest.Errors[0].Baselines[dp.AtMost],
		Columns: answer.Columns, Groups: len(answer.Rows), Rows: answer.Rows[:min(len(answer.Rows), mostKept)],
	}, err
}
