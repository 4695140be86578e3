// SPDX-License-Identifier: Apache-2.0

package kernel

// Name says which kernels compute in float32: "avx2" or "scalar".
func Name() string { return "scalar" }
