import { describe, expect, it } from "vitest";
import { checksOf, setUpChecks, type State, worstOf } from "./overview";
import { overview } from "./testing/examples";
import type { Overview } from "./types";

const now = 1_767_225_600_000;

describe("the overview of a server", () => {
  it("is fine if everything works", () => {
    const checks = checksOf(overview(), false, now);
    expect(checks.filter(({ state }) => state !== "fine")).toEqual([]);
    expect(checks.filter(({ advice }) => advice)).toEqual([]);
    expect(worstOf(checks)).toBe("fine");
  });

  it("begins with what fails, and then what needs attention", () => {
    const bad = overview({
      search: { provider: "searxng", reachable: false, reason: "unreachable" },
      errors: [{ code: 5001, count: 1 }],
    });
    const ids = checksOf(bad, false, now).map(({ id }) => id);
    expect(ids.slice(0, 2)).toEqual(["search", "errors"]);
    expect(ids[2]).toContain("model-");
  });

  const seconds = now / 1000;
  const cases: { what: string; id: string; change: Partial<Overview>; state: State; text: string }[] = [
    {
      what: "a model that can't be reached",
      id: "model-qwen3: It does not work: the key is refused.",
      change: { models: [{ name: "fast", model: "qwen3", reachable: false, reason: "key" }] },
      state: "down",
      text: "qwen3: It does not work: the key is refused.",
    },
    {
      what: "a model that its server does not list",
      id: "model-Its server responds, but does not list qwen3.",
      change: { models: [{ name: "fast", model: "qwen3", reachable: true, reason: "unlisted" }] },
      state: "attention",
      text: "Its server responds, but does not list qwen3.",
    },
    {
      what: "a search engine that can't be reached",
      id: "search",
      change: { search: { provider: "searxng", reachable: false, reason: "unreachable" } },
      state: "down",
      text: "searxng: It does not work: it can't be reached.",
    },
    {
      what: "no search engine",
      id: "search",
      change: { search: { provider: "", reachable: false } },
      state: "off",
      text: "",
    },
    {
      what: "little space",
      id: "files",
      change: { files: { kind: "folder", used: 1000, free: 500_000_000 } },
      state: "attention",
      text: "500 MB free",
    },
    {
      what: "no space",
      id: "files",
      change: { files: { kind: "folder", used: 1000, free: 5_000_000 } },
      state: "down",
      text: "5 MB free",
    },
    {
      what: "a bucket, whose free space nobody knows",
      id: "files",
      change: { files: { kind: "s3", used: 1000, free: 0 } },
      state: "fine",
      text: "S3 · 1 kB used",
    },
    {
      what: "a replica without a lease",
      id: "replica-b2",
      change: { replicas: [{ id: "b2", lease_until: seconds - 60, self: false }] },
      state: "attention",
      text: "b2 has not renewed its lease since",
    },
    {
      what: "a long queue",
      id: "queues",
      change: { queues: { index: 20_000, replies: 0, imports: 0 } },
      state: "attention",
      text: "20,000 texts",
    },
    {
      what: "errors of the server",
      id: "errors",
      change: { errors: [{ code: 5001, count: 3 }] },
      state: "attention",
      text: "model not available: 3",
    },
    {
      what: "errors of users",
      id: "errors",
      change: {
        errors: [
          { code: 1003, count: 2 },
          { code: 1001, count: 1 },
        ],
      },
      state: "fine",
      text: "wrong password or code: 2 · rejected request: 1",
    },
    {
      what: "no text recognition",
      id: "ocr",
      change: { ocr: { available: false, languages: [] } },
      state: "off",
      text: "",
    },
    { what: "no mail", id: "mail", change: { smtp: false }, state: "off", text: "" },
    { what: "no single sign-on", id: "oidc", change: { oidc: "" }, state: "off", text: "" },
  ];
  it.each(cases)("shows $what", ({ id, change, state, text }) => {
    const checks = checksOf(overview(change), false, now);
    const check = checks.find((found) => found.id === id)!;
    expect(check.state).toBe(state);
    expect(check.text).toContain(text);
    if (state !== "fine") expect(check.advice).toBeTruthy();
    expect(worstOf(checks)).toBe(state === "off" ? "fine" : state);
  });

  it("has one line for several names of a model", () => {
    const model = (name: string, reachable: boolean) => ({ name, model: "qwen3", reachable });
    const models = [model("default", true), model("基础模型", true), model("fast", false)];
    const checks = checksOf(overview({ models }), false, now).filter(({ id }) => id.startsWith("model"));
    expect(checks.map(({ name, state }) => [name, state])).toEqual([
      ["Model: fast", "down"],
      ["Model: Default model, Basic model", "fine"],
    ]);
  });

  it("needs attention without a model", () => {
    const [model] = checksOf(overview(), true, now);
    expect([model!.id, model!.state]).toEqual(["model", "attention"]);
  });
});

describe("the set-up of a server", () => {
  it("is about the model, search, storage and registration", () => {
    expect(setUpChecks(overview(), true).map(({ id }) => id)).toEqual(["model", "search", "files", "registration"]);
    const registration = (open: boolean) => setUpChecks(overview({ registration: open }), false).at(-1)!.state;
    expect([registration(true), registration(false)]).toEqual(["attention", "fine"]);
  });
});
