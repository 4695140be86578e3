// SPDX-License-Identifier: Apache-2.0

// Package parallel does equal pieces of work on several processors and keeps a
// panic in one of them from ending the program or from telling what it had in
// hand. It knows nothing of what the work is.
package parallel
