// SPDX-License-Identifier: Apache-2.0

package home

import (
	"hide/internal/account"
	"hide/internal/demo"
	"hide/web/ui"
)

// Guide is what a demo knows of itself.
type Guide interface{ Tour() demo.Tour }

// tour is the guide as one person sees it.
type tour struct {
	demo.Tour
	hidden bool
}

// tourFor is nil outside a demo.
func (h *Handlers) tourFor(u account.User) *tour {
	if h.guide == nil {
		return nil
	}
	_, hidden := h.hidden.Load(u.ID)
	return &tour{h.guide.Tour(), hidden}
}

// setGuide closes the guide of a person, or shows it again. It is not stored: it comes back
// with the next start of the demo.
func (h *Handlers) setGuide(c ui.Context) error {
	if c.FormValue("show") == "no" {
		h.hidden.Store(ui.User(c).ID, true)
	} else {
		h.hidden.Delete(ui.User(c).ID)
	}
	return ui.Back(c, "/")
}
