// SPDX-License-Identifier: Apache-2.0

package api

import (
	_ "embed"
	"net/http"

	"hide/internal/account"
	"hide/web/ui"
)

// Document is the description of the API in OpenAPI 3.1, as YAML.
//
//go:embed openapi.yaml
var Document []byte

// APIRoutes lists the routes of the API, below [ui.APIBase].
func (h *Handlers) APIRoutes() []ui.APIRoute {
	const (
		in    = "/projects/:project"
		notes = in + "/notes"
		runs  = in + "/runs"
	)
	return []ui.APIRoute{
		{Route: ui.Get("/openapi.yaml", ui.Anyone, h.document)},
		{Route: ui.Get("/me", ui.SignedIn, plain(h.me)), Narrows: true},
		{Route: ui.Get("/projects", ui.SignedIn, plain(h.listProjects)), Narrows: true},
		{Route: ui.Get("/audit", account.ReadAudit, h.audit), Scope: account.ScopeReadAudit, Narrows: true},
		{Route: ui.Get(in, ui.SignedIn, plain(h.project))},
		{Route: ui.Get(in+"/labels", ui.SignedIn, plain(h.labels))},
		{Route: ui.Get(in+"/audit", account.ReadAudit, h.audit), Scope: account.ScopeReadAudit},

		{Route: ui.Post(notes, account.ManageWork, h.importNotes).Uploading(), Scope: account.ScopeWriteNotes},
		{Route: ui.Get(notes, account.ReadNotes, h.listNotes), Scope: account.ScopeReadNotes},
		{Route: ui.Get(notes+"/:note", account.ReadNotes, plain(h.readNote)), Scope: account.ScopeReadNotes, Object: "documents"},
		{Route: ui.Get(notes+"/:note/suggestions", account.ReadNotes, plain(h.suggestions)), Scope: account.ScopeReadNotes, Object: "documents"},
		{Route: ui.Post(notes+"/:note/edits", account.Annotate, plain(h.editNote)), Scope: account.ScopeWriteNotes, Object: "documents"},
		{Route: ui.Get(in+"/next", account.ReadNotes, plain(h.next)), Scope: account.ScopeReadNotes},
		{Route: ui.Get(in+"/export", account.ManageWork, h.export).Streaming(), Scope: account.ScopeExport},

		{Route: ui.Get(in+"/models", account.SeeFigures, plain(h.listModels)), Scope: account.ScopeRedact},
		{Route: ui.Post(in+"/models/:model/redact", account.ManageWork, h.redact).Streaming(), Scope: account.ScopeRedact, Object: "bundles", Recorded: true},

		{Route: ui.Get(runs, account.SeeFigures, plain(h.listRuns)), Scope: account.ScopeRuns},
		{Route: ui.Post(runs, account.Sanitize, plain(h.startRun)), Scope: account.ScopeRuns},
		{Route: ui.Get(runs+"/:run", account.SeeFigures, plain(h.run)), Scope: account.ScopeRuns, Object: "runs"},
		{Route: ui.Post(runs+"/:run/choose", account.Sanitize, plain(h.choose)), Scope: account.ScopeRuns, Object: "runs"},
		{Route: ui.Post(runs+"/:run/resume", account.Sanitize, plain(h.resumeRun)), Scope: account.ScopeRuns, Object: "runs"},
		{Route: ui.Post(in+"/runs/cancel", account.Sanitize, plain(h.cancelRun)), Scope: account.ScopeRuns},
		{Route: ui.Get(in+"/training", account.ReadNotes, plain(h.training)), Scope: account.ScopeRuns},
		{Route: ui.Post(in+"/training", account.Annotate, plain(h.train)), Scope: account.ScopeRuns},
		{Route: ui.Post(in+"/training/cancel", account.Annotate, plain(h.cancelTraining)), Scope: account.ScopeRuns},

		{Route: ui.Get(in+"/releases", account.SeeFigures, plain(h.listReleases)), Scope: account.ScopeReadReleases},
		{Route: ui.Post(in+"/releases", account.Sanitize, plain(h.publish)), Scope: account.ScopePublish},
		{Route: ui.Get(in+"/releases/:release", account.SeeFigures, plain(h.release)), Scope: account.ScopeReadReleases, Object: "releases"},
		{Route: ui.Get(in+"/releases/:release/files", account.SeeFigures, plain(h.files)).Streaming(), Scope: account.ScopeReadReleases, Object: "releases"},
		{Route: ui.Get(in+"/candidates", account.SeeFigures, plain(h.listCandidates)), Scope: account.ScopeReadReleases},
		{Route: ui.Post(in+"/candidates/:candidate/publish", account.Sanitize, plain(h.publishCandidate)), Scope: account.ScopePublish, Object: "candidates"},
		{Route: ui.Get(in+"/models/:model/conditions", account.SeeFigures, plain(h.conditions)), Scope: account.ScopeReadReleases, Object: "bundles"},
		{Route: ui.Get(in+"/publishing", account.SeeFigures, plain(h.publishingStatus)), Scope: account.ScopeReadReleases},
		{Route: ui.Post(in+"/publishing/cancel", account.Sanitize, plain(h.cancelPublishing)), Scope: account.ScopePublish},
	}
}

// document is the description of the API. It needs no token and says nothing of this server.
func (h *Handlers) document(c ui.Context) error {
	return c.Blob(http.StatusOK, "application/yaml", Document)
}

// tokenOf is the access token of a request.
func tokenOf(c ui.Context) account.Token { return ui.VisitOf(c.Request().Context()).Access }
