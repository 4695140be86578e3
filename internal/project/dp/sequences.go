// SPDX-License-Identifier: Apache-2.0

package dp

import (
	"context"
	"errors"
	"slices"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/project/release"
	"hide/internal/publish/cube"
	"hide/internal/publish/dp"
	"hide/internal/publish/idview"
	"hide/internal/publish/ledger"
	"hide/internal/publish/prefixtree"
	"hide/internal/publish/query"
	"hide/internal/publish/table"
)

// SequenceSettings say which sequences of a project's patients are published: the
// values of one attribute, in the order of import and of the text. All settings are
// public and become part of the release.
type SequenceSettings struct {
	Epsilon   ledger.Micro
	Source    string     // source of the alphabet, in words
	Of        idview.Key // an attribute that is not left out
	Alphabet  []string   // the values that count; upper and lower case are the same
	Other     bool       // a last symbol for all other values, which are otherwise refused
	Height    int        // sequences are cut to this length
	Ordered   bool       // the alphabet is ordered, so that trends can be counted; not with Other
	Synthetic bool       // also publish synthetic sequences with the same noisy counts
	Unjoined  int64      // as in [CubeSettings]
	Unlinked  bool       // as in [CubeSettings]
}

// SequenceEstimate is the mean error, from noise alone, of the count of a prefix of
// each length from 1.
type SequenceEstimate struct{ Errors []float64 }

func (set SequenceSettings) params() prefixtree.Params {
	p := prefixtree.Params{Alphabet: len(set.Alphabet), Height: set.Height, Epsilon: set.Epsilon, Bound: set.Unjoined}
	if set.Other {
		p.Alphabet++
	}
	return p
}

// check refuses settings that are invalid for any data, in the words of the page.
func (set SequenceSettings) check() (prefixtree.Params, error) {
	hint := "take the values from a code book or a form, written before anybody saw the data"
	if err := checkUnjoined(set.Unjoined); err != nil {
		return prefixtree.Params{}, err
	}
	switch {
	case set.Source == "":
		return prefixtree.Params{}, project.Invalidf(hint, "the source of the values is missing")
	case len(set.Alphabet) == 0:
		return prefixtree.Params{}, project.Invalidf(hint, "the list of values is empty")
	case len(set.Alphabet) >= prefixtree.MostSymbols:
		return prefixtree.Params{}, project.Invalidf("let “other” take the rare ones", "the list must have fewer than %d values", prefixtree.MostSymbols)
	case set.Height < 1 || set.Height > prefixtree.MostHeight:
		return prefixtree.Params{}, project.Invalidf("say how many values of each patient count, from the first", "the length must be 1 to %d values", prefixtree.MostHeight)
	case set.Ordered && set.Other:
		return prefixtree.Params{}, project.Invalidf("remove “other”, or the order", "an ordered list cannot have “other”")
	}
	seen := map[string]bool{}
	for i, value := range set.Alphabet {
		switch {
		case value == cube.Other || value == endOf:
			return prefixtree.Params{}, project.Invalidf("spell it differently", "value %d is a name that the release uses for other values or for the end", i+1)
		case seen[idview.Fold(value)]:
			return prefixtree.Params{}, project.Invalidf("leave one of them out: case does not count", "value %d is listed twice", i+1)
		}
		seen[idview.Fold(value)] = true
	}
	p, err := set.params().Check()
	if err != nil {
		return p, project.Invalidf("change what is asked for", "%v", err)
	}
	return p, nil
}

// sequenceAttribute finds the requested attribute.
func (s *Service) sequenceAttribute(ctx context.Context, by account.User, id project.ID, k idview.Key) error {
	all, err := s.release.Identifiers(ctx, by, id)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(all.Attributes, func(a release.Identifier) bool { return a.Key == k })
	if i < 0 || all.Attributes[i].Role == table.Direct || k.Source == idview.Count {
		return project.Invalidf("choose an attribute that is not left out on the table page", "there is no such attribute for sequences")
	}
	return nil
}

// EstimateSequences computes the expected error from the settings alone. It reads
// the data only to refuse what publishing would refuse.
func (s *Service) EstimateSequences(ctx context.Context, by account.User, id project.ID, set SequenceSettings) (SequenceEstimate, error) {
	ws, err := s.enter(by, account.Sanitize, id)
	if err != nil {
		return SequenceEstimate{}, err
	}
	p, err := set.check()
	if err != nil {
		return SequenceEstimate{}, err
	}
	if err := s.sequenceAttribute(ctx, by, id, set.Of); err != nil {
		return SequenceEstimate{}, err
	}
	people, err := s.release.People(ctx, ws)
	if err != nil {
		return SequenceEstimate{}, err
	}
	if err := errors.Join(set.fits(people.Keys(), people.Values(set.Of)), s.payable(ctx, by, ws)); err != nil {
		return SequenceEstimate{}, err
	}
	var out SequenceEstimate
	for n := 1; n <= p.Height; n++ {
		out.Errors = append(out.Errors, p.ExpectedError(n))
	}
	return out, nil
}

// StartPublishSequences is [Service.StartPublishCube] for sequences.
func (s *Service) StartPublishSequences(ctx context.Context, by account.User, id project.ID, ending release.Ending, set SequenceSettings) error {
	if _, err := s.EstimateSequences(ctx, by, id, set); err != nil {
		return err
	}
	ws, err := s.projects.Workspace(id)
	if err != nil {
		return err
	}
	if err := s.release.LinkedOrSaid(ctx, ws, by, set.Unlinked); err != nil {
		return err
	}
	return s.startStrong(ws, ending, release.Status{Kind: release.KindSequences, Asked: &set}, func(ctx context.Context, l *ledger.Ledger) error {
		return s.releaseSequences(ctx, ws, by, ending, l, set)
	})
}

// separator separates the symbols of a line. No value contains it, because blanks
// are normalized.
const separator = "\t"

func (s *Service) releaseSequences(ctx context.Context, ws *project.Workspace, by account.User, ending release.Ending, l *ledger.Ledger, set SequenceSettings) error {
	people, err := s.release.People(ctx, ws)
	if err != nil {
		return err
	}
	linkage, err := s.release.LinkageOf(ctx, ws, set.Unlinked)
	if err != nil {
		return err
	}
	if err := s.listWeak(l, ws.ID); err != nil {
		return err
	}
	config := dp.SequencesConfig{
		Common:   common(ws.ID, set.Source, set.Unjoined),
		KeyFirst: true, Key: release.Unit, Alphabet: set.Alphabet, Other: set.Other, Ordered: set.Ordered, Height: set.Height, Synthetic: set.Synthetic,
	}
	config.Separator = separator
	if config.Also, err = s.alsoKnown(ctx, ws, set.Unjoined); err != nil {
		return err
	}
	made, err := dp.PublishSequences(ctx, l, config, set.records(people.Keys(), people.Values(set.Of)), set.Epsilon, dp.Meta{Tool: s.projects.Version(), Now: s.projects.Now})
	if err != nil {
		return err
	}
	return s.keepStrong(ctx, ws, by, ending, release.KindSequences, release.StrongRelease{Dimensions: []string{set.Of.Name}, Height: set.Height}, linkage, made)
}

// records returns the sequences, with symbols as the alphabet spells them.
func (set SequenceSettings) records(keys []string, sequences [][]string) dp.SequenceRecords {
	spelling := map[string]string{}
	for _, symbol := range set.Alphabet {
		spelling[idview.Fold(symbol)] = symbol
	}
	out := dp.SequenceRecords{Keys: make([]string, len(keys)), Symbols: make([][]string, len(keys))}
	for i, sequence := range sequences {
		out.Keys[i] = rowKey(keys[i], set.Unjoined)
		for _, value := range sequence {
			if known, ok := spelling[idview.Fold(value)]; ok {
				value = known
			}
			out.Symbols[i] = append(out.Symbols[i], value)
		}
	}
	return out
}

// QuerySettings are one counting query about a project's patients, over a public
// domain. All settings are public and become part of the release.
type QuerySettings struct {
	Epsilon    ledger.Micro
	Source     string      // source of the categories, in words
	Dimensions cube.Domain // as in [CubeSettings]
	Question   string      // SELECT COUNT(*) ..., see package query
	Unjoined   int64       // as in [CubeSettings]
	Unlinked   bool        // as in [CubeSettings]
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
	if err := s.checkCube(ctx, by, ws, set.counts()); err != nil {
		return QueryEstimate{}, err
	}
	a := q.Plan(set.counts().bound(), set.Epsilon)
	return QueryEstimate{a.Phase.Counts, a.Phase.Scale, a.Within}, nil
}

// StartQuery is [Service.StartPublishCube] for a query.
func (s *Service) StartQuery(ctx context.Context, by account.User, id project.ID, ending release.Ending, set QuerySettings) error {
	if _, err := s.EstimateQuery(ctx, by, id, set); err != nil {
		return err
	}
	ws, err := s.projects.Workspace(id)
	if err != nil {
		return err
	}
	if err := s.release.LinkedOrSaid(ctx, ws, by, set.Unlinked); err != nil {
		return err
	}
	return s.startStrong(ws, ending, release.Status{Kind: release.KindQuery, Asked: &set}, func(ctx context.Context, l *ledger.Ledger) error {
		return s.releaseQuery(ctx, ws, by, ending, l, set)
	})
}

func (s *Service) releaseQuery(ctx context.Context, ws *project.Workspace, by account.User, ending release.Ending, l *ledger.Ledger, set QuerySettings) error {
	v, keys, err := s.cubeView(ctx, ws, set.Dimensions)
	if err != nil {
		return err
	}
	linkage, err := s.release.LinkageOf(ctx, ws, set.Unlinked)
	if err != nil {
		return err
	}
	if err := s.listWeak(l, ws.ID); err != nil {
		return err
	}
	counts := set.counts()
	config := counts.config(ws.ID)
	config.Method = "" // a query has no method
	if config.Also, err = s.alsoKnown(ctx, ws, set.Unjoined); err != nil {
		return err
	}
	made, err := dp.AnswerQuery(ctx, l, config, set.Question, counts.rows(v.Table, keys), set.Epsilon, dp.Meta{Tool: s.projects.Version(), Now: s.projects.Now})
	if err != nil {
		return err
	}
	asked, err := set.asked(made)
	if err != nil {
		return err
	}
	return s.keepStrong(ctx, ws, by, ending, release.KindQuery, release.StrongRelease{Dimensions: namesOf(set.Dimensions), Asked: asked}, linkage, made)
}

// asked is the record of an answer.
func (set QuerySettings) asked(made dp.Release) (*release.Asked, error) {
	answer, err := made.Answer()
	return &release.Asked{
		Question: set.Question, Domain: set.Dimensions, Unjoined: set.Unjoined, Within: made.Manifest.Errors[0].Baselines[dp.AtMost],
		Columns: answer.Columns, Groups: len(answer.Rows), Rows: answer.Rows[:min(len(answer.Rows), mostKept)],
	}, err
}
