PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE goose_db_version (
		id INTEGER PRIMARY KEY AUTOINCREMENT,
		version_id INTEGER NOT NULL,
		is_applied INTEGER NOT NULL,
		tstamp TIMESTAMP DEFAULT (datetime('now'))
	);
INSERT INTO goose_db_version VALUES(1,0,1,'2026-11-16 07:31:25');
INSERT INTO goose_db_version VALUES(2,1,1,'2026-11-16 07:31:25');
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
INSERT INTO users VALUES(1,'ada@example.com','ada','','$argon2id$v=19$m=19456,t=2,p=1$MKKUTP1tJaCjLfdsZzRtQg$fjOSLTU2kqNuzsLTdQAY27Iem7Q5SfE340ycxqcKecA',5,2,0,1794814285727768);
INSERT INTO users VALUES(2,'bob@example.com','bob','','$argon2id$v=19$m=19456,t=2,p=1$FrKUh79EBYYfCbJ7Z0WOmQ$ez52+khL+XLovdO29+lrR4i+bPFNxjY/X9T14hhQltk',1,0,0,1794814285948015);
INSERT INTO users VALUES(3,'olga@example.com','olga','','$argon2id$v=19$m=19456,t=2,p=1$L0LYSdKBT3HcbFDVXEldtA$DCc/Ouh3gzcMZxh6/sr2RJYwcVuBeHvwG4RDn1dqMuI',1,0,0,1794814286236049);
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
INSERT INTO tokens VALUES(1,X'c95eee815126fb481a4b8658f04da28832bb59c1f73415e42c5dca99cdfcf8ff','01a1e344-979f-7bc8-be56-a572b82a7edb','parley-go/1.0.0',1794814285727768,4948414285727768);
INSERT INTO tokens VALUES(2,X'454d3cd53f6a4cdd78ae0f25ffd10368a7cdcc7cea4f3d05783b310b4266f597','01a1e344-987c-7085-8052-bf9423127810','parley-go/1.0.0',1794814285948015,4948414285948015);
INSERT INTO tokens VALUES(3,X'fe761d09068729bc6108540b3ad7fe042b3efdcc24ae5f3e80ebaf8a2a363248','01a1e344-999c-70ca-a1aa-3e69684cf3c0','parley-go/1.0.0',1794814286236049,4948414286236049);
CREATE TABLE sessions (
    user_id         BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    id              TEXT   NOT NULL,
    title           TEXT   NOT NULL,
    message_count   BIGINT NOT NULL DEFAULT 0,
    last_message_at BIGINT NOT NULL DEFAULT 0,
    active_at       BIGINT NOT NULL,
    created_at      BIGINT NOT NULL,
    PRIMARY KEY (user_id, id)
) WITHOUT ROWID;
INSERT INTO sessions VALUES(1,'01a1e344-99a1-72e6-aa02-9e549c0d9a36','Ferry to Capri 渡船',6,1794814286344673,1794814286344673,1794814286241190);
INSERT INTO sessions VALUES(1,'01a1e344-9a1b-7623-b292-ec796a8b2c03','Nobody has named this one',2,1794814286364108,1794814286364108,1794814286363402);
INSERT INTO sessions VALUES(1,'01a1e344-9a1d-7c2b-8f40-991a08e3974d','Nothing in it',0,0,1794814286365797,1794814286365797);
INSERT INTO sessions VALUES(1,'01a1e344-9a1e-7675-9631-1f5e6ecb88d9','',0,0,1794814286366423,1794814286366423);
INSERT INTO sessions VALUES(1,'01a1e344-9a1e-7f13-9f49-c795a211282c','Cleared',0,0,1794814286366988,1794814286366988);
INSERT INTO sessions VALUES(2,'01a1e344-9a2b-76e8-9265-a13d8ac2fc14','Bob''s ferry',4,1794814287296994,1794814287296994,1794814286379453);
INSERT INTO sessions VALUES(3,'01a1e344-9d9b-7299-b3e5-b9828eb02b48','Open',2,1794814287261922,1794814287261922,1794814287259171);
CREATE TABLE messages (
    user_id      BIGINT NOT NULL,
    session_id   TEXT   NOT NULL,
    number       BIGINT NOT NULL,
    id           TEXT   NOT NULL,
    role         TEXT   NOT NULL,
    content      TEXT   NOT NULL,
    details      TEXT   NOT NULL DEFAULT '',
    attempt      BIGINT NOT NULL DEFAULT 1,
    created_at   BIGINT NOT NULL,
    favorite_id  TEXT  ,
    favorited_at BIGINT,
    PRIMARY KEY (user_id, session_id, number),
    UNIQUE (user_id, id),
    FOREIGN KEY (user_id, session_id) REFERENCES sessions (user_id, id) ON DELETE CASCADE
);
INSERT INTO messages VALUES(1,'01a1e344-99a1-72e6-aa02-9e549c0d9a36',1,'01a1e344-99a8-7c2a-9389-f454b73a0e62','user','When does the ferry leave? 渡船几点开?','',1,1794814286248807,NULL,NULL);
INSERT INTO messages VALUES(1,'01a1e344-99a1-72e6-aa02-9e549c0d9a36',2,'01a1e344-99a8-7c2e-ad20-b1274dafa4d4','assistant','You said: When does the ferry leave? 渡船几点开?','',1,1794814286248807,NULL,NULL);
INSERT INTO messages VALUES(1,'01a1e344-99a1-72e6-aa02-9e549c0d9a36',3,'01a1e344-99b3-7397-b7db-339e423ce704','user','And 100% of them on_time, it''s said?','',1,1794814286259244,NULL,NULL);
INSERT INTO messages VALUES(1,'01a1e344-99a1-72e6-aa02-9e549c0d9a36',4,'01a1e344-99b3-739c-a3e7-308846a6bf30','assistant','You said: And 100% of them on_time, it''s said?','',1,1794814286259244,'01a1e344-99b9-735a-a58f-596fb58f332e',1794814286265220);
INSERT INTO messages VALUES(1,'01a1e344-99a1-72e6-aa02-9e549c0d9a36',5,'01a1e344-9a08-7982-ba81-982bcae713cd','user','So which one?','',1,1794814286344673,'01a1e344-9a18-7841-a682-64ab2bdb1095',1794814286360541);
INSERT INTO messages VALUES(1,'01a1e344-99a1-72e6-aa02-9e549c0d9a36',6,'01a1e344-9a08-7986-a80d-94c2babaedf9','assistant','You said: So which one?','{"files":[{"file_id":"01a1e344-99ba-75d1-b3d4-a691bd8f30c9","filename":"times.md"}]}',2,1794814286344673,NULL,NULL);
INSERT INTO messages VALUES(1,'01a1e344-9a1b-7623-b292-ec796a8b2c03',1,'01a1e344-9a1c-718d-bdea-59814ddc25fb','user','Nobody has named this one','',1,1794814286364108,NULL,NULL);
INSERT INTO messages VALUES(1,'01a1e344-9a1b-7623-b292-ec796a8b2c03',2,'01a1e344-9a1c-718e-bef2-d3a611383f87','assistant','You said: Nobody has named this one','',1,1794814286364108,NULL,NULL);
INSERT INTO messages VALUES(2,'01a1e344-9a2b-76e8-9265-a13d8ac2fc14',1,'01a1e344-9a2c-75d4-9345-be240dcdf64e','user','Not for Ada','',1,1794814286380387,NULL,NULL);
INSERT INTO messages VALUES(2,'01a1e344-9a2b-76e8-9265-a13d8ac2fc14',2,'01a1e344-9a2c-75d7-b8e8-46a5d7affecd','assistant','You said: Not for Ada','',1,1794814286380387,NULL,NULL);
INSERT INTO messages VALUES(3,'01a1e344-9d9b-7299-b3e5-b9828eb02b48',1,'01a1e344-9d9d-7dc9-b496-8fa969a55471','user','Is it?','',1,1794814287261922,NULL,NULL);
INSERT INTO messages VALUES(3,'01a1e344-9d9b-7299-b3e5-b9828eb02b48',2,'01a1e344-9d9d-7dcb-ba6f-a0b79a718c31','assistant','','',1,1794814287261922,NULL,NULL);
INSERT INTO messages VALUES(2,'01a1e344-9a2b-76e8-9265-a13d8ac2fc14',3,'01a1e344-9dc0-7f11-a841-4fa5b0e8736e','user','Still to be indexed','',1,1794814287296994,NULL,NULL);
INSERT INTO messages VALUES(2,'01a1e344-9a2b-76e8-9265-a13d8ac2fc14',4,'01a1e344-9dc0-7f14-a919-86cb9e876497','assistant','You said: Still to be indexed','',1,1794814287296994,NULL,NULL);
CREATE TABLE turns (
    user_id    BIGINT NOT NULL,
    session_id TEXT   NOT NULL,
    message_id TEXT   NOT NULL,
    owner      TEXT   NOT NULL,
    attempt    BIGINT NOT NULL,
    first      BIGINT NOT NULL,
    number     BIGINT NOT NULL,
    named      TEXT   NOT NULL,
    redo       BIGINT NOT NULL,
    stopped    BIGINT NOT NULL DEFAULT 0,
    options    TEXT   NOT NULL,
    content    TEXT   NOT NULL DEFAULT '',
    thinking   TEXT   NOT NULL DEFAULT '',
    PRIMARY KEY (user_id, session_id),
    UNIQUE (user_id, message_id),
    FOREIGN KEY (user_id, session_id) REFERENCES sessions (user_id, id) ON DELETE CASCADE
) WITHOUT ROWID;
INSERT INTO turns VALUES(3,'01a1e344-9d9b-7299-b3e5-b9828eb02b48','01a1e344-9d9d-7dcb-ba6f-a0b79a718c31','01a1e344-9618-77cc-af28-0a0cb1fb1b86',1,1,2,'',0,0,'{}','','');
CREATE TABLE owners (
    id          TEXT   PRIMARY KEY,
    lease_until BIGINT NOT NULL
) WITHOUT ROWID;
INSERT INTO owners VALUES('01a1e344-9618-77cc-af28-0a0cb1fb1b86',1794814295396000);
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
INSERT INTO send_keys VALUES(1,'one','c1f36381f2273ca2e72c7276f1f568ca4503648a9526650b197ca2292f6762b9','01a1e344-99a1-72e6-aa02-9e549c0d9a36','01a1e344-9a08-7986-a80d-94c2babaedf9',1794814286344673);
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
INSERT INTO files VALUES(1,'01a1e344-99ba-75d1-b3d4-a691bd8f30c9','01a1e344-99a1-72e6-aa02-9e549c0d9a36','times.md',47,47,172,'text/markdown',1794814286332299);
CREATE TABLE file_intents (
    user_id    BIGINT NOT NULL,
    id         TEXT   NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (user_id, id)
) WITHOUT ROWID;
INSERT INTO file_intents VALUES(3,'01a1e344-9da1-746b-8be1-460db59b010c',1794814287265288);
CREATE TABLE search_queue (
    user_id    BIGINT NOT NULL,
    session_id TEXT   NOT NULL,
    number     BIGINT NOT NULL,
    stale      BIGINT NOT NULL DEFAULT 1,
    PRIMARY KEY (user_id, session_id, number)
) WITHOUT ROWID;
INSERT INTO search_queue VALUES(2,'01a1e344-9a2b-76e8-9265-a13d8ac2fc14',3,0);
INSERT INTO search_queue VALUES(2,'01a1e344-9a2b-76e8-9265-a13d8ac2fc14',4,0);
INSERT INTO search_queue VALUES(3,'01a1e344-9d9b-7299-b3e5-b9828eb02b48',0,0);
CREATE TABLE search_blocks (
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    block   BIGINT NOT NULL,
    size    BIGINT NOT NULL,
    gone    BIGINT NOT NULL DEFAULT 0,
    names   BLOB   NOT NULL,
    PRIMARY KEY (user_id, block)
);
INSERT INTO search_blocks VALUES(1,1,12,0,X'2430316131653334342d393961312d373265362d616130322d39653534396330643961333607000202020202022430316131653334342d396131622d373632332d623239322d656337393661386232633033030002022430316131653334342d396131642d376332622d386634302d39393161303865333937346401002430316131653334342d396131652d376631332d396634392d6337393561323131323832630100');
INSERT INTO search_blocks VALUES(2,1,3,0,X'2430316131653334342d396132622d373665382d393236352d61313364386163326663313403000202');
CREATE TABLE search_pages (
    user_id BIGINT NOT NULL,
    block   BIGINT NOT NULL,
    first   BIGINT NOT NULL,
    data    BLOB   NOT NULL,
    PRIMARY KEY (user_id, block, first),
    FOREIGN KEY (user_id, block) REFERENCES search_blocks (user_id, block) ON DELETE CASCADE
);
INSERT INTO search_pages VALUES(1,1,162727720910848,X'000318808080f380800203188080808dffff040318808080a58080040318a580800b03188b8080808080010318d0ffffcfffff0805540280808080808005037ee98080f48080200318fb95c4f5ffff01055c02c5868004058003bbf97f0318d1d180020200f4b4ff01020bd7e23b058003bd9cc4030306cafffff8ff7f058003f8c280f2ff7f020081a1bb060360ea9cc404020b96e3bb93ff7f05980b8080803a055402808080050318bea0c4300306c2dfbb0905800380808087ff7f0586038080802c0318808080130366cde7c422020be0160306d381bb0205800b808080090318808080010306e5ebc40403079b943b03068080808dff7f0318c1eac4650307bf95bb9aff7f020a8080808080800103609becc461058003e593bb03030685ca440318d905030685c3ff030360b83e020a801b058003e593bb96ff7f0200c8adc4630360f2d23b055402050318fe9bc4090318c3e33b020aefa744020a91d8bb0405800380808001020a2703189d89c4f1ffff02020b6c0306d0f5bb9aff7f0318ac8080650318b896440580039ce9bb9aff7f050604f480805f03189ccac402058003f0b4bb020318808080010580033f0360c1ffff01020acb8ec4080580038a65020aab8cbb90ff7f0361bcd6c462058003f5b78002058003eadd7f0306e5933b0318df8080080318de9b4405e0038c938006020ab7d03b055402a1b3c4fdff7f0200c3e3fff2ffff01020b9ce9bb030200b18ec5090307cff1ba06030780808087ff7f059e038db4c461055c02f3cbbb0d036080808091ff7f020af38080270318ca9bc4410306df0203188617020a8001058003ea9380010318f4b4bb05020080808091ff7f055402bf8080e58080010306f89ec4838080010306c314036086ccbb97ffff01058703cdf7c46f055402b388bbc9e081e7a2010306808080869ffe9f1a0306808080fa8382a11e0307808080c7b9ff9705030680808080c2feff220200808080e0a3010306e4b88bf69abde29349020b9dc88d89a098c69117058003988d94b7a1e8be06020a');
INSERT INTO search_pages VALUES(2,1,171524055105536,X'0002008080808dffff120202808080808080270306d985c46403068b91800502028feabbbdff7f0200bf8ac4480200cef4bbcaffff010202808080270306e5ebc4918080010200dcfefff2ff7f020081fcff090306f899bbf4ffff020202baf1c48b8080050306b38ebbf2ff7f0200d9ffff0f03068080800203068080800102028080808bffff020306b18ec5720200cff1ba06020080808087ff7f02008db4c4610202f3cbbb9eff7f0306808080808080010202808080808080040200cdf7c46f0202');
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES('goose_db_version',2);
INSERT INTO sqlite_sequence VALUES('emails',3);
CREATE INDEX tokens_by_time ON tokens (user_id, created_at);
CREATE INDEX tokens_by_end ON tokens (expires_at);
CREATE INDEX sessions_by_activity ON sessions (user_id, active_at DESC, id DESC);
CREATE INDEX sessions_untitled ON sessions (user_id, message_count, active_at DESC, id DESC) WHERE title = '';
CREATE INDEX messages_favorite ON messages (user_id, favorited_at DESC, favorite_id DESC) WHERE favorite_id IS NOT NULL;
CREATE INDEX turns_by_owner ON turns (owner);
CREATE INDEX outcomes_by_end ON outcomes (ended_at);
CREATE INDEX send_keys_by_session ON send_keys (user_id, session_id);
CREATE INDEX send_keys_by_time ON send_keys (created_at);
CREATE INDEX files_by_session ON files (user_id, session_id, created_at, id);
CREATE INDEX files_by_user ON files (user_id, size, text_size, index_size);
CREATE INDEX files_by_id ON files (id);
COMMIT;
