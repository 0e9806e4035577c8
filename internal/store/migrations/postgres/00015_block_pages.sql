-- +goose Up
-- Citus changes the shards of a table one after the other.
SELECT set_config('citus.multi_shard_modify_mode', 'sequential', true);

-- How many pages a block of the search index has, or 0 if it was made before this column was added.
ALTER TABLE search_blocks ADD COLUMN pages BIGINT NOT NULL DEFAULT 0;
