// SPDX-License-Identifier: Apache-2.0

package site

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"hide/internal/account"
	"hide/web/webtest"
)

// multipartForm is a form with one file, whose name is written as it is.
func multipartForm(path, disposition, content string) *http.Request {
	var b bytes.Buffer
	fmt.Fprintf(&b, "--cut\r\nContent-Disposition: %s\r\n\r\n%s\r\n--cut--\r\n", disposition, content)
	return formOf(path, b.Bytes())
}

func formOf(path string, body []byte) *http.Request {
	r := httptest.NewRequest(http.MethodPost, webtest.Origin+path, bytes.NewReader(body))
	r.Header.Set("Content-Type", "multipart/form-data; boundary=cut")
	r.Header.Set("Origin", webtest.Origin)
	return r
}

// TestOddFileNamesAreRefusedInWords sends files by names that no file can have to every form
// that takes files. None is an error of the server, and none is accepted.
func TestOddFileNamesAreRefusedInWords(t *testing.T) {
	projects, id := webtest.RealProject(t, 1)
	s := newServer(t, projects)
	pages := []string{"/import", "/dictionaries/files", "/publish/population"}
	names := map[string]string{
		"empty": "", "parent folder": "..", "above the folder": "../../a.txt", "above, with backslashes": `a\..\..\b.txt`, "the folder itself": ".", "slash": "/",
		"too long": strings.Repeat("x", 1001), "invalid UTF-8": "a\xff.txt", "Latin-1": "Jos\xe9.txt",
		"delete": "a\x7f.txt", "C1 control": "a\u0085.txt",
	}
	for c := range byte(' ') {
		if c != '\n' { // ends the header
			names[fmt.Sprintf("control %#02x", c)] = "a" + string(rune(c)) + ".txt"
		}
	}
	for _, page := range pages {
		for what, name := range names {
			t.Run(page+" "+what, func(t *testing.T) {
				answer := s.Ask(account.Broker, multipartForm("/p/"+string(id)+page, `form-data; name="files"; filename="`+name+`"`, "A note."))
				refusedInWords(t, answer)
			})
		}
		for what, disposition := range map[string]string{
			"no disposition": "", "no quote": `form-data; name="files"; filename="a.txt`, "not ended": `form-data; name="files"; filename`, "twice": `form-data; name="files"; filename="a"; filename="b"`,
		} {
			t.Run(page+" "+what, func(t *testing.T) {
				refusedInWords(t, s.Ask(account.Broker, multipartForm("/p/"+string(id)+page, disposition, "A note.")))
			})
		}
		for what, body := range map[string]string{
			"cut off in a file":   "--cut\r\nContent-Disposition: form-data; name=\"files\"; filename=\"a.txt\"\r\n\r\nA note.",
			"cut off after one":   "--cut\r\nContent-Disposition: form-data; name=\"files\"; filename=\"a.txt\"\r\n\r\nA note.\r\n--cut\r\n",
			"cut off in a header": "--cut\r\nContent-Dispo", "no header": "--cut\r\nA note.\r\n--cut--\r\n", "nothing": "",
		} {
			t.Run(page+" "+what, func(t *testing.T) {
				refusedInWords(t, s.Ask(account.Broker, formOf("/p/"+string(id)+page, []byte(body))))
			})
		}
	}
	overview, err := projects.Project(t.Context(), webtest.As(account.Broker), id)
	if err != nil || overview.Documents != 1 {
		t.Errorf("the project has %d notes, %v", overview.Documents, err)
	}
}

func refusedInWords(t *testing.T, answer *httptest.ResponseRecorder) {
	t.Helper()
	if answer.Code != http.StatusBadRequest && answer.Code != http.StatusUnprocessableEntity {
		t.Errorf("status %d", answer.Code)
	}
	if body := answer.Body.String(); !strings.Contains(body, "name") && !strings.Contains(body, "was cut off") {
		t.Error("the page does not say what is wrong")
	}
}

// TestUnknownFormatIsRefusedInWords sends values that the list of formats does not have.
func TestUnknownFormatIsRefusedInWords(t *testing.T) {
	projects, id := webtest.RealProject(t, 1)
	s := newServer(t, projects)
	for _, format := range []string{"xml", "TEXT", "zip", "brat ann", strings.Repeat("x", 60_000), "\x00", "<b>"} {
		answer := s.Upload(t, account.Broker, "/p/"+string(id)+"/import", false, map[string]string{"format": format}, map[string]string{"a.txt": "A note."})
		if answer.Code != http.StatusUnprocessableEntity || !strings.Contains(answer.Body.String(), "nknown format") || len(answer.Body.String()) > 50_000 {
			t.Errorf("%.10q: status %d", format, answer.Code)
		}
	}
}
