// SPDX-License-Identifier: Apache-2.0

package links

import (
	"maps"
	"net/url"
	"strconv"

	"hide/internal/chart"
	"hide/internal/project/links"
	"hide/web/ui"
)

// How much a page of a list has.
const (
	clustersShown = 12
	patientsShown = 50
)

// clusterView is the page of the patients with several records.
type clusterView struct {
	frame
	links.Clusters
}

func (h *Handlers) clusters(c ui.Context) (err error) {
	var v clusterView
	if v.frame, err = h.loadFrame(c, "clusters"); err != nil {
		return err
	}
	if v.State.Linked {
		v.Clusters, err = h.projects.LinkClusters(c.Request().Context(), ui.User(c), v.Project.ID, number(c.QueryParam("from")), clustersShown)
		if err != nil {
			return err
		}
	}
	return ui.ShowPage(c, v.page("Linked records"), clusterPage(v))
}

// drawn is the drawing of a cluster.
func drawn(c links.Cluster) *chart.Cluster {
	names, index := make([]string, len(c.Records)), map[uint64]int{}
	for i, r := range c.Records {
		names[i], index[r.Number] = strconv.FormatUint(r.Number, 10), i
	}
	var pairs []chart.LinkedPair
	for _, l := range c.Links {
		pairs = append(pairs, chart.LinkedPair{A: index[l.Pair.A], B: index[l.Pair.B], Probability: l.Probability, Bridge: l.Bridge})
	}
	return chart.NewCluster("cluster-"+strconv.FormatUint(c.Patient, 10), "Records of one patient and their links", names, pairs)
}

// patientView is the identifier view.
type patientView struct {
	frame
	links.View
	Words string
}

func (h *Handlers) patients(c ui.Context) (err error) {
	v := patientView{Words: c.QueryParam("words")}
	if v.frame, err = h.loadFrame(c, "patients"); err != nil {
		return err
	}
	if v.State.Linked {
		v.View, err = h.projects.LinkedPatients(c.Request().Context(), ui.User(c), v.Project.ID, number(c.QueryParam("from")), patientsShown, v.Words)
		if err != nil {
			return err
		}
	}
	return ui.ShowPage(c, v.page("Identifier view"), patientPage(v))
}

func (v patientView) query() url.Values {
	if v.Words == "" {
		return nil
	}
	return url.Values{"words": {v.Words}}
}

// decisionView is the page of the decisions.
type decisionView struct {
	frame
	Decisions []links.Decision
	From      int
	Total     int
}

const decisionsShown = 100

func (h *Handlers) decisions(c ui.Context) (err error) {
	v := decisionView{From: number(c.QueryParam("from"))}
	if v.frame, err = h.loadFrame(c, "decisions"); err != nil {
		return err
	}
	all, err := h.projects.LinkDecisions(c.Request().Context(), ui.User(c), v.Project.ID)
	if err != nil {
		return err
	}
	v.Total, v.From = len(all), min(v.From, len(all))
	v.Decisions = first(all[v.From:], decisionsShown)
	return ui.ShowPage(c, v.page("Decisions about links"), decisionPage(v))
}

// pages are the neighbours of a part of a list.
type pages struct {
	Path              string // of the list, below the page of the queue
	Query             url.Values
	From, Shown, Size int
	Total             int
}

func (p pages) at(from int) string {
	q := url.Values{}
	maps.Copy(q, p.Query)
	if from > 0 {
		q.Set("from", strconv.Itoa(from))
	}
	if len(q) == 0 {
		return p.Path
	}
	return p.Path + "?" + q.Encode()
}
