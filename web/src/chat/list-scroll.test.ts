import { describe, expect, it } from "vitest";
import { ListScroll } from "./list-scroll.svelte";

/** A list whose scroll position stays in its bounds, like that of an element. */
class FakeScroller {
  clientHeight = 500;
  #top = 0;

  constructor(public scrollHeight: number) {}

  get scrollTop() {
    return Math.min(this.#top, this.scrollHeight - this.clientHeight);
  }
  set scrollTop(top: number) {
    this.#top = Math.max(0, Math.min(top, this.scrollHeight - this.clientHeight));
  }
}

function setUp() {
  const scroller = new FakeScroller(2000);
  const scroll = new ListScroll(() => scroller);
  scroll.follow();
  const drag = (top: number, hasNewer = false) => {
    scroller.scrollTop = top;
    scroll.scrolled(hasNewer);
  };
  return { scroller, scroll, drag };
}

describe("the scroll position of a list", () => {
  it("stays at the end until the user scrolls up, however little", () => {
    const { scroller, scroll, drag } = setUp();
    scroller.scrollHeight = 3000;
    scroll.follow();
    expect(scroller.scrollTop).toBe(2500);
    drag(2490);
    scroller.scrollHeight = 4000;
    scroll.follow();
    expect([scroll.pinned, scroller.scrollTop]).toEqual([false, 2490]);
    drag(3470);
    expect(scroll.pinned).toBe(true);
  });

  it("is not decided by the events of the page's own scrolling, which come later", () => {
    const { scroll, scroller, drag } = setUp();
    drag(700);
    scroll.pin();
    scroll.release(); // an edit begins at once
    scroll.scrolled(false); // the event of pin
    expect(scroll.pinned).toBe(false);
    scroll.move(() => (scroller.scrollTop = 1000));
    scroll.move(() => (scroller.scrollTop = 1480));
    scroll.scrolled(false);
    expect(scroll.pinned).toBe(false);
    scroll.pin();
    scroll.move(() => (scroller.scrollTop = 1000));
    scroll.scrolled(false);
    expect(scroll.pinned).toBe(true);
  });

  it("stays at the end of a list that becomes shorter", () => {
    const { scroller, scroll } = setUp();
    scroller.scrollHeight = 1000;
    scroll.scrolled(false);
    expect(scroll.pinned).toBe(true);
  });

  it("is pinned after a change only if the list ends on the screen", () => {
    const { scroll, drag } = setUp();
    drag(100);
    scroll.pinAtEnd();
    expect(scroll.pinned).toBe(false);
    drag(1499);
    scroll.release();
    scroll.pinAtEnd();
    expect(scroll.pinned).toBe(true);
  });

  it("is never pinned while the end of the chat is not loaded", () => {
    const { scroll, drag } = setUp();
    drag(100, true);
    drag(1500, true);
    expect(scroll.pinned).toBe(false);
  });
});
