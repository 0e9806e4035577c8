package api

import "github.com/go-chi/chi/v5"

// Routes are the routes that the router really has.
func (a *API) Routes() chi.Routes { return a.router }
