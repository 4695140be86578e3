// SPDX-License-Identifier: Apache-2.0

package web

import (
	"net/http"

	"github.com/labstack/echo/v4"
)

func (s *Server) accountRoutes() []route {
	return []route{
		{http.MethodGet, "/sign-in", anyone, s.signInForm},
	}
}

func (s *Server) signInForm(c echo.Context) error {
	return s.page(c, Page{Title: "Sign in"}, signInPage())
}
