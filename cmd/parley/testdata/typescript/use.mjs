// Uses the installed package against the server at PARLEY_URL. The proxy at PARLEY_CUT_URL cuts off the first stream.
import assert from "node:assert/strict";
import { ApiError, Client, ErrorCode } from "@parley/client";

const { PARLEY_URL, PARLEY_CUT_URL } = process.env;
const account = { email: "ada@example.com", password: "correct horse" };
const refused = [];
const client = new Client(`${PARLEY_URL}/`, { onTokenRefused: (token) => refused.push(token) });

const fails = (promise, code, more = {}) =>
  assert.rejects(promise, (error) => {
    assert.ok(error instanceof ApiError, String(error));
    assert.equal(error.code, code);
    assert.notEqual(error.message, "");
    for (const [name, value] of Object.entries(more)) assert.equal(error[name], value, name);
    return true;
  });

const steps = {
  async "log in"() {
    await fails(client.login(account), ErrorCode.noSuchUser, { status: 404, temporary: false });
    const { token } = await client.register({ ...account, nickname: "Ada" });
    assert.equal(client.token, token);
    await fails(client.login({ ...account, password: "wrong" }), ErrorCode.wrongPassword);
    const { user } = await client.login(account);
    assert.equal(user.nickname, "Ada");
    assert.notEqual(client.token, token);
    assert.equal((await client.user()).email, account.email);
    assert.equal((await client.updateProfile({ nickname: "Ada L." })).nickname, "Ada L.");
    assert.deepEqual((await client.models()).models.map(({ default: first }) => first)[0], true);
    await client.health();
    await client.ready();
  },

  async sessions() {
    const { session_id } = await client.createSession({ title: "Ferries" });
    await client.updateSession(session_id, { title: "Boats" });
    const { sessions, total } = await client.sessions({ keyword: "boats", page: 1, page_size: 5 });
    assert.deepEqual([total, sessions[0].id, sessions[0].title], [1, session_id, "Boats"]);
    await client.deleteSession(session_id);
    await fails(client.messages(session_id), ErrorCode.noSuchSession);
    await fails(client.updateSession(session_id, { title: "" }), ErrorCode.invalidParameter);
  },

  async send() {
    const { session_id } = await client.createSession();
    const key = { idempotencyKey: "the first question" };
    const sent = await client.send({ session_id, content: "渡船?" }, key);
    assert.equal(sent.ai_response.content, "You said: 渡船?");
    assert.deepEqual(await client.send({ session_id, content: "渡船?" }, key), sent);
    const { messages } = await client.messages(session_id, { page_size: 10 });
    assert.deepEqual(
      messages.map(({ role }) => role),
      ["user", "assistant"],
    );

    const { ai_response } = await client.regenerate(session_id);
    assert.equal(ai_response.id, sent.ai_response.id);
    const { favorite_id } = await client.addFavorite({ session_id, message_id: ai_response.id });
    assert.equal((await client.favorites({ keyword: "渡船" })).favorites[0].id, favorite_id);
    await client.removeFavorite(ai_response.id);
    await fails(client.removeFavorite(ai_response.id), ErrorCode.noSuchFavorite);
    assert.equal((await client.export(session_id)).messages.length, 2);
    assert.match(await (await client.exportMarkdown(session_id)).text(), /^# 渡船\?/);
    await client.clearSession(session_id);
    assert.equal((await client.messages(session_id)).total, 0);
  },

  async stream() {
    const { session_id } = await client.createSession();
    const stream = client.stream({ session_id, content: "ferries?", deep_thinking: true });
    const texts = { thinking: "", delta: "" };
    const names = new Set();
    for await (const { name, data } of stream) {
      names.add(name);
      if (name in texts) texts[name] += data.text;
    }
    assert.deepEqual([...names], ["start", "thinking", "delta", "done"]);
    assert.deepEqual(texts, { thinking: "Thinking about: ferries?", delta: "You said: ferries?" });
    const again = await client.follow(stream.messageId).wait();
    assert.equal(again.ai_response.content, texts.delta);
    await fails(client.follow("no such reply").wait(), ErrorCode.noSuchSession);
    await fails(client.stream({ session_id: "no such session", content: "?" }).wait(), ErrorCode.noSuchSession);
  },

  async "stop a stream"() {
    const { session_id } = await client.createSession();
    const stream = client.stream({ session_id, content: "endless" });
    for await (const event of stream) {
      if (event.name === "delta") await client.stop(stream.messageId);
      if (event.name === "done") assert.equal(event.data.ai_response.content, "and so on ");
    }
  },

  async "abort and follow a stream"() {
    const { session_id } = await client.createSession();
    const controller = new AbortController();
    const stream = client.stream({ session_id, content: "endless" }, { signal: controller.signal });
    const reading = (async () => {
      for await (const { name } of stream) if (name === "delta") controller.abort(new Error("left"));
    })();
    await assert.rejects(reading, /left/);
    const { messageId, lastEventId } = stream;
    await client.stop(messageId);
    const names = [];
    for await (const { name } of client.follow(messageId, { lastEventId })) names.push(name);
    assert.deepEqual(names, ["done"]);
  },

  async "continue a stream that is cut off"() {
    const { session_id } = await client.createSession();
    const cut = new Client(PARLEY_CUT_URL, { token: client.token });
    const names = [];
    let text = "";
    for await (const event of cut.stream({ session_id, content: "in two pieces" })) {
      names.push(event.name);
      if (event.name === "delta") text += event.data.text;
      if (event.name === "done") assert.equal(event.data.ai_response.content, text);
    }
    assert.deepEqual(names, ["start", "delta", "delta", "done"]);
    assert.equal(text, "before the cut and after it");
    assert.equal((await client.messages(session_id)).total, 2);
  },

  async upload() {
    const { session_id } = await client.createSession();
    const text = "The last ferry back leaves Capri at 20:10.\n".repeat(40_000);
    const parts = [];
    const onProgress = (part) => parts.push(part);
    const stored = await client.upload(session_id, new File([text], "渡船.md"), { onProgress });
    assert.deepEqual([stored.filename, stored.file_size], ["渡船.md", text.length]);
    assert.ok(parts.length > 2, `${parts.length} reports`);
    assert.deepEqual(parts, parts.toSorted?.((a, b) => a - b) ?? [...parts].sort((a, b) => a - b));
    assert.deepEqual([parts[0] < 1, parts.at(-1)], [true, 1]);
    assert.equal((await client.files(session_id)).files[0].file_id, stored.file_id);
    const download = await client.download(stored.file_id);
    assert.deepEqual([download.filename, download.fileSize], ["渡船.md", text.length]);
    assert.equal(download.fileType, "text/markdown");
    assert.equal(await download.text(), text);
    await client.deleteFile(stored.file_id);
    await fails(client.download(stored.file_id), ErrorCode.uploadFailed, { status: 404 });

    const binary = new File([new Uint8Array([0x7f, 0x45, 0x4c, 0x46, 0, 0, 0, 0])], "program");
    await fails(client.upload(session_id, binary), ErrorCode.formatUnsupported);
    const onReading = () => assert.fail("it has no pages that take long");
    for (const options of [{ onReading }, { onReading, onProgress }]) {
      const { file_id } = await client.upload(session_id, new File([text], "a.md"), options);
      await client.deleteFile(file_id);
      await fails(client.upload(session_id, binary, options), ErrorCode.formatUnsupported, { status: 415 });
    }
    const large = new File(["x".repeat(3 << 20)], "large.txt");
    await fails(client.upload(session_id, large, { onProgress }), ErrorCode.fileTooLarge);
    const left = AbortSignal.abort(new Error("left"));
    await assert.rejects(client.upload(session_id, large, { onProgress, signal: left }), /left/);
  },

  async errors() {
    await fails(new Client("http://127.0.0.1:1").user(), ErrorCode.offline, { status: 0, temporary: true });
    const missing = client.request("GET", "/api/nothing");
    await fails(missing, ErrorCode.invalidParameter, { status: 404 });
    await assert.rejects(client.user({ signal: AbortSignal.abort() }), { name: "AbortError" });
  },

  async "log out"() {
    const { tokens } = await client.tokens();
    await client.endToken(tokens.find(({ current }) => !current).id);
    await client.changePassword({ old_password: account.password, new_password: "another horse" });
    const last = client.token;
    await client.logout();
    assert.deepEqual(refused, []);
    await fails(client.user(), ErrorCode.badToken, { status: 401 });
    assert.deepEqual(refused, [last]);
    await client.login({ ...account, password: "another horse" });
    await client.deleteUser({ password: "another horse" });
    await fails(client.login(account), ErrorCode.noSuchUser);
  },

  async "guess passwords"() {
    const email = "eve@example.com";
    const guesses = new Client(PARLEY_URL);
    await guesses.register({ email, password: "correct horse", nickname: "Eve" });
    let error;
    for (let guess = 0; guess < 20 && error?.code !== ErrorCode.tooManyAttempts; guess++) {
      error = await guesses.login({ email, password: "wrong horse" }).catch((reason) => reason);
    }
    assert.equal(error.code, ErrorCode.tooManyAttempts);
    assert.ok(error.retryAfter > 0 && error.retryAt > Date.now() && error.temporary);
  },
};

for (const [name, step] of Object.entries(steps)) {
  console.log(name);
  await step();
}
