// SPDX-License-Identifier: Apache-2.0

package model

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hide/internal/account"
	"hide/internal/project"
	"hide/web/webtest"
)

func TestDictionariesAreAddedListedAndRemoved(t *testing.T) {
	projects, id := webtest.RealProject(t, 2)
	s, path := newServer(t, projects), "/p/"+string(id)+"/dictionaries"
	if page := s.Get(account.Broker, path).Body.String(); !strings.Contains(page, "This project has no dictionary") {
		t.Error("the page of a new project does not say that it has none")
	}
	files := map[string]string{"wards.txt": "# wards\nSunny Side\nWest Wing\n", "places.csv": "town,country\nUlm,Germany\nLyon,France\n"}
	w := s.Upload(t, account.Broker, path+"/files", false, nil, files)
	if w.Code != http.StatusSeeOther || w.Header().Get("Location") != path+"?done=added" {
		t.Fatalf("status %d to %q\n%s", w.Code, w.Header().Get("Location"), w.Body)
	}
	page := s.Get(account.Broker, path+"?done=added").Body.String()
	for _, want := range []string{"Added.", "2 dictionaries with 6 phrases.", "wards.txt</th>", "places.town, places.country", ">19 bytes<", "uses them from its next training on"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(page, "Ulm") || strings.Contains(page, "Sunny") {
		t.Error("the page quotes a phrase")
	}
	page = s.Get(account.Annotator, path).Body.String()
	if !strings.Contains(page, "wards.txt</th>") || strings.Contains(page, "Remove") || strings.Contains(page, `type="file"`) {
		t.Error("an annotator does not see the list, or is offered to change it")
	}
	if w := s.Post(account.Broker, path+"/remove", url.Values{"name": {"wards.txt"}}); w.Code != http.StatusSeeOther || w.Header().Get("Location") != path+"?done=removed" {
		t.Fatalf("status %d\n%s", w.Code, w.Body)
	}
	if page := s.Get(account.Broker, path).Body.String(); strings.Contains(page, "wards.txt</th>") || !strings.Contains(page, "places.csv</th>") {
		t.Error("the wrong dictionary is gone")
	}
	if w := s.Post(account.Broker, path+"/remove", url.Values{"name": {"wards.txt"}}); w.Code != http.StatusNotFound {
		t.Errorf("removed twice: status %d", w.Code)
	}
	if w := s.Get(account.Reviewer, path); w.Code != http.StatusForbidden {
		t.Errorf("a reviewer gets status %d", w.Code)
	}
}

func TestADictionaryThatCannotBeIsRefusedInItsForm(t *testing.T) {
	projects, id := webtest.RealProject(t, 2)
	s, path := newServer(t, projects), "/p/"+string(id)+"/dictionaries"
	many := map[string]string{}
	for i := range maxDictionaryFiles + 1 {
		many[fmt.Sprint(i)] = fmt.Sprintf("word%d\n", i)
	}
	for _, c := range []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"no file", nil, "No file was chosen."},
		{"too many", many, "These are more than 64 files."},
		{"no term", map[string]string{"empty.txt": "# nothing\n", "good.txt": "Alma\n"}, "Dictionary empty.txt: not a usable dictionary: it contains no terms"},
		{"no text", map[string]string{"bad.txt": "Zyx\xff\n"}, "Dictionary bad.txt: not a usable dictionary"},
		{"a hidden name", map[string]string{".hidden": "Alma\n"}, "does not begin with a dot"},
		{"a name with folders", map[string]string{`..\..\`: "Alma\n"}, "Nothing was added."},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := s.Upload(t, account.Broker, path+"/files", false, nil, c.files)
			if w.Code != http.StatusUnprocessableEntity || !strings.Contains(w.Body.String(), c.want) {
				t.Errorf("status %d, and the page does not say %q", w.Code, c.want)
			}
			if strings.Contains(w.Body.String(), "Zyx") {
				t.Error("the page quotes the file")
			}
		})
	}
	by := webtest.As(account.Broker)
	if all, err := projects.Dictionaries(t.Context(), by, id); err != nil || len(all) > 0 {
		t.Errorf("refusals left %v (%v)", all, err)
	}
	if w := s.Upload(t, account.Annotator, path+"/files", false, nil, map[string]string{"a.txt": "Alma\n"}); w.Code != http.StatusForbidden {
		t.Errorf("an annotator's upload: status %d", w.Code)
	}
}

func TestAnUploadOfDictionariesIsBounded(t *testing.T) {
	projects, id := webtest.RealProject(t, 2)
	s, path := newServer(t, projects), "/p/"+string(id)+"/dictionaries/files"
	line := strings.Repeat("word ", 20) + "\n"
	large := strings.Repeat(line, 30<<20/len(line))
	w := s.Upload(t, account.Broker, path, false, nil, map[string]string{"a.txt": large, "b.txt": large, "c.txt": large})
	if w.Code != http.StatusRequestEntityTooLarge {
		t.Errorf("90 MB: status %d", w.Code)
	}
}

// With keys alone: a file is added, and removed after a second thought.
func TestDictionariesByKeyboard(t *testing.T) {
	projects, id := webtest.RealProject(t, 4)
	file := filepath.Join(t.TempDir(), "names.txt")
	if err := os.WriteFile(file, []byte("Alma\nKarl\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	v := openBrowser(t, account.Broker, projects)
	v.Expect("422")
	v.Open(v.Base + "/p/" + string(id) + "/dictionaries")
	v.WaitText("h1", "Dictionaries")
	v.Axe()
	v.Shots("dictionaries-empty")
	v.Upload("#dictionary-files", file)
	v.TabTo(".dictionaries form.card button")
	v.Press("Enter")
	v.WaitText(".notice.good", "Added.")
	v.WaitText(".dictionaries tbody", "names.txt")
	v.Axe()
	v.Upload("#dictionary-files", file)
	v.TabTo(".dictionaries form.card button")
	v.Press("Enter")
	v.WaitText(".notice.error", "the project has a dictionary of this name")
	v.Axe()
	v.Shots("dictionaries-wrong")
	v.Size(1280, 800)
	v.TabTo("#remove-1")
	v.Press("Enter")
	v.Axe()
	v.Shots("dictionaries")
	v.Size(1280, 800)
	v.TabTo(".removal .danger")
	v.Press("Enter")
	v.WaitText(".notice.good", "Removed.")
	v.WaitText(".empty", "no dictionary")
}

func TestDictionariesSayWhenTheModelDoesNotLook(t *testing.T) {
	projects, id := webtest.RealProject(t, 2)
	by := webtest.As(account.Broker)
	set := project.DefaultSettings()
	set.Without = []string{"dictionary", "member"}
	if err := projects.SetSettings(t.Context(), by, id, set); err != nil {
		t.Fatal(err)
	}
	page := newServer(t, projects).Get(account.Broker, "/p/"+string(id)+"/dictionaries").Body.String()
	if !strings.Contains(page, "settings leave dictionaries out") {
		t.Error("the page does not say that the model looks nothing up")
	}
}
