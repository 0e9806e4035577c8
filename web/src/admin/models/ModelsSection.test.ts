import { cleanup, fireEvent, render, screen, waitFor, within } from "@testing-library/svelte";
import { afterEach, describe, expect, it, vi } from "vitest";
import { testUser } from "../../shared/testing/user";
import { stubOverlays, stubServer } from "../testing/server";
import type { ModelConnection } from "../types";
import ModelsSection from "./ModelsSection.svelte";

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const unset = { from: "default" as const, has_key: false, key_lost: false };
const builtin = (name: string): ModelConnection => ({
  ...unset,
  name,
  shown_as: name,
  builtin: true,
  base_url: "",
  model: "",
  thinking: "auto",
  context_tokens: 0,
  images: false,
  description: "",
});

/** A server whose administrators can connect models. */
function modelServer(models: ModelConnection[]) {
  return stubServer({
    "GET /api/admin/models": () => ({ models, keys_shared: true }),
    "GET /api/admin/search": () => ({ ...unset, provider: "", url: "" }),
    "GET /api/admin/embeddings": () => ({ ...unset, base_url: "", model: "" }),
    "GET /api/models": () => ({ models: [] }),
    "POST /api/admin/models/test": ({ body }) =>
      (body as { api_key?: string }).api_key === "good"
        ? { reachable: true, models: ["large", "small"] }
        : { reachable: false, reason: "key", detail: "model key (status 401)", models: [] },
    "PUT /api/admin/models/default": ({ body }) => {
      const input = body as { base_url: string; model: string };
      const stored = { ...models[0]!, ...input, from: "database" as const, builtin: false, has_key: true };
      models = [stored, ...models.slice(1)];
      return { models, keys_shared: true };
    },
    "DELETE /api/admin/models/default": () => {
      models = [builtin("default")];
      return { models, keys_shared: true };
    },
  });
}

const button = (name: string) => screen.getByRole<HTMLButtonElement>("button", { name });

describe("the page of models", () => {
  it("connects the first model after a test", async () => {
    stubOverlays();
    const requests = modelServer([builtin("default"), builtin("基础模型")]);
    const { user, context } = testUser();
    render(ModelsSection, { context });
    await screen.findByText("Connect a model"); // opens by itself
    await fireEvent.change(screen.getByLabelText("Server"), { target: { value: "https://api.deepseek.com/v1" } });
    expect(screen.getByLabelText<HTMLInputElement>(/^Address/).value).toBe("https://api.deepseek.com/v1");
    expect(button("Save").disabled).toBe(true);

    await fireEvent.input(screen.getByLabelText(/^Key/), { target: { value: "bad" } });
    await fireEvent.click(button("Test"));
    expect(await screen.findByText("It does not work: the key is refused.")).toBeTruthy();
    await fireEvent.input(screen.getByLabelText(/^Key/), { target: { value: "good" } });
    await fireEvent.click(button("Test"));
    expect(await screen.findByText("The server has 2 models. Choose one.")).toBeTruthy();
    await fireEvent.click(button("large"));
    await fireEvent.click(button("Save"));

    expect(await screen.findByText("large at https://api.deepseek.com/v1")).toBeTruthy();
    expect(user.toasts.list.map(({ text }) => text)).toEqual(["Saved"]);
    expect(requests.find(({ method }) => method === "PUT")?.body).toMatchObject({
      base_url: "https://api.deepseek.com/v1",
      api_key: "good",
      model: "large",
    });
  });

  it("keeps a stored key, and asks before a model is removed", async () => {
    stubOverlays();
    const stored = { ...builtin("default"), builtin: false, from: "database" as const, has_key: true };
    const requests = modelServer([{ ...stored, base_url: "https://one.example/v1", model: "large" }]);
    render(ModelsSection, { context: testUser().context });
    await fireEvent.click(await screen.findByRole("button", { name: "Change" }));
    expect(screen.getByText("A key is stored. Leave this empty to keep it.")).toBeTruthy();
    await fireEvent.click(button("Save"));
    await waitFor(() => expect(screen.queryByRole("button", { name: "Save" })).toBeNull());
    expect(requests.find(({ method }) => method === "PUT")?.body).not.toHaveProperty("api_key");

    await fireEvent.click(await screen.findByRole("button", { name: "Remove" }));
    expect(screen.getByText("Without a default model, Parley quotes documents only.")).toBeTruthy();
    await fireEvent.click(within(screen.getByRole("dialog")).getByRole("button", { name: "Remove" }));
    expect(await screen.findByText(/No model is connected/)).toBeTruthy();
  });

  it("shows what is fixed, and which key is lost", async () => {
    const fixed = {
      ...builtin("default"),
      builtin: false,
      from: "configuration" as const,
      model: "m",
      base_url: "http://a",
    };
    const lost = {
      ...builtin("Spare"),
      builtin: false,
      from: "database" as const,
      key_lost: true,
      base_url: "http://b",
    };
    modelServer([{ ...fixed, fixed_by: "PARLEY_AI_BASE_URL" }, lost]);
    render(ModelsSection, { context: testUser().context });
    expect(await screen.findByText("Set by PARLEY_AI_BASE_URL. Remove it there to change it here.")).toBeTruthy();
    expect(screen.getByText("The stored key can't be read any more. Enter it again.")).toBeTruthy();
    expect(screen.getAllByRole("button", { name: "Change" })).toHaveLength(1);
  });
});
