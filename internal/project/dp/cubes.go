// SPDX-License-Identifier: Apache-2.0

package dp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/project/release"
	"hide/internal/publish/cube"
	"hide/internal/publish/dp"
	"hide/internal/publish/idview"
	"hide/internal/publish/ledger"
	"hide/internal/publish/noise"
	envelope "hide/internal/publish/release"
	"hide/internal/publish/table"
)

// payable refuses requests that the project can never pay for, because its patients
// belong to another budget. Without a budget it refuses nothing.
func (s *Service) payable(ctx context.Context, by account.User, ws *project.Workspace) error {
	l, err := s.look()
	if err != nil {
		return err
	}
	if _, err := l.Account(string(ws.ID)); err != nil {
		return nil
	}
	units, err := s.units(ctx, ws, l)
	if err != nil {
		return err
	}
	if others := l.Overlaps(string(ws.ID), units); len(others) > 0 {
		return s.samePatients(by, &ledger.SameUnitsError{Lineage: string(ws.ID), Others: others})
	}
	return nil
}

// fitting turns an error of the rows into a message for the person who typed the
// categories.
func fitting(err error) error {
	if err == nil {
		return nil
	}
	what, _, _ := strings.Cut(err.Error(), ": list it if")
	return project.Invalidf("add the value if the code book or form lists it, or let “other” take all unlisted values", "the patients' values do not match the list: %s", what)
}

// fits refuses sequences with a value outside the alphabet.
func (set SequenceSettings) fits(keys []string, sequences [][]string) error {
	known := map[string]bool{}
	for _, symbol := range set.Alphabet {
		known[idview.Fold(symbol)] = true
	}
	for i, sequence := range sequences {
		if set.Other || rowKey(keys[i], set.Unjoined) == "" {
			continue
		}
		for n, value := range sequence[:min(len(sequence), set.Height)] {
			if !known[idview.Fold(value)] {
				return fitting(fmt.Errorf("value %d of row %d is not in the list", n+1, i+1))
			}
		}
	}
	return nil
}

// projectWords names a lineage, which is a project's id, to a person. Who is not a member of
// that project learns that there is one, because these patients cannot get another budget, and
// not which.
func (s *Service) projectWords(by account.User, lineage string) string {
	o, err := s.projects.Project(context.Background(), by, project.ID(lineage))
	switch {
	case err == nil:
		return fmt.Sprintf("project “%s”", o.Name)
	case by.Role == account.Admin:
		return fmt.Sprintf("%q", lineage) // destroyed
	}
	return "another project, which an administrator can name"
}

// inWords turns a refusal of the ledger into a message. Everybody in the project reads it, so
// it names no other project.
func (s *Service) inWords(err error) error {
	exceeded, other, same := (*ledger.ExceededError)(nil), (*ledger.OtherLineageError)(nil), (*ledger.SameUnitsError)(nil)
	switch {
	case errors.As(err, &exceeded):
		return project.Invalidf("spend less, or raise the budget", "the budget is %v and %v is spent. This request needs %v more, so nothing was spent", exceeded.Limit, exceeded.Spent, exceeded.After-exceeded.Spent)
	case errors.As(err, &other):
		return project.Invalidf("publish from there", "the same counts were paid from the budget of %s. Another project does not give these patients another budget", s.projectWords(account.User{}, other.Other))
	case errors.As(err, &same):
		return s.samePatients(account.User{}, same)
	}
	return err
}

func (s *Service) samePatients(by account.User, err *ledger.SameUnitsError) error {
	var words []string
	for _, o := range err.Others {
		words = append(words, fmt.Sprintf("%.0f %% with %s", 100*o.Share, s.projectWords(by, o.Lineage)))
	}
	return &project.Error{Kind: project.Invalid, Err: err,
		Message: "these patients seem to be the same people as those of another budget. Overlap, as a share of the smaller group: " + strings.Join(words, ", "),
		Hint:    "publish from that project, whose budget pays for these patients. If they are different people with the same numbers, say so; this is recorded permanently"}
}

// CubeSettings say which counts of a project's patients are published and at what
// epsilon. All settings are public and become part of the release: they must not be
// derived from the data.
type CubeSettings struct {
	Epsilon    ledger.Micro
	Source     string      // source of the categories, in words
	Dimensions cube.Domain // columns of the identifier view that are not left out
	Method     cube.Method // "" for the one with the smallest expected error, see EstimateCube
	Marginals  [][]string  // the dimensions of each table of counts that will be queried
	People     int64       // publicly known approximate number of patients; 0 if unknown
	Synthetic  bool        // also publish synthetic rows with the same noisy counts
	Unjoined   int64       // see checkUnjoined
	Unlinked   bool        // records look like the same people, see [release.Service.LinkedOrSaid]
}

// checkUnjoined checks how notes without a patient count. With 0 they are left out,
// so that each patient counts once. Otherwise each such note counts as a patient,
// and n is the largest number of counted rows that can belong to one patient,
// including the row of the notes with her name. The noise is scaled to n.
func checkUnjoined(n int64) error {
	if n < 0 || n > mostUnjoined {
		return project.Invalidf("leave out notes without a patient if this number is unknown", "a patient can count as 1 to %d", mostUnjoined)
	}
	return nil
}

const mostUnjoined = 1000

// CubeEstimate is what is known about settings without the data.
type CubeEstimate struct {
	Cells float64 // of the whole cube
	Scale float64 // of the noise in a count that gets the whole epsilon
	// Choices are the methods, smallest expected error first. Method is the
	// requested one, or the first.
	Choices []cube.Choice
	Method  cube.Method
	Even    Between // error if one count of all patients is spread evenly, whatever the method
	Errors  []CubeError
}

// Between is a range that cannot be narrowed without the data.
type Between struct{ Least, Most float64 }

// CubeError is the mean error of the counts of one dimension.
type CubeError struct {
	Dimension string
	Cells     float64 // that each of its counts sums
	Patients  float64 // mean number in a category, by the public number of patients
	Summed    float64 // if every cell of the cube is counted and cells are summed
	Own       float64 // if each dimension is counted on its own with its share of epsilon
	Even      Between // if all patients are counted once and spread evenly
}

// bound is the largest number of counted rows that can belong to one patient.
func (set CubeSettings) bound() int64 { return max(1, set.Unjoined) }

// choices lists the methods, best first. Synthetic rows need a whole cube.
func (set CubeSettings) choices() []cube.Choice {
	all := set.Dimensions.Choices(cube.Plan{Bound: set.bound(), Epsilon: set.Epsilon, Units: float64(set.People), Marginals: set.Marginals})
	return slices.DeleteFunc(all, func(c cube.Choice) bool { return set.Synthetic && c.Method == cube.Marginals })
}

// even is the error of tables if one count is spread evenly.
func (set CubeSettings) even(tables [][]string) (b Between) {
	b.Least, b.Most = set.Dimensions.Uniform(cube.Plan{Bound: set.bound(), Epsilon: set.Epsilon, Units: float64(set.People), Marginals: tables})
	return b
}

// decided returns the settings with a method: the requested one, or the one with
// the smallest expected error. The domain has been checked.
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

// keyColumn holds the patient of a row. No attribute can have this name: names are
// not empty and have no surrounding blanks.
func keyColumn(dimensions cube.Domain) string {
	name := release.Unit
	for dimensions.Find(name) >= 0 {
		name += "'"
	}
	return name
}

// check refuses settings that are invalid for any data.
func (set CubeSettings) check() error {
	hint := "take the categories from a code book or a form, written before anybody saw the data"
	if err := checkUnjoined(set.Unjoined); err != nil {
		return err
	}
	if set.Source == "" {
		return project.Invalidf(hint, "the source of the categories is missing")
	}
	if err := set.Dimensions.Check(); err != nil {
		return project.Invalidf(hint, "%v", err)
	}
	for _, d := range set.Dimensions {
		if len(spellings(d)) < len(d.Values) {
			return project.Invalidf("remove one of them; upper and lower case are the same", "%q has a value twice", d.Name)
		}
	}
	if set.People < 0 {
		return project.Invalidf("leave it empty if it is unknown", "the number of patients cannot be %d", set.People)
	}
	set = set.decided()
	params := cube.Params{Method: set.Method, Epsilon: set.Epsilon, Marginals: set.Marginals}
	if _, err := params.Check(set.Dimensions, set.bound()); err != nil {
		return project.Invalidf("change the settings", "%v", err)
	}
	return nil
}

// checkCube refuses what publishing would refuse, except for the remaining budget.
func (s *Service) checkCube(ctx context.Context, by account.User, ws *project.Workspace, set CubeSettings) error {
	v, keys, err := s.cubeView(ctx, ws, set.Dimensions)
	if err != nil {
		return err
	}
	if _, err := set.config(ws.ID).Count(set.rows(v.Table, keys)); err != nil {
		return fitting(err)
	}
	return s.payable(ctx, by, ws)
}

// EstimateCube computes the expected error from the settings alone. It reads the
// data only to refuse what publishing would refuse.
func (s *Service) EstimateCube(ctx context.Context, by account.User, id project.ID, set CubeSettings) (CubeEstimate, error) {
	ws, err := s.enter(by, account.Sanitize, id)
	if err != nil {
		return CubeEstimate{}, err
	}
	if err := set.check(); err != nil {
		return CubeEstimate{}, err
	}
	if err := s.checkCube(ctx, by, ws, set); err != nil {
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

// cubeView is the identifier view with these columns, and the patient of each row.
// In it no patient changes how values of others are written.
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
			return nil, nil, project.Invalidf("use the attribute names of the table page, and give them a role there other than leave out", "unknown attribute %q", d.Name)
		}
	}
	return v, keys, nil
}

// spellings maps folded values of a dimension to their spelling.
func spellings(d cube.Dimension) map[string]string {
	out := make(map[string]string, len(d.Values))
	for _, value := range d.Values {
		out[idview.Fold(value)] = value
	}
	return out
}

// rows returns columns of the view, one row per patient in the order of import,
// with values as the dimensions spell them, and each patient's key.
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

// rowKey is the key of a row, "" if rows without a patient are left out.
func rowKey(key string, unjoined int64) string {
	if unjoined == 0 && !idview.Named(key) {
		return ""
	}
	return key
}

// StartPublishCube starts to publish counts. Invalid settings are refused at once,
// and unsuitable data before the budget is debited. The same request again returns
// the existing release at no cost.
func (s *Service) StartPublishCube(ctx context.Context, by account.User, id project.ID, ending release.Ending, set CubeSettings) error {
	ws, err := s.enter(by, account.Sanitize, id)
	if err != nil {
		return err
	}
	if err := set.check(); err != nil {
		return err
	}
	if err := s.checkCube(ctx, by, ws, set); err != nil {
		return err
	}
	if err := s.release.LinkedOrSaid(ctx, ws, by, set.Unlinked); err != nil {
		return err
	}
	return s.startStrong(ws, ending, release.Status{Kind: release.KindCube, Asked: &set}, func(ctx context.Context, l *ledger.Ledger) error {
		return s.releaseCube(ctx, ws, by, ending, l, set.decided())
	})
}

// startStrong starts a release that spends the project's budget.
func (s *Service) startStrong(ws *project.Workspace, ending release.Ending, asked release.Status, release func(context.Context, *ledger.Ledger) error) error {
	l, err := s.paying(ws.ID)
	if err != nil {
		return err
	}
	asked.Total = 1
	return s.release.Start(ws, ending, asked, func(ctx context.Context) error { return s.inWords(release(ctx, l)) })
}

func (s *Service) releaseCube(ctx context.Context, ws *project.Workspace, by account.User, ending release.Ending, l *ledger.Ledger, set CubeSettings) error {
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
	config := set.config(ws.ID)
	if config.Also, err = s.alsoKnown(ctx, ws, set.Unjoined); err != nil {
		return err
	}
	made, err := dp.PublishCube(ctx, l, config, set.rows(v.Table, keys), set.Epsilon, dp.Meta{Tool: s.projects.Version(), Now: s.projects.Now})
	if err != nil {
		return err
	}
	return s.keepStrong(ctx, ws, by, ending, release.KindCube, release.StrongRelease{Dimensions: namesOf(set.Dimensions), Method: set.Method, Cells: set.Dimensions.Cells()}, linkage, made)
}

// alsoKnown are the keys of all records of the people who count. The ledger knows them by each.
func (s *Service) alsoKnown(ctx context.Context, ws *project.Workspace, unjoined int64) (also []string, err error) {
	people, err := s.release.People(ctx, ws)
	if err != nil {
		return nil, err
	}
	keys := people.Keys()
	for i, records := range people.Records() {
		if rowKey(keys[i], unjoined) != "" {
			also = append(also, records...)
		}
	}
	return also, nil
}

// namesOf returns the names of dimensions.
func namesOf(domain cube.Domain) []string {
	var names []string
	for _, d := range domain {
		names = append(names, d.Name)
	}
	return names
}

// servedBefore finds the release that answered the same request before.
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

// keepStrong writes a paid release and records it, unless it answers an earlier
// request whose release still exists.
func (s *Service) keepStrong(ctx context.Context, ws *project.Workspace, by account.User, ending release.Ending, kind release.Kind, record release.StrongRelease, linkage *envelope.Linkage, made dp.Release) error {
	if old, there := s.servedBefore(ws.ID, made); there {
		s.release.Remark(ws, fmt.Sprintf("This was published before: %s has the answer. Nothing was spent.", old.Name), old.Number)
		return nil
	}
	r, err := s.release.Begin(ws, by, kind, ending)
	if err != nil {
		return err
	}
	if r.SHA256, err = made.Write(ctx, r.Dir); err != nil {
		return err
	}
	m := made.Manifest
	record.Epsilon, record.Promise, record.Conditions, record.Warnings = m.Epsilon, m.Promise, m.Conditions, m.Warnings
	record.Source, record.Phases, record.Errors, record.Entry = m.Source, m.Phases, m.Errors, m.Receipt.Entry
	record.Trends = m.Trends
	r.Strong, r.Linkage = &record, linkage
	if sum, err := release.VerifiedAgain(r.Dir); err != nil || sum != r.SHA256 {
		return fmt.Errorf("the written files do not match their manifest: %w", errors.Join(err, os.RemoveAll(r.Dir)))
	}
	return s.release.Keep(ctx, ws, by, r, release.Kept{})
}
