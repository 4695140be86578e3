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
	"hide/internal/publish/table"
)

// SequenceSettings say which sequences of a project's patients are published: the
// values of one attribute, in the order of the notes as they were imported and of
// their text. All of it is public and becomes part of the release.
type SequenceSettings struct {
	Epsilon   ledger.Micro
	Source    string     // where the alphabet comes from, in words
	Of        idview.Key // an attribute that is not left out
	Alphabet  []string   // the values that count; case does not
	Other     bool       // a last symbol for all others, which are refused otherwise
	Height    int        // sequences are cut to this length
	Ordered   bool       // the alphabet is in an order, so that sequences rise and fall; not with Other
	Synthetic bool       // adds invented sequences that the release counts alike
	Unjoined  int64      // as of [CubeSettings]
}

// SequenceEstimate is what settings come to: how far the count of a prefix of each
// length, from 1, is off in the mean, by noise alone.
type SequenceEstimate struct{ Errors []float64 }

func (set SequenceSettings) params() prefixtree.Params {
	p := prefixtree.Params{Alphabet: len(set.Alphabet), Height: set.Height, Epsilon: set.Epsilon, Bound: set.Unjoined}
	if set.Other {
		p.Alphabet++
	}
	return p
}

// check refuses what cannot be for any data, in the words of the page.
func (set SequenceSettings) check() (prefixtree.Params, error) {
	hint := "the values come from a code book or a form, written down before anybody looks at the data"
	if err := checkUnjoined(set.Unjoined); err != nil {
		return prefixtree.Params{}, err
	}
	switch {
	case set.Source == "":
		return prefixtree.Params{}, project.Invalidf(hint, "it is not said where these values are from")
	case len(set.Alphabet) == 0:
		return prefixtree.Params{}, project.Invalidf(hint, "it is not said which values count")
	case len(set.Alphabet) >= prefixtree.MostSymbols:
		return prefixtree.Params{}, project.Invalidf("leave rare ones to “other”", "fewer than %d values can count", prefixtree.MostSymbols)
	case set.Height < 1 || set.Height > prefixtree.MostHeight:
		return prefixtree.Params{}, project.Invalidf("say how many values of each patient are looked at, from the first", "sequences are cut to 1 to %d values", prefixtree.MostHeight)
	case set.Ordered && set.Other:
		return prefixtree.Params{}, project.Invalidf("leave “other” out, or the order", "other values have no place in an order")
	}
	seen := map[string]bool{}
	for i, value := range set.Alphabet {
		switch {
		case value == cube.Other || value == endOf:
			return prefixtree.Params{}, project.Invalidf("write it otherwise", "value %d is called as the release calls others, or the end", i+1)
		case seen[idview.Fold(value)]:
			return prefixtree.Params{}, project.Invalidf("leave one of them out: case does not count", "value %d is there twice", i+1)
		}
		seen[idview.Fold(value)] = true
	}
	p, err := set.params().Check()
	if err != nil {
		return p, project.Invalidf("change what is asked for", "%v", err)
	}
	return p, nil
}

// sequenceAttribute finds the attribute that is asked for.
func (s *Service) sequenceAttribute(ctx context.Context, by account.User, id project.ID, k idview.Key) error {
	all, err := s.release.Identifiers(ctx, by, id)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(all.Attributes, func(a release.Identifier) bool { return a.Key == k })
	if i < 0 || all.Attributes[i].Role == table.Direct || k.Source == idview.Count {
		return project.Invalidf("choose one that the table page does not leave out", "there is no such attribute to make sequences of")
	}
	return nil
}

// EstimateSequences says what settings come to, from themselves alone. It looks at the
// data only to refuse what publishing would.
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
	if err := errors.Join(set.fits(people.Keys(), people.Values(set.Of)), s.payable(ctx, ws)); err != nil {
		return SequenceEstimate{}, err
	}
	var out SequenceEstimate
	for n := 1; n <= p.Height; n++ {
		out.Errors = append(out.Errors, p.ExpectedError(n))
	}
	return out, nil
}

// StartPublishSequences is [Service.StartPublishCube] for sequences.
func (s *Service) StartPublishSequences(ctx context.Context, by account.User, id project.ID, set SequenceSettings) error {
	if _, err := s.EstimateSequences(ctx, by, id, set); err != nil {
		return err
	}
	ws, err := s.projects.Workspace(id)
	if err != nil {
		return err
	}
	return s.startStrong(ws, release.Status{Kind: release.KindSequences, Asked: &set}, func(ctx context.Context, l *ledger.Ledger) error {
		return s.releaseSequences(ctx, ws, by, l, set)
	})
}

// separator is between the symbols of a line; no value has it, as blanks are made
// one.
const separator = "\t"

func (s *Service) releaseSequences(ctx context.Context, ws *project.Workspace, by account.User, l *ledger.Ledger, set SequenceSettings) error {
	people, err := s.release.People(ctx, ws)
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
	made, err := dp.PublishSequences(ctx, l, config, set.records(people.Keys(), people.Values(set.Of)), set.Epsilon, dp.Meta{Tool: s.projects.Version(), Now: s.projects.Now})
	if err != nil {
		return err
	}
	return s.keepStrong(ctx, ws, by, release.KindSequences, release.StrongRelease{Dimensions: []string{set.Of.Name}, Height: set.Height}, made)
}

// records are the sequences, symbols as the alphabet spells them.
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
