// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Work counts the running and waiting jobs of one kind.
type Work struct{ Running, Waiting int }

// Lag is by how much a copy of the audit trail is behind: rows that have not arrived, and for how
// long the oldest of them has been missing.
type Lag struct {
	Rows    uint64
	Seconds float64
}

// Webhooks counts the messages of webhooks since the start.
type Webhooks struct {
	Waiting                     int // now
	Delivered, GivenUp, Dropped uint64
}

// Sources are what each scrape asks. They must be cheap, and safe for concurrent use. A
// metric whose source is nil or fails is left out; a failure is counted.
type Sources struct {
	Sockets    func() int               // open live connections
	Sessions   func() (int, error)      // sign-ins that have not ended
	Work       func() map[string]Work   // by kind
	DataFile   func() (int64, error)    // its size in bytes
	AuditRows  func() (uint64, error)   // rows of the audit chain
	DiskFree   func() (uint64, error)   // bytes that the server can still write beside its data
	Copies     func() map[string]Lag    // of the audit trail, by name
	Webhooks   func() Webhooks          // messages to other programs
	LastBackup func() (time.Time, bool) // when the newest whole backup was made; false before the first
}

// Watch adds the sources to the metrics. It is called once.
func (m *Metrics) Watch(s Sources) {
	m.registry.MustRegister(&reader{sources: s, failures: m.failures})
}

// reader asks the sources at each scrape.
type reader struct {
	sources  Sources
	failures *prometheus.CounterVec
}

func describe(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("hide_"+name, help, labels, nil)
}

var (
	socketsDesc     = describe("live_connections", "Open live connections of pages.")
	sessionsDesc    = describe("sessions", "Sign-ins that have not ended.")
	jobsDesc        = describe("jobs", "Long work by kind and state, running or waiting.", "kind", "state")
	dataFileDesc    = describe("data_file_bytes", "Size of the data file.")
	auditRowsDesc   = describe("audit_rows_total", "Rows of the audit trail.")
	diskFreeDesc    = describe("disk_free_bytes", "Space that is left on the disk of the data folder.")
	copyRowsDesc    = describe("audit_copy_behind_rows", "Rows of the audit trail that have not arrived at a copy.", "copy")
	copySecondsDesc = describe("audit_copy_behind_seconds", "For how long the oldest of these rows has been missing.", "copy")
	waitingDesc     = describe("webhook_waiting_messages", "Messages of webhooks that wait for their next attempt.")
	messagesDesc    = describe("webhook_messages_total", "Messages of webhooks by their end: delivered, given_up or dropped.", "end")
	lastBackupDesc  = describe("last_backup_timestamp_seconds", "When the newest whole backup was made, in Unix time.")
)

// Describe lists the metrics.
func (r *reader) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{socketsDesc, sessionsDesc, jobsDesc, dataFileDesc, auditRowsDesc, diskFreeDesc, lastBackupDesc, copyRowsDesc, copySecondsDesc, waitingDesc, messagesDesc} {
		out <- d
	}
}

// Collect asks the sources.
func (r *reader) Collect(out chan<- prometheus.Metric) {
	s := r.sources
	if s.Sockets != nil {
		out <- gauge(socketsDesc, float64(s.Sockets()))
	}
	if s.Work != nil {
		for kind, n := range s.Work() {
			out <- gauge(jobsDesc, float64(n.Running), kind, "running")
			out <- gauge(jobsDesc, float64(n.Waiting), kind, "waiting")
		}
	}
	if s.Copies != nil {
		for name, lag := range s.Copies() {
			out <- gauge(copyRowsDesc, float64(lag.Rows), name)
			out <- gauge(copySecondsDesc, lag.Seconds, name)
		}
	}
	if s.Webhooks != nil {
		w := s.Webhooks()
		out <- gauge(waitingDesc, float64(w.Waiting))
		for end, n := range map[string]uint64{"delivered": w.Delivered, "given_up": w.GivenUp, "dropped": w.Dropped} {
			out <- prometheus.MustNewConstMetric(messagesDesc, prometheus.CounterValue, float64(n), end)
		}
	}
	if s.LastBackup != nil {
		if at, ok := s.LastBackup(); ok {
			out <- gauge(lastBackupDesc, float64(at.UnixMilli())/1000)
		}
	}
	ask(r, out, sessionsDesc, prometheus.GaugeValue, "sessions", s.Sessions)
	ask(r, out, dataFileDesc, prometheus.GaugeValue, "data_file_bytes", s.DataFile)
	ask(r, out, auditRowsDesc, prometheus.CounterValue, "audit_rows_total", s.AuditRows)
	ask(r, out, diskFreeDesc, prometheus.GaugeValue, "disk_free_bytes", s.DiskFree)
}

func gauge(d *prometheus.Desc, v float64, labels ...string) prometheus.Metric {
	return prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
}

// ask writes the value of a source that can fail.
func ask[N int | int64 | uint64](r *reader, out chan<- prometheus.Metric, d *prometheus.Desc, kind prometheus.ValueType, name string, source func() (N, error)) {
	if source == nil {
		return
	}
	n, err := source()
	if err != nil {
		r.failures.WithLabelValues(name).Inc() // the error may name a path
		return
	}
	out <- prometheus.MustNewConstMetric(d, kind, float64(n))
}
