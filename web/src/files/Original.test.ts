import { cleanup, fireEvent, render, screen } from "@testing-library/svelte";
import { readFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import * as operations from "../api/operations";
import type { FileText } from "../api/types";
import { formsOf } from "../i18n/plural";
import { testUser } from "../shared/testing/user";
import { hasOriginal, maxOriginal, pageOf } from "./original";
import { en } from "./original.en";
import { zh } from "./original.zh";
import Original from "./Original.svelte";

const file: FileText = {
  file_id: "f",
  filename: "timetable.pdf",
  file_size: 4,
  file_type: "application/pdf",
  upload_time: 1,
  page: 3,
  pages: 9,
  anchor: "page 2",
  text: "",
  offset: 0,
};
const blobs: Blob[] = [];
const revoked: string[] = [];
const download = vi.fn();

const show = (about: Partial<FileText> = {}, viewer = true) => {
  Object.defineProperty(navigator, "pdfViewerEnabled", { value: viewer, configurable: true });
  return render(Original, { props: { file: { ...file, ...about } }, context: testUser().context });
};

beforeEach(() => {
  const body = { blob: () => Promise.resolve(new Blob(["<script>"], { type: "text/html" })) };
  download.mockReset().mockResolvedValue(body);
  vi.spyOn(operations, "downloadFile").mockImplementation(download);
  vi.spyOn(operations, "showPicture").mockResolvedValue(body as never);
  URL.createObjectURL = vi.fn((blob: Blob) => `blob:${blobs.push(blob)}`); // jsdom has neither
  URL.revokeObjectURL = (url) => void revoked.push(url);
  vi.spyOn(HTMLAnchorElement.prototype, "click").mockReturnValue(); // nor downloads
});
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
  blobs.length = revoked.length = 0;
});

describe("the original of a file", () => {
  it("is shown in the viewer of the browser, at the page of the text", async () => {
    const { unmount } = show();
    await vi.waitFor(() => expect(document.querySelector("iframe")?.src).toBe("blob:1#page=2&navpanes=0&view=FitH"));
    unmount();
    expect(revoked).toEqual(["blob:1"]);
  });

  it("is a PDF in a frame, whatever the server says", async () => {
    show();
    await vi.waitFor(() => expect(blobs.map(({ type }) => type)).toEqual(["application/pdf"]));
  });

  it.each([
    { what: "the browser has no viewer", about: {}, viewer: false, text: en.noViewer },
    { what: "it is too large", about: { file_size: maxOriginal + 1 }, viewer: true, text: /too large to be shown/ },
  ])("is offered as a download if $what", async ({ about, viewer, text }) => {
    show(about, viewer);
    expect(screen.getByText(text)).toBeTruthy();
    expect([document.querySelector("iframe"), download.mock.calls]).toEqual([null, []]);
    await fireEvent.click(screen.getByRole("button", { name: "Download timetable.pdf" }));
    expect(download).toHaveBeenCalled();
  });

  it("is offered as a download if it can't be loaded", async () => {
    download.mockRejectedValue(new TypeError("offline"));
    show();
    await vi.waitFor(() => screen.getByText(en.failed));
    expect(screen.getByRole("button", { name: "Download timetable.pdf" })).toBeTruthy();
  });

  it("is a picture that the server has made", async () => {
    show({ file_type: "image/png", filename: "map.png" });
    await vi.waitFor(() => expect(screen.getByRole("img", { name: "map.png" })).toBeTruthy());
    expect(operations.showPicture).toHaveBeenCalledWith("f", "full", expect.anything());
    expect(document.querySelector("iframe")).toBeNull();
  });

  it.each([
    ["application/pdf", true],
    ["image/jpeg", true],
    ["image/svg+xml", false],
    ["text/html", false],
    ["application/xhtml+xml", false],
    ["text/plain", false],
  ])("of %s is shown: %s", (file_type, shown) => {
    expect(hasOriginal({ ...file, file_type })).toBe(shown);
  });

  it("begins at the page of an anchor", () => {
    expect(["page 12", "slide 3", undefined].map(pageOf)).toEqual([12, 1, 1]);
  });
});

it("the texts of originals have the same placeholders in both languages, and are all used", () => {
  const placeholders = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([name]) => name).sort();
  const source = ["ViewSwitch", "Original"].map((name) => readFileSync(`src/files/${name}.svelte`, "utf8")).join();
  expect(Object.keys(zh)).toEqual(Object.keys(en));
  for (const [key, text] of Object.entries<string>(en) as [keyof typeof en, string][]) {
    for (const form of formsOf(zh[key])) expect(placeholders(form), key).toEqual(placeholders(text));
    expect(source.includes(`"${key}"`), key).toBe(true);
  }
});
