// SPDX-License-Identifier: Apache-2.0

package ui

import (
	"net/http"
	"net/url"
	"regexp"
	"time"
)

// Cookie describes the cookie that carries the session.
type Cookie struct {
	Name   string
	Secure bool // browsers send it by https only
}

// SetSession gives the browser the token of a session until it is closed; the
// server decides how long the token means anything. An empty one takes it away.
// The rest of the request is not signed in.
func SetSession(c Context, token string) {
	kind := VisitOf(c.Request().Context()).Cookie
	cookie := &http.Cookie{
		Name: kind.Name, Value: token, Path: "/",
		HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: kind.Secure,
	}
	if token == "" {
		cookie.MaxAge = -1
	}
	c.SetCookie(cookie)
}

// SessionToken is the token that the browser sent, valid or not.
func SessionToken(c Context) string {
	cookie, err := c.Request().Cookie(VisitOf(c.Request().Context()).Cookie.Name)
	if err != nil {
		return ""
	}
	return cookie.Value
}

// stepName is the cookie of a sign-in between two steps.
func stepName(c Context) string { return VisitOf(c.Request().Context()).Cookie.Name + "-step" }

// SetStep gives the browser the ticket of a sign-in that is not finished, until the browser
// is closed; the server decides how long it means anything. An empty one takes it away.
func SetStep(c Context, ticket string) {
	cookie := &http.Cookie{
		Name: stepName(c), Value: ticket, Path: "/",
		HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: VisitOf(c.Request().Context()).Cookie.Secure,
	}
	if ticket == "" {
		cookie.MaxAge = -1
	}
	c.SetCookie(cookie)
}

// StepTicket is the ticket of [SetStep] that the browser sent, valid or not.
func StepTicket(c Context) string {
	cookie, err := c.Request().Cookie(stepName(c))
	if err != nil {
		return ""
	}
	return cookie.Value
}

// singleSignOnFor is how long a person may take at the issuer, in seconds.
const singleSignOnFor = 600

// SetSingleSignOn gives the browser the ticket of a sign-in at an issuer. The answer of the
// issuer comes from another site, so that this cookie cannot be strict: it grants nothing by
// itself. An empty one takes it away.
func SetSingleSignOn(c Context, ticket string) {
	kind := VisitOf(c.Request().Context()).Cookie
	cookie := &http.Cookie{
		Name: kind.Name + "-sso", Value: ticket, Path: "/", MaxAge: singleSignOnFor,
		HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: kind.Secure,
	}
	if ticket == "" {
		cookie.MaxAge = -1
	}
	c.SetCookie(cookie)
}

// SingleSignOn is the ticket of [SetSingleSignOn] that the browser sent, valid or not.
func SingleSignOn(c Context) string {
	cookie, err := c.Request().Cookie(VisitOf(c.Request().Context()).Cookie.Name + "-sso")
	if err != nil {
		return ""
	}
	return cookie.Value
}

// deviceName is the cookie that tells a known device.
func deviceName(c Context) string { return VisitOf(c.Request().Context()).Cookie.Name + "-device" }

// SetDevice gives the browser the token of a known device, for as long as it means
// anything.
func SetDevice(c Context, token string, lifetime time.Duration) {
	c.SetCookie(&http.Cookie{
		Name: deviceName(c), Value: token, Path: "/", MaxAge: int(lifetime / time.Second),
		HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: VisitOf(c.Request().Context()).Cookie.Secure,
	})
}

// DeviceToken is the token of a known device that the browser sent, valid or not.
func DeviceToken(c Context) string {
	cookie, err := c.Request().Cookie(deviceName(c))
	if err != nil {
		return ""
	}
	return cookie.Value
}

// ownPath is what sign-in may lead back to: paths of projects and nothing that a
// browser could take for another site.
var ownPath = regexp.MustCompile(`^/(p/[a-z0-9]+(/[a-z0-9-]+)*|people|audit)?$`)

// IsOwnPath reports whether sign-in may lead to path.
func IsOwnPath(path string) bool { return ownPath.MatchString(path) }

// SignInURL is the sign-in page that leads to next afterwards.
func SignInURL(next string) string {
	if !IsOwnPath(next) || next == "/" {
		return "/sign-in"
	}
	return "/sign-in?next=" + url.QueryEscape(next)
}

// SafeNext is next when sign-in may lead there, else the list of projects.
func SafeNext(next string) string {
	if !IsOwnPath(next) {
		return "/"
	}
	return next
}
