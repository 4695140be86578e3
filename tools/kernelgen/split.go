// SPDX-License-Identifier: Apache-2.0

package main

func (g *generator) split() {}
