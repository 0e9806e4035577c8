import { beforeEach, expect, test, vi } from "vitest";
import type { Model } from "../api/types";
import { Models } from "./models.svelte";
import { preferences } from "../shared/preferences.svelte";
import { pickedFor, remember } from "./session-models";

const model = (name: string, more: Partial<Model> = {}): Model => ({
  name,
  default: false,
  description: "",
  deep_thinking: true,
  web_search: true,
  images: false,
  context_tokens: 32000,
  available: true,
  ...more,
});

const listed = [model("default", { default: true }), model("基础模型"), model("Coder", { deep_thinking: false })];

vi.mock("../api/operations", () => ({ listModels: () => Promise.resolve({ models: listed }) }));

let models: Models;

beforeEach(async () => {
  models = new Models();
  localStorage.clear();
  preferences.model = "";
  models.enter(null);
  await models.load();
});

const selected = () => models.selected?.name;

test("a session keeps the model that was picked for it", () => {
  models.enter("a");
  models.pick("Coder");
  models.enter("b");
  expect(selected()).toBe("default");
  models.enter("a");
  expect(selected()).toBe("Coder");
});

test("a session without a pick has the model of its last reply", () => {
  models.enter("a");
  models.replied("基础模型");
  expect(selected()).toBe("基础模型");
  models.pick("Coder");
  expect(selected()).toBe("Coder");
});

test("a new chat has the model that was used last, and keeps it as a session", () => {
  models.enter("a");
  models.replied("Coder");
  models.used();
  models.enter(null);
  expect(selected()).toBe("Coder");
  models.created("b");
  preferences.model = "default";
  models.enter("b");
  expect(selected()).toBe("Coder");
});

test("a model that is gone gives way to the default one", () => {
  remember("a", "Retired");
  models.enter("a");
  expect(selected()).toBe("default");
  expect(models.options.model).toBeUndefined();
});

test("options are limited to what the model supports", () => {
  preferences.deepThinking = true;
  models.pick("Coder");
  expect(models.options).toMatchObject({ model: "Coder", deep_thinking: false });
});

test("only the latest sessions are remembered", () => {
  for (let n = 0; n < 250; n++) remember(`s${n}`, "Coder");
  expect(pickedFor("s249")).toBe("Coder");
  expect(pickedFor("s0")).toBe("");
});

test("a broken storage is as good as none", () => {
  localStorage.setItem("parley.models", "{");
  expect(pickedFor("a")).toBe("");
  localStorage.setItem("parley.models", "{}");
  expect(pickedFor("a")).toBe("");
});
