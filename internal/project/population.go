// SPDX-License-Identifier: Apache-2.0

package project

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"hide/internal/account"
	"hide/internal/publish/idview"
	"hide/internal/publish/table"
	"hide/internal/store"
)

// Population is a file with everybody who could be one of a project's patients, by
// what is coarsened in its tables.
type Population struct {
	People int       `json:"people"`
	Beyond int       `json:"beyond"` // patients for whom it has nobody, when it was added
	Added  time.Time `json:"added"`
}

var (
	populationKey     = []byte("file")
	populationInfoKey = []byte("info")
)

// maxPopulation is how many bytes such a file may have.
const maxPopulation = 32 << 20

// SetPopulation keeps the file of a population, in the place of the one before: CSV
// with a column for each attribute that is coarsened.
func (s *Service) SetPopulation(ctx context.Context, by account.User, id ID, file io.Reader) error {
	ws, err := s.enter(by, account.Sanitize, id)
	if err != nil {
		return err
	}
	text, err := io.ReadAll(io.LimitReader(file, maxPopulation+1))
	if err != nil {
		return err
	}
	if len(text) > maxPopulation {
		return invalid("leave out columns that no attribute is called like", "the file of a population can have %d bytes", maxPopulation)
	}
	v, err := s.viewOf(ctx, ws, among(text))
	if err != nil {
		return err
	}
	if len(v.Table.With(table.Quasi)) == 0 {
		return invalid("say first what is to be coarsened", "no attribute is coarsened, so that nobody can be found in a population")
	}
	p := Population{People: v.Table.Rows - v.Table.Beyond, Beyond: v.Table.Beyond, Added: s.opts.Now().UTC()}
	ev := event(by, "population", id.object(), fmt.Sprintf("%d people", p.People))
	return s.update(id, ev, func(tx *store.Tx) error {
		if err := tx.Put(bucketPopulation, populationKey, text); err != nil {
			return err
		}
		return put(tx, bucketPopulation, populationInfoKey, p)
	})
}

// among makes views with a population.
func among(text []byte) func(*idview.People, []idview.Attribute) (*idview.View, error) {
	return func(p *idview.People, attributes []idview.Attribute) (*idview.View, error) {
		return p.ViewAmong(attributes, bytes.NewReader(text))
	}
}

// RemovePopulation forgets the file.
func (s *Service) RemovePopulation(ctx context.Context, by account.User, id ID) error {
	if _, err := s.enter(by, account.Sanitize, id); err != nil {
		return err
	}
	return s.update(id, event(by, "population", id.object(), "none"), func(tx *store.Tx) error {
		return errors.Join(tx.Delete(bucketPopulation, populationKey), tx.Delete(bucketPopulation, populationInfoKey))
	})
}

// population says what file there is, nil for none.
func (s *Service) population(id ID) (*Population, error) {
	var p Population
	err := s.store.View(string(id), func(tx *store.Tx) (err error) {
		p, err = get[Population](tx, bucketPopulation, populationInfoKey)
		return err
	})
	switch {
	case errors.Is(err, store.ErrNotFound):
		return nil, nil
	case err != nil:
		return nil, err
	}
	return &p, nil
}

// tableView is what a table is made of: with its population when that is asked for.
func (s *Service) tableView(ctx context.Context, ws *workspace, amongAll bool) (*idview.View, error) {
	if !amongAll {
		return s.identifierView(ctx, ws)
	}
	var text []byte
	err := s.store.View(string(ws.id), func(tx *store.Tx) (err error) {
		text, err = tx.Get(bucketPopulation, populationKey)
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		return nil, invalid("add the file of a population first", "the project has no population")
	}
	if err != nil {
		return nil, err
	}
	return s.viewOf(ctx, ws, among(text))
}
