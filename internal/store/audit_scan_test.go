// SPDX-License-Identifier: Apache-2.0

package store

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"
)

// TestScansVisitEachRowOnceAndMissNone compares scans in portions with the whole list, also
// with a clock that is set back by hours.
func TestScansVisitEachRowOnceAndMissNone(t *testing.T) {
	opts := testOptions(t)
	random := rand.New(rand.NewPCG(5, 0))
	clock := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	var mu sync.Mutex
	opts.Now = func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		clock = clock.Add(time.Duration(random.IntN(30)-6) * time.Hour)
		return clock
	}
	s := mustOpen(t, opts)
	for i := range 150 {
		must(t, s.Record(Event{Actor: "u1", Action: "test", Object: fmt.Sprint(i)}))
	}
	all, err := s.AuditRows(0, 1000, nil)
	must(t, err)
	for _, most := range []int{1, 7, 1000} {
		var got []AuditRow
		for before := uint64(0); ; {
			next, err := s.ScanAudit(before, most, func(r AuditRow) bool { got = append(got, r); return r.Seq%13 != 0 })
			must(t, err)
			if next == 0 {
				break
			}
			before = next
		}
		if fmt.Sprint(got) != fmt.Sprint(all) {
			t.Errorf("in portions of %d: %d rows of %d", most, len(got), len(all))
		}
	}
	for range 50 {
		until := all[len(all)-1].Time.Add(time.Duration(random.Int64N(int64(clock.Sub(all[len(all)-1].Time)) + int64(48*time.Hour))))
		before, err := s.AuditBefore(until)
		must(t, err)
		skipped := 0
		for _, r := range all {
			if before > 0 && r.Seq >= before {
				skipped++
				if r.Time.Before(until) {
					t.Fatalf("until %v: row %d of %v is missed from %d on", until, r.Seq, r.Time, before)
				}
			}
		}
		if late := int(clock.Sub(until) / (24 * time.Hour)); late > 12 && skipped == 0 {
			t.Errorf("until %v, %d days before the end: no row is skipped", until, late)
		}
	}
}
