package api

import "github.com/go-chi/chi/v5"

// Routes returns the routes of the router.
func (a *API) Routes() chi.Routes { return a.router }
