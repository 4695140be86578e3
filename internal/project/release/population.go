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

// Population is a file of everybody who could be one of a project's patients. It has the
// quasi-identifiers of the tables and no other column.
type Population struct {
	People  int                `json:"people"`
	Beyond  int                `json:"beyond"` // patients without a match in it, when it was added
	Added   time.Time          `json:"added"`
	By      string             `json:"by,omitempty"`      // account id, as [Options.PersonName] has it
	Columns []PopulationColumn `json:"columns,omitempty"` // columns that are kept
	Left    []string           `json:"left,omitempty"`    // names of the file's columns that are not kept

	// Lacking names the quasi-identifiers without a column.
	Lacking []string `json:"-"`
}

// PopulationColumn is the attribute of a column and its name.
type PopulationColumn struct {
	idview.Key
	Column string `json:"column"`
}

// Version distinguishes a population from one stored later in its place.
func (p Population) Version() string { return strconv.FormatInt(p.Added.UnixNano(), 36) }

// Words describe it: "48 people, added 2026-11-22 10:31 UTC by Ann Lee".
func (p Population) Words() string {
	by := ""
	if p.By != "" {
		by = " by " + p.By
	}
	return words.Count(p.People, "person", "people") + ", added " + p.Added.UTC().Format("2006-01-02 15:04 MST") + by
}

// PopulationConflict is returned if the stored population is not the one that was to be
// replaced.
type PopulationConflict struct{ Stored Population }

func (e *PopulationConflict) Error() string {
	return "the project has another population already: " + e.Stored.Words()
}

var (
	populationKey     = []byte("file")
	populationInfoKey = []byte("info")
)

// maxPopulation is the size limit of such a file in bytes.
const maxPopulation = 32 << 20

// SetPopulation stores the quasi-identifier columns of a population file, a CSV, and no
// other column. replaces is the [Population.Version] of the population to replace, "" for
// none. If another one is stored, nothing changes and a [*PopulationConflict] carries it.
// A file with the same kept content changes nothing and needs no replaces.
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
		return Population{}, project.Invalidf("remove columns that are not attributes of the project", "a population file can have at most %d bytes", maxPopulation)
	}
	v, err := s.ViewOf(ctx, ws.Workspace, among(text))
	if err != nil {
		return Population{}, err
	}
	columns := populationColumns(v)
	if len(columns) == 0 {
		return Population{}, project.Invalidf("first choose the attributes to generalize", "no attribute is a quasi-identifier, so patients cannot be matched with a population")
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

// cutPopulation removes all other columns from the file.
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
				stored.Left = p.Left // of the uploaded file
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

// RemovePopulation deletes the population with this [Population.Version]. If another one
// is stored, it stays, and a [*PopulationConflict] carries it.
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

// population describes the stored file, nil for none.
func (s *Service) population(id project.ID) (p *Population, err error) {
	p, err = project.Read(s.projects, id, readPopulation)
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

// lacks names the quasi-identifiers without a column. It returns nothing for a population
// whose columns were not recorded.
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

// populationFits refuses a comparison if an attribute was generalized after the
// population was added. A missing population is refused by [Service.tableView].
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
		return project.Invalidf("replace the population by a file with these columns, or give the attributes another role, or do not compare with the population",
			"the population (%s) lacks the quasi-identifiers: %s", p.Words(), strings.Join(lacking, ", "))
	}
	return nil
}

// tableView is the view that a table is made of, with its population if requested.
func (s *Service) tableView(ctx context.Context, ws *workspace, amongAll bool) (*idview.View, error) {
	if !amongAll {
		return s.identifierView(ctx, ws)
	}
	if err := s.populationFits(ctx, ws); err != nil {
		return nil, err
	}
	text, err := project.Read(s.projects, ws.ID, func(tx *store.Tx) ([]byte, error) { return tx.Get(bucketPopulation, populationKey) })
	if errors.Is(err, store.ErrNotFound) {
		return nil, project.Invalidf("add the file of a population first", "the project has no population")
	}
	if err != nil {
		return nil, err
	}
	return s.ViewOf(ctx, ws.Workspace, among(text))
}
