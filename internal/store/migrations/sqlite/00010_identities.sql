-- +goose Up
-- Whether the account is linked to an identity of a provider of OpenID Connect.
ALTER TABLE users ADD COLUMN sign_on BIGINT NOT NULL DEFAULT 0;

-- Whose an identity is. hash is that of issuer and subject. An identity is looked up before its user is known, so this
-- table is not one of users' data.
CREATE TABLE identities (
    hash    BLOB   PRIMARY KEY,
    user_id BIGINT NOT NULL
) WITHOUT ROWID;

-- The identities of a user.
CREATE TABLE user_identities (
    user_id    BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    hash       BLOB   NOT NULL,
    issuer     TEXT   NOT NULL,
    subject    TEXT   NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (user_id, hash)
) WITHOUT ROWID;

-- Sign-ins that have begun, until the browser comes back from the provider. hash is that of the state, browser that of
-- the cookie.
CREATE TABLE sign_ins (
    hash       BLOB   PRIMARY KEY,
    browser    BLOB   NOT NULL,
    nonce      TEXT   NOT NULL,
    verifier   TEXT   NOT NULL,
    expires_at BIGINT NOT NULL
) WITHOUT ROWID;
CREATE INDEX sign_ins_by_end ON sign_ins (expires_at);

-- What the provider has said about a user, until the page exchanges its code for a login. link is 1 if an account with
-- this address is linked only after its password.
CREATE TABLE sign_in_codes (
    hash       BLOB   PRIMARY KEY,
    issuer     TEXT   NOT NULL,
    subject    TEXT   NOT NULL,
    email      TEXT   NOT NULL,
    nickname   TEXT   NOT NULL,
    link       BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
) WITHOUT ROWID;
CREATE INDEX sign_in_codes_by_end ON sign_in_codes (expires_at);
