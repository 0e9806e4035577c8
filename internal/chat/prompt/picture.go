package prompt

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"parley"
	"parley/internal/ai"
	"parley/internal/library"
	"parley/internal/store"
)

const (
	// maxPictures is how many pictures a prompt has at most.
	maxPictures = 8
	// maxPictureBytes limits their size together. A request holds them twice.
	maxPictureBytes = 8 << 20
)

// pictures are the pictures of a session that a prompt may still take, from the latest on.
type pictures struct {
	library *library.Library
	userID  int64
	files   map[string]bool // ids of the session's pictures that are not in the prompt
	asked   []string        // ids of those that went with the question
	left    int             // how many more may be taken
	bytes   int             // of those that were taken
}

// findPictures finds the pictures of a turn's session. A model that sees none takes none of them.
func (b *Builder) findPictures(ctx context.Context, t *store.Turn, model ai.Offer) (*pictures, error) {
	found := &pictures{library: b.library, userID: t.UserID, files: make(map[string]bool)}
	if t.NoPictures {
		return found, nil
	}
	files, err := b.library.Pictures(ctx, t.UserID, t.SessionID)
	if err != nil || len(files) == 0 {
		return found, err
	}
	for _, file := range files {
		found.files[file.FileID] = true
	}
	if model.Images {
		found.left = maxPictures
	}
	found.asked, err = b.store.QuestionPictures(ctx, t.UserID, t.QuestionID)
	return found, err
}

// unseen returns how many pictures were not taken.
func (p *pictures) unseen() int { return len(p.files) }

// take returns the latest of the pictures with these ids that fit the budget of tokens, oldest first.
func (p *pictures) take(ctx context.Context, ids []string, budget int) ([]ai.Image, error) {
	var taken []ai.Image
	for _, id := range slices.Backward(ids) {
		if p.left == 0 || budget < ai.ImageTokens {
			break
		}
		if !p.files[id] { // it was deleted, or is in the prompt already
			continue
		}
		image, err := p.library.Image(ctx, p.userID, id)
		if errors.Is(err, parley.ErrNoSuchFile) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("read a picture: %w", err)
		}
		if p.bytes += len(image.Data); p.bytes > maxPictureBytes {
			p.left = 0
			break
		}
		p.left--
		budget -= ai.ImageTokens
		delete(p.files, id)
		taken = append(taken, image)
	}
	slices.Reverse(taken)
	return taken, nil
}
