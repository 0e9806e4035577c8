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
	// Notes are at most 20 short lines in English, or in Chinese if the request prefers it.
	Notes []string `json:"notes,omitempty" nullable:"false" doc:"What of the file could not be read; left out if nothing." example:"[\"slide 2 could not be read\"]"`
}

// FilesOutput lists a session's files, oldest first.
type FilesOutput struct {
	Files []File `json:"files" nullable:"false" doc:"All files of the session."`
}

// UploadProgress is how far a document is read that takes long, such as a scan.
type UploadProgress struct {
	// Page is the current page, from 1. Pages is how many the document has.
	Page  int `json:"page"`
	Pages int `json:"pages"`
}

// FileText is a page of a file's text, as a model gets it.
type FileText struct {
	File
	Pages  int64  `json:"pages" doc:"How many pages the text has. They are those of the file, its sheets or its slides if the format has them. A longer one, and a file without them, is cut every 8,000 bytes or so." example:"12"`
	Page   int64  `json:"page" doc:"Which page this is, from 1." example:"3"`
	Anchor string `json:"anchor,omitempty" doc:"Page, sheet or slide, if the format has them." example:"page 3"`
	Text   string `json:"text" doc:"Text of the page." example:"Naples 09:00, Capri 09:50"`
	Offset int64  `json:"offset" doc:"Where the page begins in the whole text, in bytes of UTF-8." example:"16384"`
	Match  *Match `json:"match,omitempty" doc:"Where find is in the text of the page; left out if it was not found. If it goes on to the next page, only this part."`
}

// MaxFind is the length limit of a passage to look for in a file, in characters.
const MaxFind = 2000

// FileTextInput selects a page of a file's text. Of a passage, the page where it begins is selected.
type FileTextInput struct {
	Page int64  `query:"page" minimum:"1" default:"1" doc:"Number of the page, from 1. Default: 1. Ignored with at or find." example:"3"`
	At   int64  `query:"at" minimum:"0" doc:"An offset in the whole text, in bytes of UTF-8: the page that has it is returned." example:"16400"`
	Find string `query:"find" maxLength:"2000" doc:"A passage of the text: the page where it begins is returned, with match. White space, case and punctuation are ignored. If at is given too, the passage is looked for there first." example:"Naples 09:00"`
}
