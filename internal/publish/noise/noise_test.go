// SPDX-License-Identifier: Apache-2.0

package noise_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"hide/internal/publish/noise"
	"hide/internal/publish/noise/noisetest"
)

// half is the bug that audits are for: half the noise that epsilon asks for.
type half struct{}

func (half) Add(count, sensitivity int64, epsilon float64) (int64, error) {
	return noise.Secure{}.Add(count, sensitivity, 2*epsilon)
}

func runs(t *testing.T, s noise.Source, count int64, epsilon float64, n int) []float64 {
	t.Helper()
	out := make([]float64, n)
	for i := range out {
		x, err := s.Add(count, 1, epsilon)
		if err != nil {
			t.Fatal(err)
		}
		out[i] = float64(x)
	}
	return out
}

const auditRuns = 15_000

func TestAuditFindsNoMoreThanIsClaimed(t *testing.T) {
	for _, epsilon := range []float64{0.5, 1} {
		got := noisetest.Audit(runs(t, noise.Secure{}, 11, epsilon, auditRuns), runs(t, noise.Secure{}, 10, epsilon, auditRuns), 0.9999)
		if got > epsilon || got < epsilon*0.3 {
			t.Errorf("epsilon %v: the audit says at least %v", epsilon, got)
		}
	}
}

func TestAuditCatchesHalfTheNoise(t *testing.T) {
	if got := noisetest.Audit(runs(t, half{}, 11, 1, auditRuns), runs(t, half{}, 10, 1, auditRuns), 0.9999); got <= 1.2 {
		t.Errorf("epsilon 1: the audit says at least %v of twice that", got)
	}
}

func TestAuditSaysNothingOfEqualRuns(t *testing.T) {
	if got := noisetest.Audit(runs(t, noise.Secure{}, 10, 1, 8_000), runs(t, noise.Secure{}, 10, 1, 8_000), 0.9999); got > 0.1 {
		t.Errorf("got %v", got)
	}
	if got := noisetest.Audit(nil, nil, 0.99); got != 0 {
		t.Errorf("of nothing: %v", got)
	}
}

func TestNoiseHasTheMomentsThatItsScaleSays(t *testing.T) {
	const n = 8_000
	for _, c := range []struct {
		sensitivity int64
		epsilon     float64
	}{{1, 1}, {1, 0.1}, {7, 0.5}} {
		var sum, squares, abs float64
		for range n {
			x, err := noise.Secure{}.Add(1000, c.sensitivity, c.epsilon)
			if err != nil {
				t.Fatal(err)
			}
			d := float64(x - 1000)
			sum, squares, abs = sum+d, squares+d*d, abs+math.Abs(d)
		}
		v := noise.Variance(c.sensitivity, c.epsilon)
		if mean := sum / n; math.Abs(mean) > 5*math.Sqrt(v/n) {
			t.Errorf("%+v: mean %v", c, mean)
		}
		if got := squares / n; math.Abs(got/v-1) > 0.25 {
			t.Errorf("%+v: variance %v, want %v", c, got, v)
		}
		// Of Laplace noise that is rounded, |k| is at least j with e^-((j-1/2)/b).
		if want := 0.5 / math.Sinh(0.5/noise.Scale(c.sensitivity, c.epsilon)); math.Abs(abs/n/want-1) > 0.07 {
			t.Errorf("%+v: mean absolute value %v, want %v", c, abs/n, want)
		}
	}
}

// TestEmptyCellsSumToNothing is the sum of 9,360 empty cells, which clamping would
// turn into thousands.
func TestEmptyCellsSumToNothing(t *testing.T) {
	counts := make([]int64, 9360)
	if err := noise.AddAll(t.Context(), noise.Secure{}, counts, 1, 0.5); err != nil {
		t.Fatal(err)
	}
	var sum, clamped float64
	for _, c := range counts {
		sum += float64(c)
		clamped += max(0, float64(c))
	}
	if sd := math.Sqrt(9360 * noise.Variance(1, 0.5)); math.Abs(sum) > 6*sd || clamped < 6000 {
		t.Errorf("sum %v, clamped %v, sd %v", sum, clamped, sd)
	}
}

func TestNoiseRefusesWhatIsNoEpsilon(t *testing.T) {
	for _, epsilon := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		if _, err := (noise.Secure{}).Add(1, 1, epsilon); err == nil {
			t.Errorf("epsilon %v was taken", epsilon)
		}
	}
	if _, err := (noise.Secure{}).Add(1, 0, 1); err == nil {
		t.Error("a sensitivity of 0 was taken")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := noise.AddAll(ctx, noise.Secure{}, make([]int64, 3), 1, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// plus adds itself.
type plus int64

func (p plus) Add(count, _ int64, _ float64) (int64, error) { return count + int64(p), nil }

func TestEveryCountGetsItsNoise(t *testing.T) {
	counts := make([]int64, 9000)
	for i := range counts {
		counts[i] = int64(i)
	}
	if err := noise.AddAll(t.Context(), plus(5), counts, 1, 1); err != nil {
		t.Fatal(err)
	}
	for i, c := range counts {
		if c != int64(i)+5 {
			t.Fatalf("count %d is %d", i, c)
		}
	}
}
