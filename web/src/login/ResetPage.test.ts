import { cleanup, fireEvent, render, screen, waitFor } from "@testing-library/svelte";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { ApiError } from "../api/call";
import * as operations from "../api/operations";
import { Toasts } from "../shared/toasts.svelte";
import { auth } from "./auth.svelte";
import { resetLink } from "./reset-link.svelte";
import ResetPage from "./ResetPage.svelte";

vi.mock("../api/operations", async (original) => ({
  ...(await original<typeof operations>()),
  checkReset: vi.fn(() => Promise.resolve({ email: "ada@example.com", invited: true })),
  confirmReset: vi.fn(() => Promise.resolve()),
}));

beforeEach(() => {
  location.hash = "#invite=1.x";
  dispatchEvent(new HashChangeEvent("hashchange"));
});
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
  resetLink.code = null;
});

const open = () => render(ResetPage, { code: resetLink.code!, toasts: new Toasts() });

it("takes the code of an invitation out of the address", () => {
  expect([resetLink.code, resetLink.invited, location.hash]).toEqual(["1.x", true, "#/"]);
});

it("says for whom an invitation is, and logs in with the new password", async () => {
  const enter = vi.spyOn(auth, "logIn").mockResolvedValue();
  open();
  expect(await screen.findByText("ada@example.com")).toBeTruthy();
  await fireEvent.input(screen.getByLabelText(/^Password/), { target: { value: "correct horse" } });
  await fireEvent.submit(document.querySelector("form")!);
  await waitFor(() => expect(resetLink.code).toBeNull());
  expect(operations.confirmReset).toHaveBeenCalledWith("1.x", "correct horse");
  expect(enter).toHaveBeenCalledWith("ada@example.com", "correct horse", "");
});

it("says what to do if an invitation is of no use", async () => {
  vi.mocked(operations.checkReset).mockRejectedValueOnce(new ApiError(1005, "used", 401));
  open();
  expect((await screen.findByRole("alert")).textContent).toContain("ask your administrator for a new link");
  expect(document.querySelector("form")).toBeNull();
});

it("asks again if the server can't be reached", async () => {
  vi.mocked(operations.checkReset).mockRejectedValueOnce(new ApiError(-1, "no connection"));
  open();
  await fireEvent.click(await screen.findByRole("button", { name: "Try again" }));
  expect(await screen.findByText("ada@example.com")).toBeTruthy();
});
