package api

import (
	"context"

	"parley"
)

func (a *API) addFavorite(ctx context.Context, in *body[parley.AddFavoriteInput]) (parley.AddFavoriteOutput, error) {
	return a.chat.AddFavorite(ctx, userID(ctx), in.Body)
}

// removeFavorite accepts message_id in the query or in the body.
func (a *API) removeFavorite(ctx context.Context, in *struct {
	MessageID string `query:"message_id" doc:"The favorited message, here or in the body." example:"019a5e0e-7a30-7c4e-9d55-3f6f2f8c8f13"`
	Body      parley.RemoveFavoriteInput
},
) (parley.Done, error) {
	messageID := in.MessageID
	switch {
	case messageID == "":
		messageID = in.Body.MessageID
	case in.Body.MessageID != "" && in.Body.MessageID != messageID:
		return parley.Done{}, parley.Invalid("message_id differs between the query and the body")
	}
	if messageID == "" {
		return parley.Done{}, parley.Invalid("message_id is required, in the query or in the body")
	}
	return parley.Done{}, a.chat.RemoveFavorite(ctx, userID(ctx), messageID)
}

func (a *API) listFavorites(ctx context.Context, in *struct {
	Page20
	Search
},
) (pieces, error) {
	list, err := a.chat.Favorites(ctx, userID(ctx), in.Keyword, in.page())
	if err != nil {
		return pieces{}, err
	}
	return jsonList(list, "favorites", func(part []parley.Favorite) any {
		return newEnvelope(parley.FavoritesOutput{Favorites: part, Total: list.Total})
	}), nil
}
