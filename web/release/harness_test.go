// SPDX-License-Identifier: Apache-2.0

package release

import (
	"testing"

	"hide/internal/account"
	"hide/web"
	"hide/web/webtest"
)

// pages is what a server with these pages asks.
type pages interface {
	web.Projects
	Projects
	Outgoing
}

// unasked is for fakes that know only what their test asks: the rest panics.
type unasked struct{ pages }

func newServer(t testing.TB, p pages) *webtest.Server {
	t.Helper()
	return webtest.New(t, p, New(p, p))
}

func openBrowser(t *testing.T, role account.Role, p pages) *webtest.Browser {
	t.Helper()
	return webtest.Open(t, role, p, New(p, p))
}
