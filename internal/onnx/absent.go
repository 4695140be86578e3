// SPDX-License-Identifier: Apache-2.0

//go:build !onnx || !cgo

package onnx

import "errors"

// Present reports whether the program can run models.
const Present = false

func newRuntime(_, _ string) (runtime, error) {
	return nil, errors.New("this program was built without ONNX Runtime; build it with go build -tags onnx ./cmd/hide")
}
