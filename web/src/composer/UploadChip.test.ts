import { cleanup, fireEvent, render, screen, waitFor } from "@testing-library/svelte";
import { tick } from "svelte";
import { afterEach, expect, it, vi } from "vitest";
import { uploadFile } from "../api/upload";
import { testUser } from "../shared/testing/user";
import { Files } from "../files/files.svelte";
import { preferences } from "../shared/preferences.svelte";
import UploadChip from "./UploadChip.svelte";

vi.mock("../api/upload", () => ({ uploadFile: vi.fn(() => new Promise(() => {})) }));

afterEach(() => {
  cleanup();
  vi.clearAllMocks();
  preferences.language = null;
});

/** Starts the upload of a scan, and shows it. */
async function begin() {
  const files = new Files(testUser().user);
  void files.add([new File(["%PDF"], "scan.pdf")], () => Promise.resolve("s"));
  await waitFor(() => expect(uploadFile).toHaveBeenCalled());
  const upload = files.uploads[0]!;
  const options = vi.mocked(uploadFile).mock.lastCall![2];
  render(UploadChip, { upload, oncancel: () => files.cancel(upload), onretry: () => {} });
  return { files, options };
}

it.each([
  ["en", "Reading page 12 of 200"],
  ["zh", "正在识别第 12 页，共 200 页"],
] as const)("shows the page that is read, in %s", async (language, text) => {
  preferences.language = language;
  const { options } = await begin();
  const bar = () => screen.getByRole<HTMLProgressElement>("progressbar");
  options.onProgress!(1);
  await tick();
  expect([bar().value, bar().max]).toEqual([1, 1]);
  options.onReading!({ page: 12, pages: 200 });
  await tick();
  expect(screen.getByText(text)).toBeTruthy();
  expect([bar().value, bar().max]).toEqual([11, 200]);
  expect(bar().getAttribute("aria-label")).toBe(`scan.pdf: ${text}`);
});

it("stops the reading", async () => {
  const { files, options } = await begin();
  options.onReading!({ page: 1, pages: 2 });
  await fireEvent.click(screen.getByRole("button", { name: "Cancel scan.pdf" }));
  expect(options.signal!.aborted).toBe(true);
  expect(files.uploads).toEqual([]);
});
