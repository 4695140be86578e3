// SPDX-License-Identifier: Apache-2.0

package gather

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"time"

	"hide/internal/doctor"
)

const (
	dialWithin  = 5 * time.Second
	replyWithin = 5 * time.Second
)

// askIssuer asks the configured clocks: that of the issuer, and that of --clock-from.
func askIssuer(ctx context.Context, s Setup) (*doctor.Issuer, doctor.Clock) {
	clock := doctor.Clock{Synced: synced()}
	var found *doctor.Issuer
	if s.Issuer != nil {
		found = &doctor.Issuer{URL: s.IssuerURL}
		if err := s.Issuer.Ready(ctx); err != nil {
			found.Problem = oneLine(cause(err))
		} else {
			clock.Sources = append(clock.Sources, doctor.ClockSource{Name: hostOf(s.IssuerURL), Ahead: s.Issuer.ClockSkew()})
		}
	}
	if s.ClockFrom != "" {
		source := doctor.ClockSource{Name: hostOf(s.ClockFrom)}
		ahead, err := ahead(ctx, s)
		if source.Ahead = ahead; err != nil {
			source.Problem = oneLine(err)
		}
		clock.Sources = append(clock.Sources, source)
	}
	return found, clock
}

// cause is the innermost reason of an error of single sign-on.
func cause(err error) error {
	if inner := errors.Unwrap(err); inner != nil {
		return inner
	}
	return err
}

func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	return u.Host
}

// ahead is how far the clock of --clock-from is ahead of this machine's, by the Date header
// of its answer.
func ahead(ctx context.Context, s Setup) (time.Duration, error) {
	u, err := url.Parse(s.ClockFrom)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return 0, errors.New("--clock-from is not like https://intranet.hospital.example")
	}
	ctx, cancel := context.WithTimeout(ctx, replyWithin)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodHead, s.ClockFrom, nil)
	if err != nil {
		return 0, err
	}
	before := s.Now()
	answer, err := client(s).Do(r)
	if err != nil {
		return 0, bare(err)
	}
	answer.Body.Close()
	says, err := http.ParseTime(answer.Header.Get("Date"))
	if err != nil {
		return 0, fmt.Errorf("%s sends no Date header", u.Host)
	}
	now := s.Now()
	return says.Sub(before.Add(now.Sub(before) / 2)).Truncate(time.Second), nil
}

// client asks one server. No proxy of the environment and no redirect leads it elsewhere.
func client(s Setup) *http.Client {
	return &http.Client{
		Transport:     &http.Transport{DialContext: dialer(s), DisableKeepAlives: true, TLSHandshakeTimeout: dialWithin},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

func dialer(s Setup) func(ctx context.Context, network, address string) (net.Conn, error) {
	if s.Dial != nil {
		return s.Dial
	}
	return (&net.Dialer{Timeout: dialWithin}).DialContext
}

// bare is an error of a request without its address, which the check names.
func bare(err error) error {
	if outer, ok := errors.AsType[*url.Error](err); ok {
		return outer.Err
	}
	return err
}
