-- +goose Up

-- What of a file could not be read: a list of strings as JSON, or empty if everything could.
ALTER TABLE files ADD COLUMN notes TEXT NOT NULL DEFAULT '';
