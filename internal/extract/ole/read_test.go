package ole

import "parley/internal/extract/prose"

// readOld reads an old document of Office that unpacks to no more than a size.
func readOld(file []byte, unpacked int64) (prose.Document, error) {
	c, err := Open(file, unpacked)
	if err != nil {
		return prose.Document{}, err
	}
	mediaType, err := c.Kind()
	if err != nil {
		return prose.Document{}, err
	}
	out := &prose.Output{Limit: 1 << 20}
	switch mediaType {
	case XLS:
		err = ReadXLS(out, c)
	case DOC:
		err = ReadDOC(out, c)
	case PPT:
		err = ReadPPT(out, c)
	}
	if err != nil {
		return prose.Document{}, err
	}
	document, err := out.Document(prose.ErrEmpty)
	document.Type = mediaType
	return document, err
}
