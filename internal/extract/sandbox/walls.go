package sandbox

// Walls describes what the kernel denies a child while it reads a document. A text says why a
// wall is missing. It is empty if the wall stands.
type Walls struct {
	// Landlock denies all files, TCP, and signals to other processes.
	Landlock string `json:"landlock"`
	// Seccomp denies all system calls but those of Go's runtime: the child can't open a file or a socket, start a program,
	// or reach another process.
	Seccomp string `json:"seccomp"`
}

// Missing returns the walls that are missing, each with the reason.
func (w Walls) Missing() []string {
	var missing []string
	if w.Landlock != "" {
		missing = append(missing, "landlock: "+w.Landlock)
	}
	if w.Seccomp != "" {
		missing = append(missing, "seccomp: "+w.Seccomp)
	}
	return missing
}
