// SPDX-License-Identifier: Apache-2.0

package kernel

func newRunner(Layout) runner { return nil }
