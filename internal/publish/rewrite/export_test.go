// SPDX-License-Identifier: Apache-2.0

package rewrite

// StaysSame is for tests.
var StaysSame = staysSame
