import { beforeEach, expect, test, vi } from "vitest";
import * as operations from "../api/operations";
import { Favorites } from "../sidebar/favorites.svelte";
import { setFavorite } from "./favoriting";

vi.mock("../api/operations");

beforeEach(() => {
  vi.mocked(operations.listFavorites).mockResolvedValue({ favorites: [], total: 0, page: 1, page_size: 20 });
});

test("the list waits for a message that is being added", async () => {
  let added!: () => void;
  vi.mocked(operations.addFavorite).mockReturnValue(new Promise<void>((resolve) => (added = resolve)) as never);
  const marking = setFavorite("m", "s", true);
  const fetching = new Favorites().refresh();
  await new Promise((resolve) => setTimeout(resolve));
  expect(operations.listFavorites).not.toHaveBeenCalled();
  added();
  await Promise.all([marking, fetching]);
  expect(operations.listFavorites).toHaveBeenCalledOnce();
});

test("a change that failed keeps no list waiting", async () => {
  vi.mocked(operations.removeFavorite).mockRejectedValue(new Error("no"));
  await expect(setFavorite("m", "s", false)).rejects.toThrow("no");
  vi.mocked(operations.listFavorites).mockClear();
  await new Favorites().refresh();
  expect(operations.listFavorites).toHaveBeenCalledOnce();
});
