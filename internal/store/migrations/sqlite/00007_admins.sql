-- +goose Up
-- admin is 1 for administrators. seen_at is when an account was last used, to about an hour; 0 is never.
ALTER TABLE users ADD COLUMN admin BIGINT NOT NULL DEFAULT 0;
ALTER TABLE users ADD COLUMN seen_at BIGINT NOT NULL DEFAULT 0;
CREATE INDEX users_admins ON users (admin) WHERE admin = 1;

-- The hash of the code that makes a user the first administrator, and the process that wrote the code to its log. There
-- is at most one row.
CREATE TABLE admin_claims (
    id         INTEGER PRIMARY KEY CHECK (id = 1),
    hash       BLOB   NOT NULL,
    owner      TEXT   NOT NULL,
    expires_at BIGINT NOT NULL
);
