package schema

// format says whether a text has a format. known is false for a format that is not checked.
func format(name, s string) (yes, known bool) {
	return false, false
}
