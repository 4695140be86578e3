// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"flag"

	"hide/internal/webhook"
)

// webhookFlags say which hosts webhooks may call.
type webhookFlags struct {
	list  string
	hosts webhook.Hosts
}

func (w *webhookFlags) add(f *flag.FlagSet) {
	f.StringVar(&w.list, "webhook-host", "", "`HOST` or HOST:PORT that webhooks of projects may call, by https, several with commas; \"\" turns webhooks off")
}

func (w *webhookFlags) read(e *env) (err error) {
	if w.hosts, err = webhook.ParseHosts(w.list); err != nil {
		return e.usage("--webhook-host: %v", err)
	}
	return nil
}

// start sends messages until the function that it returns is called.
func (w *webhookFlags) start(ctx context.Context, e *env, data *folder) (stop func(), err error) {
	if len(w.hosts.Names()) == 0 {
		return func() {}, nil
	}
	sender := webhook.NewSender(w.hosts, webhook.Options{Now: e.now})
	return data.projects.KeepSending(ctx, sender, func(err error) { report(e.stderr, err) })
}
