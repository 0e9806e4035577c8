-- +goose Up
-- Citus changes the shards one after the other.
SELECT set_config('citus.multi_shard_modify_mode', 'sequential', true);

-- What its user thinks of a reply: 1, -1, or 0 if nothing was said. How many replies of a model and a day were rated so.
ALTER TABLE messages ADD COLUMN rating BIGINT NOT NULL DEFAULT 0;
ALTER TABLE usage_days ADD COLUMN rated_up BIGINT NOT NULL DEFAULT 0;
ALTER TABLE usage_days ADD COLUMN rated_down BIGINT NOT NULL DEFAULT 0;
