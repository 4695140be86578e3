// SPDX-License-Identifier: Apache-2.0

package release

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/project/linkage"
	"hide/internal/publish"
	"hide/internal/publish/idview"
	"hide/internal/publish/joint"
	"hide/internal/publish/table"
)

// jointSet is the RX-dataset of a project's finished notes.
type jointSet struct {
	config   joint.Config
	rows     []joint.Row
	from     []annotate.DocumentID // [row] its note
	patients []string              // [row] its patient, as the attacker names them
	ordinary []map[string]bool     // [field] folded values that are not searched in notes
	known    []publish.Occurrences // [row] identifiers that structured data gives
	JointData
}

// jointSet reads the finished notes with the fields under the current decisions. A field
// and a label of one name mean the same.
func (s *Service) jointSet(ctx context.Context, ws *workspace, known, own bool) (*jointSet, error) {
	people, err := s.People(ctx, ws.Workspace)
	if err != nil {
		return nil, err
	}
	fields, ordinary, err := s.jointFields(ws, people)
	if err != nil {
		return nil, err
	}
	set := &jointSet{ordinary: ordinary}
	if set.config, err = jointConfig(fields, ws.Labels().Labels()); err != nil {
		return nil, err
	}
	set.config.OwnValues = own
	if err := s.jointRows(ctx, ws, fields, set); err != nil {
		return nil, err
	}
	if len(set.rows) == 0 {
		return nil, project.Invalidf("finish notes first", "no note of project %s is finished", ws.ID)
	}
	if known {
		if set.Found, err = joint.FindKnown(ctx, set.config, set.rows); err != nil {
			return nil, err
		}
	}
	set.addKnown()
	return set, nil
}

// addKnown makes direct identifiers of the parts of known identifiers that nobody marked: they
// are always suppressed.
func (set *jointSet) addKnown() {
	for i, occurrences := range set.known {
		t := &set.rows[i].Texts[0]
		counting := slices.DeleteFunc(slices.Clone(t.Terms), func(s annotate.Span) bool { return !set.config.Counts(s.Label) })
		for _, s := range occurrences {
			parts := without(s, counting)
			counting = append(counting, parts...)
			t.Terms = append(t.Terms, parts...)
		}
		slices.SortFunc(t.Terms, annotate.CompareSpans)
	}
}

// knownLeft counts the known identifiers of a release, and those that it keeps because
// everybody in the class has the words.
func (made *jointMade) knownLeft(r *joint.Release) (k joint.Known) {
	for i := range made.rows {
		row, terms := r.Moved(i)
		if len(made.known[row]) == 0 {
			continue
		}
		offsets := annotate.NewOffsets(made.rows[row].Texts[0].Text)
		for _, s := range made.known[row] {
			start, end := offsets.Range(s)
			k.Found++
			if slices.ContainsFunc(terms, func(m joint.Moved) bool { return m.Kept && m.Start < end && start < m.End }) {
				k.Remaining++
			}
		}
	}
	return k
}

// view also fills in the counts of the view.
func (set *jointSet) view(ctx context.Context) (*joint.View, error) {
	v, err := joint.NewView(ctx, set.config, set.rows)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err != nil {
		return nil, project.Invalidf("change the settings of this attribute", "%v", err)
	}
	set.People, set.Notes, set.Terms = v.Persons(), len(set.rows), v.Terms()
	return v, nil
}

// jointFields returns the fields that take part, under the current decisions. Left-out
// fields are searched for in the patient's notes, except for ordinary values of undecided
// fields.
func (s *Service) jointFields(ws *workspace, people *idview.People) (fields []idview.Attribute, ordinary []map[string]bool, err error) {
	all, decided, err := s.attributesOf(ws.ID, people.Found())
	for i, a := range all {
		if a.Source != idview.Field || a.Role == table.Text {
			continue
		}
		var words map[string]bool
		if a.Role == table.Direct && !decided[i] {
			words = ordinaryValues(people.Values(a.Key))
		}
		fields, ordinary = append(fields, a), append(ordinary, words)
	}
	return fields, ordinary, err
}

// A value is ordinary, and identifies nobody, if more than one in ordinaryOf of the
// people with a value has it, and more than two people: two people may be one family.
const ordinaryOf = 5

// ordinaryValues returns the folded values that identify nobody, from each person's
// values.
func ordinaryValues(values [][]string) map[string]bool {
	people, holders := 0, map[string]int{}
	for _, own := range values {
		if len(own) > 0 {
			people++
		}
		seen := map[string]bool{}
		for _, value := range own {
			if folded := idview.Fold(value); !seen[folded] {
				seen[folded] = true
				holders[folded]++
			}
		}
	}
	ordinary := map[string]bool{}
	for value, n := range holders {
		if n > 2 && n*ordinaryOf > people {
			ordinary[value] = true
		}
	}
	return ordinary
}

// Columns that a joint set has before its fields.
const (
	jointPerson  = iota // the program's key of the patient
	jointPatient        // the patient's number, which notes may contain
	jointFirst          // the first field
)

// jointRows makes the RX-dataset of the finished notes.
func (s *Service) jointRows(ctx context.Context, ws *workspace, fields []idview.Attribute, set *jointSet) error {
	readers := make([]func(string) string, len(fields))
	for i, f := range fields {
		readers[i] = jointReader(f, set.config.Attributes[jointFirst+i].Attribute)
	}
	for d, err := range ws.Documents(ctx, ws.All()) {
		if err != nil {
			return err
		}
		st, err := ws.Find(d.ID)
		if project.KindOf(err) == project.NotFound {
			continue // deleted in the meantime
		}
		if err != nil {
			return err
		}
		if st.State != annotate.Done {
			set.Unfinished++
			continue
		}
		if !d.Keyed() {
			set.Alone++
		}
		row := joint.Row{Values: []string{d.Group(), d.Patient}, Texts: []joint.Text{{Text: d.Text, Terms: slices.Clone(d.Spans)}}}
		for i, f := range fields {
			value := readers[i](d.Attributes[f.Name])
			if set.ordinary[i][idview.Fold(value)] {
				value = ""
			}
			row.Values = append(row.Values, value)
		}
		row.Values = append(row.Values, "")
		known := publish.FindKnown(d.Text, d.About(), func(annotate.Identity) annotate.Label { return joint.Identifier })
		set.rows, set.from, set.known = append(set.rows, row), append(set.from, d.ID), append(set.known, known)
		set.patients = append(set.patients, linkage.PatientOf(d))
	}
	for i, a := range set.config.Attributes[jointFirst : jointFirst+len(fields)] {
		if a.Role != table.Direct {
			set.Fields = append(set.Fields, JointField{a.Name, fields[i].Role})
		}
	}
	return nil
}

// jointConfig is the configuration of the decided roles. A field that is sensitive in a
// table is released unchanged.
func jointConfig(fields []idview.Attribute, labels []annotate.Label) (joint.Config, error) {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.Name
	}
	direct := func(name string) joint.Attribute {
		return joint.Attribute{Attribute: table.Attribute{Name: freeName(names, name), Role: table.Direct, Kind: table.Nominal}}
	}
	c := joint.Config{Strategy: joint.Mondrian, Attributes: []joint.Attribute{direct("person"), direct("patient")}}
	for _, f := range fields {
		column, err := f.Column()
		if err != nil {
			return c, viewError(err)
		}
		if column.Role == table.Sensitive {
			column.Role = table.Insensitive
		}
		a := joint.Attribute{Attribute: column}
		for _, l := range labels {
			if (f.Role == table.Quasi || f.Role == table.Direct) && says(f.Name, string(l)) {
				a.Entities = append(a.Entities, l)
			}
		}
		c.Attributes = append(c.Attributes, a)
	}
	text := joint.Attribute{Attribute: table.Attribute{Name: freeName(names, "text"), Role: table.Text, Kind: table.Nominal}}
	c.Attributes = append(c.Attributes, text)
	return c, nil
}

// freeName returns a name that no field has, ignoring case.
func freeName(taken []string, name string) string {
	for slices.ContainsFunc(taken, func(t string) bool { return strings.EqualFold(t, name) }) {
		name += " of note"
	}
	return name
}

// says reports whether a field may mean the same as a label: all words of the label are
// words of the field's name, "DATE" of "date_of_birth".
func says(field, label string) bool {
	words := func(s string) []string {
		return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) })
	}
	of, all := words(label), words(field)
	return len(of) > 0 && !slices.ContainsFunc(of, func(w string) bool { return !slices.Contains(all, w) })
}

// jointReader converts a field's values to the type of its column. Values that do not
// convert are missing, as in the identifier view.
func jointReader(f idview.Attribute, column table.Attribute) func(string) string {
	read, known := f.Reader(), map[string]string{}
	return func(value string) string {
		value = strings.Join(strings.Fields(value), " ")
		if value == "" || column.Role != table.Quasi {
			return value
		}
		out, seen := known[value]
		if !seen {
			if text, ok := read(value); ok {
				if b, err := table.NewBuilder([]table.Attribute{column}, nil); err == nil && b.Add([]string{text}) == nil {
					out = text
				}
			}
			known[value] = out
		}
		return out
	}
}

// JointSettings say which settings a preview of notes with fields tries. The roles of the
// fields are those of [Service.Identifiers].
type JointSettings struct {
	Ks      []int     // smallest number of patients in a class, 2 or more
	Lambdas []float64 // 0 to 1: weight of the fields
	Cut     joint.Cut // "" for the one with the least information loss
	Known   bool      // mentions of the patient's own fields in notes are sensitive, marked or not
	Own     bool      // with Known, so are mentions of generalized fields that have no label of their name
}

// JointPreview is the information loss of fields and notes, by k and lambda, if both were
// published together (package joint), and the state of the computation. It holds no
// value.
type JointPreview struct {
	Settings JointSettings
	PreviewStatus

	JointData
	Points []joint.SweepPoint // for each k GDF, then each lambda; k above People is left out. The risk is that of the table alone
	Done   int                // of All settings
	All    int
	Leak   *TextLeak // current estimate, nil if there is none
}

// Version changes when other settings, or other patients, are previewed. Publishing refers
// to the version that was seen.
func (p JointPreview) Version() string { return p.version(p.Settings) }

// JointData is what would be published.
type JointData struct {
	Fields     []JointField // published fields, generalized or unchanged
	People     int          // with finished notes
	Alone      int          // notes without a patient among them
	Notes      int          // finished; in other notes the sensitive terms are unknown
	Unfinished int          // notes left out
	Terms      int          // different sensitive terms, without those that a field already holds
	Found      int          // unmarked places that reveal a field
	Elsewhere  int          // marked places whose words also stand unmarked in notes of the patient
}

// JointField is a field that would be published.
type JointField struct {
	Name string     `json:"name"`
	Role table.Role `json:"role"`
}

// TextLeak is the probability that a note still holds a sensitive term after a bundle has
// redacted it, as estimated by a run of GreedySanitize.
type TextLeak struct {
	Bundle    int     `json:"bundle,omitempty"` // 0 if none was chosen yet
	Run       int     `json:"run"`
	LC        float64 `json:"lc"`
	Leak      float64 `json:"leak"` // share of Documents with a leak
	Low       float64 `json:"low"`  // of its interval
	High      float64 `json:"high"`
	Documents int     `json:"documents"` // number of documents that it was estimated on
}

// JointChoice is the setting of a release.
type JointChoice struct {
	Strategy joint.Strategy `json:"strategy"` // "" means Mondrian
	K        int            `json:"k"`
	Lambda   float64        `json:"lambda"` // of Mondrian
	Cut      joint.Cut      `json:"cut"`    // of Mondrian; "" for the one with the least information loss
	Known    bool           `json:"known"`  // see JointSettings
	Own      bool           `json:"own"`    // see JointSettings
	// Found and Threshold are for the reported risk. The leak probability of notes is
	// from [TextLeak]; without it the risk is that of the table alone.
	Found     float64 `json:"found"`
	Bundle    int     `json:"bundle,omitempty"` // the bundle of the leak estimate; 0 is the newest
	Threshold float64 `json:"threshold"`
	Unlinked  bool    `json:"unlinked,omitempty"` // see [TableSettings]
}

// JointRelease is the record of a release of notes with fields.
type JointRelease struct {
	Choice   JointChoice  `json:"choice"`
	Fields   []JointField `json:"fields"`
	Alone    int          `json:"alone"`
	Left     int          `json:"left"` // unfinished notes, left out
	Found    int          `json:"found"`
	Compared int          `json:"compared"`       // sensitive terms that the verifier compared with the originals
	Else     int          `json:"elsewhere"`      // removed terms whose words also stand elsewhere in notes of the patient
	Leak     *TextLeak    `json:"leak,omitempty"` // used for the risk
	Warnings []string     `json:"warnings"`       // as in its manifest
	Report   joint.Report `json:"report"`         // its risk by groups, without the list of persons
	// Labels are those of the project when it was made: what its readers find has one.
	Labels []annotate.Label `json:"labels,omitempty"`
}

// elsewhere counts the sensitive places whose words also stand unmarked in some note of
// the same patient: when such a term is redacted, it can be read there. It fails only
// when ctx has ended.
func elsewhere(ctx context.Context, rows []joint.Row) (n int, err error) {
	prose := map[string]*strings.Builder{}
	for _, r := range rows {
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
		if prose[r.Values[jointPerson]] == nil {
			prose[r.Values[jointPerson]] = &strings.Builder{}
		}
		for _, t := range r.Texts {
			proseOf(prose[r.Values[jointPerson]], t)
		}
	}
	known := make(map[string]string, len(prose))
	for person, b := range prose {
		known[person] = b.String()
	}
	for _, r := range rows {
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
		for _, t := range r.Texts {
			for _, term := range t.Terms {
				words := wordsApart(term.Surface(t.Text))
				if len(words) > 1 && strings.Contains(known[r.Values[jointPerson]], words) {
					n++
				}
			}
		}
	}
	return n, nil
}

// proseOf writes the words of a text outside the places, with an extra NUL at each end of
// a place or of the text.
func proseOf(b *strings.Builder, t joint.Text) {
	at := annotate.ByteOff(0)
	for _, term := range t.Terms {
		b.WriteString(wordsApart(t.Text[at:max(at, term.Start)]))
		at = max(at, term.End)
	}
	b.WriteString(wordsApart(t.Text[at:]))
}

// wordsApart returns the words of a text, each between NULs; one NUL if it has none.
func wordsApart(text string) string {
	words := strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r) })
	if len(words) == 0 {
		return "\x00"
	}
	return "\x00" + strings.Join(words, "\x00") + "\x00"
}
