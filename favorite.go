package parley

// Favorite is a message marked by its user.
type Favorite struct {
	ID           string `json:"id" doc:"Favorite identifier." example:"019a5e0e-7a30-7c4e-9d55-3f6f2f8c8f14"`
	MessageID    string `json:"message_id" doc:"The favorited message." example:"019a5e0e-7a30-7c4e-9d55-3f6f2f8c8f13"`
	Content      string `json:"content" doc:"Text of the message." example:"The hydrofoil from Naples takes fifty minutes."`
	SessionTitle string `json:"session_title" doc:"Title of the session it belongs to." example:"Holiday plans"`
	CreatedAt    int64  `json:"created_at" doc:"When it was marked, Unix seconds." example:"1767225600"`
	SessionID    string `json:"session_id,omitempty" doc:"The session it belongs to." example:"019a5e0e-7a30-7c4e-9d55-3f6f2f8c8f10"`
	Number       int64  `json:"number,omitempty" doc:"Place of the message in its session, from 1." example:"2"`
	Aside        bool   `json:"aside,omitempty" doc:"Set if the message is not visible, since another version of it or of an earlier message is. Left out otherwise." example:"true"`
}

// AddFavoriteInput marks a message of a session.
type AddFavoriteInput struct {
	MessageID string `json:"message_id" minLength:"1" doc:"The message to mark." example:"019a5e0e-7a30-7c4e-9d55-3f6f2f8c8f13"`
	SessionID string `json:"session_id" minLength:"1" doc:"The session it belongs to." example:"019a5e0e-7a30-7c4e-9d55-3f6f2f8c8f10"`
}

// AddFavoriteOutput names the favorite. Adding it again returns the same one.
type AddFavoriteOutput struct {
	FavoriteID string `json:"favorite_id" doc:"Favorite identifier." example:"019a5e0e-7a30-7c4e-9d55-3f6f2f8c8f14"`
}

// RemoveFavoriteInput names the message to remove from the favorites.
type RemoveFavoriteInput struct {
	MessageID string `json:"message_id,omitempty" required:"false" minLength:"1" doc:"The favorited message." example:"019a5e0e-7a30-7c4e-9d55-3f6f2f8c8f13"`
}

// FavoritesOutput is a page of favorites, newest first.
type FavoritesOutput struct {
	Favorites []Favorite `json:"favorites" nullable:"false" doc:"The favorites of the page."`
	Total     int64      `json:"total" doc:"Number of favorites on all pages, exact." example:"1"`
}
