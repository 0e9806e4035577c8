import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import * as operations from "../api/operations";
import { Favorites } from "../sidebar/favorites.svelte";
import { Changes } from "../shared/changes";
import { Favoriting } from "./favoriting";

vi.mock("../api/operations");

beforeEach(() => {
  vi.mocked(operations.listFavorites).mockResolvedValue({ favorites: [], total: 0, page: 1, page_size: 20 });
});

/** Returns the favorites, and the list of them. */
function create() {
  const favoriting = new Favoriting();
  const ended = new AbortController();
  onTestFinished(() => ended.abort());
  return { favoriting, favorites: new Favorites(favoriting, new Changes(ended.signal)) };
}

test("the list waits for a message that is being added", async () => {
  const { favoriting, favorites } = create();
  let added!: () => void;
  vi.mocked(operations.addFavorite).mockReturnValue(new Promise<void>((resolve) => (added = resolve)) as never);
  const marking = favoriting.set("m", "s", true);
  const fetching = favorites.refresh();
  await new Promise((resolve) => setTimeout(resolve));
  expect(operations.listFavorites).not.toHaveBeenCalled();
  added();
  await Promise.all([marking, fetching]);
  expect(operations.listFavorites).toHaveBeenCalledOnce();
});

test("a change that failed keeps no list waiting", async () => {
  const { favoriting, favorites } = create();
  vi.mocked(operations.removeFavorite).mockRejectedValue(new Error("no"));
  await expect(favoriting.set("m", "s", false)).rejects.toThrow("no");
  vi.mocked(operations.listFavorites).mockClear();
  await favorites.refresh();
  expect(operations.listFavorites).toHaveBeenCalledOnce();
});
