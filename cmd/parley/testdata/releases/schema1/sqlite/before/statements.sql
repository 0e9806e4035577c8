PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE goose_db_version (
		id INTEGER PRIMARY KEY AUTOINCREMENT,
		version_id INTEGER NOT NULL,
		is_applied INTEGER NOT NULL,
		tstamp TIMESTAMP DEFAULT (datetime('now'))
	);
INSERT INTO goose_db_version VALUES(1,0,1,'2026-11-16 10:41:45');
INSERT INTO goose_db_version VALUES(2,1,1,'2026-11-16 10:41:45');
CREATE TABLE users (
    id             INTEGER PRIMARY KEY,
    email          TEXT   NOT NULL,
    nickname       TEXT   NOT NULL,
    avatar         TEXT   NOT NULL DEFAULT '',
    password_hash  TEXT   NOT NULL,
    session_count  BIGINT NOT NULL DEFAULT 0,
    favorite_count BIGINT NOT NULL DEFAULT 0,
    -- Since when an operator keeps the account from logging in; 0 is not at all.
    disabled_at    BIGINT NOT NULL DEFAULT 0,
    created_at     BIGINT NOT NULL
);
INSERT INTO users VALUES(1,'ada@example.com','ada','','$argon2id$v=19$m=19456,t=2,p=1$2PEbYL+JrRbm6/TOsFFtIw$WwP7YJmFQDBfDx3698VL8q10CnooOANuGKLSuzRW0g4',5,2,0,1794825706699986);
INSERT INTO users VALUES(2,'bob@example.com','bob','','$argon2id$v=19$m=19456,t=2,p=1$8/V2cgCCOPAfGesxYVtSpg$tKFdXi3ReXwfq81H7jCIN91GZieQF2EwgXj9Aa9RfUw',1,0,0,1794825706953168);
INSERT INTO users VALUES(3,'olga@example.com','olga','','$argon2id$v=19$m=19456,t=2,p=1$saf1fH/KBQzgEUquDopP8w$ZekDKXKkhVpzIyvcqj6KB0oRsnrVQ/RBAT6QLpsQY3Q',1,0,0,1794825707190451);
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
INSERT INTO tokens VALUES(1,X'096686c3df6a5a17fdf714b9f2f361fd243a8dfcb89fb1b4959778cee215b9ec','01a1e3f2-dccb-7f1c-bdc0-d6c3e89adf95','parley-go/1.0.0',1794825706699986,4948425706699986);
INSERT INTO tokens VALUES(2,X'e539252987c7df79788fe1b41426d7c6ae0937ed09b6d743f1e6ad937c9d99c9','01a1e3f2-ddc9-72a4-a82e-f1d3a4e66969','parley-go/1.0.0',1794825706953168,4948425706953168);
INSERT INTO tokens VALUES(3,X'212b2bc88472217021a8110e975943d2dce1f8bce48b706eed5f47b91dae5ac1','01a1e3f2-deb6-76f5-919b-d634c89c339a','parley-go/1.0.0',1794825707190451,4948425707190451);
CREATE TABLE sessions (
    user_id         BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    id              TEXT   NOT NULL,
    title           TEXT   NOT NULL,
    message_count   BIGINT NOT NULL DEFAULT 0,
    last_message_at BIGINT NOT NULL DEFAULT 0,
    active_at       BIGINT NOT NULL,
    created_at      BIGINT NOT NULL,
    -- The branch of the last visible message, and the number of the last branch.
    branch          BIGINT NOT NULL DEFAULT 0,
    branches        BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (user_id, id)
) WITHOUT ROWID;
INSERT INTO sessions VALUES(1,'01a1e3f2-dec7-788f-9ab9-6034ba466b7e','Ferry to Capri 渡船',6,1794825707629740,1794825707629740,1794825707207562,1,1);
INSERT INTO sessions VALUES(1,'01a1e3f2-e0b7-7145-af63-802ee86e715e','Nobody has named this one',2,1794825707704151,1794825707704151,1794825707703084,0,0);
INSERT INTO sessions VALUES(1,'01a1e3f2-e0c7-73f4-8720-ad7bad05d28d','Nothing in it',0,0,1794825707719260,1794825707719260,0,0);
INSERT INTO sessions VALUES(1,'01a1e3f2-e0c8-7371-9c00-0abc0ae5119e','',0,0,1794825707720226,1794825707720226,0,0);
INSERT INTO sessions VALUES(1,'01a1e3f2-e0c9-74d2-b6d4-1c434873deff','Cleared',0,0,1794825707721316,1794825707721316,0,0);
INSERT INTO sessions VALUES(2,'01a1e3f2-e206-7349-8f22-74e168e1ca9b','Bob''s ferry',4,1794825708355772,1794825708355772,1794825708038216,0,0);
INSERT INTO sessions VALUES(3,'01a1e3f2-e32a-7687-b36d-9bd4cd2ad36f','Open',2,1794825708340784,1794825708340784,1794825708330428,0,0);
CREATE TABLE messages (
    user_id      BIGINT NOT NULL,
    session_id   TEXT   NOT NULL,
    number       BIGINT NOT NULL,
    branch       BIGINT NOT NULL DEFAULT 0,
    id           TEXT   NOT NULL,
    role         TEXT   NOT NULL,
    content      TEXT   NOT NULL,
    -- Empty if a reply is complete or open, else why it is not complete: stopped or interrupted.
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
INSERT INTO messages VALUES(1,'01a1e3f2-dec7-788f-9ab9-6034ba466b7e',1,0,'01a1e3f2-ded7-7188-abc8-c17e84622fd6','user','When does the ferry leave? 渡船几点开?','','',1,1794825707223113,NULL,NULL);
INSERT INTO messages VALUES(1,'01a1e3f2-dec7-788f-9ab9-6034ba466b7e',2,0,'01a1e3f2-ded7-718d-9d17-a4ddc3e2762c','assistant','You said: When does the ferry leave? 渡船几点开?','','',1,1794825707223113,NULL,NULL);
INSERT INTO messages VALUES(1,'01a1e3f2-dec7-788f-9ab9-6034ba466b7e',3,0,'01a1e3f2-dedb-76fd-9cc1-7a222079a227','user','And 100% of them on_time, it''s said?','','',1,1794825707227465,NULL,NULL);
INSERT INTO messages VALUES(1,'01a1e3f2-dec7-788f-9ab9-6034ba466b7e',4,0,'01a1e3f2-dedb-7702-b5d9-62520dbb5a14','assistant','You said: And 100% of them on_time, it''s said?','','',1,1794825707227465,'01a1e3f2-dee0-7968-abe4-d8d12c2cb074',1794825707232617);
INSERT INTO messages VALUES(1,'01a1e3f2-dec7-788f-9ab9-6034ba466b7e',5,0,'01a1e3f2-e06d-7a1b-8896-c17124454e72','user','So which one?','','',1,1794825707629740,'01a1e3f2-e092-73f7-8dbf-2ed99a65063c',1794825707666262);
INSERT INTO messages VALUES(1,'01a1e3f2-dec7-788f-9ab9-6034ba466b7e',6,0,'01a1e3f2-e06d-7a1f-a352-061f533b071c','assistant','You said: So which one?','','{"thinking":"Thinking about: So which one?","thinking_ms":1,"files":[{"file_id":"01a1e3f2-dee3-7a38-bdde-a1b0f7018f11","filename":"times.md"}]}',1,1794825707629740,NULL,NULL);
INSERT INTO messages VALUES(1,'01a1e3f2-dec7-788f-9ab9-6034ba466b7e',6,1,'01a1e3f2-e06d-7a1f-a352-061f533b071c','assistant','You said: So which one?','','{"files":[{"file_id":"01a1e3f2-dee3-7a38-bdde-a1b0f7018f11","filename":"times.md"}]}',2,1794825707629740,NULL,NULL);
INSERT INTO messages VALUES(1,'01a1e3f2-e0b7-7145-af63-802ee86e715e',1,0,'01a1e3f2-e0b8-7222-a5c0-277b1b54f9fe','user','Nobody has named this one','','',1,1794825707704151,NULL,NULL);
INSERT INTO messages VALUES(1,'01a1e3f2-e0b7-7145-af63-802ee86e715e',2,0,'01a1e3f2-e0b8-7226-aafc-ede0eb66be83','assistant','You said: Nobody has named this one','','',1,1794825707704151,NULL,NULL);
INSERT INTO messages VALUES(2,'01a1e3f2-e206-7349-8f22-74e168e1ca9b',1,0,'01a1e3f2-e238-7ec4-a098-fcbe94a8f5ab','user','Not for Ada','','',1,1794825708088978,NULL,NULL);
INSERT INTO messages VALUES(2,'01a1e3f2-e206-7349-8f22-74e168e1ca9b',2,0,'01a1e3f2-e238-7ec7-ae33-70d941745bbd','assistant','You said: Not for Ada','','',1,1794825708088978,NULL,NULL);
INSERT INTO messages VALUES(3,'01a1e3f2-e32a-7687-b36d-9bd4cd2ad36f',1,0,'01a1e3f2-e334-7bd0-81a9-4e7b1b75d38b','user','Is it?','','',1,1794825708340784,NULL,NULL);
INSERT INTO messages VALUES(3,'01a1e3f2-e32a-7687-b36d-9bd4cd2ad36f',2,0,'01a1e3f2-e334-7bd3-9176-e1f4956c907e','assistant','','','',1,1794825708340784,NULL,NULL);
INSERT INTO messages VALUES(2,'01a1e3f2-e206-7349-8f22-74e168e1ca9b',3,0,'01a1e3f2-e343-7ba7-926f-804c26689903','user','Still to be indexed','','',1,1794825708355772,NULL,NULL);
INSERT INTO messages VALUES(2,'01a1e3f2-e206-7349-8f22-74e168e1ca9b',4,0,'01a1e3f2-e343-7bab-a04f-43f522cbdce6','assistant','You said: Still to be indexed','','',1,1794825708355772,NULL,NULL);
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
INSERT INTO branches VALUES(1,'01a1e3f2-dec7-788f-9ab9-6034ba466b7e',0,0,0,1,0,6,1794825707629740);
INSERT INTO branches VALUES(1,'01a1e3f2-dec7-788f-9ab9-6034ba466b7e',1,0,6,1,1,0,0);
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
INSERT INTO turns VALUES(3,'01a1e3f2-e32a-7687-b36d-9bd4cd2ad36f','01a1e3f2-e334-7bd3-9176-e1f4956c907e','01a1e3f2-da29-73c4-b307-3a9847f35a62',1,1,2,0,'',0,1,0,'{}','','');
CREATE TABLE owners (
    id          TEXT   PRIMARY KEY,
    lease_until BIGINT NOT NULL
) WITHOUT ROWID;
INSERT INTO owners VALUES('01a1e3f2-da29-73c4-b307-3a9847f35a62',1794825716200000);
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
INSERT INTO send_keys VALUES(1,'one','aadea71a12543be80babc4b09da5984c56e6fffdbaed634a866b3d0ab70a8433','01a1e3f2-dec7-788f-9ab9-6034ba466b7e','01a1e3f2-e06d-7a1f-a352-061f533b071c',1794825707629740);
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
INSERT INTO files VALUES(1,'01a1e3f2-dee3-7a38-bdde-a1b0f7018f11','01a1e3f2-dec7-788f-9ab9-6034ba466b7e','times.md',47,47,172,'text/markdown',1794825707623048);
CREATE TABLE file_intents (
    user_id    BIGINT NOT NULL,
    id         TEXT   NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (user_id, id)
) WITHOUT ROWID;
INSERT INTO file_intents VALUES(3,'01a1e3f2-e33e-7ee5-9c3b-45408cd8063b',1794825708350974);
CREATE TABLE search_queue (
    user_id    BIGINT NOT NULL,
    session_id TEXT   NOT NULL,
    number     BIGINT NOT NULL,
    stale      BIGINT NOT NULL DEFAULT 1,
    PRIMARY KEY (user_id, session_id, number)
) WITHOUT ROWID;
INSERT INTO search_queue VALUES(2,'01a1e3f2-e206-7349-8f22-74e168e1ca9b',3,0);
INSERT INTO search_queue VALUES(2,'01a1e3f2-e206-7349-8f22-74e168e1ca9b',4,0);
INSERT INTO search_queue VALUES(3,'01a1e3f2-e32a-7687-b36d-9bd4cd2ad36f',0,0);
CREATE TABLE search_blocks (
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    block   BIGINT NOT NULL,
    size    BIGINT NOT NULL,
    gone    BIGINT NOT NULL DEFAULT 0,
    names   BLOB   NOT NULL,
    PRIMARY KEY (user_id, block)
);
INSERT INTO search_blocks VALUES(1,1,13,0,X'2430316131653366322d646563372d373838662d396162392d36303334626134363662376508000202020202028080808080402430316131653366322d653062372d373134352d616636332d383032656538366537313565030002022430316131653366322d653063372d373366342d383732302d61643762616430356432386401002430316131653366322d653063392d373464322d623664342d3163343334383733646566660100');
INSERT INTO search_blocks VALUES(2,1,3,0,X'2430316131653366322d653230362d373334392d386632322d37346531363865316361396203000202');
CREATE TABLE search_pages (
    user_id BIGINT NOT NULL,
    block   BIGINT NOT NULL,
    first   BIGINT NOT NULL,
    data    BLOB   NOT NULL,
    PRIMARY KEY (user_id, block, first),
    FOREIGN KEY (user_id, block) REFERENCES search_blocks (user_id, block) ON DELETE CASCADE
);
INSERT INTO search_pages VALUES(1,1,162727720910848,X'000318808080f380800203188080808dffff040318808080a58080040318a580800b03188b8080808080010318d0ffffcfffff0805d4048080808080800503fee98080f48080200318fb95c4f5ffff0105dc04c5868004050007bbf97f0318d1d180020200f4b4ff01020cd7e23b050007bd9cc4030306cafffff8ff7f050007f8c280f2ff7f020081a1bb0603e0ea9cc404020c96e3bb93ff7f0518178080803a05d404808080050318bea0c4300306c2dfbb0905000780808087ff7f0506078080802c03188080801303e6cde7c422020ce0160306d381bb02050017808080090318808080010306e5ebc40403079b943b03068080808dff7f0318c1eac4650307bf95bb9aff7f020b8080808080800103e09becc461050007e593bb03030685ca440318d905030685c3ff0303e0b83e020b801b050007e593bb96ff7f0200c8adc46303e0f2d23b05d404050318fe9bc4090318c3e33b020befa744020b91d8bb0405000780808001020b2703189d89c4f1ffff02020c6c0306d0f5bb9aff7f0318ac8080650318b896440500079ce9bb9aff7f050608f480805f03189ccac402050007f0b4bb020318808080010500073f03e0c1ffff01020bcb8ec4080500078a65020bab8cbb90ff7f03e1bcd6c462050007f5b78002050007eadd7f0306e5933b0318df8080080318de9b4405e0078c938006020bb7d03b05d404a1b3c4fdff7f0200c3e3fff2ffff01020c9ce9bb030200b18ec5090307cff1ba06030780808087ff7f051e078db4c46105dc04f3cbbb0d03e080808091ff7f020bf38080270318ca9bc4410306df0203188617020b8001050007ea9380010318f4b4bb05020080808091ff7f05d404bf8080e58080010306f89ec4838080010306c31403e086ccbb97ffff01050707cdf7c46f05d404b388bbc9e081e7a2010306808080869ffe9f1a0306808080fa8382a11e0307808080c7b9ff9705030680808080c2feff220200808080e0a3010306e4b88bf69abde29349020c9dc88d89a098c69117050007988d94b7a1e8be06020b');
INSERT INTO search_pages VALUES(2,1,171524055105536,X'0002008080808dffff120202808080808080270306d985c46403068b91800502028feabbbdff7f0200bf8ac4480200cef4bbcaffff010202808080270306e5ebc4918080010200dcfefff2ff7f020081fcff090306f899bbf4ffff020202baf1c48b8080050306b38ebbf2ff7f0200d9ffff0f03068080800203068080800102028080808bffff020306b18ec5720200cff1ba06020080808087ff7f02008db4c4610202f3cbbb9eff7f0306808080808080010202808080808080040200cdf7c46f0202');
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES('goose_db_version',2);
INSERT INTO sqlite_sequence VALUES('emails',3);
CREATE INDEX tokens_by_time ON tokens (user_id, created_at);
CREATE INDEX tokens_by_end ON tokens (expires_at);
CREATE INDEX sessions_by_activity ON sessions (user_id, active_at DESC, id DESC);
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
COMMIT;
