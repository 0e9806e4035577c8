import { readFileSync } from "node:fs";
import { describe, expect, it, vi } from "vitest";
import { Client } from "./client.js";
import { ApiError, ErrorCode } from "./error.js";
import type { operations } from "./schema.js";
import { event, type Step, stubServer, success } from "./testing/stub.js";

const file = new File(["text"], "notes.md");
const done = event("1.0.0", "done", {});

/** A call of every operation of the API's description. The ids are those of its paths' parameters. */
const calls: Record<keyof operations, (client: Client) => Promise<unknown>> = {
  register: (client) => client.register({ email: "a@b.c", password: "correct horse", nickname: "Ada" }),
  login: (client) => client.login({ email: "a@b.c", password: "correct horse" }),
  getSignOn: (client) => client.signOn(),
  exchangeSignIn: (client) => client.signIn({ code: "code" }),
  logout: (client) => client.logout(),
  userInfo: (client) => client.user(),
  updateProfile: (client) => client.updateProfile({ nickname: "Ada" }),
  changePassword: (client) => client.changePassword({ old_password: "a", new_password: "b" }),
  deleteUser: (client) => client.deleteUser({ password: "correct horse" }),
  setUpSecondFactor: (client) => client.setUpSecondFactor({ password: "correct horse" }),
  confirmSecondFactor: (client) => client.confirmSecondFactor({ code: "123456" }),
  removeSecondFactor: (client) => client.removeSecondFactor({ password: "correct horse" }),
  registrationStatus: (client) => client.registrationStatus(),
  resetStatus: (client) => client.resetStatus(),
  requestReset: (client) => client.requestReset({ email: "a@b.c" }),
  checkReset: (client) => client.checkReset({ code: "1.x" }),
  confirmReset: (client) => client.confirmReset({ code: "1.x", password: "correct horse" }),
  exportAccount: (client) => client.exportAccount(),
  listUsage: (client) => client.usage({ by: "model" }),
  listTokens: (client) => client.tokens(),
  endToken: (client) => client.endToken("token_id"),
  createKey: (client) => client.createKey({ name: "Script", scopes: ["read"] }),
  listKeys: (client) => client.keys(),
  deleteKey: (client) => client.deleteKey("key_id"),
  claimAdmin: (client) => client.claim({ code: "secret" }),
  listUsers: (client) => client.users({ keyword: "ada" }),
  listTotalUsage: (client) => client.totalUsage({ by: "user" }),
  listAudit: (client) => client.auditLog({ event: "login" }),
  getOverview: (client) => client.overview(),
  addUser: (client) => client.addUser({ email: "a@b.c" }),
  disableUser: (client) => client.disableUser(2),
  enableUser: (client) => client.enableUser(2),
  resetUserPassword: (client) => client.resetUserPassword(2),
  setUserQuota: (client) => client.setUserQuota(2, { quota: "none" }),
  promoteUser: (client) => client.promoteUser(2),
  demoteUser: (client) => client.demoteUser(2),
  removeUser: (client) => client.removeUser(2),
  listConnectedModels: (client) => client.connectedModels(),
  testModel: (client) => client.testModel({ base_url: "http://127.0.0.1:1/v1" }),
  connectModel: (client) => client.connectModel("name", { base_url: "http://127.0.0.1:1/v1", model: "m" }),
  disconnectModel: (client) => client.disconnectModel("name"),
  getSearchService: (client) => client.searchService(),
  testSearchService: (client) => client.testSearchService({ provider: "searxng", url: "http://127.0.0.1:1" }),
  connectSearchService: (client) => client.connectSearchService({ provider: "searxng", url: "http://127.0.0.1:1" }),
  disconnectSearchService: (client) => client.disconnectSearchService(),
  getEmbeddingsServer: (client) => client.embeddingsServer(),
  testEmbeddingsServer: (client) => client.testEmbeddingsServer({ base_url: "http://127.0.0.1:1/v1", model: "m" }),
  connectEmbeddingsServer: (client) => client.connectEmbeddingsServer({ base_url: "http://127.0.0.1:1/v1", model: "m" }),
  disconnectEmbeddingsServer: (client) => client.disconnectEmbeddingsServer(),
  getSettings: (client) => client.settings(),
  updateSettings: (client) => client.updateSettings({ quota: null }),
  listModels: (client) => client.models(),
  createSession: (client) => client.createSession(),
  getSession: (client) => client.session("session_id"),
  listSessions: (client) => client.sessions(),
  search: (client) => client.search({ q: "ferry" }),
  updateSession: (client) => client.updateSession("session_id", { pinned: true }),
  clearSession: (client) => client.clearSession("session_id"),
  forkSession: (client) => client.fork("session_id", { message_id: "message_id" }),
  deleteSession: (client) => client.deleteSession("session_id"),
  listMessages: (client) => client.messages("session_id"),
  exportSession: (client) => client.export("session_id"),
  shareSession: (client) => client.share("session_id"),
  listShares: (client) => client.shares(),
  deleteShare: (client) => client.deleteShare("share_id"),
  readShare: (client) => client.readShare("share_id"),
  send: (client) => client.send({ session_id: "session_id", content: "?" }),
  stream: (client) => client.stream({ session_id: "session_id", content: "?" }).wait(),
  follow: (client) => client.follow("message_id").wait(),
  stop: (client) => client.stop("message_id"),
  regenerate: (client) => client.regenerate("session_id"),
  continueReply: (client) => client.continueReply("session_id"),
  showVersion: (client) => client.showVersion("message_id", 2),
  rateReply: (client) => client.rate("message_id", 1),
  addFavorite: (client) => client.addFavorite({ session_id: "session_id", message_id: "message_id" }),
  removeFavorite: (client) => client.removeFavorite("message_id"),
  listFavorites: (client) => client.favorites(),
  createPrompt: (client) => client.createPrompt({ name: "Letter", text: "Reply to {{name}}" }),
  listPrompts: (client) => client.prompts(),
  updatePrompt: (client) => client.updatePrompt("prompt_id", { shared: true }),
  deletePrompt: (client) => client.deletePrompt("prompt_id"),
  uploadFile: (client) => client.upload("session_id", file),
  listFiles: (client) => client.files("session_id"),
  downloadFile: (client) => client.download("file_id"),
  showPicture: (client) => client.picture("file_id", "thumbnail"),
  readFile: (client) => client.fileText("file_id", { page: 2 }),
  deleteFile: (client) => client.deleteFile("file_id"),
  startImport: (client) => client.startImport(file),
  getImport: (client) => client.import("import_id"),
};

const document = JSON.parse(readFileSync(new URL("../../openapi.json", import.meta.url), "utf8")) as {
  paths: Record<string, Record<string, { operationId: keyof operations }>>;
};
const described = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, { operationId }]) => ({
    operationId,
    request: `${method.toUpperCase()} http://server${path.replace("{user_id}", "2").replace(/[{}]/g, "")}`,
  })),
);

function serve(...steps: Step[]) {
  const { requests, fetch } = stubServer(...steps);
  const onTokenRefused = vi.fn();
  return { requests, onTokenRefused, client: new Client("http://server/", { fetch, onTokenRefused, token: "secret" }) };
}

describe("the operations", () => {
  it.each(described)("$operationId is $request", async ({ operationId, request }) => {
    const streamed = operationId === "stream" || operationId === "follow";
    const { requests, client } = serve(streamed ? done : success({ token: "new" }));
    await calls[operationId](client);
    expect(requests.map(({ method, url }) => `${method} ${url.split("?")[0]}`)).toEqual([request]);
    expect(requests[0]!.headers.get("Authorization")).toBe("Bearer secret");
  });

  it("are all described", () => {
    expect(described.map(({ operationId }) => operationId).sort()).toEqual(Object.keys(calls).sort());
  });
});

describe("a call", () => {
  it("reports whether it got a response", async () => {
    const connected: boolean[] = [];
    const responses = [new TypeError("cut"), Response.json({ error: 5000, message: "" }, { status: 500 })];
    const fetch = () => {
      const next = responses.shift()!;
      return next instanceof Response ? Promise.resolve(next) : Promise.reject(next);
    };
    const client = new Client("http://server", { fetch, onConnection: (is) => connected.push(is) });
    await expect(client.user()).rejects.toBeInstanceOf(ApiError);
    await expect(client.user()).rejects.toBeInstanceOf(ApiError);
    expect(connected).toEqual([false, true]);
  });

  it("sends a query without what is not given, and encodes paths", async () => {
    const { requests, client } = serve(success({}), success({}), success());
    await client.sessions({ keyword: "a&b", page: 2 });
    await client.sessions({ keyword: "" });
    await client.deleteSession("a/b");
    expect(requests.map(({ url }) => url)).toEqual([
      "http://server/api/chat/sessions?keyword=a%26b&page=2",
      "http://server/api/chat/sessions",
      "http://server/api/chat/session/a%2Fb",
    ]);
  });

  it("sends a body as JSON, and the caller's headers", async () => {
    const { requests, client } = serve(success({}));
    await client.createSession({ title: "Ferries" }, { headers: { "Accept-Language": "zh" } });
    expect(requests[0]!.body).toBe('{"title":"Ferries"}');
    expect(requests[0]!.headers.get("Content-Type")).toBe("application/json");
    expect(requests[0]!.headers.get("Accept-Language")).toBe("zh");
  });

  it("shows a version, or the message itself", async () => {
    const { requests, client } = serve(success(), success());
    await client.showVersion("m", 2);
    await client.showVersion("m");
    expect(requests.map(({ body }) => body)).toEqual(['{"version":2}', "{}"]);
  });

  it("sends the headers of the client, which may change", async () => {
    const { requests, fetch } = stubServer(success({}), success({}));
    let language = "zh";
    const client = new Client("http://server", { fetch, headers: () => ({ "Accept-Language": language }) });
    await client.user();
    language = "en";
    await client.user();
    expect(requests.map(({ headers }) => headers.get("Accept-Language"))).toEqual(["zh", "en"]);
  });

  it("throws what the server says", async () => {
    const { client } = serve({ status: 404, error: 2001 });
    await expect(client.messages("s")).rejects.toMatchObject({ name: "ApiError", code: ErrorCode.noSuchSession });
  });

  it("refuses a response without the envelope", async () => {
    const { client } = serve(new Response("<html></html>"), new Response("{}"));
    const unexpected = { code: ErrorCode.internal, status: 200 };
    await expect(client.user()).rejects.toMatchObject(unexpected);
    await expect(client.user()).rejects.toMatchObject(unexpected);
  });

  it("is offline if there is no response", async () => {
    const { client } = serve("offline");
    await expect(client.user()).rejects.toMatchObject({ code: ErrorCode.offline, temporary: true });
  });

  it("does not call a mistake of the caller offline", async () => {
    const { requests, client } = serve();
    await expect(client.user({ headers: { "bad name": "" } })).rejects.toBeInstanceOf(TypeError);
    expect(() => new Client("no address")).toThrow(TypeError);
    expect(requests).toEqual([]);
  });

  it("throws the reason of an aborted signal", async () => {
    const { client } = serve("offline");
    await expect(client.user({ signal: AbortSignal.abort(new Error("left")) })).rejects.toThrow("left");
  });
});

describe("send", () => {
  const input = { session_id: "s", content: "?" };

  it("sends the message again with the same key if the connection fails", async () => {
    const { requests, client } = serve("offline", success({ user_message_id: "q" }));
    expect(await client.send(input)).toEqual({ user_message_id: "q" });
    const [first, second] = requests.map(({ headers }) => headers.get("Idempotency-Key"));
    expect(first).toMatch(/^[0-9a-f]{32}$/);
    expect(second).toBe(first);
  });

  it("has a bound", async () => {
    const { requests, client } = serve();
    await expect(client.send(input, { retries: 1 })).rejects.toMatchObject({ code: ErrorCode.offline });
    expect(requests).toHaveLength(2);
  });
});

describe("the token", () => {
  it("is that of the last login", async () => {
    const { requests, client } = serve(success({ token: "new" }), success({}));
    await client.login({ email: "a@b.c", password: "correct horse" });
    await client.user();
    expect(client.token).toBe("new");
    expect(requests[1]!.headers.get("Authorization")).toBe("Bearer new");
  });

  it("is reported if the server refuses it", async () => {
    const { client, onTokenRefused } = serve({ status: 401, error: 1005 });
    await expect(client.user()).rejects.toMatchObject({ code: ErrorCode.badToken });
    expect(onTokenRefused).toHaveBeenCalledExactlyOnceWith("secret");
  });

  it("is not reported if it has been replaced meanwhile", async () => {
    const { client, onTokenRefused } = serve({ status: 401, error: 1005 });
    const refused = client.user();
    client.token = "new";
    await expect(refused).rejects.toMatchObject({ code: ErrorCode.badToken });
    expect(onTokenRefused).not.toHaveBeenCalled();
  });

  it("of another user is sent by another client", async () => {
    const { requests, client } = serve(success({}), success({}));
    await client.withToken("other").user();
    await client.withToken(null).user();
    expect(requests.map(({ headers }) => headers.get("Authorization"))).toEqual(["Bearer other", null]);
    expect(client.token).toBe("secret");
  });
});
