import { cleanup, fireEvent, render, screen } from "@testing-library/svelte";
import { afterEach, expect, it, vi } from "vitest";
import { ApiError, client, code } from "../api/call";
import { language } from "../i18n/index.svelte";
import { testUser } from "../shared/testing/user";
import { Entry } from "./entry.svelte";
import Rating from "./Rating.svelte";
import { en } from "./rating-texts.en";
import { zh } from "./rating-texts.zh";

const rate = vi.spyOn(client, "rate");

afterEach(() => {
  cleanup();
  rate.mockReset();
});

/** Shows the rating of a reply. */
function show(rating?: 1 | -1) {
  const entry = new Entry({ id: "r", role: "assistant", content: "", timestamp: 0, is_favorited: false, rating });
  const { user, context } = testUser();
  render(Rating, { props: { entry }, context });
  const toasted = vi.spyOn(user.toasts, "showError");
  return { entry, toasted };
}

const pressed = () => screen.getAllByRole("button").map((thumb) => thumb.getAttribute("aria-pressed") === "true");
const press = (name: string) => fireEvent.click(screen.getByRole("button", { name }));

it("rates a reply, changes the rating and takes it back", async () => {
  rate.mockResolvedValue();
  const { entry } = show();
  expect(pressed()).toEqual([false, false]);
  await press(en.up);
  expect(pressed()).toEqual([true, false]);
  await press(en.down);
  expect(pressed()).toEqual([false, true]);
  await press(en.down);
  expect(pressed()).toEqual([false, false]);
  expect(entry.message.rating).toBeUndefined();
  expect(rate.mock.calls).toEqual([
    ["r", 1],
    ["r", -1],
    ["r", 0],
  ]);
});

it("shows the rating that the server has, and keeps it if a change fails", async () => {
  rate.mockRejectedValue(new ApiError(code.noSuchSession, "gone", 404));
  const { toasted } = show(-1);
  expect(pressed()).toEqual([false, true]);
  await press(en.up);
  await vi.waitFor(() => expect(toasted).toHaveBeenCalledOnce());
  expect(pressed()).toEqual([false, true]);
});

it("has the same texts in both languages", () => {
  expect(language()).toBe("en");
  expect(Object.keys(zh)).toEqual(Object.keys(en));
});
