// SPDX-License-Identifier: Apache-2.0

package model

import (
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"testing"

	"hide/internal/account"
	"hide/internal/bootstrap"
	"hide/internal/project"
	"hide/internal/project/training"
	"hide/web/webtest"
)

func TestSettingsAreSavedAndShownAgain(t *testing.T) {
	projects, id := webtest.RealProject(t, 4)
	s, path := newServer(t, projects), "/p/"+string(id)+"/settings"
	page := s.Get(account.Broker, path).Body.String()
	for _, want := range []string{`name="min_recall" value="80"`, `name="blind" value="10"`, `name="rules" value="1" checked`, `name="c2" value=""`} {
		if !strings.Contains(page, want) {
			t.Errorf("the page of a new project lacks %s", want)
		}
	}
	form := url.Values{"preset": {"hide"}, "min_recall": {"85,5 %"}, "blind": {"5"}, "c2": {"0.1"}, "o": {"50"}, "window": {"4"}, "cost": {"PATIENT 3\r\nO: 0,5\r\n\r\n"}, "without": {"affix", "context"}}
	w := s.Post(account.Broker, path, form)
	if w.Code != http.StatusSeeOther || w.Header().Get("Location") != path+"?saved=1" {
		t.Fatalf("status %d to %q\n%s", w.Code, w.Header().Get("Location"), w.Body)
	}
	page = s.Get(account.Broker, path+"?saved=1").Body.String()
	for _, want := range []string{`name="min_recall" value="85.5"`, `name="blind" value="5"`, `value="hide" selected`, `name="c2" value="0.1"`, `name="o" value="50"`, `name="window" value="4"`, "O 0.5\nPATIENT 3\n", `value="affix" checked`, "Saved."} {
		if !strings.Contains(page, want) {
			t.Errorf("the page afterwards lacks %q", want)
		}
	}
	if strings.Contains(page, `value="1" checked`) {
		t.Error("rules are on though the box was not ticked")
	}
	by := webtest.As(account.Broker)
	set, err := projects.Settings(t.Context(), by, id)
	if err != nil || set.MinRecall != 0.855 || set.Sampling.Cost[""] != 0.5 || set.Sampling.Cost["PATIENT"] != 3 || set.Sampling.Window != 4 {
		t.Errorf("saved %+v, %v", set, err)
	}
}

func TestSavingThePageKeepsASeedSetByCommand(t *testing.T) {
	projects, id := webtest.RealProject(t, 4)
	by := webtest.As(account.Broker)
	set := project.DefaultSettings()
	set.Sampling.O, set.Sampling.Seed = 0.5, 7
	if err := projects.SetSettings(t.Context(), by, id, set); err != nil {
		t.Fatal(err)
	}
	form := url.Values{"preset": {"default"}, "min_recall": {"90"}, "blind": {"10"}, "o": {"50"}, "rules": {"1"}}
	if w := newServer(t, projects).Post(account.Broker, "/p/"+string(id)+"/settings", form); w.Code != http.StatusSeeOther {
		t.Fatalf("status %d\n%s", w.Code, w.Body)
	}
	set.MinRecall = 0.9
	if got, err := projects.Settings(t.Context(), by, id); err != nil || !reflect.DeepEqual(got, set) {
		t.Errorf("saved %+v, %v, want %+v", got, err, set)
	}
}

func TestSettingsSayWhatIsWrongBesideTheField(t *testing.T) {
	projects, id := webtest.RealProject(t, 4)
	s, path := newServer(t, projects), "/p/"+string(id)+"/settings"
	good := url.Values{"preset": {"default"}, "min_recall": {"80"}, "blind": {"10"}}
	for _, c := range []struct{ field, typed, want string }{
		{"min_recall", "lots", "Enter a percentage from 0 to 100."},
		{"min_recall", "101", "Enter a percentage from 0 to 100."},
		{"min_recall", "NaN", "Enter a percentage"},
		{"blind", "60", "Enter a percentage from 0 to 50."},
		{"blind", "-1", "Enter a percentage from 0 to 50."},
		{"c2", "-1", "Enter a number from 0 to 1,000."},
		{"c2", "1e999", "Enter a number from 0 to 1,000."},
		{"o", "120", "Enter a percentage from 0 to 100."},
		{"window", "2.5", "Enter a whole number from 0 to 1,000."},
		{"window", "99999999999999999999", "Enter a whole number"},
		{"cost", "PATIENT", "Enter labels, each with a number, such as PATIENT 3."},
		{"cost", "\nPATIENT 2\nPATIENT 3", "PATIENT is there twice."},
		{"cost", "NONSENSE 2", "not a label of this project"},
		{"cost", "PATIENT 0", "Enter a number above 0 for PATIENT"},
		{"cost", "PATIENT much", "Enter a number above 0 for PATIENT"},
		{"preset", "best", "Unknown preset"},
		{"without", "nonsense", "Unknown feature family"},
		{"without", "affix", "The preset default does not contain affix."},
	} {
		form := url.Values{}
		for k, v := range good {
			form[k] = v
		}
		form.Set(c.field, c.typed)
		if c.typed == "lots" || c.typed == "PATIENT much" {
			form.Set(c.field, c.typed+"<i>")
		}
		w := s.Post(account.Broker, path, form)
		page := w.Body.String()
		_, error, found := strings.Cut(page, `id="`+c.field+`-error">`)
		error, _, _ = strings.Cut(error, "<")
		if w.Code != http.StatusUnprocessableEntity || !found || !strings.Contains(error, c.want) {
			t.Errorf("%s %q: status %d, said beside the field: %q, want %q", c.field, c.typed, w.Code, error, c.want)
		}
		if strings.Contains(page, "<i>") {
			t.Errorf("%s: what was typed is shown as HTML", c.field)
		}
		if c.field != "preset" && c.field != "without" && strings.Count(page, " autofocus") != 1 {
			t.Errorf("%s: %d fields have the focus", c.field, strings.Count(page, " autofocus"))
		}
	}
}

func TestBlindNotesAreJudgedInWords(t *testing.T) {
	side := bootstrap.BiasSide{Documents: 12, Groups: 9}
	known := func(low, value, high float64) training.BlindNotes {
		return training.BlindNotes{Share: 0.1, Done: 12, Assisted: 40, Bias: bootstrap.Bias{Blind: side, Assisted: side, Recall: bootstrap.Estimate{Value: value, Low: low, High: high}}}
	}
	for _, c := range []struct {
		name  string
		blind training.BlindNotes
		want  string
	}{
		{"off", training.BlindNotes{}, "the effect of suggestions is not known"},
		{"too few", training.BlindNotes{Share: 0.1, Done: 2, Assisted: 9}, "2 notes were finished without suggestions on purpose, 9 with suggestions in view. A comparison needs notes of 5 patients on each side"},
		{"none to be seen", known(-0.02, 0.01, 0.04), "There is no significant difference in recall. A difference of up to 4.0 points"},
		{"overlooked", known(0.02, 0.06, 0.1), "seem to overlook PHI that is not suggested: the recall of the model is 6.0 points higher"},
		{"the other way", known(-0.1, -0.06, -0.02), "do not overlook more: the recall of the model is 6.0 points lower"},
	} {
		if got := blindVerdict(c.blind); !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
