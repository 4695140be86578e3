// SPDX-License-Identifier: Apache-2.0

// Package webhook sends signed messages to the hosts that the operator lists, as Standard
// Webhooks (https://www.standardwebhooks.com) asks:
//
//	hosts, err := webhook.ParseHosts("ci.hospital.example")
//	sender := webhook.NewSender(hosts, webhook.Options{})
//	result := sender.Send(ctx, webhook.Message{URL: url, Secret: secret, ID: id, Body: body})
//
// A [Sender] calls no other host: it follows no redirect, uses no proxy of the environment,
// and looks at each address before it connects. It keeps nothing of an answer but its
// status. What is sent to whom, and when again, is decided in internal/project/webhooks.
package webhook
