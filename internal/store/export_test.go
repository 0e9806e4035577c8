package store

// Audit fails a test if counters, numbers or the search index disagree with the rows.
var Audit = audit
