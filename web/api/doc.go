// SPDX-License-Identifier: Apache-2.0

// Package api is the HTTP API for programs: projects, notes, export, redaction, runs, training,
// releases and the audit trail as JSON, below /api/v1.
//
// The shell finds the person of a request by its access token and checks the scope of the
// route, the role in the project and the project of the token. A handler here reads a request,
// calls one use case and writes its result. It has no rule of its own: the services check
// permissions again, and refuse what pages refuse.
//
// openapi.yaml describes every route. A test compares it with [Handlers.APIRoutes], and each
// request and answer of the tests with it.
//
// All positions in texts are in Unicode code points, as in pages and exports. All ids are
// strings.
package api
