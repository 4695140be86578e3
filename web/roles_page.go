// SPDX-License-Identifier: Apache-2.0

package web

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"hide/internal/account"
	"hide/internal/chart"
	"hide/internal/project"
	"hide/internal/project/release"
	"hide/internal/publish/hierarchy"
	"hide/internal/publish/idview"
	"hide/internal/publish/table"
	"hide/web/ui"
)

// roleView is everything the page of one attribute shows.
type roleView struct {
	Project    project.Overview
	Identifier release.Identifier
	Values     []idview.Value
	Hierarchy  *hierarchy.Hierarchy // nil for none
	Tree       []*chart.TreeNode    // the same from the top
	Problem    string
	Seen       string     // version of the attribute that the form was made on
	Theirs     *theirRole // what somebody else decided meanwhile; nil mostly
	Draft      bool       // the hierarchy is edited and not saved
	EditWords  string     // why it was not edited
	Asked      editAsked  // what was ticked and written for an edit that was refused
}

// rolesSave decides about the attributes that were changed in the page's form, and
// confirms the proposals that were not.
func (s *Server) rolesSave(c echo.Context) error {
	values, err := c.FormParams()
	if err != nil {
		return err
	}
	all, err := s.projects.Identifiers(c.Request().Context(), user(c), projectID(c))
	if err != nil {
		return err
	}
	changed, confirmed := sentRoles(all, values)
	if err := s.projects.SetIdentifiers(c.Request().Context(), user(c), projectID(c), append(changed, confirmed...)); err != nil {
		return s.rolesRefused(c, values, err)
	}
	return s.back(c, string(tableURL(projectID(c)))+"?saved=1#roles")
}

// rolesRefused shows the page with everything that was chosen in it, and why it was
// not saved.
func (s *Server) rolesRefused(c echo.Context, values url.Values, err error) error {
	var conflict *release.DecisionConflict
	if !errors.As(err, &conflict) && project.KindOf(err) != project.Invalid {
		return err
	}
	v, viewErr := s.tableView(c.Request().Context(), user(c), projectID(c))
	if viewErr != nil {
		return viewErr
	}
	status := http.StatusUnprocessableEntity
	if conflict != nil {
		v.Theirs, status = s.theirRoles(user(c), conflict, values), http.StatusConflict
	} else {
		v.Problem = ui.Problem(err)
	}
	v.sent = values
	if values.Has("ks") {
		v.form, _ = readTableForm(values)
	}
	return s.showTable(c, status, v)
}

// theirRole is an attribute that somebody else decided about meanwhile.
type theirRole struct {
	Name         string
	Who          string
	Theirs, Mine string // what becomes of it, in words
}

func (s *Server) theirRoles(u account.User, conflict *release.DecisionConflict, values url.Values) []theirRole {
	var all []theirRole
	for _, one := range conflict.Theirs {
		sent := one.Attribute
		if row, named := sentRole(values, one.Key); named {
			sent.Role, sent.Kind, sent.Take = row.Role, row.Kind, row.Take
		}
		all = append(all, s.theirRole(u, one, sent))
	}
	return all
}

func (s *Server) theirRole(u account.User, there release.Identifier, mine idview.Attribute) theirRole {
	return theirRole{Name: there.Name, Who: s.whoDecided(u, there), Theirs: decidedWords(there.Attribute), Mine: decidedWords(mine)}
}

// whoDecided says who decided about an attribute and when.
func (s *Server) whoDecided(u account.User, one release.Identifier) string {
	if one.By == "" {
		return "Somebody"
	}
	return ui.Capitalized(ui.NameFor(u, s.accounts, one.By)) + ", " + moment(one.At)
}

// decidedWords say the role of an attribute: "quasi-identifier: generalized, numbers, first".
func decidedWords(a idview.Attribute) string {
	words := []string{choiceWords(roleChoices, string(a.Role)), choiceWords(kindChoices, string(a.Kind)), choiceWords(takeChoices, string(a.Take))}
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), ", ")
}

func choiceWords(all []choice, value string) string {
	for _, one := range all {
		if one.Value == value {
			return one.Says
		}
	}
	return ""
}

// sentRole is what a form chooses for an attribute; false when it does not name it.
func sentRole(values url.Values, k idview.Key) (a idview.Attribute, named bool) {
	key := keyText(k)
	a = idview.Attribute{Key: k, Role: table.Role(values.Get("role." + key)), Kind: table.Kind(values.Get("kind." + key)), Take: idview.Take(values.Get("take." + key))}
	return a, a.Role != ""
}

// roleText is what a row of the form chooses, for telling what was changed in it.
func roleText(a idview.Attribute) string {
	return strings.Join([]string{string(a.Role), string(cmp.Or(a.Kind, table.Nominal)), string(cmp.Or(a.Take, idview.Most))}, " ")
}

// sentRoles are the attributes that the form chooses otherwise than it showed them,
// and the proposals that it shows and leaves as they are. What it does not show,
// orders and hierarchies, stays.
func sentRoles(all release.Identifiers, values url.Values) (changed, confirmed []release.Decision) {
	for _, a := range all.Attributes {
		sent, named := sentRole(values, a.Key)
		if !named {
			continue
		}
		seen := values.Get("seen." + keyText(a.Key))
		switch {
		case roleText(sent) != values.Get("was."+keyText(a.Key)):
			a.Role, a.Kind, a.Take = sent.Role, sent.Kind, sent.Take
			forget(&a.Attribute)
			changed = append(changed, release.Decision{Attribute: a.Attribute, Seen: seen})
		case !a.Decided:
			confirmed = append(confirmed, release.Decision{Attribute: a.Attribute, Seen: seen})
		}
	}
	return changed, confirmed
}

// forget drops what does not go with the kind that an attribute has now.
func forget(a *idview.Attribute) {
	if a.Kind != table.Ordinal {
		a.Order = nil
	}
	if a.Kind != table.Date {
		a.Form = ""
	}
}

func (s *Server) roleShow(c echo.Context) error {
	v, err := s.roleView(c, readKey(c.QueryParam("of")))
	if err != nil {
		return err
	}
	return s.showRole(c, http.StatusOK, v)
}

func (s *Server) showRole(c echo.Context, status int, v roleView) error {
	v.Hierarchy = readHierarchy(v.Identifier.Hierarchy)
	v.Tree = treeOf(v.Hierarchy)
	p := Page{Title: "Attribute · " + v.Project.Name, Project: &v.Project, Tab: "publish"}
	return s.pageStatus(c, status, p, rolePage(v))
}

func (s *Server) roleView(c echo.Context, key idview.Key) (roleView, error) {
	o, err := s.project(c)
	if err != nil {
		return roleView{}, err
	}
	v := roleView{Project: o}
	v.Identifier, v.Values, err = s.projects.IdentifierValues(c.Request().Context(), user(c), o.ID, key)
	v.Seen = v.Identifier.Version()
	return v, err
}

// roleSave decides about one attribute with all its details.
func (s *Server) roleSave(c echo.Context) error {
	v, err := s.roleView(c, readKey(c.FormValue("of")))
	if err != nil {
		return err
	}
	ctx, u, id := c.Request().Context(), user(c), v.Project.ID
	v.Seen = cmp.Or(c.FormValue("seen"), v.Seen)
	a := &v.Identifier.Attribute
	a.Role, a.Kind, a.Take = table.Role(c.FormValue("role")), table.Kind(c.FormValue("kind")), idview.Take(c.FormValue("take"))
	a.Order, a.Form = lines(c.FormValue("order")), strings.TrimSpace(c.FormValue("form"))
	a.Hierarchy = strings.TrimSpace(strings.ReplaceAll(c.FormValue("hierarchy"), "\r\n", "\n"))
	forget(a)
	if values, err := c.FormParams(); err != nil {
		return err
	} else if op := editOf(values); op != "" {
		return s.roleEdit(c, v, op, values)
	}
	err = s.projects.SetIdentifiers(ctx, u, id, []release.Decision{{Attribute: *a, Seen: v.Seen}})
	if err == nil {
		return s.back(c, string(tableURL(id))+"?saved=1#roles")
	}
	if conflict := (*release.DecisionConflict)(nil); errors.As(err, &conflict) {
		there := conflict.Theirs[0]
		theirs := s.theirRole(u, there, *a)
		v.Theirs, v.Seen = &theirs, there.Version()
		return s.showRole(c, http.StatusConflict, v)
	}
	if project.KindOf(err) != project.Invalid {
		return err
	}
	v.Problem = ui.Problem(err)
	return s.showRole(c, http.StatusUnprocessableEntity, v)
}

// roleEdit shows the page with its hierarchy edited, and nothing saved.
func (s *Server) roleEdit(c echo.Context, v roleView, op string, values url.Values) error {
	v.Draft = true
	if err := v.edit(op, values); err != nil {
		v.EditWords, v.Asked = sentence(err.Error()), askedEdit(values)
		return s.showRole(c, http.StatusUnprocessableEntity, v)
	}
	return s.showRole(c, http.StatusOK, v)
}

func lines(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			out = append(out, line)
		}
	}
	return out
}

func roleURL(id project.ID, k idview.Key) templ.SafeURL {
	return projectURL(id, "/publish/roles?"+url.Values{"of": {keyText(k)}}.Encode())
}

// readHierarchy is nil when the text is none.
func readHierarchy(text string) *hierarchy.Hierarchy {
	h, err := hierarchy.Read(strings.NewReader(text))
	if text == "" || err != nil {
		return nil
	}
	return h
}

// treeOf draws a hierarchy from its top; nil when there is none.
func treeOf(h *hierarchy.Hierarchy) []*chart.TreeNode {
	if h == nil {
		return nil
	}
	top := &chart.TreeNode{}
	for _, value := range h.Values() {
		path, _ := h.Path(value)
		at := top
		at.Leafs++
		for level := len(path) - 1; level >= 0; level-- {
			at = below(at, path[level], level)
			at.Leafs++
		}
	}
	return alone(top.Below)
}

// alone leaves out labels that a value has to itself and that are called like it.
func alone(nodes []*chart.TreeNode) []*chart.TreeNode {
	for i, n := range nodes {
		n.Below = alone(n.Below)
		if len(n.Below) == 1 && n.Below[0].Label == n.Label {
			nodes[i] = n.Below[0]
		}
	}
	return nodes
}

// below finds a label among those below a node, the last being the likeliest, and
// adds it when there is none.
func below(n *chart.TreeNode, label string, level int) *chart.TreeNode {
	for i := len(n.Below) - 1; i >= 0; i-- {
		if n.Below[i].Label == label {
			return n.Below[i]
		}
	}
	child := &chart.TreeNode{Label: label, Level: level}
	n.Below = append(n.Below, child)
	return child
}
