import { cleanup, fireEvent, render, screen } from "@testing-library/svelte";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { UserInfo } from "../api/types";
import { testUser } from "../shared/testing/user";
import SetUpCard from "./SetUpCard.svelte";
import { overview } from "./testing/examples";
import { Refusal, stubServer } from "./testing/server";

const account = { user_id: 1, email: "ada@example.com", nickname: "Ada", avatar: "", created_at: 1 } as UserInfo;

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

async function enter(code: string) {
  const field = screen.getByLabelText(/Code/);
  await fireEvent.input(field, { target: { value: code } });
  await fireEvent.submit(field.closest("form")!);
}

describe("the card of a new server", () => {
  it("asks for the code, then says what is left to do, until it is dismissed", async () => {
    const { user, context } = testUser({ ...account, claimable: true });
    const { models, setUp } = user;
    models.list = [{ name: "default", default: true, builtin: true } as (typeof models.list)[number]];
    stubServer({
      "POST /api/admin/claim": ({ body }) =>
        (body as { code: string }).code === "good" ? { ...account, admin: true } : new Refusal(1003, "wrong code", 401),
      "GET /api/admin/overview": () => overview({ search: { provider: "", reachable: false } }),
    });
    expect([setUp.shown, setUp.checking]).toEqual([true, false]);
    render(SetUpCard, { context });
    await enter("bad");
    expect((await screen.findByRole("alert")).textContent).toContain("This code is wrong, has expired or was used.");
    expect(setUp.checking).toBe(false);

    await enter(" good ");
    expect(await screen.findByText("You are the administrator")).toBeTruthy();
    expect(await screen.findByText(/No model is connected/)).toBeTruthy();
    expect(screen.getByRole("link", { name: "Connect a model" }).getAttribute("href")).toBe("#/admin/models");
    expect(screen.getByText("Connect one on the page Models if replies shall use the web.")).toBeTruthy();
    expect(screen.getByRole("link", { name: "How to run a server" }).getAttribute("href")).toBe("/docs#guide-operate");
    expect(user.account.user?.admin).toBe(true);

    await fireEvent.click(screen.getByRole("button", { name: "Close this card" }));
    expect(setUp.shown).toBe(false);
  });
});
