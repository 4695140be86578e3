// SPDX-License-Identifier: Apache-2.0

package api

import (
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"hide/internal/annotate"
	"hide/internal/strictjson"
	"hide/web/ui"
)

var errBusy = &ui.Error{
	Status: http.StatusServiceUnavailable, Title: "Too many requests of this kind",
	What: "The server answers as many requests of this kind as it can at a time.", Next: "Try again in some seconds.",
}

// badRequest is about a request that no server could understand.
func badRequest(what, next string) error {
	return &ui.Error{Status: http.StatusBadRequest, Title: "The request cannot be read", What: what, Next: next}
}

// refused is about a request that cannot be fulfilled, with further members of the problem.
func refused(status int, title, what, next string, more map[string]any) error {
	return &ui.Error{Status: status, Title: title, What: what, Next: next, More: more}
}

// kindOf is the media type of a body, "" if it has none.
func kindOf(c ui.Context) string {
	kind, _, err := mime.ParseMediaType(c.Request().Header.Get("Content-Type"))
	if err != nil {
		return ""
	}
	return kind
}

// readJSON reads a JSON body. It refuses what is not exactly what v has.
func readJSON(c ui.Context, v any) error {
	body, err := readBody(c, "application/json")
	if err != nil {
		return err
	}
	if err := strictjson.Decode(body, v); err != nil {
		return badRequest("The body cannot be read: "+err.Error()+".", "Compare it with the description of this route in "+ui.APIBase+"/openapi.yaml.")
	}
	return nil
}

// readBody reads a body of a media type whole.
func readBody(c ui.Context, kind string) ([]byte, error) {
	if got := kindOf(c); got != kind {
		return nil, unsupported(kind)
	}
	return io.ReadAll(c.Request().Body)
}

func unsupported(kinds ...string) error {
	return refused(http.StatusUnsupportedMediaType, "Unsupported media type", "This route takes a body of the type "+strings.Join(kinds, ", ")+".", "Set the header Content-Type.", nil)
}

// checkQuery refuses parameters that the route does not have, and those that are there twice:
// a misspelled one would be ignored without notice.
func checkQuery(c ui.Context, known ...string) error {
	for name, values := range c.QueryParams() {
		if !slices.Contains(known, name) {
			next := "This route takes none."
			if len(known) > 0 {
				next = "Use only " + ui.Listed(known) + "."
			}
			return badRequest("The query has an unknown parameter.", next)
		}
		if len(values) > 1 {
			return badRequest(fmt.Sprintf("The query has the parameter %s more than once.", name), "Give it once.")
		}
	}
	return nil
}

// plain is a handler of a route without parameters in its query.
func plain(handle func(ui.Context) error) func(ui.Context) error {
	return func(c ui.Context) error {
		if err := checkQuery(c); err != nil {
			return err
		}
		return handle(c)
	}
}

// readSwitch reads a parameter that is true or false, false if it is not there.
func readSwitch(c ui.Context, name string) (bool, error) {
	switch c.QueryParam(name) {
	case "true":
		return true, nil
	case "", "false":
		return false, nil
	}
	return false, badRequest(fmt.Sprintf("%s: enter true or false.", name), "")
}

// readSwitches reads several of them into their variables.
func readSwitches(c ui.Context, into map[string]*bool) error {
	for name, v := range into {
		var err error
		if *v, err = readSwitch(c, name); err != nil {
			return err
		}
	}
	return nil
}

// readLimit reads how many entries a list has at most.
func readLimit(c ui.Context, usual, most int) (int, error) {
	text := c.QueryParam("limit")
	if text == "" {
		return usual, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > most {
		return 0, badRequest(fmt.Sprintf("limit: enter a whole number from 1 to %d.", most), "")
	}
	return n, nil
}

// readCursor reads the place where a list goes on, 0 for its start.
func readCursor(c ui.Context) (uint64, error) {
	text := c.QueryParam("cursor")
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseUint(text, 10, 63)
	if err != nil {
		return 0, badRequest("cursor: this is not a cursor of this list.", `Take the value of "next" of the page before.`)
	}
	return n, nil
}

// noteID is the note of the path.
func noteID(c ui.Context) (annotate.DocumentID, error) {
	n, err := strconv.ParseUint(c.Param("note"), 10, 64)
	if err != nil {
		return 0, echo.ErrNotFound
	}
	return annotate.DocumentID(n), nil
}

// number is the number of the path: of a run, a model, a release.
func number(c ui.Context, name string) (int, error) { return ui.AddressNumber(c.Param(name)) }

// numberIn reads an id in a body.
func numberIn(field, text string) (int, error) {
	n, err := ui.AddressNumber(text)
	if err != nil {
		return 0, badRequest(fmt.Sprintf("%s: enter an id as this API gives it, such as %q.", field, "3"), "")
	}
	return n, nil
}
