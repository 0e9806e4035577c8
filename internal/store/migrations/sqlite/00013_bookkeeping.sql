-- +goose Up
-- What is known about the database itself, by name. release is the program's version that made the schema, oldest is
-- the schema of the oldest program that may still start on it, move is the mark of a move to another place.
CREATE TABLE bookkeeping (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;
