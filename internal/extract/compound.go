package extract

import (
	"context"

	"parley/internal/extract/ole"
	"parley/internal/extract/prose"
)

// readCompound reads an old Office document or a message of Outlook.
func (r Reader) readCompound(ctx context.Context, file []byte) (prose.Document, error) {
	c, err := ole.Open(file, r.MaxUnpacked)
	if err != nil {
		return prose.Document{}, err
	}
	mediaType, err := c.Kind()
	if err != nil {
		return prose.Document{}, err
	}
	out := &prose.Output{Limit: TextLimit(r.MaxText, int64(len(file)))}
	switch mediaType {
	case ole.XLS:
		err = ole.ReadXLS(out, c)
	case ole.DOC:
		err = ole.ReadDOC(out, c)
	case ole.PPT:
		err = ole.ReadPPT(out, c)
	case ole.MSG:
		err = r.readMSG(ctx, out, c, "")
	}
	if err != nil {
		return prose.Document{}, err
	}
	document, err := out.Document(prose.ErrEmpty)
	document.Type = mediaType
	return document, err
}
