import { cleanup, fireEvent, render, screen } from "@testing-library/svelte";
import { afterEach, beforeAll, expect, it, vi } from "vitest";
import { ApiError } from "../api/call";
import * as operations from "../api/operations";
import { testUser } from "../shared/testing/user";
import { copyText } from "../shared/clipboard";
import SecondFactorDialog from "./SecondFactorDialog.svelte";

vi.mock("../api/operations");
vi.mock("../shared/clipboard", () => ({ copyText: vi.fn(() => Promise.resolve(true)) }));

beforeAll(() => {
  HTMLDialogElement.prototype.showModal = function (this: HTMLDialogElement) {
    this.open = true;
  };
});
afterEach(() => {
  cleanup();
  vi.clearAllMocks();
});

const secret = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP";
const uri = `otpauth://totp/Parley:ada@example.com?secret=${secret}&issuer=Parley`;

/** Types the password and goes on. */
async function prove(password: string) {
  await fireEvent.input(screen.getByLabelText("Password"), { target: { value: password } });
  await fireEvent.submit(document.querySelector("form")!);
}

it("shows the secret, takes a code and shows the recovery codes", async () => {
  vi.mocked(operations.setUpSecondFactor)
    .mockRejectedValueOnce(new ApiError(1003, "wrong password", 401))
    .mockResolvedValue({ secret, uri });
  vi.mocked(operations.confirmSecondFactor)
    .mockRejectedValueOnce(new ApiError(1003, "the code is wrong", 401, { reason: "totp" }))
    .mockResolvedValue({ recovery_codes: ["aaaa-bbbb", "cccc-dddd"] });
  const onclose = vi.fn();
  render(SecondFactorDialog, { props: { onclose }, context: testUser().context });
  await prove("wrong");
  expect(await screen.findByRole("alert")).toBeTruthy();
  await prove("correct horse");
  expect(operations.setUpSecondFactor).toHaveBeenLastCalledWith("correct horse", "");
  expect(await screen.findByText("JBSW Y3DP EHPK 3PXP JBSW Y3DP EHPK 3PXP")).toBeTruthy();
  const drawing = document.querySelector('svg[role="img"] path')!.getAttribute("d")!;
  expect(drawing.startsWith("M0,0h1v1h-1z")).toBe(true); // the corner of a finder
  const field = screen.getByLabelText<HTMLInputElement>("Code of the app");

  await fireEvent.input(field, { target: { value: "111111" } });
  await fireEvent.submit(document.querySelector("form")!);
  expect((await screen.findByRole("alert")).textContent).toContain("The code is wrong");
  expect(field.value).toBe("");

  await fireEvent.input(field, { target: { value: "222222" } });
  await fireEvent.submit(document.querySelector("form")!);
  expect(await screen.findByText("aaaa-bbbb")).toBeTruthy();
  expect(operations.confirmSecondFactor).toHaveBeenLastCalledWith("222222");
  await fireEvent.click(screen.getByText("Copy codes"));
  expect(copyText).toHaveBeenCalledWith("aaaa-bbbb\ncccc-dddd\n");
  await fireEvent.click(screen.getByText("I have kept them"));
  expect(onclose).toHaveBeenCalledOnce();
});

it("asks for a code of the present second factor before it is replaced", async () => {
  const refused = new ApiError(1003, "a code is needed", 401, { reason: "totp" });
  vi.mocked(operations.setUpSecondFactor)
    .mockRejectedValueOnce(refused)
    .mockRejectedValueOnce(refused)
    .mockResolvedValue({ secret, uri });
  render(SecondFactorDialog, { props: { onclose: vi.fn() }, context: testUser().context });
  expect(screen.queryByText(/present app first/)).toBeNull();
  await prove("correct horse");
  expect(await screen.findByText(/present app first/)).toBeTruthy();
  const field = screen.getByLabelText<HTMLInputElement>(/^Code of the app/);
  expect(screen.queryByRole("alert")).toBeNull();

  await fireEvent.input(field, { target: { value: "111111" } });
  await fireEvent.submit(document.querySelector("form")!);
  expect((await screen.findByRole("alert")).textContent).toContain("The code is wrong");

  await fireEvent.input(field, { target: { value: "222222" } });
  await fireEvent.submit(document.querySelector("form")!);
  expect(await screen.findByText("JBSW Y3DP EHPK 3PXP JBSW Y3DP EHPK 3PXP")).toBeTruthy();
  expect(vi.mocked(operations.setUpSecondFactor).mock.calls).toEqual([
    ["correct horse", ""],
    ["correct horse", "111111"],
    ["correct horse", "222222"],
  ]);
  expect(screen.getByLabelText<HTMLInputElement>("Code of the app").value).toBe("");
});

it("asks a user without a password to sign in again if that was long ago", async () => {
  vi.mocked(operations.setUpSecondFactor)
    .mockRejectedValueOnce(new ApiError(1003, "sign in again", 401))
    .mockResolvedValue({ secret, uri });
  render(SecondFactorDialog, { props: { onclose: vi.fn() }, context: testUser({ passwordless: true }).context });
  expect(screen.queryByLabelText("Password")).toBeNull();
  await fireEvent.submit(document.querySelector("form")!);
  expect((await screen.findByRole("alert")).textContent).toContain("too long ago");
  expect(screen.getByText("Sign in again")).toBeTruthy();
  await fireEvent.submit(document.querySelector("form")!);
  expect(await screen.findByText("JBSW Y3DP EHPK 3PXP JBSW Y3DP EHPK 3PXP")).toBeTruthy();
});
