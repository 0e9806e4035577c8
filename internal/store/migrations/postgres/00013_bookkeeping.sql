-- +goose Up
-- Citus changes the shards one after the other.
SELECT set_config('citus.multi_shard_modify_mode', 'sequential', true);

-- What is known about the database itself, by name. release is the program's version that made the schema, oldest is
-- the schema of the oldest program that may still start on it, move is the mark of a move to another place. It is not
-- one of users' data.
CREATE TABLE bookkeeping (
    name  TEXT COLLATE "C" PRIMARY KEY,
    value TEXT NOT NULL
);
