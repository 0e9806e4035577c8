package ai

import (
	"fmt"
	"slices"
)

// ImageTokens is the estimate of how many tokens a picture takes. Servers count differently: from 85 to about 2,000.
const ImageTokens = 1000

// unseenRule tells the model of pictures that it is not shown.
func unseenRule(unseen int) string {
	return fmt.Sprintf("Pictures that the user has added to this conversation and that you can't see: %d. "+
		"If text in them was recognized, it is among the files above. "+
		"If the question is about such a picture, say that you can't see it.", unseen)
}

// Blind returns the prompt for a model that sees no pictures.
func (p *Prompt) Blind() *Prompt {
	blind := *p
	blind.Unseen += len(p.Images)
	blind.Images = nil
	blind.History = slices.Clone(p.History)
	for i := range blind.History {
		blind.Unseen += len(blind.History[i].Images)
		blind.History[i].Images = nil
	}
	return &blind
}
