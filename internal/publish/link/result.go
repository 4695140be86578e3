// SPDX-License-Identifier: Apache-2.0

package link

// Options are what a run needs besides records and configuration.
type Options struct {
	Progress func(done, total int) // may be nil; called from one goroutine at a time
	Workers  int                   // 0 is one
	Seed     uint64                // of the random pairs
}

// A Result has what [Run] found. Records are named by their numbers.
type Result struct {
	Records  int
	Compared int // pairs that the rules gave, each counted once
	Rules    []RuleSize
	Model    Model
	Pairs    []Pair // probability at least Config.Review, best first

	// Clusters are the records of one person each, two or more, ascending; first by their first
	// record. Bridges are links without which a cluster falls apart, weakest first. Splits are
	// links that were refused because the records on their two sides do not fit together.
	Clusters [][]int
	Bridges  []Bridge
	Splits   []Split

	Histogram []Bin
	Errors    Errors

	engine *engine
	scorer *scorer // finds the weight of any pair, however low
}

// RuleSize says what a rule gives.
type RuleSize struct {
	Rule    string
	Pairs   int // pairs that the rule gives
	Only    int // pairs that no other rule gives
	Blocks  int // blocks of two records or more, after refining
	Largest int // records in the largest block before refining
	Refined int // blocks that were too large and were refined by further fields
	Cut     int // blocks that were still too large and were cut into pieces of neighbours
	Limit   int // the largest block whose pairs are all compared
}

// A Pair is two records, A < B. Weight is the evidence in bits, without the prior.
type Pair struct {
	A, B        int
	Weight      float64
	Probability float64
}

// A Bridge is a link without which its cluster falls into two parts of the given sizes.
type Bridge struct {
	Pair
	Left, Right int
}

// A Split is a link that was refused. Left and Right are the sizes of the groups that it would
// have joined. Evidence is the mean log2 odds of the pairs across.
type Split struct {
	Pair
	Left, Right int
	Evidence    float64
}

// A Bin counts the scored pairs with a weight (prior included) from Low to Low+1 bits.
type Bin struct {
	Low     int
	Pairs   int
	Matches float64 // the sum of the probabilities
}

// Errors are estimates from the probabilities: no truth is known.
type Errors struct {
	Matches    float64  // matches among the pairs that the rules gave
	Unseen     float64  // matches that no rule gave, a lower bound
	At         Estimate // at Config.Link
	Thresholds []Estimate
}

// An Estimate describes the links and errors if all pairs from a threshold on are linked.
type Estimate struct {
	Threshold         float64
	Links             int
	FalseLinks        float64
	Missed            float64 // matches below the threshold, and unseen ones
	Precision, Recall float64
}

// ClusterOf gives each record the number of its cluster in Clusters, or -1.
func (r *Result) ClusterOf() []int {
	of := make([]int, r.Records)
	for i := range of {
		of[i] = -1
	}
	for c, members := range r.Clusters {
		for _, m := range members {
			of[m] = c
		}
	}
	return of
}
