// SPDX-License-Identifier: Apache-2.0

// Package noise adds noise to counts so that they are differentially private.
//
//	noisy, err := noise.Secure{}.Add(count, 1, 0.5)
//
// [Secure] is the Laplace mechanism on integers of Google's differential privacy
// library: drawn from the system's random source, on a grid that is fixed before
// the count is looked at, so that the low bits of a number tell nothing. There is
// no seed. [Source] is what publishers draw from, so that tests can put something
// worse in its place and see that [Audit] notices.
package noise
