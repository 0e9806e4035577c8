import { cleanup, fireEvent, render, screen, waitFor } from "@testing-library/svelte";
import { afterEach, expect, it, vi } from "vitest";
import { ApiError, client } from "../api/call";
import * as operations from "../api/operations";
import { auth } from "./auth.svelte";
import { preferences } from "../shared/preferences.svelte";
import AuthPage from "./AuthPage.svelte";

vi.mock("../api/operations", async (original) => ({
  ...(await original<typeof operations>()),
  registrationStatus: vi.fn(() => Promise.resolve({ open: true, first: false })),
  resetStatus: vi.fn(() => Promise.resolve({ email: false })),
  requestReset: vi.fn(() => Promise.resolve()),
}));

afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
  preferences.language = null;
});

const needed = new ApiError(1003, "a code is needed", 401, { reason: "totp" });
const wrong = new ApiError(1003, "the code is wrong", 401, { reason: "totp" });

/** Enters an address and a password, and logs in. */
async function logIn() {
  render(AuthPage);
  await fireEvent.input(screen.getByLabelText("E-mail"), { target: { value: "ada@example.com" } });
  await fireEvent.input(screen.getByLabelText("Password"), { target: { value: "correct horse" } });
  await submit();
}

async function submit() {
  await fireEvent.submit(document.querySelector("form")!);
}

it("asks for a code when the server does", async () => {
  const enter = vi.spyOn(auth, "logIn").mockRejectedValueOnce(needed).mockRejectedValueOnce(wrong).mockResolvedValue();
  await logIn();
  const field = await screen.findByLabelText<HTMLInputElement>(/^Code of the app/);
  expect(field.autocomplete).toBe("one-time-code");
  expect(document.activeElement).toBe(field);
  expect(screen.queryByRole("alert")).toBeNull();
  expect(enter).toHaveBeenLastCalledWith("ada@example.com", "correct horse", "");

  await fireEvent.input(field, { target: { value: "000 000" } });
  await submit();
  expect((await screen.findByRole("alert")).textContent).toContain("The code is wrong");
  expect(enter).toHaveBeenLastCalledWith("ada@example.com", "correct horse", "000 000");

  await fireEvent.click(screen.getByText("Use a recovery code"));
  const recovery = screen.getByLabelText<HTMLInputElement>(/^Recovery code/);
  expect(recovery.value).toBe("");
  await fireEvent.input(recovery, { target: { value: "abcd-efgh-ijkl-mnop" } });
  await submit();
  expect(enter).toHaveBeenLastCalledWith("ada@example.com", "correct horse", "abcd-efgh-ijkl-mnop");
});

it("offers the provider of single sign-on if the server has one", async () => {
  vi.mocked(operations.resetStatus).mockResolvedValueOnce({ email: false, sign_on_name: "Example Company" });
  render(AuthPage);
  expect(await screen.findByText("Sign in with Example Company")).toBeTruthy();
});

it("has the address of a login that the server has ended", () => {
  auth.email = "ada@example.com";
  render(AuthPage);
  expect(screen.getByLabelText<HTMLInputElement>("E-mail").value).toBe("ada@example.com");
  auth.email = "";
});

it("names the field of the password by its label alone", async () => {
  render(AuthPage);
  expect(screen.getByLabelText("Password", { selector: "input" })).toBeTruthy();
  const label = document.querySelector("label:has(+ .secret)")!;
  expect([label.textContent, label.children.length]).toEqual(["Password", 0]);
  await fireEvent.click(screen.getByText("Create account", { selector: ".tabs button" }));
  const field = screen.getByLabelText("Password", { selector: "input" });
  expect(document.getElementById(field.getAttribute("aria-describedby")!)!.textContent).toBe("At least 6 characters");
});

it("makes no request that a server without a provider would refuse", async () => {
  const requests = vi.spyOn(globalThis, "fetch").mockResolvedValue(Response.json({ body: { email: false } }));
  vi.mocked(operations.resetStatus).mockImplementationOnce(() => client.resetStatus());
  render(AuthPage);
  await waitFor(() => expect(requests).toHaveBeenCalled());
  expect(requests.mock.calls.map(([address]) => address)).toEqual(["/api/auth/reset"]);
});

it("shows a wrong password as before", async () => {
  vi.spyOn(auth, "logIn").mockRejectedValue(new ApiError(1003, "wrong password", 401));
  await logIn();
  expect((await screen.findByRole("alert")).textContent).toContain("The password is wrong");
  expect(screen.queryByLabelText(/^Code of the app/)).toBeNull();
});

it("sends a link, and says the same for every address", async () => {
  vi.mocked(operations.resetStatus).mockResolvedValue({ email: true });
  render(AuthPage);
  await fireEvent.input(screen.getByLabelText("E-mail"), { target: { value: "ada@example.com" } });
  await fireEvent.click(screen.getByText("Forgot your password?"));
  await screen.findByText("Send the link");
  await submit();
  expect(await screen.findByText(/^If an account has this address/)).toBeTruthy();
  expect(operations.requestReset).toHaveBeenCalledWith("ada@example.com");
  await fireEvent.click(screen.getByText("Back to the login"));
  expect(screen.getByLabelText<HTMLInputElement>("E-mail").value).toBe("ada@example.com");
});

it.each([
  ["en", "Forgot your password?", /Ask its administrator/],
  ["zh", "忘记密码？", /请联系管理员/],
] as const)("tells whom to ask if the server sends no mail, in %s", async (language, link, text) => {
  preferences.language = language;
  vi.mocked(operations.resetStatus).mockResolvedValue({ email: false });
  render(AuthPage);
  await fireEvent.click(screen.getByText(link));
  expect(await screen.findByText(text)).toBeTruthy();
  expect(document.querySelector("form")).toBeNull();
});

it("offers an account if registration is open", async () => {
  render(AuthPage);
  await fireEvent.click(await screen.findByRole("button", { name: "Create account" }));
  expect(screen.getByRole("heading").textContent).toBe("Get started");
});

it.each([
  ["en", "The administrator of this server can add you.", "Create account"],
  ["zh", "可由管理员添加账号", "注册"],
] as const)("offers no account if registration is closed, in %s", async (language, text, register) => {
  preferences.language = language;
  vi.mocked(operations.registrationStatus).mockResolvedValueOnce({ open: false, first: false });
  render(AuthPage);
  expect(await screen.findByText(new RegExp(text))).toBeTruthy();
  expect(screen.queryByRole("button", { name: register })).toBeNull();
});

it("greets with the first account on an empty server", async () => {
  vi.mocked(operations.registrationStatus).mockResolvedValueOnce({ open: true, first: true });
  render(AuthPage);
  expect(await screen.findByText("Create the first account")).toBeTruthy();
  expect(screen.getByText(/enter the code from the server's log/)).toBeTruthy();
  expect(screen.getByLabelText(/^Name/)).toBeTruthy();
});

it("names the command for the first account if registration is closed", async () => {
  vi.mocked(operations.registrationStatus).mockResolvedValueOnce({ open: false, first: true });
  render(AuthPage);
  expect(await screen.findByText(/parley user add --admin EMAIL/)).toBeTruthy();
  expect(screen.queryByLabelText(/^Name/)).toBeNull();
});

it("offers an account if the server does not say", async () => {
  vi.mocked(operations.registrationStatus).mockRejectedValueOnce(new ApiError(-1, "no connection"));
  render(AuthPage);
  expect(await screen.findByRole("button", { name: "Create account" })).toBeTruthy();
});
