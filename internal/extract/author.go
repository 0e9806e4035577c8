package extract

// readNames returns the names of authors by their ids, from the elements of this name.
func readNames(content []byte, name, attr string) (map[string]string, error) {
	names := make(map[string]string)
	err := visit(content, visitor{start: func(e element) bool {
		if e.name == name {
			names[e.attr("id")] = e.attr(attr)
		}
		return true
	}})
	return names, err
}
