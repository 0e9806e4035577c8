PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE goose_db_version (
		id INTEGER PRIMARY KEY AUTOINCREMENT,
		version_id INTEGER NOT NULL,
		is_applied INTEGER NOT NULL,
		tstamp TIMESTAMP DEFAULT (datetime('now'))
	);
INSERT INTO goose_db_version VALUES(1,0,1,'2026-11-16 13:41:01');
INSERT INTO goose_db_version VALUES(2,1,1,'2026-11-16 13:41:01');
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
INSERT INTO users VALUES(1,'ada@example.com','ada','','$argon2id$v=19$m=19456,t=2,p=1$oHJp1zev1DEihM35zA+8mw$BdFhdRnIzE8JBoQJvVRCMo736LkQJ0hSvB86hJjrsWQ','',5,0,2,0,1794836461122349);
INSERT INTO users VALUES(2,'bob@example.com','bob','','$argon2id$v=19$m=19456,t=2,p=1$W/ftt6eX2fayaH6W5l/rrQ$Kyh3xaim3XfIYq3xRuTKcFCfwdibZ1LJQfaoolB6S+I','',1,0,0,0,1794836461187616);
INSERT INTO users VALUES(3,'olga@example.com','olga','','$argon2id$v=19$m=19456,t=2,p=1$uvHy0zVoa4Gz+RH3gm7kJQ$NmuNvtxMP2VNnQ6v6SeLPjPD0koo1jEO/ESNQXOXlaA','',1,0,0,0,1794836461249301);
CREATE TABLE emails (
    user_id   INTEGER PRIMARY KEY AUTOINCREMENT,
    email_key TEXT    NOT NULL UNIQUE
);
INSERT INTO emails VALUES(1,'ada@example.com');
INSERT INTO emails VALUES(2,'bob@example.com');
INSERT INTO emails VALUES(3,'olga@example.com');
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
INSERT INTO tokens VALUES(1,X'14f749482d4fece6944a40bd33168e74fe99980402c41bf7541eaa3364e606a1','01a1e496-f642-7561-a114-69b801500e5d','parley-go/1.0.0',1794836461122349,4948436461122349);
INSERT INTO tokens VALUES(2,X'e054a9e9a1a7bd979c2aa22c4015f4be0a2a63c9c021573e6b2065c1555e65d3','01a1e496-f683-7974-a778-de5fac4aff83','parley-go/1.0.0',1794836461187616,4948436461187616);
INSERT INTO tokens VALUES(3,X'2a6a5b0d2624a2e821e7c93313dd82ba3af3394deb9d67560b7ff53225f0d8f7','01a1e496-f6c1-74a4-816b-2caf90c67071','parley-go/1.0.0',1794836461249301,4948436461249301);
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
INSERT INTO sessions VALUES(1,'01a1e496-f6c3-721e-b56e-b11f7f91bd0b','Ferry to Capri 渡船','user',6,1794836461277365,1794836461277365,1794836461251139,1,1,0,0,'',0);
INSERT INTO sessions VALUES(1,'01a1e496-f6e4-782f-8d91-fefb6478edca','Nobody has named this one','text',2,1794836461285287,1794836461285287,1794836461284537,0,0,0,0,'',0);
INSERT INTO sessions VALUES(1,'01a1e496-f6e6-7f26-b1c2-4bbdad7a9007','Nothing in it','user',0,0,1794836461286993,1794836461286993,0,0,0,0,'',0);
INSERT INTO sessions VALUES(1,'01a1e496-f6e7-7cd0-931d-2a63cc51c80b','','',0,0,1794836461287840,1794836461287840,0,0,0,0,'',0);
INSERT INTO sessions VALUES(1,'01a1e496-f6e8-7d7c-bf20-ef588f9f055f','Cleared','user',0,0,1794836461288884,1794836461288884,0,0,0,0,'',0);
INSERT INTO sessions VALUES(2,'01a1e496-f6f1-7abd-b781-1b6d61d9b1fb','Bob''s ferry','user',4,1794836462286530,1794836462286530,1794836461297704,0,0,0,0,'',0);
INSERT INTO sessions VALUES(3,'01a1e496-fab5-7cae-b152-cbe16e46c49a','Open','user',2,1794836462262883,1794836462262883,1794836462261831,0,0,0,0,'',0);
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
INSERT INTO messages VALUES(1,'01a1e496-f6c3-721e-b56e-b11f7f91bd0b',1,0,'01a1e496-f6c4-790b-b6b3-8b2d197bbeb2','user','When does the ferry leave? 渡船几点开?','','',1,1794836461252600,NULL,NULL);
INSERT INTO messages VALUES(1,'01a1e496-f6c3-721e-b56e-b11f7f91bd0b',2,0,'01a1e496-f6c4-790e-a025-93ed740a82ea','assistant','You said: When does the ferry leave? 渡船几点开?','','',1,1794836461252600,NULL,NULL);
INSERT INTO messages VALUES(1,'01a1e496-f6c3-721e-b56e-b11f7f91bd0b',3,0,'01a1e496-f6c7-7deb-ba93-4d003ccde0cd','user','And 100% of them on_time, it''s said?','','',1,1794836461255916,NULL,NULL);
INSERT INTO messages VALUES(1,'01a1e496-f6c3-721e-b56e-b11f7f91bd0b',4,0,'01a1e496-f6c7-7ded-b219-b99338d929d1','assistant','You said: And 100% of them on_time, it''s said?','','',1,1794836461255916,'01a1e496-f6c9-7a22-9423-091ad301b9d3',1794836461257664);
INSERT INTO messages VALUES(1,'01a1e496-f6c3-721e-b56e-b11f7f91bd0b',5,0,'01a1e496-f6dd-7501-bf63-ded302827fc0','user','So which one?','','',1,1794836461277365,'01a1e496-f6e0-754f-b332-6ca4c947dcf0',1794836461280348);
INSERT INTO messages VALUES(1,'01a1e496-f6c3-721e-b56e-b11f7f91bd0b',6,0,'01a1e496-f6dd-750a-8065-4aa119bb61c7','assistant','You said: So which one?','','{"thinking":"Thinking about: So which one?","thinking_ms":1,"files":[{"file_id":"01a1e496-f6ca-7a16-9cf4-4729c60d4592","filename":"times.md"}]}',1,1794836461277365,NULL,NULL);
INSERT INTO messages VALUES(1,'01a1e496-f6c3-721e-b56e-b11f7f91bd0b',6,1,'01a1e496-f6dd-750a-8065-4aa119bb61c7','assistant','You said: So which one?','','{"files":[{"file_id":"01a1e496-f6ca-7a16-9cf4-4729c60d4592","filename":"times.md"}]}',2,1794836461277365,NULL,NULL);
INSERT INTO messages VALUES(1,'01a1e496-f6e4-782f-8d91-fefb6478edca',1,0,'01a1e496-f6e5-7448-8403-becca229af85','user','Nobody has named this one','','',1,1794836461285287,NULL,NULL);
INSERT INTO messages VALUES(1,'01a1e496-f6e4-782f-8d91-fefb6478edca',2,0,'01a1e496-f6e5-7449-8e66-3638398890eb','assistant','You said: Nobody has named this one','','',1,1794836461285287,NULL,NULL);
INSERT INTO messages VALUES(2,'01a1e496-f6f1-7abd-b781-1b6d61d9b1fb',1,0,'01a1e496-f6f2-79f8-819c-a4322fa25971','user','Not for Ada','','',1,1794836461298658,NULL,NULL);
INSERT INTO messages VALUES(2,'01a1e496-f6f1-7abd-b781-1b6d61d9b1fb',2,0,'01a1e496-f6f2-79fa-be3c-cc214d72c479','assistant','You said: Not for Ada','','',1,1794836461298658,NULL,NULL);
INSERT INTO messages VALUES(3,'01a1e496-fab5-7cae-b152-cbe16e46c49a',1,0,'01a1e496-fab6-7d5b-bca3-996c9e2c3d75','user','Is it?','','',1,1794836462262883,NULL,NULL);
INSERT INTO messages VALUES(3,'01a1e496-fab5-7cae-b152-cbe16e46c49a',2,0,'01a1e496-fab6-7d5e-b33c-b0e9f5a323b8','assistant','','','',1,1794836462262883,NULL,NULL);
INSERT INTO messages VALUES(2,'01a1e496-f6f1-7abd-b781-1b6d61d9b1fb',3,0,'01a1e496-face-77f1-b2e3-b95cadea68c7','user','Still to be indexed','','',1,1794836462286530,NULL,NULL);
INSERT INTO messages VALUES(2,'01a1e496-f6f1-7abd-b781-1b6d61d9b1fb',4,0,'01a1e496-face-77f7-91b7-2c0bfe345bac','assistant','You said: Still to be indexed','','',1,1794836462286530,NULL,NULL);
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
INSERT INTO branches VALUES(1,'01a1e496-f6c3-721e-b56e-b11f7f91bd0b',0,0,0,1,0,6,1794836461277365);
INSERT INTO branches VALUES(1,'01a1e496-f6c3-721e-b56e-b11f7f91bd0b',1,0,6,1,1,0,0);
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
INSERT INTO turns VALUES(3,'01a1e496-fab5-7cae-b152-cbe16e46c49a','01a1e496-fab6-7d5e-b33c-b0e9f5a323b8','01a1e496-f5df-7873-8129-eeb1435664fc',1,1,2,0,'',0,0,1,0,'{}','','');
CREATE TABLE owners (
    id          TEXT   PRIMARY KEY,
    lease_until BIGINT NOT NULL
) WITHOUT ROWID;
INSERT INTO owners VALUES('01a1e496-f5df-7873-8129-eeb1435664fc',1794836471034000);
CREATE TABLE outcomes (
    user_id    BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    message_id TEXT   NOT NULL,
    code       BIGINT NOT NULL,
    kind       BIGINT NOT NULL,
    message    TEXT   NOT NULL,
    ended_at   BIGINT NOT NULL,
    PRIMARY KEY (user_id, message_id)
) WITHOUT ROWID;
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
INSERT INTO send_keys VALUES(1,'one','1467c2b9dc3c981c2ef4810a449daaaf1992bc62dc2f25c2e954be92df14f7ac','01a1e496-f6c3-721e-b56e-b11f7f91bd0b','01a1e496-f6dd-750a-8065-4aa119bb61c7',1794836461277365);
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
INSERT INTO files VALUES(1,'01a1e496-f6ca-7a16-9cf4-4729c60d4592','01a1e496-f6c3-721e-b56e-b11f7f91bd0b','times.md',47,47,172,'text/markdown',1794836461275356);
CREATE TABLE file_intents (
    user_id    BIGINT NOT NULL,
    id         TEXT   NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (user_id, id)
) WITHOUT ROWID;
INSERT INTO file_intents VALUES(3,'01a1e496-fab9-735e-8e31-33d58c881e68',1794836462265219);
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
CREATE TABLE share_parts (
    user_id  BIGINT NOT NULL,
    share_id TEXT   NOT NULL,
    part     BIGINT NOT NULL,
    data     BLOB   NOT NULL,
    PRIMARY KEY (user_id, share_id, part),
    FOREIGN KEY (user_id, share_id) REFERENCES shares (user_id, id) ON DELETE CASCADE
);
CREATE TABLE share_links (
    id      TEXT   PRIMARY KEY,
    user_id BIGINT NOT NULL
) WITHOUT ROWID;
CREATE TABLE ended_shares (
    user_id BIGINT NOT NULL,
    id      TEXT   NOT NULL,
    PRIMARY KEY (user_id, id)
) WITHOUT ROWID;
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
CREATE TABLE import_skips (
    user_id   BIGINT NOT NULL,
    import_id TEXT   NOT NULL,
    place     BIGINT NOT NULL,
    title     TEXT   NOT NULL,
    reason    TEXT   NOT NULL,
    PRIMARY KEY (user_id, import_id, place),
    FOREIGN KEY (user_id, import_id) REFERENCES imports (user_id, id) ON DELETE CASCADE
) WITHOUT ROWID;
CREATE TABLE import_sources (
    user_id    BIGINT NOT NULL,
    digest     TEXT   NOT NULL,
    session_id TEXT   NOT NULL,
    PRIMARY KEY (user_id, digest),
    FOREIGN KEY (user_id, session_id) REFERENCES sessions (user_id, id) ON DELETE CASCADE
) WITHOUT ROWID;
CREATE TABLE search_queue (
    user_id    BIGINT NOT NULL,
    session_id TEXT   NOT NULL,
    number     BIGINT NOT NULL,
    stale      BIGINT NOT NULL DEFAULT 1,
    PRIMARY KEY (user_id, session_id, number)
) WITHOUT ROWID;
INSERT INTO search_queue VALUES(2,'01a1e496-f6f1-7abd-b781-1b6d61d9b1fb',3,0);
INSERT INTO search_queue VALUES(2,'01a1e496-f6f1-7abd-b781-1b6d61d9b1fb',4,0);
INSERT INTO search_queue VALUES(3,'01a1e496-fab5-7cae-b152-cbe16e46c49a',0,0);
CREATE TABLE search_blocks (
    user_id  BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    block    BIGINT NOT NULL,
    size     BIGINT NOT NULL,
    gone     BIGINT NOT NULL DEFAULT 0,
    sections BIGINT NOT NULL DEFAULT 0,
    names    BLOB   NOT NULL,
    PRIMARY KEY (user_id, block)
);
INSERT INTO search_blocks VALUES(1,1,14,0,0,X'2430316131653439362d663663332d373231652d623536652d62313166376639316264306208000002f0bf9fdb9d99b006020002e83302000292cf020200808080808040002430316131653439362d663663612d376131362d396366342d3437323963363064343539320103b8a3a2db9d99b0062430316131653439362d663665342d373832662d386439312d66656662363437386564636103000002cebea3db9d99b00602002430316131653439362d663665362d376632362d623163322d3462626461643761393030370100002430316131653439362d663665382d376437632d626632302d656635383866396630353566010000');
INSERT INTO search_blocks VALUES(2,1,3,0,0,X'2430316131653439362d663666312d376162642d623738312d31623664363164396231666203000002c48fa5db9d99b0060200');
INSERT INTO search_blocks VALUES(1,2,1,0,1,X'2430316131653439362d663663612d376131362d396366342d343732396336306434353932010500');
CREATE TABLE search_pages (
    user_id BIGINT NOT NULL,
    block   BIGINT NOT NULL,
    first   BIGINT NOT NULL,
    data    BLOB   NOT NULL,
    PRIMARY KEY (user_id, block, first),
    FOREIGN KEY (user_id, block) REFERENCES search_blocks (user_id, block) ON DELETE CASCADE
);
INSERT INTO search_pages VALUES(1,1,162727720910848,X'000318808080f380800203188080808dffff040318e48080ed80800202089cffffb7ffff010318a580800b03188b8080808080010318d0ffffcfffff0805d4088080808080800503fee98080f48080200318fb95c4f5ffff0105dc08c586800405000ebbf97f0318d1d180020200f4b4ff01020dd7e23b05000ebd9cc4030306cafffff8ff7f05000ef8c280f2ff7f020081a1bb0603e0ea9cc404020d96e3bb93ff7f05182f8080803a05d408808080050318bea0c4300306c2dfbb0905000e80808087ff7f05060e8080802c03188080801303e6cde7c422020de0160306d381bb0205002e808080090318808080010306e5ebc40403079b943b03062e0208d2ffff8cff7f0318c1eac4650307bf95bb9aff7f020c8080808080800103e09becc46105000ee593bb03030685ca440318d905030685c3ff0303e0b83e020c801b05000ee593bb96ff7f0200c8adc46303e0f2d23b05d408050318fe9bc409031881040208c2df3b020cefa744020c91d8bb0405000e80808001020c2703189d89c4f1ffff02020d6c0306d0f5bb9aff7f0318808080640208ac8080010318b8964405000eb7550208e593bb9aff7f050610f480805f03189ccac40205000ef0b4bb0203188080800105000e3f03e0c1ffff01020ccb8ec40805000e8a65020cab8cbb90ff7f03e1bcd6c46205000ef5b7800205000eeadd7f0306e5933b0318df8080080318de9b4405e00e8c938006020cb7d03b05d408a1b3c4fdff7f0200c3e3fff2ffff01020d9ce9bb030200b18ec5090307cff1ba06030780808087ff7f051e0eed80802e0208a0b3c43305dc08f3cbbb0d03e080808091ff7f020cf38080270318ca9bc4410306df0203188617020c800105000eea9380010318130208e1b4bb05020080808091ff7f05d408bf8080e58080010306f89ec4838080010306c31403e086ccbb97ffff0105070ecdf7c46f05d408b388bbc9e081e7a2010306808080869ffe9f1a0306808080fa8382a11e0307808080c7b9ff9705030680808080c2feff220200808080e0a3010306e4b88bf69abde29349020d9dc88d89a098c6911705000e988d94b7a1e8be06020c');
INSERT INTO search_pages VALUES(2,1,171524055105536,X'0002008080808dffff120202808080808080270306d985c46403068b91800502028feabbbdff7f0200bf8ac4480200cef4bbcaffff010202808080270306e5ebc4918080010200dcfefff2ff7f020081fcff090306f899bbf4ffff020202baf1c48b8080050306b38ebbf2ff7f0200d9ffff0f03068080800203068080800102028080808bffff020306b18ec5720200cff1ba06020080808087ff7f02008db4c4610202f3cbbb9eff7f0306808080808080010202808080808080040200cdf7c46f0202');
INSERT INTO search_pages VALUES(1,2,153931627888640,X'0002008080808080800b0200808080ae8080020200b180800c0200fdfffff5ff7f02008c8080808080010200f6ffff80808008020085e8c4bf8080270200bf89800302008c8e3b0200bea0c4020200c1be80ebffff01020081a1bb9effff010200c0fec4610200a5edff1002009b943b0200c1eac4f2ff7f0200bf95bbffffff0102008080809bff7f0200bea0c46d0200f9cf80f4ffff020200f999ff030200ebe18080808001020086c7ff8c8080030200dfccbbf6ffff010200b18ec5090200cff1ba06020080808087ff7f02008080807402008080808cff7f0200bd9cc4680200e2ae80010200fca080fcffff010200e593bb9affff020200d4dbd0aea089c7b05d0200');
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES('goose_db_version',2);
INSERT INTO sqlite_sequence VALUES('emails',3);
CREATE INDEX tokens_by_time ON tokens (user_id, created_at);
CREATE INDEX tokens_by_end ON tokens (expires_at);
CREATE INDEX sessions_by_activity ON sessions (user_id, archived, active_at DESC, id DESC);
CREATE INDEX sessions_pinned ON sessions (user_id, archived, active_at DESC, id DESC) WHERE pinned = 1;
CREATE INDEX sessions_by_end ON sessions (expires_at) WHERE expires_at > 0;
CREATE INDEX sessions_by_age ON sessions (active_at, user_id, id);
CREATE INDEX sessions_untitled ON sessions (user_id, message_count, active_at DESC, id DESC) WHERE title = '';
CREATE INDEX messages_favorite ON messages (user_id, favorited_at DESC, favorite_id DESC) WHERE favorite_id IS NOT NULL;
CREATE INDEX branches_by_place ON branches (user_id, session_id, first, parent, branch);
CREATE INDEX branches_shown ON branches (user_id, session_id, first, branch) WHERE shown = 1;
CREATE INDEX turns_by_owner ON turns (owner);
CREATE INDEX outcomes_by_end ON outcomes (ended_at);
CREATE INDEX send_keys_by_session ON send_keys (user_id, session_id);
CREATE INDEX send_keys_by_time ON send_keys (created_at);
CREATE INDEX files_by_session ON files (user_id, session_id, created_at, id);
CREATE INDEX files_by_user ON files (user_id, size, text_size, index_size);
CREATE INDEX files_by_id ON files (id);
CREATE INDEX shares_by_session ON shares (user_id, session_id);
CREATE INDEX shares_by_end ON shares (expires_at) WHERE expires_at > 0;
CREATE UNIQUE INDEX imports_open ON imports (user_id) WHERE ended_at = 0;
CREATE INDEX imports_by_file ON imports (file_id) WHERE ended_at = 0;
CREATE INDEX import_sources_by_session ON import_sources (user_id, session_id);
CREATE INDEX search_queue_sections ON search_queue (user_id, session_id) WHERE number <= -3;
COMMIT;
