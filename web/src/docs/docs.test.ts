import { readdirSync, readFileSync } from "node:fs";
import { Client } from "@parley/client";
import { describe, expect, it } from "vitest";
import { fields, groups, parameterFields, type RawDocument, resultFields } from "./document";
import { Draft } from "./draft.svelte";
import { samples } from "./samples";
import { methods } from "./samples/typescript";
import { contents, find } from "./search";
import { texts } from "./texts";

const document: RawDocument = {
  info: { title: "Test", version: "1", description: "" },
  tags: [{ name: "chat", description: "" }],
  paths: {
    "/api/chat/list": {
      get: {
        operationId: "list",
        summary: "List",
        description: "",
        tags: ["chat"],
        "x-order": 2,
        responses: { 200: { description: "OK" } },
      },
    },
    "/api/chat/{id}": {
      post: {
        operationId: "send",
        summary: "Send",
        description: "Sends.",
        tags: ["chat"],
        "x-order": 1,
        security: [{}],
        parameters: [
          { name: "page", in: "query", schema: { type: "integer", default: 1 } },
          { name: "id", in: "path", required: true, schema: { type: "string", examples: ["a/b"] } },
        ],
        requestBody: { content: { "application/json": { schema: { $ref: "#/components/schemas/Input" } } } },
        responses: {
          200: {
            description: "OK",
            content: {
              "application/json": {
                schema: { type: "object", properties: { body: { $ref: "#/components/schemas/Inner" } } },
                example: { error: 0 },
              },
            },
          },
        },
      },
    },
  },
  components: {
    schemas: {
      Input: {
        type: "object",
        required: ["text", "session_id"],
        properties: {
          bold: { type: "boolean", examples: [false] },
          inner: { $ref: "#/components/schemas/Inner" },
          session_id: { type: "string", examples: ["019a"] },
          text: { type: "string", examples: ["it's"] },
        },
      },
      Inner: { type: "object", properties: { on: { type: "boolean", examples: [false] } } },
    },
  },
};

const list = groups(document);
const operation = list[0]!.operations[0]!;

describe("the document", () => {
  it("lists operations in the order of the routes", () => {
    expect(list[0]!.operations.map(({ id }) => id)).toEqual(["send", "list"]);
  });

  it("resolves references and lists required fields first", () => {
    const found = fields(operation.body!.schema);
    expect(found.map(({ name, required }) => [name, required])).toEqual([
      ["text", true],
      ["session_id", true],
      ["bold", false],
      ["inner", false],
    ]);
    expect(found[3]!.fields.map(({ name }) => name)).toEqual(["on"]);
    expect(parameterFields(operation).map(({ name, place }) => [name, place])).toEqual([
      ["id", "path"],
      ["page", "query"],
    ]);
  });

  it("marks what a trial account can't call", () => {
    const { get } = document.paths["/api/chat/list"]!;
    const moved = groups({ ...document, paths: { "/api/admin/list": { get: get! }, "/api/chat/list": { get: get! } } });
    expect(moved[0]!.operations.map(({ path, admin }) => [path, admin])).toEqual([
      ["/api/admin/list", true],
      ["/api/chat/list", false],
    ]);
  });

  it("finds the body of the envelope, and the example", () => {
    expect(resultFields(operation).map(({ name }) => name)).toEqual(["on"]);
    expect(operation.responses[0]!.example).toEqual({ error: 0 });
  });
});

describe("a draft", () => {
  it("shows examples for required inputs that are empty", () => {
    const draft = new Draft(operation);
    expect(draft.values.session_id).toBe("");
    expect(draft.url).toBe("/api/chat/a%2Fb");
    expect(JSON.parse(draft.body)).toEqual({ text: "it's", session_id: "019a" });
  });

  it("has what the user enters, with the types of the fields", () => {
    const draft = new Draft(operation);
    draft.values.page = "2";
    draft.values.bold = "true";
    draft.values.session_id = "mine";
    expect(draft.url).toBe("/api/chat/a%2Fb?page=2");
    expect(JSON.parse(draft.body)).toEqual({ text: "it's", session_id: "mine", bold: true });
  });

  it("has lists as entries with commas between them", () => {
    const scopes = { type: "array", items: { type: "string" }, examples: [["chat", "files"]] };
    const schema = { type: "object", required: ["scopes"], properties: { scopes } };
    const draft = new Draft({ ...operation, parameters: [], body: { kind: "json", schema } });
    expect(draft.values.scopes).toBe("chat, files");
    expect(JSON.parse(draft.body)).toEqual({ scopes: ["chat", "files"] });
    draft.values.scopes = "read";
    expect(JSON.parse(draft.body)).toEqual({ scopes: ["read"] });
  });

  it("can be edited as JSON and as fields", () => {
    const draft = new Draft(operation);
    draft.edit(true);
    draft.json = '{"text": "new", "bold": true}';
    expect(draft.compactBody).toBe('{"text":"new","bold":true}');
    expect(draft.edit(false)).toBe(true);
    expect(draft.values).toMatchObject({ text: "new", bold: "true", session_id: "" });
    draft.edit(true);
    draft.json = "{";
    expect(draft.edit(false)).toBe(false);
    expect(draft.body).toBe("{");
  });

  it("replaces what it filled in, but not what the user changed", () => {
    const draft = new Draft(operation);
    draft.fill("session_id", "made");
    expect(draft.isOpen("session_id")).toBe(true);
    draft.values.session_id = "mine";
    expect(draft.isOpen("session_id")).toBe(false);
  });
});

describe("the samples", () => {
  it("have the token, the URL and the body in each language", () => {
    const all = samples(new Draft({ ...operation, id: "new" }), "http://host");
    expect(all.bash).toContain("curl -X POST 'http://host/api/chat/a%2Fb'");
    expect(all.bash).toContain(String.raw`it'\''s`);
    expect(all.python).toContain('"text": "it\'s",');
    const { typescript, ...others } = all;
    for (const text of Object.values(others)) {
      expect(text).toContain("Authorization");
      expect(text).toContain("http://host/api/chat/a%2Fb");
    }
    expect(typescript).toContain('new Client("http://host", { token })');
    expect(typescript).toContain('client.request("POST", "/api/chat/a%2Fb", { body: {');
  });

  it("call the methods of the TypeScript client", () => {
    for (const [method] of Object.values(methods)) {
      expect(Object.getOwnPropertyNames(Client.prototype)).toContain(method);
    }
    const draft = new Draft({ ...operation, id: "updateSession" });
    draft.values.session_id = "mine";
    expect(samples(draft, "").typescript).toContain('client.updateSession("mine", {\n  "text": "it\'s"');
    const list = new Draft({ ...operation, id: "listSessions", method: "GET", body: undefined });
    list.values.page = "2";
    expect(samples(list, "").typescript).toContain("client.sessions({ page: 2 })");
    const parameters = [{ name: "user_id", in: "path" as const, required: true, schema: { type: "integer" } }];
    const number = new Draft({ ...operation, id: "enableUser", body: undefined, parameters });
    expect(samples(number, "").typescript).toContain("client.enableUser(USER_ID)");
  });

  it("write values as Python does", () => {
    const draft = new Draft(operation);
    draft.values.bold = "true";
    expect(samples(draft, "").python).toContain('"bold": True,');
  });
});

describe("the search", () => {
  const chapters = contents(
    "Guides",
    [{ id: "guide-send", title: "First steps", parts: [{ html: "<p>How to <b>send</b></p>" }] }],
    list,
    (text) => (text === "Send" ? "发送" : text),
  );
  const found = (query: string) => find(chapters, query).flatMap(({ entries }) => entries.map(({ id }) => id));

  it("looks in titles, texts, paths and fields, in both languages", () => {
    expect(found("send")).toEqual(["guide-send", "send"]);
    expect(found("发送")).toEqual(["send"]);
    expect(found("POST /api/chat")).toEqual(["send"]);
    expect(found("session_id")).toEqual(["send"]);
    expect(found("nowhere")).toEqual([]);
    expect(found(" ")).toEqual(["guide-send", "send", "list"]);
  });
});

describe("the texts", () => {
  it("have the same keys and placeholders in both languages", () => {
    const placeholders = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([name]) => name).sort();
    expect(Object.keys(texts.zh)).toEqual(Object.keys(texts.en));
    for (const key of Object.keys(texts.en) as (keyof typeof texts.en)[]) {
      expect(placeholders(texts.zh[key]), key).toEqual(placeholders(texts.en[key]));
    }
  });

  it("have no unused keys", () => {
    const source = readdirSync("src/docs")
      .filter((name) => /\.(svelte|ts)$/.test(name) && name !== "texts.ts")
      .map((name) => readFileSync(`src/docs/${name}`, "utf8"))
      .join("\n");
    const computed = ["path", "query", "header"];
    const unused = Object.keys(texts.en).filter((key) => !source.includes(`say("${key}"`) && !computed.includes(key));
    expect(unused).toEqual([]);
  });
});
