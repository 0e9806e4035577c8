package api

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"

	"parley"
)

const (
	importPath = "/api/import"
	// maxImports limits how many files of imports are uploaded at once, one per user. It is high: slow senders must
	// not block everybody else.
	maxImports = 256
	// importRate is the lowest rate of such a file in bytes per second. importTime is the longest time it may take.
	importRate = 64 << 10
	importTime = 2 * time.Hour
)

var (
	errBadImport  = parley.Invalid("the body must be multipart/form-data with the part file, once")
	errSlowImport = parley.Invalid(
		"the file came too slowly; it has to come within 2 hours, at 64 KiB per second or more, without a pause of 30 s")
)

func (a *API) startImport(ctx context.Context, in *uploadRequest) (pieces, error) {
	upload := &upload{
		api: a, ctx: ctx, limit: a.imports.MaxSize, receive: a.imports.Receive, bad: errBadImport,
		pace: pace{rate: importRate, total: importTime}, slow: errSlowImport,
	}
	parts, err := upload.open(in)
	if err != nil {
		return pieces{}, err
	}
	if err := upload.read(parts); err != nil {
		upload.discard()
		return pieces{}, upload.cause(err)
	}
	importID, err := a.imports.Start(ctx, userID(ctx), upload.draft)
	if err != nil {
		upload.discard()
	}
	return onePiece(newEnvelope(parley.StartImportOutput{ImportID: importID})), err
}

// importRequest is a path with the id of an import. It keeps the request for the language of the reasons.
type importRequest struct {
	ImportID string `path:"import_id" doc:"The import." example:"019a5e0e-7a30-7c4e-9d55-3f6f2f8c8f15"`

	request *http.Request
	writer  http.ResponseWriter
}

// Resolve implements huma.Resolver.
func (i *importRequest) Resolve(ctx huma.Context) []error {
	i.request, i.writer = humachi.Unwrap(ctx)
	return nil
}

func (a *API) getImport(ctx context.Context, in *importRequest) (parley.Import, error) {
	out, err := a.imports.Import(ctx, userID(ctx), in.ImportID)
	if err != nil {
		return out, err
	}
	in.writer.Header().Add("Vary", "Accept-Language")
	language := languageOf(in.request)
	for i := range out.Skipped {
		out.Skipped[i].Reason = language.Message(out.Skipped[i].Reason)
	}
	if out.Error != "" {
		out.Error = language.Message(out.Error)
	}
	return out, nil
}
