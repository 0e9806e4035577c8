-- +goose Up
-- Citus changes the shards one after the other.
SELECT set_config('citus.multi_shard_modify_mode', 'sequential', true);

-- Whether the account is linked to an identity of a provider of OpenID Connect.
ALTER TABLE users ADD COLUMN sign_on BIGINT NOT NULL DEFAULT 0;

-- Whose an identity is. hash is that of issuer and subject. An identity is looked up before its user is known, so this
-- table is not one of users' data.
CREATE TABLE identities (
    hash    BYTEA  PRIMARY KEY,
    user_id BIGINT NOT NULL
);

-- The identities of a user.
CREATE TABLE user_identities (
    user_id    BIGINT NOT NULL,
    hash       BYTEA  NOT NULL,
    issuer     TEXT   NOT NULL,
    subject    TEXT   NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (user_id, hash)
);

-- Sign-ins that have begun, until the browser comes back from the provider. hash is that of the state, browser that of
-- the cookie. With Citus this table and the next are on the coordinator: their rows have no user.
CREATE TABLE sign_ins (
    hash       BYTEA  PRIMARY KEY,
    browser    BYTEA  NOT NULL,
    nonce      TEXT   NOT NULL,
    verifier   TEXT   NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX sign_ins_by_end ON sign_ins (expires_at);

-- What the provider has said about a user, until the page exchanges its code for a login. link is 1 if an account with
-- this address is linked only after its password.
CREATE TABLE sign_in_codes (
    hash       BYTEA  PRIMARY KEY,
    issuer     TEXT   NOT NULL,
    subject    TEXT   NOT NULL,
    email      TEXT   NOT NULL,
    nickname   TEXT   NOT NULL,
    link       BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX sign_in_codes_by_end ON sign_in_codes (expires_at);

-- If users are distributed by Citus, so are their identities. Only then they can refer to users.
-- +goose StatementBegin
DO $$
BEGIN
    IF to_regclass('pg_dist_partition') IS NULL THEN
        RETURN;
    END IF;
    IF EXISTS (SELECT 1 FROM pg_dist_partition WHERE logicalrelid = 'users'::regclass) THEN
        PERFORM create_distributed_table('identities', 'hash', colocate_with => 'none');
        PERFORM create_distributed_table('user_identities', 'user_id', colocate_with => 'users');
    END IF;
END $$;
-- +goose StatementEnd
ALTER TABLE user_identities ADD FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE;
