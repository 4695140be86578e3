// SPDX-License-Identifier: Apache-2.0

package web

import (
	"io"
	"net/http"

	"github.com/labstack/echo/v4"

	"hide/internal/account"
)

func (s *Server) backupRoutes() []route {
	return []route{
		{http.MethodGet, "/backup", account.ManagePeople, s.backupForm},
		{http.MethodPost, "/backup/download/hide.backup", account.ManagePeople, s.backup},
	}
}

func (s *Server) backupForm(c echo.Context) error {
	return s.page(c, Page{Title: "Backup"}, backupPage())
}

// backup sends the data file as it is now. It is a POST, since it leaves a row in
// the audit trail and nobody should take one by following a link.
func (s *Server) backup(c echo.Context) error {
	name := "hide-" + s.now().UTC().Format("2006-01-02-1504") + ".backup"
	return attach(c, "application/octet-stream", name, func(w io.Writer) error {
		return s.projects.Backup(c.Request().Context(), user(c), w)
	})
}
