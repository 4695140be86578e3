// SPDX-License-Identifier: Apache-2.0

package linkfile

import (
	"context"
	"errors"
	"iter"
	"maps"
	"slices"

	"hide/internal/publish/link"
	"hide/internal/publish/link/columns"
	"hide/internal/publish/link/compare"
	"hide/internal/publish/value"
	"hide/internal/tabular"
	"hide/internal/words"
)

// plan says what becomes of each column of each file.
type plan struct {
	files   []File
	headers [][]string
	config  Config
	inputs  [][]cell // by file
	truth   []int    // the place of the truth in each file, -1 for none
}

// cell is a column that is compared.
type cell struct {
	at, field int
	given     int // the field of the given names of a column of full names
	column    columns.Column
}

// Recognise is the configuration that the program would use, with the reason of each kind.
func Recognise(ctx context.Context, files []File, o Options) (Config, error) {
	p, err := newPlan(ctx, files, o)
	if err != nil {
		return Config{}, err
	}
	return p.config, nil
}

func newPlan(ctx context.Context, files []File, o Options) (*plan, error) {
	p := &plan{files: files}
	var found [][]columns.Column
	for k := range files {
		of, err := p.recognise(ctx, k, o)
		if err != nil {
			return nil, err
		}
		found = append(found, of)
	}
	if o.Config != nil {
		p.config = *o.Config
	} else {
		p.config.Columns = recognised(found)
	}
	p.connect(found)
	if fields, _ := p.config.fields(); len(fields) == 0 {
		return nil, files[0].named(wrong("name columns and their kinds in a file for --config", "the file has no column to compare%s", p.reasons()))
	}
	return p, nil
}

// recognise finds the header and the truth of a file, and what its columns are.
func (p *plan) recognise(ctx context.Context, k int, o Options) ([]columns.Column, error) {
	f := p.files[k]
	header, err := f.readHeader(ctx)
	if err != nil {
		return nil, err
	}
	truth, err := f.truthIn(header, o.Truth)
	if err != nil {
		return nil, err
	}
	p.headers, p.truth = append(p.headers, header), append(p.truth, truth)
	var known columns.Options
	if truth >= 0 {
		known.Never = []string{header[truth]}
	}
	if o.Config != nil {
		if known.Kinds, err = p.configured(*o.Config, k); err != nil {
			return nil, err
		}
	}
	return f.recognise(ctx, header, known)
}

// reasons says why columns are not compared: "; 2 columns: it has no values".
func (p *plan) reasons() string {
	counts := map[string]int{}
	for _, c := range p.config.Columns {
		if c.Reason != "" {
			counts[c.Reason]++
		}
	}
	out := ""
	for _, reason := range slices.Sorted(maps.Keys(counts)) {
		out += "; " + words.Count(counts[reason], "column", "columns") + ": " + reason
	}
	return out
}

// readHeader reads the names of the columns.
func (f File) readHeader(ctx context.Context) (header []string, err error) {
	stop := errors.New("the header is enough")
	err = f.read(ctx, func(names []string) error {
		header = names
		return nil
	}, func(int, []string) error { return stop })
	if err == nil {
		return nil, f.named(wrong("", "the file has a header and no records"))
	}
	if !errors.Is(err, stop) {
		return nil, err
	}
	return header, nil
}

// truthIn finds the column of the truth; -1 if none is asked for.
func (f File) truthIn(header []string, truth string) (int, error) {
	if truth == "" {
		return -1, nil
	}
	at, isThere := columnOf(header, truth)
	if !isThere {
		return 0, f.named(wrong("choose one of the columns of the file", "the file has no column %q for --truth", truth))
	}
	return at, nil
}

// configured are the kinds that the configuration gives to the columns of a file.
func (p *plan) configured(config Config, k int) (map[string]compare.Kind, error) {
	f, header := p.files[k], p.headers[k]
	kinds := map[string]compare.Kind{}
	for _, c := range config.Columns {
		name := c.nameIn(k)
		at, isThere := columnOf(header, name)
		if !isThere && k > 0 && !c.compared() {
			continue // it is a column of the first file
		}
		if !isThere {
			return nil, f.named(wrong("correct the name, or leave the column out of the configuration", "the file has no column %q, which the configuration lists", name))
		}
		if !c.compared() {
			continue
		}
		if at == p.truth[k] {
			return nil, f.named(wrong("leave it out of the configuration", "the column %q is the truth, and cannot be compared", name))
		}
		if isName(kinds[header[at]], c.Kind) {
			kinds[header[at]] = compare.FullName
			continue
		}
		kinds[header[at]] = c.Kind
	}
	return kinds, nil
}

// nameIn is the name of a column in the first or the second file.
func (c Column) nameIn(file int) string {
	if file > 0 && c.With != "" {
		return c.With
	}
	return c.Name
}

// recognise finds out what the columns of a file are.
func (f File) recognise(ctx context.Context, header []string, o columns.Options) ([]columns.Column, error) {
	var failed error
	rows := iter.Seq[[]string](func(yield func([]string) bool) {
		stop := errors.New("enough rows")
		failed = f.read(ctx, func([]string) error { return nil }, func(_ int, cells []string) error {
			if !yield(cells) {
				return stop
			}
			return nil
		})
		if errors.Is(failed, stop) {
			failed = nil
		}
	})
	found := columns.Recognise(header, o, rows)
	return found, failed
}

// recognised are the columns of the first file, connected with those of the second by name,
// else by kind where each file has one column of the kind that is not connected yet.
func recognised(found [][]columns.Column) []Column {
	out := make([]Column, len(found[0]))
	for i, c := range found[0] {
		out[i] = Column{Name: c.Name, Kind: NotCompared, Reason: c.Reason}
		if c.Use == columns.Compared {
			out[i].Kind = c.Kind
		}
	}
	if len(found) > 1 {
		connectFiles(out, found[1])
	}
	shareFields(out)
	limitFields(out)
	return out
}

// connectFiles finds the column of the second file for each column of the first: that of the
// same name, else the first free one of the same kind.
func connectFiles(out []Column, second []columns.Column) {
	used := make([]bool, len(second))
	byName := make([]int, len(out))
	for i, c := range out {
		byName[i] = slices.IndexFunc(second, func(s columns.Column) bool {
			return s.Use == columns.Compared && tabular.Fold(s.Name) == tabular.Fold(c.Name)
		})
		if byName[i] >= 0 {
			used[byName[i]] = true
		}
	}
	splitNames(out, second, byName, used)
	for i := range out {
		c := &out[i]
		if !c.compared() || byName[i] >= 0 || c.With != "" {
			continue
		}
		at := 0
		for at < len(second) && (used[at] || second[at].Use != columns.Compared || second[at].Kind != c.Kind) {
			at++
		}
		if at == len(second) {
			if c.Reason += "; the second file has no such column"; c.Kind == compare.FullName {
				c.Reason += ": if it has given names and surnames, give the files in the other order"
			}
			c.Kind = NotCompared
			continue
		}
		used[at] = true
		c.With, c.Reason = second[at].Name, c.Reason+"; in the second file "+second[at].Reason
	}
}

// splitNames connects a surname and a given name of the first file with full names of the
// second, if it has neither.
func splitNames(out []Column, second []columns.Column, byName []int, used []bool) {
	free := func(kind compare.Kind) int {
		for i, s := range second {
			if !used[i] && s.Use == columns.Compared && s.Kind == kind {
				return i
			}
		}
		return -1
	}
	alone := func(kind compare.Kind) int {
		for i, c := range out {
			if c.Kind == kind && byName[i] < 0 {
				return i
			}
		}
		return -1
	}
	surname, given, full := alone(compare.Surname), alone(compare.Given), free(compare.FullName)
	if surname < 0 || given < 0 || full < 0 || free(compare.Surname) >= 0 || free(compare.Given) >= 0 {
		return
	}
	used[full] = true
	for _, i := range []int{surname, given} {
		out[i].With, out[i].Reason = second[full].Name, out[i].Reason+"; in the second file a part of the full name: "+second[full].Reason
	}
}

// isName reports whether two kinds are the parts of a full name. A column that is compared with
// both has full names.
func isName(a, b compare.Kind) bool {
	return a == compare.Surname && b == compare.Given || a == compare.Given && b == compare.Surname
}

// severals are kinds of which a person has several values in no order: their columns make one
// field.
var severals = []compare.Kind{compare.Phone, compare.Email}

// shareFields puts columns of one kind into one field.
func shareFields(out []Column) {
	for _, kind := range severals {
		first := ""
		for i, c := range out {
			if c.Kind != kind {
				continue
			}
			if first == "" {
				first = c.Name
				continue
			}
			out[i].Field = first
		}
	}
}

// weakest are all kinds, those first that say least.
var weakest = []compare.Kind{
	compare.Number, compare.Text, compare.Code, compare.State, compare.Sex, compare.Middle, compare.Place, compare.Street, compare.StreetNumber, compare.Postcode,
	compare.BirthDay, compare.BirthMonth, compare.BirthYear, compare.Email, compare.Phone, compare.Identifier, compare.FullName, compare.BirthDate, compare.Given, compare.Surname,
}

// limitFields leaves out columns that say least, where there are more than the engine takes.
func limitFields(out []Column) {
	for _, kind := range weakest {
		for i := len(out) - 1; i >= 0; i-- {
			if fields, _ := (Config{Columns: out}).fields(); len(fields) <= link.MostFields {
				return
			}
			if out[i].Kind == kind {
				out[i].Kind, out[i].Reason = NotCompared, out[i].Reason+"; there are too many columns to compare"
			}
		}
	}
}

var orders = map[Order]value.Order{DayFirst: value.DayFirst, MonthFirst: value.MonthFirst}

// connect finds the places of the compared columns in each file, with what their values show.
func (p *plan) connect(found [][]columns.Column) {
	_, fieldOf := p.config.fields()
	for k, header := range p.headers {
		var inputs []cell
		for i, c := range p.config.Columns {
			if fieldOf[i] < 0 {
				continue
			}
			at, _ := columnOf(header, c.nameIn(k))
			of := found[k][at]
			of.Use, of.Kind = columns.Compared, c.Kind
			if c.Dates != "" {
				of.Reading.Order = orders[c.Dates]
			}
			if before := slices.IndexFunc(inputs, func(in cell) bool { return in.at == at && isName(in.column.Kind, c.Kind) }); before >= 0 {
				inputs[before].makeFull(fieldOf[i], c.Kind)
				continue
			}
			inputs = append(inputs, cell{at, fieldOf[i], fieldOf[i] + 1, of})
		}
		p.inputs = append(p.inputs, inputs)
	}
}

// makeFull makes a column of one part of a name a column of full names. The other part has
// another field.
func (c *cell) makeFull(field int, kind compare.Kind) {
	c.given = field
	if kind == compare.Surname {
		c.field, c.given = field, c.field
	}
	c.column.Kind = compare.FullName
}
