// SPDX-License-Identifier: Apache-2.0

package web

import (
	"io"
	"mime/multipart"

	"github.com/a-h/templ"

	"hide/internal/project"
	"hide/web/ui"
)

// Names of web/ui under which pages that are not yet a feature know them.
type (
	Page      = ui.Page
	pageError = ui.Error
)

const (
	signedIn       = ui.SignedIn
	notRandomWords = ui.NotRandomWords
)

var (
	sentence    = ui.Sentence
	count       = ui.Count
	number      = ui.Number
	moment      = ui.Moment
	day         = ui.Day
	machineTime = ui.MachineTime
	seconds     = ui.Seconds
	ago         = ui.Ago
	percent     = ui.Percent
	oneLine     = ui.OneLine
	described   = ui.Described
	projectURL  = ui.ProjectURL
	current     = ui.Current
	trueWord    = ui.True
	may         = ui.May
	user        = ui.User
	projectID   = ui.ProjectID
	isFragment  = ui.IsFragment
	refuse      = ui.Refuse
	checkedWith = ui.CheckedModel
	byteWords   = ui.ByteWords
	scrollBox   = ui.ScrollBox
)

func listed[S ~string](names []S) string { return ui.Listed(names) }

func attach(c ui.Context, kind, name string, write func(io.Writer) error) error {
	return ui.Attach(c, kind, name, write)
}

func (s *Server) page(c ui.Context, p Page, body templ.Component) error {
	return ui.ShowPage(c, p, body)
}

func (s *Server) pageStatus(c ui.Context, status int, p Page, body templ.Component) error {
	return ui.ShowPageStatus(c, status, p, body)
}

func (s *Server) fragment(c ui.Context, component templ.Component) error {
	return ui.Fragment(c, component)
}

func (s *Server) fragmentStatus(c ui.Context, status int, component templ.Component) error {
	return ui.FragmentStatus(c, status, component)
}

func (s *Server) back(c ui.Context, path string) error { return ui.Back(c, path) }

func (s *Server) upload(c ui.Context) (*multipart.Reader, error) { return ui.Upload(c) }

func (s *Server) project(c ui.Context) (project.Overview, error) {
	return ui.Project(c, s.projects)
}
