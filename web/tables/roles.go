// SPDX-License-Identifier: Apache-2.0

package tables

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/a-h/templ"

	"hide/internal/account"
	"hide/internal/chart"
	"hide/internal/project"
	"hide/internal/project/release"
	"hide/internal/publish/hierarchy"
	"hide/internal/publish/idview"
	"hide/internal/publish/table"
	"hide/web/publishing"
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
	Theirs     *theirRole // what somebody else saved meanwhile; nil mostly
	Draft      bool       // the hierarchy is edited and not saved
	EditWords  string     // why it was not edited
	Edit       editFields // of an edit that was refused
}

// rolesSave saves the roles that were changed in the form, and confirms the proposed roles
// that were not.
func (h *Handlers) rolesSave(c ui.Context) error {
	values, err := c.FormParams()
	if err != nil {
		return err
	}
	all, err := h.projects.Identifiers(c.Request().Context(), ui.User(c), ui.ProjectID(c))
	if err != nil {
		return err
	}
	changed, confirmed := sentRoles(all, values)
	if err := h.projects.SetIdentifiers(c.Request().Context(), ui.User(c), ui.ProjectID(c), append(changed, confirmed...)); err != nil {
		return h.rolesRefused(c, values, err)
	}
	return ui.Back(c, string(tableURL(ui.ProjectID(c)))+"?saved=1#roles")
}

// rolesRefused shows the page with all choices, and why they were not saved.
func (h *Handlers) rolesRefused(c ui.Context, values url.Values, err error) error {
	var conflict *release.DecisionConflict
	if !errors.As(err, &conflict) && project.KindOf(err) != project.Invalid {
		return err
	}
	v, viewErr := h.tableView(c.Request().Context(), ui.User(c), ui.ProjectID(c))
	if viewErr != nil {
		return viewErr
	}
	status := http.StatusUnprocessableEntity
	if conflict != nil {
		v.Theirs, status = h.theirRoles(ui.User(c), conflict, values), http.StatusConflict
	} else {
		v.Problem = ui.Problem(err)
	}
	v.sent = values
	if values.Has("ks") {
		v.form, _ = readTableForm(values)
	}
	return h.showTable(c, status, v)
}

// theirRole is an attribute that somebody else has changed meanwhile.
type theirRole struct {
	Name         string
	Who          string
	Theirs, Mine string // roles, as [decidedWords] writes them
}

func (h *Handlers) theirRoles(u account.User, conflict *release.DecisionConflict, values url.Values) []theirRole {
	var all []theirRole
	for _, one := range conflict.Theirs {
		sent := one.Attribute
		if row, named := sentRole(values, one.Key); named {
			sent.Role, sent.Kind, sent.Take = row.Role, row.Kind, row.Take
		}
		all = append(all, h.theirRole(u, one, sent))
	}
	return all
}

func (h *Handlers) theirRole(u account.User, there release.Identifier, mine idview.Attribute) theirRole {
	return theirRole{Name: there.Name, Who: h.whoDecided(u, there), Theirs: decidedWords(there.Attribute), Mine: decidedWords(mine)}
}

// whoDecided says who chose the role of an attribute, and when.
func (h *Handlers) whoDecided(u account.User, one release.Identifier) string {
	if one.By == "" {
		return "Somebody"
	}
	return ui.Capitalized(ui.NameFor(u, h.people, one.By)) + ", " + ui.Moment(one.At)
}

// decidedWords say the role of an attribute: "quasi-identifier: generalized, numbers, first".
func decidedWords(a idview.Attribute) string {
	words := []string{choiceWords(roleChoices, string(a.Role)), choiceWords(kindChoices, string(a.Kind)), choiceWords(takeChoices, string(a.Take))}
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), ", ")
}

func choiceWords(all []publishing.Choice, value string) string {
	for _, one := range all {
		if one.Value == value {
			return one.Says
		}
	}
	return ""
}

// sentRole is what a form chooses for an attribute; false when it does not name it.
func sentRole(values url.Values, k idview.Key) (a idview.Attribute, named bool) {
	key := publishing.KeyText(k)
	a = idview.Attribute{Key: k, Role: table.Role(values.Get("role." + key)), Kind: table.Kind(values.Get("kind." + key)), Take: idview.Take(values.Get("take." + key))}
	return a, a.Role != ""
}

// roleText is the choice of a row of the form, to find rows that were changed.
func roleText(a idview.Attribute) string {
	return strings.Join([]string{string(a.Role), string(cmp.Or(a.Kind, table.Nominal)), string(cmp.Or(a.Take, idview.Most))}, " ")
}

// sentRoles are the attributes that were changed in the form, and the proposals that were
// left unchanged. Orders and hierarchies, which are not in the form, stay.
func sentRoles(all release.Identifiers, values url.Values) (changed, confirmed []release.Decision) {
	for _, a := range all.Attributes {
		sent, named := sentRole(values, a.Key)
		if !named {
			continue
		}
		seen := values.Get("seen." + publishing.KeyText(a.Key))
		switch {
		case roleText(sent) != values.Get("was."+publishing.KeyText(a.Key)):
			a.Role, a.Kind, a.Take = sent.Role, sent.Kind, sent.Take
			dropUnused(&a.Attribute)
			changed = append(changed, release.Decision{Attribute: a.Attribute, Seen: seen})
		case !a.Decided:
			confirmed = append(confirmed, release.Decision{Attribute: a.Attribute, Seen: seen})
		}
	}
	return changed, confirmed
}

// dropUnused removes details that the kind of an attribute does not have.
func dropUnused(a *idview.Attribute) {
	if a.Kind != table.Ordinal {
		a.Order = nil
	}
	if a.Kind != table.Date {
		a.Form = ""
	}
}

func (h *Handlers) roleShow(c ui.Context) error {
	v, err := h.roleView(c, publishing.ReadKey(c.QueryParam("of")))
	if err != nil {
		return err
	}
	return h.showRole(c, http.StatusOK, v)
}

func (h *Handlers) showRole(c ui.Context, status int, v roleView) error {
	v.Hierarchy = readHierarchy(v.Identifier.Hierarchy)
	v.Tree = treeOf(v.Hierarchy)
	p := ui.Page{Title: "Attribute · " + v.Project.Name, Project: &v.Project, Tab: "publish"}
	return ui.ShowPageStatus(c, status, p, rolePage(v))
}

func (h *Handlers) roleView(c ui.Context, key idview.Key) (roleView, error) {
	o, err := ui.Project(c, h.projects)
	if err != nil {
		return roleView{}, err
	}
	v := roleView{Project: o}
	v.Identifier, v.Values, err = h.projects.IdentifierValues(c.Request().Context(), ui.User(c), o.ID, key)
	v.Seen = v.Identifier.Version()
	return v, err
}

// roleSave saves one attribute with all its details.
func (h *Handlers) roleSave(c ui.Context) error {
	v, err := h.roleView(c, publishing.ReadKey(c.FormValue("of")))
	if err != nil {
		return err
	}
	ctx, u, id := c.Request().Context(), ui.User(c), v.Project.ID
	v.Seen = cmp.Or(c.FormValue("seen"), v.Seen)
	a := &v.Identifier.Attribute
	a.Role, a.Kind, a.Take = table.Role(c.FormValue("role")), table.Kind(c.FormValue("kind")), idview.Take(c.FormValue("take"))
	a.Order, a.Form = publishing.Lines(c.FormValue("order")), strings.TrimSpace(c.FormValue("form"))
	a.Hierarchy = strings.TrimSpace(strings.ReplaceAll(c.FormValue("hierarchy"), "\r\n", "\n"))
	dropUnused(a)
	if values, err := c.FormParams(); err != nil {
		return err
	} else if op := editOf(values); op != "" {
		return h.roleEdit(c, v, op, values)
	}
	err = h.projects.SetIdentifiers(ctx, u, id, []release.Decision{{Attribute: *a, Seen: v.Seen}})
	if err == nil {
		return ui.Back(c, string(tableURL(id))+"?saved=1#roles")
	}
	if conflict := (*release.DecisionConflict)(nil); errors.As(err, &conflict) {
		there := conflict.Theirs[0]
		theirs := h.theirRole(u, there, *a)
		v.Theirs, v.Seen = &theirs, there.Version()
		return h.showRole(c, http.StatusConflict, v)
	}
	if project.KindOf(err) != project.Invalid {
		return err
	}
	v.Problem = ui.Problem(err)
	return h.showRole(c, http.StatusUnprocessableEntity, v)
}

// roleEdit shows the page with its hierarchy edited. Nothing is saved.
func (h *Handlers) roleEdit(c ui.Context, v roleView, op string, values url.Values) error {
	v.Draft = true
	if err := v.edit(op, values); err != nil {
		v.EditWords, v.Edit = ui.Sentence(err.Error()), readEditFields(values)
		return h.showRole(c, http.StatusUnprocessableEntity, v)
	}
	return h.showRole(c, http.StatusOK, v)
}

func roleURL(id project.ID, k idview.Key) templ.SafeURL {
	return ui.ProjectURL(id, "/publish/roles?"+url.Values{"of": {publishing.KeyText(k)}}.Encode())
}

// readHierarchy is nil if the text is not a hierarchy.
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
	return collapsed(top.Below)
}

// collapsed leaves out labels with the same name as their only child.
func collapsed(nodes []*chart.TreeNode) []*chart.TreeNode {
	for i, n := range nodes {
		n.Below = collapsed(n.Below)
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
