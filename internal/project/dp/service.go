// SPDX-License-Identifier: Apache-2.0

// Package dp publishes counts, sequences and query answers of a project under
// differential privacy, and keeps the privacy budget that pays for them. See
// [Service].
package dp

import (
	"sync"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/project/release"
	"hide/internal/publish/ledger"
)

// Service publishes with differential privacy and keeps the privacy budgets. Its
// methods may be called concurrently.
type Service struct {
	projects *project.Service
	release  *release.Service

	mu     sync.Mutex     // guards opened
	opened *ledger.Ledger // of the data folder, open for writing; nil until needed
}

// New makes the service and registers it for every release.
func New(projects *project.Service, r *release.Service) *Service {
	s := &Service{projects: projects, release: r}
	r.SetBudgets(s)
	return s
}

// enter checks the role and finds the project.
func (s *Service) enter(by account.User, p account.Permission, id project.ID) (*project.Workspace, error) {
	return s.projects.Enter(by, p, id)
}
