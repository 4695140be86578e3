// SPDX-License-Identifier: Apache-2.0

package trail

// LookAt lets a page look at fewer rows.
func (s *Service) LookAt(most int) { s.most = most }
