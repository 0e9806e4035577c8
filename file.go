package parley

// Limits of files.
const (
	// MaxFilename is the length limit of stored file names, in bytes.
	MaxFilename = 255
	// MaxSessionFiles is how many files a session can have.
	MaxSessionFiles = 1000
	// MaxSessionIndex limits the size of a session's indexes together, in bytes. A question
	// is looked up in all of them.
	MaxSessionIndex = 4 << 30
)

// File is an uploaded document.
type File struct {
	FileID     string `json:"file_id" doc:"File identifier." example:"019a5e0e-7a30-7c4e-9d55-3f6f2f8c8f12"`
	Filename   string `json:"filename" doc:"File name, reduced to a safe base name." example:"timetable.md"`
	FileSize   int64  `json:"file_size" doc:"Size in bytes." example:"1024"`
	FileType   string `json:"file_type" doc:"Media type, detected from the bytes." example:"text/markdown"`
	UploadTime int64  `json:"upload_time" doc:"When it was uploaded, Unix seconds." example:"1767225600"`
	// Notes are at most 20 short lines in English.
	Notes []string `json:"notes,omitempty" nullable:"false" doc:"What of the file could not be read; left out if nothing." example:"[\"slide 2 could not be read\"]"`
}

// FilesOutput lists a session's files, oldest first.
type FilesOutput struct {
	Files []File `json:"files" nullable:"false" doc:"All files of the session."`
}

// UploadProgress is how far a document is read that takes long, such as a scan.
type UploadProgress struct {
	// Page is the page that is being read, from 1. Pages is how many the document has.
	Page  int `json:"page"`
	Pages int `json:"pages"`
}
