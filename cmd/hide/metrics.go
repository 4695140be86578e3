// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"flag"
	"fmt"
	"net"
	"time"

	"hide/internal/auditsink"
	"hide/internal/listen"
	"hide/internal/metrics"
	"hide/web"
	"hide/web/site"
)

// metricsFlags are the port of the metrics. The zero value has none.
type metricsFlags struct {
	addr string

	listener net.Listener     // nil without metrics
	metrics  *metrics.Metrics // nil without metrics
}

func (m *metricsFlags) add(f *flag.FlagSet) {
	f.StringVar(&m.addr, "metrics", "", "`HOST:PORT` of this machine for metrics (Prometheus) at /metrics, and for /healthz and /readyz, such as 127.0.0.1:9464; \"\" means no metrics")
}

// open opens the port, if there is to be one.
func (m *metricsFlags) open(e *env) (err error) {
	if m.addr == "" {
		return nil
	}
	if m.listener, err = listen.Loopback("--metrics", m.addr); err != nil {
		return e.listenError(err)
	}
	m.metrics = metrics.New(toolVersion())
	return nil
}

// serve answers scrapes until the returned function is called. /readyz answers there while
// the server starts and stops, too.
func (m *metricsFlags) serve(e *env, door *web.Door) (stop func()) {
	if m.metrics == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := m.metrics.Serve(ctx, m.listener, door.Health(), e.serverLog()); err != nil {
			report(e.stderr, fmt.Errorf("answer at %s: %w", m.addr, err))
		}
	}()
	return func() { cancel(); <-ended }
}

// watch names what the metrics are read from, and lets the site count its requests.
func (m *metricsFlags) watch(data *folder, door *web.Door, cfg *site.Config, copies *auditsink.Copies) {
	if m.metrics == nil {
		return
	}
	cfg.Traffic = m.metrics
	backups := cfg.Backups
	m.metrics.Watch(metrics.Sources{
		Sockets: door.Sockets, Sessions: data.accounts.OpenSessions,
		DiskFree: cfg.Disk.Free,
		DataFile: data.store.Size, AuditRows: data.store.Audited,
		Copies:   copies.Lag,
		Webhooks: func() metrics.Webhooks { return metrics.Webhooks(data.projects.WebhookFigures()) },
		Work: func() map[string]metrics.Work {
			all := map[string]metrics.Work{}
			for kind, n := range data.projects.Jobs() {
				all[kind] = metrics.Work(n)
			}
			return all
		},
		LastBackup: func() (at time.Time, ok bool) {
			if backups == nil || backups.Status().Last == nil {
				return at, false
			}
			return backups.Status().Last.At, true
		},
	})
}
