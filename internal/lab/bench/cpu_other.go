// SPDX-License-Identifier: Apache-2.0

//go:build !unix

package bench

import "time"

// cpuTime is not available here: all processor times are 0.
func cpuTime() time.Duration { return 0 }
