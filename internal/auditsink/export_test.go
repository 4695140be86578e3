// SPDX-License-Identifier: Apache-2.0

package auditsink

import "time"

// Hurry lets copies look, retry and give up soon.
func (o *Options) Hurry() {
	o.pace = &pace{
		look: time.Millisecond, firstRetry: time.Millisecond, lastRetry: 4 * time.Millisecond,
		dialWithin: 200 * time.Millisecond, openFor: 2 * time.Millisecond, endWithin: 200 * time.Millisecond, overlap: 5 * time.Millisecond, settle: 2 * time.Millisecond,
	}
}
