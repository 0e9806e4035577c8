-- +goose Up

-- How many pages a block of the search index has, or -1 if its grams have the form that they had before. Such a block
-- can't be searched; its user's texts are indexed anew.
ALTER TABLE search_blocks ADD COLUMN pages BIGINT NOT NULL DEFAULT -1;
CREATE INDEX search_blocks_older ON search_blocks (user_id) WHERE pages < 0;
