// SPDX-License-Identifier: Apache-2.0

//go:build !linux

package parallel

// lowerPriority does nothing where the priority belongs to the whole process.
func lowerPriority(int) {}
