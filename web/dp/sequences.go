// SPDX-License-Identifier: Apache-2.0

package dp

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"hide/internal/account"
	"hide/internal/option"
	"hide/internal/project"
	"hide/internal/project/dp"
	"hide/internal/publish/idview"
	"hide/internal/publish/ledger"
	"hide/internal/publish/settings"
	"hide/web/publishing"
	"hide/web/ui"
)

func (h *Handlers) sequencesRoutes() []ui.Route {
	return []ui.Route{
		ui.Get("/p/:project/publish/sequences", account.Sanitize, h.sequencesShow),
		ui.Post("/p/:project/publish/sequences", account.Sanitize, h.sequencesPublish),
	}
}

// sequencesView is everything the page of sequences shows.
type sequencesView struct {
	budgetView
	Choices  []publishing.Choice // attributes that sequences can be made of
	Estimate *dp.SequenceEstimate
	form     sequencesForm
}

// sequencesForm is the content of the form.
type sequencesForm struct {
	of, alphabet, height, source, epsilon string
	other, ordered, synthetic             bool
	nameless                              namelessForm
	problem                               string
}

func readSequencesForm(values url.Values) sequencesForm {
	text := func(name string) string { return strings.TrimSpace(values.Get(name)) }
	return sequencesForm{
		of: text("of"), alphabet: values.Get("alphabet"), height: text("height"), source: text("source"), epsilon: text("epsilon"),
		other: text("other") != "", ordered: text("ordered") != "", synthetic: text("synthetic") != "", nameless: readNameless(values),
	}
}

// sequencesFormOf is the form that asks for these settings.
func sequencesFormOf(set dp.SequenceSettings) sequencesForm {
	return sequencesForm{
		of: publishing.KeyText(set.Of), alphabet: strings.Join(set.Alphabet, ", "), height: strconv.Itoa(set.Height), source: set.Source, epsilon: set.Epsilon.String(),
		other: set.Other, ordered: set.Ordered, synthetic: set.Synthetic, nameless: namelessOf(set.Unjoined),
	}
}

// sequenceFields are the numbers of a release of sequences.
func sequenceFields(nameless bool) option.Table[dp.SequenceSettings] {
	fields := option.Table[dp.SequenceSettings]{
		settings.Epsilon(epsilonAbout, func(set *dp.SequenceSettings) *ledger.Micro { return &set.Epsilon }),
		settings.Height(func(set *dp.SequenceSettings) *int { return &set.Height }),
	}
	if nameless {
		fields = append(fields, settings.Unjoined(func(set *dp.SequenceSettings) *int64 { return &set.Unjoined }))
	}
	return fields
}

func (f sequencesForm) settings() (dp.SequenceSettings, error) {
	var set dp.SequenceSettings
	sent := url.Values{"epsilon": {f.epsilon}, "height": {f.height}, "unjoined": {f.nameless.times}}
	if err := readFields(sequenceFields(f.nameless.each), sent, &set); err != nil {
		return set, err
	}
	set.Of, set.Source, set.Alphabet = publishing.ReadKey(f.of), f.source, commas(strings.Join(publishing.Lines(f.alphabet), ","))
	set.Other, set.Ordered, set.Synthetic = f.other, f.ordered, f.synthetic
	return set, nil
}

func (h *Handlers) sequencesView(ctx context.Context, u account.User, id project.ID) (sequencesView, error) {
	v := sequencesView{form: sequencesForm{epsilon: "0.1", height: "5"}}
	var err error
	if v.budgetView, err = h.budgetView(ctx, u, id, "sequences"); err != nil {
		return v, err
	}
	for _, a := range v.Known {
		if a.Source != idview.Count {
			v.Choices = append(v.Choices, publishing.Choice{Value: publishing.KeyText(a.Key), Says: a.Name + ", " + publishing.SourceWords(a.Key)})
		}
	}
	return v, nil
}

func (h *Handlers) sequencesShow(c ui.Context) error {
	v, err := h.sequencesView(c.Request().Context(), ui.User(c), ui.ProjectID(c))
	if err != nil {
		return err
	}
	if asked, _ := v.Status.Asked.(*dp.SequenceSettings); asked != nil && v.unanswered() {
		v.form = sequencesFormOf(*asked)
	}
	return h.showSequences(c, http.StatusOK, v)
}

func (h *Handlers) showSequences(c ui.Context, status int, v sequencesView) error {
	p := ui.Page{Title: "Publish sequences · " + v.Project.Name, Project: &v.Project, Tab: "publish", Live: []string{"counts"}, Scripts: []string{"js/keep_entries.js"}}
	return ui.ShowPageStatus(c, status, p, sequencesPage(v))
}

// sequencesPublish estimates a request, or publishes it.
func (h *Handlers) sequencesPublish(c ui.Context) error {
	ctx, u, id := c.Request().Context(), ui.User(c), ui.ProjectID(c)
	values, err := c.FormParams()
	if err != nil {
		return err
	}
	form := readSequencesForm(values)
	set, err := form.settings()
	var estimate dp.SequenceEstimate
	if err == nil {
		estimate, err = h.projects.EstimateSequences(ctx, u, id, set)
	}
	estimated := err == nil
	set.Unlinked = publishing.Unlinked(values)
	published, err := publishAsked(values, err, func() error { return h.projects.StartPublishSequences(ctx, u, id, publishing.Ending(c), set) })
	if published {
		return ui.Back(c, string(ui.ProjectURL(id, "/publish/sequences"))+"#budget")
	}
	if err != nil && project.KindOf(err) != project.Invalid && project.KindOf(err) != project.Stale {
		return err
	}
	v, viewErr := h.sequencesView(ctx, u, id)
	if viewErr != nil {
		return viewErr
	}
	v.form = form
	if estimated {
		v.Estimate = &estimate
	}
	if err != nil {
		v.form.problem = ui.Problem(err)
		return h.showSequences(c, http.StatusUnprocessableEntity, v)
	}
	return h.showSequences(c, http.StatusOK, v)
}
