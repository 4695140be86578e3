// SPDX-License-Identifier: Apache-2.0

//go:build !unix

package store

// checkOwner is for systems with an owner that the server and root could differ in.
func checkOwner(string) error { return nil }
