// SPDX-License-Identifier: Apache-2.0

// Package candidate shows candidates: releases that are made, but not published. Reviewers
// read exactly what would be published, search it, and compare two candidates; brokers
// publish an approved one, or drop one.
package candidate

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/project/candidate"
	"hide/internal/project/release"
	"hide/internal/project/review"
	"hide/web/publishing"
	"hide/web/ui"
)

// Projects is what these pages ask. Each method checks the permission of by first.
type Projects interface {
	ui.Projects
	Candidates(ctx context.Context, by account.User, id project.ID) ([]release.Candidate, error)
	Candidate(ctx context.Context, by account.User, id project.ID, number int) (release.Candidate, error)
	CandidateStale(ctx context.Context, by account.User, id project.ID, number int) (string, error)
	CandidateText(ctx context.Context, by account.User, id project.ID, number int) (*candidate.Text, error)
	WriteCandidateFile(ctx context.Context, by account.User, id project.ID, number int, name string, w io.Writer) error
	CompareCandidates(ctx context.Context, by account.User, id project.ID, first, second int) (release.Comparison, error)
	DropCandidate(ctx context.Context, by account.User, id project.ID, number int, why string) error
	StartPublishCandidate(ctx context.Context, by account.User, id project.ID, number int, recipients []string, despite release.Despite) error
	Counted(ctx context.Context, by account.User, id project.ID) (release.Counted, error)
	Publishing(ctx context.Context, by account.User, id project.ID) (release.Status, error)
	SetRule(ctx context.Context, by account.User, id project.ID, r project.Rule) error
	Reviews(ctx context.Context, by account.User, id project.ID) ([]review.Session, error)
	SampleRead(ctx context.Context, by account.User, id project.ID, about release.About) (release.Sampled, error)
}

// Handlers answers for these pages.
type Handlers struct{ projects Projects }

func New(projects Projects) *Handlers { return &Handlers{projects} }

// Routes lists the pages and forms.
func (h *Handlers) Routes() []ui.Route {
	return []ui.Route{
		ui.Get("/p/:project/candidates", account.SeeFigures, h.list),
		ui.Get("/p/:project/candidates/:number", account.SeeFigures, h.show),
		ui.Get("/p/:project/candidates/:number/texts/:index", account.SeeFigures, h.note),
		ui.Get("/p/:project/candidates/:number/compare", account.SeeFigures, h.compare),
		ui.Get("/p/:project/candidates/:number/file", account.SeeFigures, h.file).Streaming(),
		ui.Post("/p/:project/candidates/rule", account.ManageWork, h.setRule),
		ui.Post("/p/:project/candidates/:number/publish", account.Sanitize, h.publish),
		ui.Post("/p/:project/candidates/:number/drop", account.Sanitize, h.drop),
	}
}

// Parts is none: a candidate does not change. Its page says when it was looked at.
func (h *Handlers) Parts() []ui.LivePart { return nil }

// atRandom is how many notes a page shows, and mostHits how many places of a search.
const (
	atRandom = 20
	mostHits = 100
)

// listView is the list of candidates.
type listView struct {
	Project    project.Overview
	Candidates []release.Candidate
	Error      string // of the rule
}

// view is the page of a candidate.
type view struct {
	Project project.Overview
	release.Candidate
	Stale   string
	Reviews []review.Session // of it, newest first
	Read    release.Sampled  // of its notes, by people
	Status  release.Status
	Counted release.Counted // of a candidate that says nothing of linkage

	Notes  int // of the candidate
	Sample []placed
	Seed   string // of the sample
	Query  string
	Hits   []candidate.Hit
	InAll  int // notes with a hit
	Others []release.Candidate
	Error  string
}

// placed is a note with its place, from 1.
type placed struct {
	candidate.Note
	Place int
}

func (h *Handlers) list(c ui.Context) error { return h.showList(c, http.StatusOK, "") }

func (h *Handlers) showList(c ui.Context, status int, problem string) error {
	o, err := ui.Project(c, h.projects)
	if err != nil {
		return err
	}
	all, err := h.projects.Candidates(c.Request().Context(), ui.User(c), o.ID)
	if err != nil {
		return err
	}
	return ui.ShowPageStatus(c, status, ui.Page{Title: "Candidates · " + o.Name, Project: &o, Tab: "publish"}, listPage(listView{o, all, problem}))
}

// setRule changes who decides about releases of the project.
func (h *Handlers) setRule(c ui.Context) error {
	approvals, err1 := strconv.Atoi(strings.TrimSpace(c.FormValue("approvals")))
	quorum, err2 := strconv.Atoi(strings.TrimSpace(c.FormValue("quorum")))
	if errors.Join(err1, err2) != nil {
		return h.showList(c, http.StatusUnprocessableEntity, "Enter whole numbers. The rule is as it was.")
	}
	r := project.Rule{Approvals: approvals, Quorum: quorum, Abstain: c.FormValue("abstain") != "", Unanimous: c.FormValue("unanimous") != ""}
	err := h.projects.SetRule(c.Request().Context(), ui.User(c), ui.ProjectID(c), r)
	if project.KindOf(err) == project.Invalid {
		return h.showList(c, http.StatusUnprocessableEntity, ui.Problem(err)+" The rule is as it was.")
	}
	if err != nil {
		return err
	}
	return ui.Back(c, string(ui.ProjectURL(ui.ProjectID(c), "/candidates")))
}

func (h *Handlers) show(c ui.Context) error {
	v, err := h.load(c)
	if err != nil {
		return err
	}
	return h.page(c, http.StatusOK, v)
}

func (h *Handlers) page(c ui.Context, status int, v view) error {
	return ui.ShowPageStatus(c, status, ui.Page{Title: ui.Capitalized(v.Title()) + " · " + v.Project.Name, Project: &v.Project, Tab: "publish"}, candidatePage(v))
}

func (h *Handlers) load(c ui.Context) (v view, err error) {
	ctx, u := c.Request().Context(), ui.User(c)
	if v.Project, err = ui.Project(c, h.projects); err != nil {
		return v, err
	}
	number, err := ui.AddressNumber(c.Param("number"))
	if err != nil {
		return v, err
	}
	if v.Candidate, err = h.projects.Candidate(ctx, u, v.Project.ID, number); err != nil {
		return v, err
	}
	if v.Stale, err = h.projects.CandidateStale(ctx, u, v.Project.ID, number); err != nil {
		return v, err
	}
	if v.Status, err = h.projects.Publishing(ctx, u, v.Project.ID); err != nil {
		return v, err
	}
	if v.Linkage == nil && !v.Published {
		if v.Counted, err = h.projects.Counted(ctx, u, v.Project.ID); err != nil {
			return v, err
		}
	}
	all, err1 := h.projects.Reviews(ctx, u, v.Project.ID)
	others, err2 := h.projects.Candidates(ctx, u, v.Project.ID)
	v.Reviews = slices.DeleteFunc(all, func(s review.Session) bool { return s.Hash != v.Hash })
	v.Others = slices.DeleteFunc(others, func(o release.Candidate) bool { return o.Number == number || !o.HasText() || o.Dropped })
	if err := errors.Join(err1, err2); err != nil || !v.HasText() {
		return v, err
	}
	if v.Read, err = h.projects.SampleRead(ctx, u, v.Project.ID, release.About{Candidate: number}); err != nil || v.Dropped {
		return v, err
	}
	return v, h.read(c, &v)
}

// read fills in the notes: those with the words that are searched for, or some at random.
func (h *Handlers) read(c ui.Context, v *view) error {
	ctx := c.Request().Context()
	text, err := h.projects.CandidateText(ctx, ui.User(c), v.Project.ID, v.Number)
	if err != nil {
		return err
	}
	v.Notes, v.Query = text.Len(), strings.TrimSpace(c.QueryParam("q"))
	if v.Query != "" {
		v.Hits, v.InAll, err = text.Search(ctx, v.Query, mostHits)
		return err
	}
	seed, err := strconv.ParseUint(c.QueryParam("seed"), 10, 64)
	if err != nil {
		seed = rand.Uint64() % 1e9
	}
	v.Seed = strconv.FormatUint(seed, 10)
	for _, i := range rand.New(rand.NewPCG(seed, uint64(v.Notes))).Perm(v.Notes)[:min(atRandom, v.Notes)] {
		n, err := text.Note(ctx, i)
		if err != nil {
			return err
		}
		v.Sample = append(v.Sample, placed{n, i + 1})
	}
	return nil
}

// noteView is one note of a candidate.
type noteView struct {
	Project   project.Overview
	Candidate release.Candidate
	Note      placed
	Notes     int
}

func (h *Handlers) note(c ui.Context) error {
	o, err := ui.Project(c, h.projects)
	if err != nil {
		return err
	}
	number, err1 := ui.AddressNumber(c.Param("number"))
	index, err2 := ui.AddressNumber(c.Param("index"))
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	ctx, u := c.Request().Context(), ui.User(c)
	v := noteView{Project: o}
	if v.Candidate, err = h.projects.Candidate(ctx, u, o.ID, number); err != nil {
		return err
	}
	text, err := h.projects.CandidateText(ctx, u, o.ID, number)
	if err != nil {
		return err
	}
	if v.Notes = text.Len(); index > v.Notes {
		return project.NotFoundf("candidate %d has no note %d", number, index)
	}
	v.Note.Place = index
	if v.Note.Note, err = text.Note(ctx, index-1); err != nil {
		return err
	}
	return ui.ShowPage(c, ui.Page{Title: v.Note.ID + " · " + v.Candidate.Title(), Project: &o, Tab: "publish"}, notePage(v))
}

// compareView is the difference of two candidates.
type compareView struct {
	Project       project.Overview
	First, Second release.Candidate
	release.Comparison
}

// compare shows what the other candidate, "with", shows less and more than this one.
func (h *Handlers) compare(c ui.Context) error {
	o, err := ui.Project(c, h.projects)
	if err != nil {
		return err
	}
	number, err1 := ui.AddressNumber(c.Param("number"))
	with, err2 := ui.AddressNumber(c.QueryParam("with"))
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	ctx, u := c.Request().Context(), ui.User(c)
	v := compareView{Project: o}
	if v.First, err = h.projects.Candidate(ctx, u, o.ID, with); err != nil {
		return err
	}
	if v.Second, err = h.projects.Candidate(ctx, u, o.ID, number); err != nil {
		return err
	}
	if v.Comparison, err = h.projects.CompareCandidates(ctx, u, o.ID, with, number); err != nil {
		return err
	}
	return ui.ShowPage(c, ui.Page{Title: "Compare candidates · " + o.Name, Project: &o, Tab: "publish"}, comparePage(v))
}

func (h *Handlers) file(c ui.Context) error {
	number, err := ui.AddressNumber(c.Param("number"))
	if err != nil {
		return err
	}
	ctx, u, id, name := c.Request().Context(), ui.User(c), ui.ProjectID(c), c.QueryParam("name")
	if _, err := h.projects.Candidate(ctx, u, id, number); err != nil {
		return err
	}
	return ui.Attach(c, "application/octet-stream", "candidate-"+strconv.Itoa(number)+"-"+path.Base(name), func(w io.Writer) error {
		return h.projects.WriteCandidateFile(ctx, u, id, number, name, w)
	})
}

// publish starts to publish an approved candidate. What is missing is said on the page.
func (h *Handlers) publish(c ui.Context) error {
	v, err := h.load(c)
	if err != nil {
		return err
	}
	if c.FormValue("confirm") == "" {
		v.Error = "Tick the box to confirm. Nothing was published."
		return h.page(c, http.StatusUnprocessableEntity, v)
	}
	err = h.projects.StartPublishCandidate(c.Request().Context(), ui.User(c), v.Project.ID, v.Number, publishing.Lines(c.FormValue("recipients")), release.Despite{Uncertified: c.FormValue(publishing.ReasonField), Unlinked: publishing.Unlinked(c.Request().Form)})
	if kind := project.KindOf(err); kind == project.Invalid || kind == project.Stale {
		v.Error = ui.Problem(err) + " Nothing was published."
		return h.page(c, http.StatusUnprocessableEntity, v)
	} else if err != nil {
		return err
	}
	return ui.Back(c, string(ui.ProjectURL(v.Project.ID, "/publish")))
}

func (h *Handlers) drop(c ui.Context) error {
	v, err := h.load(c)
	if err != nil {
		return err
	}
	why := strings.TrimSpace(c.FormValue("why"))
	if why == "" {
		v.Error = "Write why the candidate is dropped. Nothing was changed."
		return h.page(c, http.StatusUnprocessableEntity, v)
	}
	if err := h.projects.DropCandidate(c.Request().Context(), ui.User(c), v.Project.ID, v.Number, why); err != nil {
		return err
	}
	return ui.Back(c, string(ui.ProjectURL(v.Project.ID, "/candidates")))
}
