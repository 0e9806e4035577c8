import { fireEvent, render, screen } from "@testing-library/svelte";
import { afterEach, describe, expect, it, vi } from "vitest";
import { testUser } from "../shared/testing/user";
import { Files } from "./files.svelte";
import FilesPanel from "./FilesPanel.svelte";

describe("the files of a chat", () => {
  afterEach(() => vi.unstubAllGlobals());

  it("say what of them could not be read", () => {
    const { user, context } = testUser();
    const files = new Files(user);
    const about = { file_size: 1, file_type: "text/plain", upload_time: 1 };
    files.stored = [
      { ...about, file_id: "01", filename: "all.txt" },
      { ...about, file_id: "02", filename: "some.pptx", notes: ["slide 2 could not be read"] },
    ];
    render(FilesPanel, {
      props: { files, sessionId: "s", onretry: () => undefined, onclose: () => undefined },
      context,
    });
    expect(screen.getAllByText(/How it was read: /).map((note) => note.textContent)).toEqual([
      "How it was read: slide 2 could not be read",
    ]);
  });

  it("open a picture by its name, and the text of other files", async () => {
    vi.stubGlobal(
      "IntersectionObserver",
      class {
        observe() {}
        disconnect() {}
      },
    );
    const showModal = vi.fn();
    HTMLDialogElement.prototype.showModal = showModal; // jsdom has none
    const { user, context } = testUser();
    const files = new Files(user);
    const about = { file_size: 1, upload_time: 1 };
    files.stored = [
      { ...about, file_type: "image/png", file_id: "01", filename: "map.png" },
      { ...about, file_type: "text/plain", file_id: "02", filename: "ferries.txt" },
    ];
    render(FilesPanel, {
      props: { files, sessionId: "s", onretry: () => undefined, onclose: () => undefined },
      context,
    });
    expect(screen.getByRole("link", { name: "ferries.txt" })).toBeTruthy();
    expect(screen.queryByRole("link", { name: "map.png" })).toBeNull();
    await fireEvent.click(screen.getByRole("button", { name: "map.png" }));
    expect(showModal).toHaveBeenCalled();
  });
});
