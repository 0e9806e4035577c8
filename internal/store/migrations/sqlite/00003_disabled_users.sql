-- +goose Up
-- Since when an operator keeps the account from logging in; 0 is not at all.
ALTER TABLE users ADD COLUMN disabled_at BIGINT NOT NULL DEFAULT 0;
