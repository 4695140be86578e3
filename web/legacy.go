// SPDX-License-Identifier: Apache-2.0

package web

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"github.com/a-h/templ"

	"hide/internal/account"
	"hide/internal/project"
	"hide/web/ui"
)

// legacy are the pages that are not yet a feature of their own.
type legacy struct{ s *Server }

type route struct {
	method, path string
	needs        account.Permission
	handle       func(ui.Context) error
}

func (l legacy) Routes() []ui.Route {
	if l.s.projects == nil {
		return nil
	}
	var out []ui.Route
	for _, r := range l.s.oldRoutes() {
		out = append(out, ui.Route{Method: r.method, Path: r.path, Needs: r.needs, Handle: r.handle, Streams: streams(r.path)})
	}
	return out
}

func (l legacy) Parts() []ui.LivePart {
	if l.s.projects == nil {
		return nil
	}
	var out []ui.LivePart
	for _, p := range l.s.oldParts() {
		out = append(out, ui.LivePart{Name: p.name, Topics: p.topics, Needs: p.needs, OfNote: p.ofNote, Target: p.target, Render: p.render})
	}
	return out
}

type livePart struct {
	name   string
	topics []project.Topic
	needs  account.Permission
	ofNote bool
	target string
	render func(ctx context.Context, u account.User, id project.ID, q url.Values) (templ.Component, error)
}

func streams(path string) bool {
	for _, part := range []string{"/download/", "/zip", "/bundles/", "/dictionaries/files"} {
		if strings.Contains(path, part) {
			return true
		}
	}
	return path == populationUpload
}

// routes lists everything the server answers, except files. Each group stands
// beside its handlers.
func (s *Server) oldRoutes() []route {
	return slices.Concat(
		s.noteRoutes(),       // the queue, notes, edits, training
		s.modelRoutes(),      // what the model is made of, and how good it is
		s.errorRoutes(),      // what the model gets wrong
		s.settingsRoutes(),   // how a project learns and what people see
		s.curvesRoutes(),     // what sampling trades between precision and recall
		s.dictionaryRoutes(), // lists that models look words up in
		s.sampleRoutes(),     // audits of what would be published
		s.publishRoutes(),    // bundles, publishing, releases
		s.tableRoutes(),      // tables, the roles of their attributes
		s.jointRoutes(),      // notes with their fields
		s.countsRoutes(),     // counts and their budget
		s.budgetRoutes(),     // how much may ever be spent
		s.sequencesRoutes(),  // sequences, from the same budget
		s.questionsRoutes(),  // questions, from the same budget
	)
}

// liveParts lists the fragments that pages may watch, by name. See [livePart].
func (s *Server) oldParts() []livePart {
	return slices.Concat(
		s.noteParts(),      // the model, the queue, the newest state of a note
		s.modelParts(),     // whether there is a newer model
		s.errorParts(),     // whether there is a newer check
		s.curvesParts(),    // the measuring of sampling, what it found
		s.sampleParts(),    // the drawing of a sample, what has been read of it
		s.publishParts(),   // publishing and the releases
		s.tableParts(),     // what several k would give
		s.jointParts(),     // what several k and lambda would
		s.countsParts(),    // the budget
		s.questionsParts(), // answers
	)
}
