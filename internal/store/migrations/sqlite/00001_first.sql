-- +goose Up
CREATE TABLE users (
    id             INTEGER PRIMARY KEY AUTOINCREMENT,
    email          TEXT    NOT NULL,
    email_key      TEXT    NOT NULL UNIQUE,
    nickname       TEXT    NOT NULL,
    avatar         TEXT    NOT NULL DEFAULT '',
    password_hash  TEXT    NOT NULL,
    session_count  BIGINT  NOT NULL DEFAULT 0,
    favorite_count BIGINT  NOT NULL DEFAULT 0,
    created_at     BIGINT  NOT NULL
);

CREATE TABLE tokens (
    hash       BLOB   PRIMARY KEY,
    id         TEXT   NOT NULL UNIQUE,
    user_id    BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    client     TEXT   NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
) WITHOUT ROWID;
CREATE INDEX tokens_by_user ON tokens (user_id, created_at);
CREATE INDEX tokens_by_end ON tokens (expires_at);

CREATE TABLE sessions (
    id              TEXT   PRIMARY KEY,
    user_id         BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    title           TEXT   NOT NULL,
    message_count   BIGINT NOT NULL DEFAULT 0,
    last_message_at BIGINT NOT NULL DEFAULT 0,
    active_at       BIGINT NOT NULL,
    created_at      BIGINT NOT NULL
) WITHOUT ROWID;
CREATE INDEX sessions_by_activity ON sessions (user_id, active_at DESC, id DESC);

CREATE TABLE messages (
    id           TEXT   NOT NULL UNIQUE,
    session_id   TEXT   NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    number       BIGINT NOT NULL,
    user_id      BIGINT NOT NULL,
    role         TEXT   NOT NULL,
    content      TEXT   NOT NULL,
    details      TEXT   NOT NULL DEFAULT '',
    attempt      BIGINT NOT NULL DEFAULT 1,
    created_at   BIGINT NOT NULL,
    favorite_id  TEXT,
    favorited_at BIGINT,
    UNIQUE (session_id, number)
);
CREATE INDEX messages_favorite ON messages (user_id, favorited_at DESC, favorite_id DESC) WHERE favorite_id IS NOT NULL;

-- An open reply: who makes it, which attempt it is and which was the turn's first, the
-- title that the turn gave its session, whether its user has stopped it, the text so far.
CREATE TABLE turns (
    session_id TEXT   PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
    message_id TEXT   NOT NULL UNIQUE,
    user_id    BIGINT NOT NULL,
    owner      TEXT   NOT NULL,
    attempt    BIGINT NOT NULL,
    first      BIGINT NOT NULL,
    number     BIGINT NOT NULL,
    named      TEXT   NOT NULL,
    redo       BIGINT NOT NULL,
    stopped    BIGINT NOT NULL DEFAULT 0,
    options    TEXT   NOT NULL,
    content    TEXT   NOT NULL DEFAULT '',
    thinking   TEXT   NOT NULL DEFAULT ''
) WITHOUT ROWID;
CREATE INDEX turns_by_user ON turns (user_id);
CREATE INDEX turns_by_owner ON turns (owner);

-- The processes that make replies, and until when each may be taken for alive.
CREATE TABLE owners (
    id          TEXT   PRIMARY KEY,
    lease_until BIGINT NOT NULL
) WITHOUT ROWID;

-- Why a turn failed whose ids its caller knows, for a day.
CREATE TABLE outcomes (
    message_id TEXT   PRIMARY KEY,
    user_id    BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    code       BIGINT NOT NULL,
    kind       BIGINT NOT NULL,
    message    TEXT   NOT NULL,
    ended_at   BIGINT NOT NULL
) WITHOUT ROWID;
CREATE INDEX outcomes_by_end ON outcomes (ended_at);
CREATE INDEX outcomes_by_user ON outcomes (user_id);

-- Idempotency keys of sends, for a day.
CREATE TABLE send_keys (
    user_id    BIGINT NOT NULL,
    key        TEXT   NOT NULL,
    digest     TEXT   NOT NULL,
    session_id TEXT   NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    message_id TEXT   NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (user_id, key)
) WITHOUT ROWID;
CREATE INDEX send_keys_by_session ON send_keys (session_id);
CREATE INDEX send_keys_by_time ON send_keys (created_at);

CREATE TABLE files (
    id         TEXT   PRIMARY KEY,
    user_id    BIGINT NOT NULL,
    session_id TEXT   NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    name       TEXT   NOT NULL,
    size       BIGINT NOT NULL,
    type       TEXT   NOT NULL,
    created_at BIGINT NOT NULL
) WITHOUT ROWID;
CREATE INDEX files_by_session ON files (session_id, created_at, id);

-- Bytes that no row in files stands for: an upload under way (since when), or a
-- file deleted whose bytes are still to go (since 0).
CREATE TABLE file_intents (
    id         TEXT   PRIMARY KEY,
    created_at BIGINT NOT NULL
) WITHOUT ROWID;

-- Texts not yet in the search index; number 0 is the session's title.
CREATE TABLE search_queue (
    user_id    BIGINT NOT NULL,
    session_id TEXT   NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    number     BIGINT NOT NULL,
    PRIMARY KEY (user_id, session_id, number)
) WITHOUT ROWID;
CREATE INDEX search_queue_by_session ON search_queue (session_id);

CREATE TABLE search_docs (
    doc        INTEGER PRIMARY KEY,
    session_id TEXT   NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    number     BIGINT NOT NULL,
    UNIQUE (session_id, number)
);
CREATE VIRTUAL TABLE search_grams USING fts5 (grams, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii');
