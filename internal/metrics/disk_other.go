// SPDX-License-Identifier: Apache-2.0

//go:build !linux && !darwin

package metrics

import "errors"

// Free is not known on this system.
func Free(string) (uint64, error) { return 0, errors.ErrUnsupported }
