// SPDX-License-Identifier: Apache-2.0

package dp

// What tests outside the package look at.
const (
	MostUnjoined = mostUnjoined
	MostFrequent = mostFrequent
	MostInvented = mostInvented
)

var KeepFrequent = keepFrequent

var (
	CubeConfig      = CubeSettings.config
	CubeRows        = CubeSettings.rows
	SequenceRecords = SequenceSettings.records
)
