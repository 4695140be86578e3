// SPDX-License-Identifier: Apache-2.0

package links

import "hide/internal/project"

// Service links the records of projects. Its methods may be called concurrently.
//
// People who may see figures see the figures. Those who sanitize start runs and set thresholds.
// Identities and decisions are for people who may do that and read notes too.
type Service struct {
	projects *project.Service
	states   project.PerProject[workspace]
}

// New makes the service.
func New(projects *project.Service) *Service { return &Service{projects: projects} }
