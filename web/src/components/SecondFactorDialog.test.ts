import { cleanup, fireEvent, render, screen } from "@testing-library/svelte";
import { afterEach, beforeAll, expect, it, vi } from "vitest";
import { ApiError } from "../api/call";
import * as operations from "../api/operations";
import { copyText } from "../state/clipboard";
import SecondFactorDialog from "./SecondFactorDialog.svelte";

vi.mock("../api/operations");
vi.mock("../state/clipboard", () => ({ copyText: vi.fn(() => Promise.resolve(true)) }));

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

it("shows the secret, takes a code and shows the recovery codes", async () => {
  vi.mocked(operations.setUpSecondFactor).mockResolvedValue({ secret, uri });
  vi.mocked(operations.confirmSecondFactor)
    .mockRejectedValueOnce(new ApiError(1003, "the code is wrong", 401, { reason: "totp" }))
    .mockResolvedValue({ recovery_codes: ["aaaa-bbbb", "cccc-dddd"] });
  const onclose = vi.fn();
  render(SecondFactorDialog, { onclose });
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
  render(SecondFactorDialog, { onclose: vi.fn() });
  expect(await screen.findByText(/present app first/)).toBeTruthy();
  const field = screen.getByLabelText<HTMLInputElement>(/^Code of the app/);
  expect(screen.queryByRole("alert")).toBeNull();

  await fireEvent.input(field, { target: { value: "111111" } });
  await fireEvent.submit(document.querySelector("form")!);
  expect((await screen.findByRole("alert")).textContent).toContain("The code is wrong");

  await fireEvent.input(field, { target: { value: "222222" } });
  await fireEvent.submit(document.querySelector("form")!);
  expect(await screen.findByText("JBSW Y3DP EHPK 3PXP JBSW Y3DP EHPK 3PXP")).toBeTruthy();
  expect(vi.mocked(operations.setUpSecondFactor).mock.calls).toEqual([[""], ["111111"], ["222222"]]);
  expect(screen.getByLabelText<HTMLInputElement>("Code of the app").value).toBe("");
});
