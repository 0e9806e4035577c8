//go:build !linux

package sandbox

// raiseWalls raises none: they exist on Linux only.
func raiseWalls() Walls {
	const reason = "it exists on Linux only"
	return Walls{Landlock: reason, Seccomp: reason}
}
