-- +goose Up
-- Every table of users' data has the user's id in its keys, so that it can be distributed by user.
CREATE TABLE users (
    id             INTEGER PRIMARY KEY,
    email          TEXT   NOT NULL,
    nickname       TEXT   NOT NULL,
    avatar         TEXT   NOT NULL DEFAULT '',
    password_hash  TEXT   NOT NULL,
    -- What the user wants every reply to follow.
    instructions   TEXT   NOT NULL DEFAULT '',
    session_count  BIGINT NOT NULL DEFAULT 0,
    archived_count BIGINT NOT NULL DEFAULT 0,
    favorite_count BIGINT NOT NULL DEFAULT 0,
    -- Since when an operator keeps the account from logging in; 0 is not at all.
    disabled_at    BIGINT NOT NULL DEFAULT 0,
    created_at     BIGINT NOT NULL
);

-- The addresses of the accounts, case-folded. Their ids are made here. An address is looked up before its user is
-- known, so this table is not one of users' data.
CREATE TABLE emails (
    user_id   INTEGER PRIMARY KEY AUTOINCREMENT,
    email_key TEXT    NOT NULL UNIQUE
);

CREATE TABLE tokens (
    user_id    BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    hash       BLOB   NOT NULL,
    id         TEXT   NOT NULL,
    client     TEXT   NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (user_id, hash),
    UNIQUE (user_id, id)
) WITHOUT ROWID;
CREATE INDEX tokens_by_time ON tokens (user_id, created_at);
CREATE INDEX tokens_by_end ON tokens (expires_at);

CREATE TABLE sessions (
    user_id         BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    id              TEXT   NOT NULL,
    title           TEXT   NOT NULL,
    -- Who gave the title: user, text (it was made from the first question), model, or empty without a title.
    title_by        TEXT   NOT NULL DEFAULT '',
    message_count   BIGINT NOT NULL DEFAULT 0,
    last_message_at BIGINT NOT NULL DEFAULT 0,
    active_at       BIGINT NOT NULL,
    created_at      BIGINT NOT NULL,
    -- The branch of the last visible message, and the number of the last branch.
    branch          BIGINT NOT NULL DEFAULT 0,
    branches        BIGINT NOT NULL DEFAULT 0,
    pinned          BIGINT NOT NULL DEFAULT 0,
    archived        BIGINT NOT NULL DEFAULT 0,
    -- What the user wants the replies of this session to follow.
    instructions    TEXT   NOT NULL DEFAULT '',
    -- When the session is to be deleted; 0 is never.
    expires_at      BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (user_id, id)
) WITHOUT ROWID;
CREATE INDEX sessions_by_activity ON sessions (user_id, archived, active_at DESC, id DESC);
CREATE INDEX sessions_pinned ON sessions (user_id, archived, active_at DESC, id DESC) WHERE pinned = 1;
-- The sweeps of sessions whose time has come know no user.
CREATE INDEX sessions_by_end ON sessions (expires_at) WHERE expires_at > 0;
CREATE INDEX sessions_by_age ON sessions (active_at, user_id, id);
-- Sessions without a title are found by the one that they are shown with. Those without a message come first, in the
-- order of the list.
CREATE INDEX sessions_untitled ON sessions (user_id, message_count, active_at DESC, id DESC) WHERE title = '';

CREATE TABLE messages (
    user_id      BIGINT NOT NULL,
    session_id   TEXT   NOT NULL,
    number       BIGINT NOT NULL,
    branch       BIGINT NOT NULL DEFAULT 0,
    id           TEXT   NOT NULL,
    role         TEXT   NOT NULL,
    content      TEXT   NOT NULL,
    -- Empty if a reply is complete or open, else why it is not complete: stopped, interrupted or cut.
    status       TEXT   NOT NULL DEFAULT '',
    details      TEXT   NOT NULL DEFAULT '',
    attempt      BIGINT NOT NULL DEFAULT 1,
    created_at   BIGINT NOT NULL,
    favorite_id  TEXT  ,
    favorited_at BIGINT,
    PRIMARY KEY (user_id, session_id, number, branch),
    UNIQUE (user_id, id, branch),
    FOREIGN KEY (user_id, session_id) REFERENCES sessions (user_id, id) ON DELETE CASCADE
);
CREATE INDEX messages_favorite ON messages (user_id, favorited_at DESC, favorite_id DESC) WHERE favorite_id IS NOT NULL;

-- The branches of a session that has versions of a message. A branch begins with the message number first, which is
-- another version of its parent's message with that number, and continues with what followed. Branch 0 is the first
-- one and its own parent; it has a row if there are others. A message is visible if its branch is the last one, by
-- first, of those that are shown and begin no later. ended orders the branches by when the visible messages last ended
-- in them; message_count and last_message_at are those of the session at that time, unless they end there now.
CREATE TABLE branches (
    user_id         BIGINT NOT NULL,
    session_id      TEXT   NOT NULL,
    branch          BIGINT NOT NULL,
    parent          BIGINT NOT NULL,
    first           BIGINT NOT NULL,
    shown           BIGINT NOT NULL,
    ended           BIGINT NOT NULL,
    message_count   BIGINT NOT NULL,
    last_message_at BIGINT NOT NULL,
    PRIMARY KEY (user_id, session_id, branch),
    FOREIGN KEY (user_id, session_id) REFERENCES sessions (user_id, id) ON DELETE CASCADE
) WITHOUT ROWID;
CREATE INDEX branches_by_place ON branches (user_id, session_id, first, parent, branch);
CREATE INDEX branches_shown ON branches (user_id, session_id, first, branch) WHERE shown = 1;

-- An open reply: who makes it, which attempt it is and which was the turn's first, the title that the turn gave its
-- session, whether the turn has brought its session back from the archive, whether its user has stopped it, the text
-- so far.
CREATE TABLE turns (
    user_id    BIGINT NOT NULL,
    session_id TEXT   NOT NULL,
    message_id TEXT   NOT NULL,
    owner      TEXT   NOT NULL,
    attempt    BIGINT NOT NULL,
    first      BIGINT NOT NULL,
    number     BIGINT NOT NULL,
    branch     BIGINT NOT NULL DEFAULT 0,
    named      TEXT   NOT NULL,
    archived   BIGINT NOT NULL DEFAULT 0,
    redo       BIGINT NOT NULL, -- 1 if a reply is regenerated, 2 if it is continued
    stream     BIGINT NOT NULL DEFAULT 0,
    stopped    BIGINT NOT NULL DEFAULT 0,
    options    TEXT   NOT NULL,
    content    TEXT   NOT NULL DEFAULT '',
    thinking   TEXT   NOT NULL DEFAULT '',
    PRIMARY KEY (user_id, session_id),
    UNIQUE (user_id, message_id),
    FOREIGN KEY (user_id, session_id) REFERENCES sessions (user_id, id) ON DELETE CASCADE
) WITHOUT ROWID;
CREATE INDEX turns_by_owner ON turns (owner);

-- The processes that make replies, and until when each may be taken for alive. It is not one of users' data.
CREATE TABLE owners (
    id          TEXT   PRIMARY KEY,
    lease_until BIGINT NOT NULL
) WITHOUT ROWID;

-- Why a turn failed whose ids its caller knows, for a day.
CREATE TABLE outcomes (
    user_id    BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    message_id TEXT   NOT NULL,
    code       BIGINT NOT NULL,
    kind       BIGINT NOT NULL,
    message    TEXT   NOT NULL,
    ended_at   BIGINT NOT NULL,
    PRIMARY KEY (user_id, message_id)
) WITHOUT ROWID;
CREATE INDEX outcomes_by_end ON outcomes (ended_at);

-- Idempotency keys of sends, for a day.
CREATE TABLE send_keys (
    user_id    BIGINT NOT NULL,
    key        TEXT   NOT NULL,
    digest     TEXT   NOT NULL,
    session_id TEXT   NOT NULL,
    message_id TEXT   NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (user_id, key),
    FOREIGN KEY (user_id, session_id) REFERENCES sessions (user_id, id) ON DELETE CASCADE
) WITHOUT ROWID;
CREATE INDEX send_keys_by_session ON send_keys (user_id, session_id);
CREATE INDEX send_keys_by_time ON send_keys (created_at);

-- The sizes of a file's text and index count toward its user's storage, too.
CREATE TABLE files (
    user_id    BIGINT NOT NULL,
    id         TEXT   NOT NULL,
    session_id TEXT   NOT NULL,
    name       TEXT   NOT NULL,
    size       BIGINT NOT NULL,
    text_size  BIGINT NOT NULL,
    index_size BIGINT NOT NULL,
    type       TEXT   NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (user_id, id),
    FOREIGN KEY (user_id, session_id) REFERENCES sessions (user_id, id) ON DELETE CASCADE
) WITHOUT ROWID;
CREATE INDEX files_by_session ON files (user_id, session_id, created_at, id);
-- How much a user's files take together is the sum over this index.
CREATE INDEX files_by_user ON files (user_id, size, text_size, index_size);
-- The check of all stored bytes knows no user.
CREATE INDEX files_by_id ON files (id);

-- Bytes that no row in files stands for: an upload under way (since when), or a file deleted whose bytes are still to
-- go (since 0). They outlive their user.
CREATE TABLE file_intents (
    user_id    BIGINT NOT NULL,
    id         TEXT   NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (user_id, id)
) WITHOUT ROWID;

-- Snapshots of sessions that anyone with the link can read. The id is the secret of the link: it is kept, not its hash,
-- so that its user can see the link again, and whoever reads this table can read the snapshot anyway. expires_at is 0 if
-- the link has no end.
CREATE TABLE shares (
    user_id       BIGINT NOT NULL,
    id            TEXT   NOT NULL,
    session_id    TEXT   NOT NULL,
    title         TEXT   NOT NULL,
    message_count BIGINT NOT NULL,
    parts         BIGINT NOT NULL,
    thinking      BIGINT NOT NULL,
    created_at    BIGINT NOT NULL,
    expires_at    BIGINT NOT NULL,
    PRIMARY KEY (user_id, id),
    FOREIGN KEY (user_id, session_id) REFERENCES sessions (user_id, id) ON DELETE CASCADE
) WITHOUT ROWID;
CREATE INDEX shares_by_session ON shares (user_id, session_id);
CREATE INDEX shares_by_end ON shares (expires_at) WHERE expires_at > 0;

-- The messages of a share, compressed, in parts from 0.
CREATE TABLE share_parts (
    user_id  BIGINT NOT NULL,
    share_id TEXT   NOT NULL,
    part     BIGINT NOT NULL,
    data     BLOB   NOT NULL,
    PRIMARY KEY (user_id, share_id, part),
    FOREIGN KEY (user_id, share_id) REFERENCES shares (user_id, id) ON DELETE CASCADE
);

-- Whose a share is. A share is looked up before its user is known, so this table is not one of users' data.
CREATE TABLE share_links (
    id      TEXT   PRIMARY KEY,
    user_id BIGINT NOT NULL
) WITHOUT ROWID;

-- Shares that are gone and whose row in share_links is still to go. They outlive their user.
CREATE TABLE ended_shares (
    user_id BIGINT NOT NULL,
    id      TEXT   NOT NULL,
    PRIMARY KEY (user_id, id)
) WITHOUT ROWID;

-- An import of conversations. The uploaded file is a blob until the import has ended (ended_at). position is how many
-- of its conversations are dealt with. attempts counts how often the import was begun without storing anything.
CREATE TABLE imports (
    user_id    BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    id         TEXT   NOT NULL,
    file_id    TEXT   NOT NULL,
    size       BIGINT NOT NULL,
    state      TEXT   NOT NULL,
    owner      TEXT   NOT NULL DEFAULT '',
    attempts   BIGINT NOT NULL DEFAULT 0,
    position   BIGINT NOT NULL DEFAULT 0,
    percent    BIGINT NOT NULL DEFAULT 0,
    sessions   BIGINT NOT NULL DEFAULT 0,
    messages   BIGINT NOT NULL DEFAULT 0,
    skipped    BIGINT NOT NULL DEFAULT 0,
    failure    TEXT   NOT NULL DEFAULT '',
    created_at BIGINT NOT NULL,
    ended_at   BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (user_id, id)
) WITHOUT ROWID;
-- A user has at most one open import.
CREATE UNIQUE INDEX imports_open ON imports (user_id) WHERE ended_at = 0;
-- The check of all stored bytes knows no user.
CREATE INDEX imports_by_file ON imports (file_id) WHERE ended_at = 0;

-- The first conversations that an import has skipped.
CREATE TABLE import_skips (
    user_id   BIGINT NOT NULL,
    import_id TEXT   NOT NULL,
    place     BIGINT NOT NULL,
    title     TEXT   NOT NULL,
    reason    TEXT   NOT NULL,
    PRIMARY KEY (user_id, import_id, place),
    FOREIGN KEY (user_id, import_id) REFERENCES imports (user_id, id) ON DELETE CASCADE
) WITHOUT ROWID;

-- The digests of the conversations that sessions were imported from, so that none is imported twice.
CREATE TABLE import_sources (
    user_id    BIGINT NOT NULL,
    digest     TEXT   NOT NULL,
    session_id TEXT   NOT NULL,
    PRIMARY KEY (user_id, digest),
    FOREIGN KEY (user_id, session_id) REFERENCES sessions (user_id, id) ON DELETE CASCADE
) WITHOUT ROWID;
CREATE INDEX import_sources_by_session ON import_sources (user_id, session_id);

-- Texts not yet in the search index, which are read by each search. The number of a message has its branch in the
-- upper bits. Number 0 is the session's title. Number -1 stands for all messages of a session that was cleared or
-- deleted. If stale is 1, a block may have an older text by that name. Texts of a file have its id as session_id:
-- number -2 is its name, and the numbers below stand for the sections of its text from the first, second … one on.
CREATE TABLE search_queue (
    user_id    BIGINT NOT NULL,
    session_id TEXT   NOT NULL,
    number     BIGINT NOT NULL,
    stale      BIGINT NOT NULL DEFAULT 1,
    PRIMARY KEY (user_id, session_id, number)
) WITHOUT ROWID;
CREATE INDEX search_queue_sections ON search_queue (user_id, session_id) WHERE number <= -3;

-- A block: how many texts it has, how many of them are gone, whether they are sections of documents, and their names
-- and times.
CREATE TABLE search_blocks (
    user_id  BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    block    BIGINT NOT NULL,
    size     BIGINT NOT NULL,
    gone     BIGINT NOT NULL DEFAULT 0,
    sections BIGINT NOT NULL DEFAULT 0,
    names    BLOB   NOT NULL,
    PRIMARY KEY (user_id, block)
);

-- The grams of a block from the first one on, with their places.
CREATE TABLE search_pages (
    user_id BIGINT NOT NULL,
    block   BIGINT NOT NULL,
    first   BIGINT NOT NULL,
    data    BLOB   NOT NULL,
    PRIMARY KEY (user_id, block, first),
    FOREIGN KEY (user_id, block) REFERENCES search_blocks (user_id, block) ON DELETE CASCADE
);
