import { cleanup, fireEvent, render, screen } from "@testing-library/svelte";
import { afterEach, expect, it, vi } from "vitest";
import { ApiError } from "../api/call";
import * as operations from "../api/operations";
import SignInPage from "./SignInPage.svelte";

vi.mock("../api/operations");

afterEach(() => {
  cleanup();
  vi.clearAllMocks();
});

it("asks for the second factor of an account to link, after its password", async () => {
  vi.mocked(operations.resetStatus).mockResolvedValue({ email: false, sign_on_name: "Example Company" });
  const refused = new ApiError(1003, "a code is needed", 401, { reason: "totp" });
  vi.mocked(operations.signIn).mockRejectedValue(refused);
  render(SignInPage, { arrival: { kind: "link", code: "abc" } });
  await fireEvent.input(screen.getByLabelText("Password"), { target: { value: "correct horse" } });
  await fireEvent.submit(document.querySelector("form")!);
  const field = await screen.findByLabelText(/^Code of the app/);
  expect(screen.queryByRole("alert")).toBeNull();

  await fireEvent.input(field, { target: { value: "111111" } });
  await fireEvent.submit(document.querySelector("form")!);
  expect((await screen.findByRole("alert")).textContent).toContain("The code is wrong");
  expect(vi.mocked(operations.signIn).mock.calls).toEqual([
    ["abc", "correct horse", ""],
    ["abc", "correct horse", "111111"],
  ]);
});
