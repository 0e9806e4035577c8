import { describe, expect, it } from "vitest";
import { example, fields, groups, type RawDocument } from "./document";
import { Draft } from "./draft.svelte";
import { sample } from "./samples";

const document: RawDocument = {
  info: { title: "Test", version: "1", description: "" },
  tags: [{ name: "chat", description: "" }],
  paths: {
    "/api/chat/{id}": {
      post: {
        operationId: "send",
        summary: "Send",
        description: "",
        tags: ["chat"],
        security: [{}],
        parameters: [
          { name: "id", in: "path", required: true, schema: { type: "string", examples: ["a/b"] } },
          { name: "page", in: "query", schema: { type: "integer", default: 1 } },
        ],
        requestBody: { content: { "application/json": { schema: { $ref: "#/components/schemas/Input" } } } },
        responses: { 200: { description: "OK", content: { "application/json": { schema: { type: "object" } } } } },
      },
    },
  },
  components: {
    schemas: {
      Input: {
        type: "object",
        required: ["text"],
        properties: {
          text: { type: "string", examples: ["it's"] },
          inner: { $ref: "#/components/schemas/Inner" },
        },
      },
      Inner: { type: "object", properties: { on: { type: "boolean", examples: [false] } } },
    },
  },
};

const [operation] = groups(document)[0]!.operations;

describe("the reference", () => {
  it("resolves references", () => {
    expect(example(operation!.body!.schema)).toEqual({ text: "it's", inner: { on: false } });
    expect(fields(operation!.body!.schema).map(({ name, depth, required }) => [name, depth, required])).toEqual([
      ["text", 0, true],
      ["inner", 0, false],
      ["on", 1, false],
    ]);
  });

  it("builds the URL of a request", () => {
    const draft = new Draft(operation!);
    draft.parameters.page = "2";
    expect(draft.url).toBe("/api/chat/a%2Fb?page=2");
  });

  it("writes samples with the token, the URL and the body", () => {
    const draft = new Draft(operation!);
    const curl = sample("curl", draft, "http://host");
    expect(curl).toContain("curl -X POST 'http://host/api/chat/a%2Fb'");
    expect(curl).toContain(String.raw`it'\''s`);
    for (const language of ["curl", "javascript", "go"] as const) {
      const text = sample(language, draft, "http://host");
      expect(text).toContain("Authorization");
      expect(text).toContain("http://host/api/chat/a%2Fb");
    }
  });
});
