// SPDX-License-Identifier: Apache-2.0

package signin

import (
	"errors"
	"time"

	"hide/web/ui"
)

// freshFor is how long after signing in a person without a password and an app may make
// something that lasts: nothing else shows that the browser is still theirs.
const freshFor = 10 * time.Minute

var (
	// errEmergency refuses what would outlast an emergency access: a password, a second factor,
	// recovery codes and a token.
	errEmergency = errors.New("emergency access makes no passwords, second factors or tokens: they would last longer than it does")

	errNotFresh = errors.New("you signed in more than 10 minutes ago, and your account has no password and no app that could confirm this: sign out, sign in again, and repeat it")
)

// mayLast refuses to make something that lets somebody in after this session has ended. A
// stolen cookie alone must not do.
func (h *Handlers) mayLast(c ui.Context) error {
	session, u := ui.VisitOf(c.Request().Context()).Session, ui.User(c)
	if session.Emergency != "" {
		return errEmergency
	}
	if h.now().Sub(session.Began) < freshFor {
		return nil
	}
	f, err := h.factors.Factors(u, u.ID)
	if err == nil && (factorView{Factors: f}).Confirms() == "" {
		err = errNotFresh
	}
	return err
}
