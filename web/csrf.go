// SPDX-License-Identifier: Apache-2.0

package web

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"
)

// Where the form token travels: a hidden field, or a header that htmx sends with
// everything because the body element says so.
const (
	csrfFieldName = "csrf"
	csrfHeader    = "X-CSRF-Token"
)

// csrfToken belongs to one session, or to one anonymous visit: it is derived
// from the cookie, which no other site can read.
func csrfToken(cookie string) string {
	mac := hmac.New(sha256.New, []byte(cookie))
	mac.Write([]byte("hide form token"))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

func (v visit) tokenIs(given string) bool {
	return v.csrf != "" && hmac.Equal([]byte(v.csrf), []byte(given))
}

// checkCSRF lets a method that changes something through only with the form
// token. An upload is not read here, since it would be held in memory or on disk:
// its handler calls [Server.upload], which checks the token in its first part.
func (s *Server) checkCSRF(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		if r.Method == http.MethodGet || r.Method == http.MethodHead {
			return next(c)
		}
		v := visitFrom(r.Context())
		if given := r.Header.Get(csrfHeader); given != "" {
			if !v.tokenIs(given) {
				return staleForm(c, v)
			}
			return next(c)
		}
		if isUpload(r) {
			if !streams(c.Path()) {
				return echo.ErrUnsupportedMediaType
			}
			return next(c)
		}
		if err := r.ParseForm(); err != nil {
			return fmt.Errorf("read form: %w", err)
		}
		if !v.tokenIs(r.PostForm.Get(csrfFieldName)) {
			return staleForm(c, v)
		}
		return next(c)
	}
}

// staleForm says why the token of a form does not hold: whoever has signed out, in
// another window perhaps, has first to sign in again.
func staleForm(c echo.Context, v visit) error {
	if path := c.Path(); v.signedIn() || path == "/sign-in" || strings.HasPrefix(path, "/welcome") {
		return errStaleForm
	}
	return errSignedOut
}

func isUpload(r *http.Request) bool {
	return strings.HasPrefix(r.Header.Get("Content-Type"), "multipart/")
}

// upload gives a form with files part by part, as they arrive: it keeps none of
// them. (What its caller keeps on disk goes into a sealedFile.) The form's first
// field must be the token (use csrfField first), unless the header carries it.
func (s *Server) upload(c echo.Context) (*multipart.Reader, error) {
	r := c.Request()
	parts, err := r.MultipartReader()
	if err != nil {
		return nil, fmt.Errorf("read upload: %w", err)
	}
	if r.Header.Get(csrfHeader) != "" { // checked by checkCSRF
		return parts, nil
	}
	first, err := parts.NextPart()
	if errors.Is(err, io.EOF) {
		return nil, errStaleForm
	}
	if err != nil {
		return nil, fmt.Errorf("read upload: %w", err)
	}
	given, err := io.ReadAll(io.LimitReader(first, 256))
	if err != nil {
		return nil, fmt.Errorf("read upload: %w", err)
	}
	if first.FormName() != csrfFieldName || !visitFrom(r.Context()).tokenIs(string(given)) {
		return nil, errStaleForm
	}
	return parts, nil
}
