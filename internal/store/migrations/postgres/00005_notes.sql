-- +goose Up
-- Citus changes the shards of a table one after the other.
SELECT set_config('citus.multi_shard_modify_mode', 'sequential', true);

-- What of a file could not be read: a list of strings as JSON, or empty if everything could.
ALTER TABLE files ADD COLUMN notes TEXT NOT NULL DEFAULT '';
