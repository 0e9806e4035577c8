-- +goose Up
SELECT set_config('citus.multi_shard_modify_mode', 'sequential', true);

-- Settings of the server that were changed while it ran, as they would be written in the environment. The others have
-- no row. With Citus the table is on the coordinator.
CREATE TABLE settings (
    name  TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
);
