// SPDX-License-Identifier: Apache-2.0

package web

import (
	"strings"

	"github.com/labstack/echo/v4"
)

// contentPolicy is the content security policy. Notes are hostile text: were any
// of it taken for markup, it could still load, run and send nothing.
var contentPolicy = strings.Join([]string{
	"default-src 'none'",
	"script-src 'self'",      // files of ours; no inline script, no eval
	"style-src 'self'",       // nor inline style
	"img-src 'self'",         // the icon
	"connect-src 'self'",     // htmx and the live connection
	"form-action 'self'",     // a forged form can send nothing elsewhere
	"base-uri 'none'",        // nothing may redirect our relative URLs
	"frame-ancestors 'none'", // no framing, so no click-jacking
	"font-src 'none'",        // system fonts only
	"manifest-src 'none'",    // not an app
	"worker-src 'none'",      // no service worker that could outlive a session
	"object-src 'none'",      // no plugins
}, "; ")

const oneYear = "max-age=31536000"

// headers sets what every answer carries, errors and files included.
func (s *Server) headers(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		h := c.Response().Header()
		h.Set("Content-Security-Policy", contentPolicy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		// Not no-referrer: browsers would send "Origin: null" with our own forms.
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Permissions-Policy", "camera=(), microphone=(), geolocation=(), payment=(), usb=(), display-capture=(), browsing-topics=()")
		h.Set("Cache-Control", "no-store") // staticFile says otherwise
		h.Set("Vary", "HX-Request, Cookie")
		if s.secure {
			h.Set("Strict-Transport-Security", oneYear)
		}
		return next(c)
	}
}
