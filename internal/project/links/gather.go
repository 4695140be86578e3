// SPDX-License-Identifier: Apache-2.0

package links

import (
	"context"
	"maps"
	"slices"

	"hide/internal/annotate"
	"hide/internal/annotate/known"
	"hide/internal/project"
)

// gathering reads the notes of a project and collects what they say of each record's patient.
type gathering struct {
	ws      *project.Workspace
	labels  map[annotate.Label]annotate.Label // of the project -> of i2b2-2014
	present annotate.Renames
	records []*evidence
	index   map[string]*evidence // by key
	columns []Column             // structured fields that are not compared
	used    map[field][]string   // where the values of a field come from, beside marks
	found   int                  // places of known identifiers before linking
	byDoc   map[annotate.DocumentID]int
}

func newGathering(ws *project.Workspace) *gathering {
	g := &gathering{ws: ws, labels: labelsOf(ws), index: map[string]*evidence{}, used: map[field][]string{}, byDoc: map[annotate.DocumentID]int{}}
	g.present = ws.Names().Present()
	return g
}

// labelsOf gives labels of a project the one of i2b2-2014 that they stand for. A label of all
// numbers, such as ID, is not that of one kind of number.
func labelsOf(ws *project.Workspace) map[annotate.Label]annotate.Label {
	own, out := ws.AllNames().Labels(), map[annotate.Label]annotate.Label{}
	for _, l := range append([]annotate.Label{"IDNUM"}, annotate.I2B2().Labels()...) {
		if fits, ok := known.LabelIn(own, l); ok && out[fits] == "" {
			out[fits] = l
		}
	}
	return out
}

// read gathers what all notes say. progress is told how many were read.
func (g *gathering) read(ctx context.Context, docs []annotate.DocumentID, progress func(int)) error {
	done := 0
	for n, err := range g.ws.Documents(ctx, docs) {
		if err != nil {
			return err
		}
		g.note(n)
		if done++; done%50 == 0 || done == len(docs) {
			progress(done)
		}
	}
	g.recognise()
	for _, e := range g.records {
		e.nameMentions()
		e.finish()
	}
	return ctx.Err()
}

// note gathers what one note says.
func (g *gathering) note(n project.StoredNote) {
	e := g.index[n.Record()]
	if e == nil {
		e = &evidence{key: n.Record(), keyed: n.Patient != ""}
		g.index[e.key], g.records = e, append(g.records, e)
	}
	e.docs = append(e.docs, n.ID)
	for _, name := range slices.Sorted(maps.Keys(n.Attributes)) {
		if v := n.Attributes[name]; v != "" {
			e.columns = append(e.columns, columnValue{name, v, n.ID})
		}
	}
	for _, i := range n.Identities {
		e.identity(i, n.ID)
	}
	g.mentions(e, n)
	if len(n.Identities) > 0 {
		g.byDoc[n.ID] = len(known.Find(n.Text, n.Identities))
		g.found += g.byDoc[n.ID]
	}
}

// identity adds what structured data beside a note says of the patient.
func (e *evidence) identity(i annotate.Identity, doc annotate.DocumentID) {
	if i.Of != annotate.OfPatient {
		return
	}
	switch f, ok := ofLabel[i.Label]; {
	case i.Label == "PATIENT":
		e.names = append(e.names, mention(i.Value, "", "", FromIdentity, doc))
	case i.Label == "DATE" && saysBirth(i.From):
		e.add(born, i.Value, FromIdentity, doc)
	case ok && f == street:
		e.addStreet(i.Value, FromIdentity, doc)
	case ok:
		e.add(f, i.Value, FromIdentity, doc)
	}
}
