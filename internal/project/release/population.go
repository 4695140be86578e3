// SPDX-License-Identifier: Apache-2.0

package release

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/publish/idview"
	"hide/internal/publish/table"
	"hide/internal/store"
	"hide/internal/words"
)

// Population is a file with everybody who could be one of a project's patients, by
// the quasi-identifiers of its tables and by nothing else.
type Population struct {
	People  int                `json:"people"`
	Beyond  int                `json:"beyond"` // patients for whom it has nobody, when it was added
	Added   time.Time          `json:"added"`
	By      string             `json:"by,omitempty"`      // account id, as [Options.PersonName] has it
	Columns []PopulationColumn `json:"columns,omitempty"` // that are kept
	Left    []string           `json:"left,omitempty"`    // names of columns that the file had and that are not kept

	// Lacking names the quasi-identifiers without a column.
	Lacking []string `json:"-"`
}

// PopulationColumn is the attribute that a column is for, and what it is called.
type PopulationColumn struct {
	idview.Key
	Column string `json:"column"`
}

// Version tells a population from those that are stored in its place later.
func (p Population) Version() string { return strconv.FormatInt(p.Added.UnixNano(), 36) }

// Words say what it is: "48 people, added 2026-11-22 10:31 UTC by Ann Lee".
func (p Population) Words() string {
	by := ""
	if p.By != "" {
		by = " by " + p.By
	}
	return words.Count(p.People, "person", "people") + ", added " + p.Added.UTC().Format("2006-01-02 15:04 MST") + by
}

// PopulationConflict is returned when another population is stored than the one that
// was to be replaced, or nothing was to be.
type PopulationConflict struct{ Stored Population }

func (e *PopulationConflict) Error() string {
	return "the project has another population already: " + e.Stored.Words()
}

var (
	populationKey     = []byte("file")
	populationInfoKey = []byte("info")
)

// maxPopulation is how many bytes such a file may have.
const maxPopulation = 32 << 20

// SetPopulation keeps of the file of a population, CSV with a column for each
// quasi-identifier, these columns and no others. replaces is the
// [Population.Version] of the one that it is stored in the place of, "" for none: when
// there is another, nothing is stored and a [*PopulationConflict] says which. A file of
// which the same would be kept changes nothing and needs no replaces.
func (s *Service) SetPopulation(ctx context.Context, by account.User, id project.ID, file io.Reader, replaces string) (Population, error) {
	ws, err := s.enter(by, account.Sanitize, id)
	if err != nil {
		return Population{}, err
	}
	text, err := io.ReadAll(io.LimitReader(file, maxPopulation+1))
	if err != nil {
		return Population{}, err
	}
	if len(text) > maxPopulation {
		return Population{}, project.Invalidf("leave out columns that no attribute is called like", "the file of a population can have %d bytes", maxPopulation)
	}
	v, err := s.ViewOf(ctx, ws.Workspace, among(text))
	if err != nil {
		return Population{}, err
	}
	columns := populationColumns(v)
	if len(columns) == 0 {
		return Population{}, project.Invalidf("say first what is to be coarsened", "no attribute is coarsened, so that nobody can be found in a population")
	}
	p := Population{People: v.Table.Rows - v.Table.Beyond, Beyond: v.Table.Beyond, Added: s.projects.Now().UTC(), By: by.ID, Columns: columns}
	kept, left, err := cutPopulation(text, columns)
	if err != nil {
		return Population{}, err
	}
	p.Left = left
	return s.storePopulation(by, id, p, kept, replaces)
}

// populationColumns are the columns that a population of this view needs.
func populationColumns(v *idview.View) []PopulationColumn {
	var all []PopulationColumn
	for i, a := range v.Attributes {
		if a.Role == table.Quasi {
			all = append(all, PopulationColumn{a.Key, v.Columns[i].Name})
		}
	}
	return all
}

// cutPopulation leaves nothing in the file but its columns.
func cutPopulation(text []byte, columns []PopulationColumn) (kept []byte, left []string, err error) {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.Column
	}
	var out bytes.Buffer
	left, err = table.CutPeople(&out, bytes.NewReader(text), names)
	return out.Bytes(), left, err
}

func (s *Service) storePopulation(by account.User, id project.ID, p Population, kept []byte, replaces string) (Population, error) {
	err := s.projects.Transact(id, func(tx *store.Tx) error {
		stored, err := readPopulation(tx)
		if err != nil {
			return err
		}
		detail := fmt.Sprintf("added: %d people, %d columns kept, %d left out", p.People, len(p.Columns), len(p.Left))
		if stored != nil {
			before, err := tx.Get(bucketPopulation, populationKey)
			if err != nil {
				return err
			}
			if bytes.Equal(before, kept) && slices.Equal(stored.Columns, p.Columns) {
				stored.Left = p.Left // of the file that was given
				p = *stored
				return nil
			}
			if stored.Version() != replaces {
				return s.populationConflict(*stored)
			}
			detail += fmt.Sprintf("; in the place of %d people, added %s", stored.People, stored.Added.Format(time.RFC3339))
		}
		return errors.Join(
			tx.Put(bucketPopulation, populationKey, kept),
			store.PutJSON(tx, bucketPopulation, populationInfoKey, p),
			tx.Audit(project.EventBy(by, "population", id.Object(), detail)),
		)
	})
	return p, err
}

func (s *Service) populationConflict(stored Population) error {
	stored.By = s.projects.PersonName(stored.By)
	return &PopulationConflict{stored}
}

// among makes views with a population.
func among(text []byte) func(*idview.People, []idview.Attribute) (*idview.View, error) {
	return func(p *idview.People, attributes []idview.Attribute) (*idview.View, error) {
		return p.ViewAmong(attributes, bytes.NewReader(text))
	}
}

// RemovePopulation forgets the file whose [Population.Version] is given. When there is
// another by now it stays, and a [*PopulationConflict] says which.
func (s *Service) RemovePopulation(ctx context.Context, by account.User, id project.ID, version string) error {
	if _, err := s.enter(by, account.Sanitize, id); err != nil {
		return err
	}
	return s.projects.Transact(id, func(tx *store.Tx) error {
		stored, err := readPopulation(tx)
		if err != nil || stored == nil {
			return err
		}
		if stored.Version() != version {
			return s.populationConflict(*stored)
		}
		return errors.Join(
			tx.Delete(bucketPopulation, populationKey), tx.Delete(bucketPopulation, populationInfoKey),
			tx.Audit(project.EventBy(by, "population", id.Object(), "forgotten")),
		)
	})
}

// population says what file there is, nil for none.
func (s *Service) population(id project.ID) (p *Population, err error) {
	err = s.projects.View(id, func(tx *store.Tx) (err error) {
		p, err = readPopulation(tx)
		return err
	})
	if p != nil {
		p.By = s.projects.PersonName(p.By)
	}
	return p, err
}

// readPopulation is nil for none.
func readPopulation(tx *store.Tx) (*Population, error) {
	p, err := store.GetJSON[Population](tx, bucketPopulation, populationInfoKey)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	return &p, err
}

// lacks names the quasi-identifiers without a column. Of a population
// whose columns were not put on record nothing is known.
func (p Population) lacks(attributes []idview.Attribute) []string {
	attributes = published(attributes)
	var names []string
	for i, name := range idview.Names(attributes) {
		a := attributes[i]
		if a.Role == table.Quasi && len(p.Columns) > 0 && !slices.Contains(p.Columns, PopulationColumn{a.Key, name}) {
			names = append(names, name)
		}
	}
	return names
}

// populationFits refuses to compare with a population that was added before some
// attribute was generalized; one that is not there is refused by [Service.tableView].
func (s *Service) populationFits(ctx context.Context, ws *workspace) error {
	p, err := s.population(ws.ID)
	if p == nil || err != nil {
		return err
	}
	people, err := s.People(ctx, ws.Workspace)
	if err != nil {
		return err
	}
	attributes, _, err := s.attributesOf(ws.ID, people.Found())
	if err != nil {
		return err
	}
	if lacking := p.lacks(attributes); len(lacking) > 0 {
		return project.Invalidf("replace the population by a file that has it too, or leave out or keep what has no column, or do not compare with the population",
			"the population (%s) has no column for what is coarsened by now: %s", p.Words(), strings.Join(lacking, ", "))
	}
	return nil
}

// tableView is what a table is made of: with its population when that is asked for.
func (s *Service) tableView(ctx context.Context, ws *workspace, amongAll bool) (*idview.View, error) {
	if !amongAll {
		return s.identifierView(ctx, ws)
	}
	if err := s.populationFits(ctx, ws); err != nil {
		return nil, err
	}
	var text []byte
	err := s.projects.View(ws.ID, func(tx *store.Tx) (err error) {
		text, err = tx.Get(bucketPopulation, populationKey)
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		return nil, project.Invalidf("add the file of a population first", "the project has no population")
	}
	if err != nil {
		return nil, err
	}
	return s.ViewOf(ctx, ws.Workspace, among(text))
}
