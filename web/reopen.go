// SPDX-License-Identifier: Apache-2.0

package web

import (
	"net/http"
	"path"

	"github.com/labstack/echo/v4"
)

// reopened are routes for addresses that take forms only. The page that answers a form
// stands under such an address: whoever opens it from the address bar or a bookmark
// sends no form, and is led to the nearest page above it.
func reopened(all []route) []route {
	pages := map[string]route{}
	for _, r := range all {
		if r.method == http.MethodGet {
			pages[r.path] = r
		}
	}
	var out []route
	for _, r := range all {
		if _, isPage := pages[r.path]; isPage {
			continue
		}
		at, up := r.path, 0
		for pages[at].handle == nil { // "/" is a page
			at, up = path.Dir(at), up+1
		}
		out = append(out, route{http.MethodGet, r.path, pages[at].needs, leadUp(up)})
	}
	return out
}

// leadUp answers with the address so many steps above.
func leadUp(steps int) echo.HandlerFunc {
	return func(c echo.Context) error {
		to := c.Request().URL.EscapedPath()
		for range steps {
			to = path.Dir(to)
		}
		return c.Redirect(http.StatusSeeOther, to)
	}
}
