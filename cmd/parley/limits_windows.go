package main

// maxOpenFiles returns false because Windows has no such limit.
func maxOpenFiles() (number uint64, limited bool) { return 0, false }
