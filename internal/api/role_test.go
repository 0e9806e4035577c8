package api_test

import (
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"parley"
	"parley/client"
)

// isAdmins reports whether an operation is for administrators, or makes the first one.
func (o operation) isAdmins() bool { return strings.HasPrefix(o.Path, "/api/admin/") }

// isHidden reports whether an operation exists only for administrators.
func (o operation) isHidden() bool { return o.isAdmins() && o.Operation.OperationID != "claimAdmin" }

// role is a caller in the matrix.
type role struct {
	header string
	// exists reports whether an operation exists for the role.
	exists func(operation) bool
	// refused returns the error code for operations that exist but are not for the role.
	refused func(operation) parley.Code
}

func never(operation) parley.Code { return parley.CodeOK }

// roles returns a caller of each role, by name.
func (w *world) roles() map[string]role {
	w.Helper()
	public := func(op operation) bool { return !op.isHidden() }
	badToken := func(op operation) parley.Code {
		if op.secured() {
			return parley.CodeBadToken
		}
		return parley.CodeOK
	}
	admin, user, disabled := w.admin("admin"), w.user("user"), w.admin("disabled")
	w.must(admin.DisableUser(w.Context(), w.id(disabled)))
	all := map[string]role{
		"no token":                 {"", public, badToken},
		"garbage":                  {"Authorization: Bearer garbage", public, badToken},
		"a disabled administrator": {as(disabled), public, badToken},
		"a user":                   {as(user), public, never},
		"an administrator":         {as(admin), func(operation) bool { return true }, never},
	}
	for _, scope := range parley.Scopes() {
		for name, owner := range map[string]*client.Client{"user": user, "administrator": admin} {
			_, key := w.key(owner, scope)
			all["a key of the "+name+" with "+string(scope)] = role{
				header: as(key),
				exists: func(op operation) bool { return !op.isAdmins() },
				refused: func(op operation) parley.Code {
					if op.secured() && !allowed(op, scope) {
						return parley.CodeInvalidParameter
					}
					return parley.CodeOK
				},
			}
		}
	}
	return all
}

// everyRouteHasItsRole calls every route as every role. If a route does not exist for a role, the response must be
// the same, byte for byte, as for an unknown path.
func everyRouteHasItsRole(w *world) {
	roles := w.roles()
	unknown := things{"user_id": "999999"}
	for _, name := range idNames {
		unknown[name] = "019a5e0e-7a30-7c4e-9d55-3f6f2f8c8f10"
	}
	hidden := 0
	for key, op := range mustDocument(w.T).operations {
		switch op.Operation.OperationID {
		case "logout": // it would end the role's login
			continue
		case "requestReset", "checkReset", "confirmReset": // they refuse everybody: there is no mail and no such link
			continue
		case "getSignOn", "exchangeSignIn": // there is no provider
			continue
		}
		for name, role := range roles {
			got := op.call(w, unknown, role.header)
			what := key + " as " + name
			if !role.exists(op) {
				hidden++
				wantSame(w, what, got, op.at("/api/nowhere").call(w, unknown, role.header))
				continue
			}
			if strings.Contains(got.text, "no such path") {
				w.Errorf("%s does not exist: HTTP %d, %s", what, got.StatusCode, got.text)
			}
			isToken, isForbidden := got.code() == parley.CodeBadToken, got.StatusCode == http.StatusForbidden
			switch want := role.refused(op); {
			case want == parley.CodeBadToken && !isToken, want != parley.CodeBadToken && isToken,
				want == parley.CodeInvalidParameter && !isForbidden, want == parley.CodeOK && isForbidden:
				w.Errorf("%s: HTTP %d, %s", what, got.StatusCode, got.text)
			}
		}
	}
	if hidden < 80 {
		w.Errorf("only %d calls were hidden", hidden)
	}
}

// at returns the operation at another path.
func (o operation) at(path string) operation {
	o.Path = path
	return o
}

// aWrongMethodGivesNothingAway calls the paths of administrators with methods that they don't have.
func aWrongMethodGivesNothingAway(w *world) {
	admin, user := w.admin("admin"), w.user("user")
	_, key := w.key(admin, parley.ScopeRead)
	paths := map[string]bool{}
	for _, op := range mustDocument(w.T).operations {
		if op.isAdmins() {
			paths[strings.ReplaceAll(op.Path, "{user_id}", "999999")] = true
		}
	}
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		for _, method := range []string{http.MethodConnect, http.MethodOptions, http.MethodTrace} {
			for _, header := range []string{"", as(user), as(key)} {
				headers := slices.DeleteFunc([]string{header}, func(h string) bool { return h == "" })
				wantSame(w, method+" "+path, w.request(method, path, "", headers...),
					w.request(method, "/api/admin/nothing", "", headers...))
			}
			got := w.request(method, path, "", as(admin))
			if got.StatusCode != http.StatusMethodNotAllowed || got.Header.Get("Allow") == "" {
				w.Errorf("%s %s as an administrator: HTTP %d, %v", method, path, got.StatusCode, got.Header)
			}
		}
	}
}

// anAdministratorReadsNoConversations calls every route as an administrator with the ids of a user, except for routes
// that change accounts.
func anAdministratorReadsNoConversations(w *world) {
	ada, admin := w.user("ada"), w.admin("admin")
	adas := w.property(ada)
	before := w.inventory(ada, adas)
	adas["user_id"] = strconv.FormatInt(w.id(ada), 10)
	read := 0
	for key, op := range mustDocument(w.T).operations {
		isChange := op.isHidden() && op.Method != http.MethodGet
		if !op.secured() || isChange || op.Operation.OperationID == "logout" {
			continue
		}
		got := op.call(w, adas, as(admin))
		if strings.Contains(got.text, "rivate") {
			w.Errorf("%s: HTTP %d, %s", key, got.StatusCode, got.text)
		}
		if op.isHidden() && got.StatusCode == http.StatusOK {
			read++
		}
	}
	if read < 5 {
		w.Errorf("only %d routes of administrators were read", read)
	}
	if after := w.inventory(ada, adas); after != before {
		w.Errorf("something changed:\n%s\nbefore:\n%s", after, before)
	}
}

// everyChangeOfAnAdministratorIsAudited calls every route of administrators that changes something.
func everyChangeOfAnAdministratorIsAudited(w *world) {
	admin := w.admin("admin")
	id := w.id(admin)
	newest := func() parley.AuditEntry {
		out, err := admin.AuditLog(w.Context(), parley.AuditInput{Limit: 1})
		w.must(err)
		return out.Entries[0]
	}
	w.reset(admin) // otherwise the settings may already be those of the call
	for key, op := range mustDocument(w.T).operations {
		if !op.isHidden() || op.Method == http.MethodGet || strings.HasSuffix(op.Path, "/test") { // which changes nothing
			continue
		}
		w.disconnect(admin)
		if op.Method == http.MethodDelete {
			w.connect(admin)
		}
		user := w.admin(strings.ToLower(op.Operation.OperationID)) // every operation then changes something
		before := newest()
		got := op.call(w, things{"user_id": strconv.FormatInt(w.id(user), 10)}, as(admin))
		if entry := newest(); got.StatusCode != http.StatusOK || entry.ID == before.ID || entry.ActorID != id {
			w.Errorf("%s: HTTP %d, the newest entry is %+v", key, got.StatusCode, entry)
		}
		w.reset(admin) // settings
	}
}
