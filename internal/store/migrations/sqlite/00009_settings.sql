-- +goose Up
-- Settings of the server that were changed while it ran, as they would be written in the environment. The others have
-- no row.
CREATE TABLE settings (
    name  TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;
