-- +goose Up

-- How many pages a block of the search index has, or 0 if it was made before this column was added.
ALTER TABLE search_blocks ADD COLUMN pages BIGINT NOT NULL DEFAULT 0;
