package openai

import (
	"encoding/base64"

	"parley/internal/ai"
)

// contentPart is a part of a message: a text or a picture.
type contentPart struct {
	Type     string    `json:"type"`
	Text     string    `json:"text,omitempty"`
	ImageURL *imageURL `json:"image_url,omitempty"`
}

type imageURL struct {
	URL string `json:"url"`
}

// contentParts returns a message as parts: its pictures, then its text.
func contentParts(m ai.Message) []contentPart {
	parts := make([]contentPart, 0, len(m.Images)+1)
	for _, image := range m.Images {
		address := "data:" + image.Type + ";base64," + base64.StdEncoding.EncodeToString(image.Data)
		parts = append(parts, contentPart{Type: "image_url", ImageURL: &imageURL{URL: address}})
	}
	return append(parts, contentPart{Type: "text", Text: m.Content})
}
