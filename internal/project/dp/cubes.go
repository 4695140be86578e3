// SPDX-License-Identifier: Apache-2.0

package dp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/project/release"
	"hide/internal/publish/cube"
	"hide/internal/publish/dp"
	"hide/internal/publish/idview"
	"hide/internal/publish/ledger"
	"hide/internal/publish/noise"
	"hide/internal/publish/table"
)

// CubeSettings say which counts of a project's patients are published, at what
// price. All of it is public and becomes part of the release: nothing in it may be
// taken from the data.
type CubeSettings struct {
	Epsilon    ledger.Micro
	Source     string      // where the categories come from, in words
	Dimensions cube.Domain // named as columns of the identifier view that are not left out
	Method     cube.Method // "" is the one that should be off least, see EstimateCube
	Marginals  [][]string  // the dimensions of each table of counts that will be asked for
	People     int64       // about how many patients there are, as is public; 0 when nobody says
	Synthetic  bool        // adds invented rows that the release counts alike
	Unjoined   int64       // see checkUnjoined
}

// checkUnjoined is about what becomes of notes without a patient. 0 leaves them out, so that
// each patient counts once. Otherwise each counts as a patient of its own, and n is
// how many of all that are counted can be one patient, with the row of the notes
// that have her name: the noise covers this number.
func checkUnjoined(n int64) error {
	if n < 0 || n > mostUnjoined {
		return project.Invalidf("leave notes without a patient out when nobody knows", "a patient can count as 1 to %d", mostUnjoined)
	}
	return nil
}

const mostUnjoined = 1000

// CubeEstimate is what settings come to as far as can be said without the data.
type CubeEstimate struct {
	Cells float64 // of the whole cube
	Scale float64 // of the noise in a count that epsilon is spent on whole
	// Choices are the ways to publish, the one that should be off least first, and
	// Method the one that was asked for, or the first.
	Choices []cube.Choice
	Method  cube.Method
	Even    Between // one count of all patients, spread evenly, whatever the choices are
	Errors  []CubeError
}

// Between is what nobody can tell closer without the data.
type Between struct{ Least, Most float64 }

// CubeError is how far the counts of one dimension are off in the mean.
type CubeError struct {
	Dimension string
	Cells     float64 // that each of its counts sums
	Patients  float64 // of a category in the mean, by how many there are publicly
	Summed    float64 // when every cell of the cube is counted and cells are summed
	Own       float64 // when each dimension is counted by itself, for its share of epsilon
	Even      Between // when all patients are counted once and spread evenly
}

// bound is how many of the rows that are counted can be one patient.
func (set CubeSettings) bound() int64 { return max(1, set.Unjoined) }

// choices are the ways to publish, the best first. Invented rows need a whole cube.
func (set CubeSettings) choices() []cube.Choice {
	all := set.Dimensions.Choices(cube.Plan{Bound: set.bound(), Epsilon: set.Epsilon, Units: float64(set.People), Marginals: set.Marginals})
	return slices.DeleteFunc(all, func(c cube.Choice) bool { return set.Synthetic && c.Method == cube.Marginals })
}

// even is what counts of tables are off by when one count is spread evenly.
func (set CubeSettings) even(tables [][]string) (b Between) {
	b.Least, b.Most = set.Dimensions.Uniform(cube.Plan{Bound: set.bound(), Epsilon: set.Epsilon, Units: float64(set.People), Marginals: tables})
	return b
}

// decided are the settings with a method: that which should be off least, when none
// was asked for. The domain has been checked.
func (set CubeSettings) decided() CubeSettings {
	if set.Method == "" {
		if all := set.choices(); len(all) > 0 {
			set.Method, set.Marginals = all[0].Method, all[0].Marginals
		}
	}
	if set.Method != cube.Marginals {
		set.Marginals = nil
	}
	return set
}

func (set CubeSettings) config(lineage project.ID) dp.CubeConfig {
	return dp.CubeConfig{
		Common: common(lineage, set.Source, set.Unjoined),
		Key:    keyColumn(set.Dimensions), By: release.Unit, Dimensions: set.Dimensions, Method: set.Method, Marginals: set.Marginals, Synthetic: set.Synthetic,
	}
}

func common(lineage project.ID, source string, unjoined int64) dp.Common {
	return dp.Common{Lineage: string(lineage), Source: source, Unjoined: unjoined, LeaveOutNameless: unjoined == 0}
}

// keyColumn is the column that says whose a row is. No attribute is called like it: their names are
// not empty and have no blanks around them.
func keyColumn(dimensions cube.Domain) string {
	name := release.Unit
	for dimensions.Find(name) >= 0 {
		name += "'"
	}
	return name
}

// check refuses what cannot be for any data.
func (set CubeSettings) check() error {
	hint := "categories come from a code book or a form, written down before anybody looks at the data"
	if err := checkUnjoined(set.Unjoined); err != nil {
		return err
	}
	if set.Source == "" {
		return project.Invalidf(hint, "it is not said where the categories come from")
	}
	if err := set.Dimensions.Check(); err != nil {
		return project.Invalidf(hint, "%v", err)
	}
	for _, d := range set.Dimensions {
		if len(spellings(d)) < len(d.Values) {
			return project.Invalidf("leave one of them out: case does not count", "%q has a value twice", d.Name)
		}
	}
	if set.People < 0 {
		return project.Invalidf("leave it empty when nobody knows", "there cannot be %d patients", set.People)
	}
	set = set.decided()
	params := cube.Params{Method: set.Method, Epsilon: set.Epsilon, Marginals: set.Marginals}
	if _, err := params.Check(set.Dimensions, set.bound()); err != nil {
		return project.Invalidf("change what is asked for", "%v", err)
	}
	return nil
}

// checkCube refuses what publishing would, as far as that does not depend on what is
// left of the budget.
func (s *Service) checkCube(ctx context.Context, ws *project.Workspace, set CubeSettings) error {
	v, keys, err := s.cubeView(ctx, ws, set.Dimensions)
	if err != nil {
		return err
	}
	if _, err := set.config(ws.ID).Count(set.rows(v.Table, keys)); err != nil {
		return fitting(err)
	}
	return s.payable(ctx, ws)
}

// EstimateCube says what settings come to, from themselves alone. It looks at the data
// only to refuse what publishing would.
func (s *Service) EstimateCube(ctx context.Context, by account.User, id project.ID, set CubeSettings) (CubeEstimate, error) {
	ws, err := s.enter(by, account.Sanitize, id)
	if err != nil {
		return CubeEstimate{}, err
	}
	if err := set.check(); err != nil {
		return CubeEstimate{}, err
	}
	if err := s.checkCube(ctx, ws, set); err != nil {
		return CubeEstimate{}, err
	}
	out := CubeEstimate{Cells: set.Dimensions.Cells(), Scale: noise.Scale(set.bound(), set.Epsilon.Float())}
	out.Choices, out.Method, out.Even = set.choices(), set.decided().Method, set.even(set.Marginals)
	for i, d := range set.Dimensions {
		identity, marginal := dp.Baselines(set.Dimensions, i, set.bound(), set.Epsilon)
		e := CubeError{Dimension: d.Name, Cells: out.Cells / float64(d.Size()), Patients: cmp.Or(float64(set.People), cube.DefaultUnits) / float64(d.Size()), Summed: identity, Own: marginal}
		e.Even = set.even([][]string{{d.Name}})
		out.Errors = append(out.Errors, e)
	}
	return out, nil
}

// cubeView is the identifier view with these columns, in which no patient changes
// how values of others are written, and whose its rows are.
func (s *Service) cubeView(ctx context.Context, ws *project.Workspace, dimensions cube.Domain) (*idview.View, []string, error) {
	var keys []string
	v, err := s.release.ViewOf(ctx, ws, func(p *idview.People, a []idview.Attribute) (*idview.View, error) {
		keys = p.Keys()
		return p.Folded(a)
	})
	if err != nil {
		return nil, nil, err
	}
	for _, d := range dimensions {
		if v.Table.Column(d.Name) == nil {
			return nil, nil, project.Invalidf("name attributes as the table page does, and give them a role there other than to be left out", "there is no attribute %q to count by", d.Name)
		}
	}
	return v, keys, nil
}

// spellings are a dimension's values by their folded form.
func spellings(d cube.Dimension) map[string]string {
	out := make(map[string]string, len(d.Values))
	for _, value := range d.Values {
		out[idview.Fold(value)] = value
	}
	return out
}

// rows are columns of the view, one row per person in the order of import, values as
// the dimensions spell them, and the key of the person.
func (set CubeSettings) rows(t *table.Table, keys []string) dp.Records {
	dimensions := set.Dimensions
	columns, known := make([]*table.Column, len(dimensions)), make([]map[string]string, len(dimensions))
	for i, d := range dimensions {
		columns[i], known[i] = t.Column(d.Name), spellings(d)
	}
	return dp.Records{Columns: append(namesOf(dimensions), keyColumn(dimensions)), Rows: func(yield func([]string) bool) {
		row := make([]string, len(dimensions)+1)
		for n := range t.Rows {
			for i, c := range columns {
				row[i] = c.Domain[c.Codes[n]]
				if spelt, ok := known[i][row[i]]; ok && !c.IsMissing(c.Codes[n]) {
					row[i] = spelt
				}
			}
			row[len(dimensions)] = rowKey(keys[n], set.Unjoined)
			if !yield(row) {
				return
			}
		}
	}}
}

// rowKey is the key of a row, "" when what has no patient is left out.
func rowKey(key string, unjoined int64) string {
	if unjoined == 0 && !idview.Named(key) {
		return ""
	}
	return key
}

// StartPublishCube starts to publish counts. What can be refused without the data
// is refused at once, and what the data refuses before anything is debited. The
// same request again gives the existing release, at no cost.
func (s *Service) StartPublishCube(ctx context.Context, by account.User, id project.ID, set CubeSettings) error {
	ws, err := s.enter(by, account.Sanitize, id)
	if err != nil {
		return err
	}
	if err := set.check(); err != nil {
		return err
	}
	if err := s.checkCube(ctx, ws, set); err != nil {
		return err
	}
	return s.startStrong(ws, release.Status{Kind: release.KindCube, Asked: &set}, func(ctx context.Context, l *ledger.Ledger) error {
		return s.releaseCube(ctx, ws, by, l, set.decided())
	})
}

// startStrong starts a release that the project's budget pays for.
func (s *Service) startStrong(ws *project.Workspace, asked release.Status, release func(context.Context, *ledger.Ledger) error) error {
	l, err := s.paying(ws.ID)
	if err != nil {
		return err
	}
	asked.Total = 1
	return s.release.Start(ws, asked, func(ctx context.Context) error { return s.inWords(release(ctx, l)) })
}

func (s *Service) releaseCube(ctx context.Context, ws *project.Workspace, by account.User, l *ledger.Ledger, set CubeSettings) error {
	v, keys, err := s.cubeView(ctx, ws, set.Dimensions)
	if err != nil {
		return err
	}
	if err := s.listWeak(l, ws.ID); err != nil {
		return err
	}
	made, err := dp.PublishCube(ctx, l, set.config(ws.ID), set.rows(v.Table, keys), set.Epsilon, dp.Meta{Tool: s.projects.Version(), Now: s.projects.Now})
	if err != nil {
		return err
	}
	return s.keepStrong(ctx, ws, by, release.KindCube, release.StrongRelease{Dimensions: namesOf(set.Dimensions), Method: set.Method, Cells: set.Dimensions.Cells()}, made)
}

// namesOf are the names of dimensions.
func namesOf(domain cube.Domain) []string {
	var names []string
	for _, d := range domain {
		names = append(names, d.Name)
	}
	return names
}

// servedBefore finds the release with the answer to a request that was made before.
func (s *Service) servedBefore(id project.ID, made dp.Release) (release.Release, bool) {
	if !made.Replayed {
		return release.Release{}, false
	}
	all, err := s.release.StoredReleases(id)
	i := slices.IndexFunc(all, func(r release.Release) bool {
		return r.Strong != nil && r.Strong.Entry == made.Manifest.Receipt.Entry && !r.Gone
	})
	if err != nil || i < 0 {
		return release.Release{}, false
	}
	return all[i], true
}

// keepStrong writes a release that was paid for and puts it on record, unless it is
// the answer to an earlier request that is still there.
func (s *Service) keepStrong(ctx context.Context, ws *project.Workspace, by account.User, kind release.Kind, record release.StrongRelease, made dp.Release) error {
	if old, there := s.servedBefore(ws.ID, made); there {
		s.release.Remark(ws, fmt.Sprintf("This was asked for before: %s has the answer. Nothing was spent.", old.Name), old.Number)
		return nil
	}
	r, dir, err := s.release.Begin(ws, by, kind)
	if err != nil {
		return err
	}
	if r.SHA256, err = made.Write(ctx, dir); err != nil {
		return err
	}
	m := made.Manifest
	record.Epsilon, record.Promise, record.Conditions, record.Warnings = m.Epsilon, m.Promise, m.Conditions, m.Warnings
	record.Source, record.Phases, record.Errors, record.Entry = m.Source, m.Phases, m.Errors, m.Receipt.Entry
	record.Trends = m.Trends
	r.Strong = &record
	if sum, err := release.VerifiedAgain(dir); err != nil || sum != r.SHA256 {
		return fmt.Errorf("what was written is not what it claims: %w", errors.Join(err, os.RemoveAll(dir)))
	}
	return s.release.Keep(ws, by, r, dir, release.Kept{})
}
