/** The part of an element that is used here. */
export type Scroller = Pick<HTMLElement, "scrollTop" | "scrollHeight" | "clientHeight">;

/** How near to the end the user has to scroll for the list to stay there, in pixels. */
const nearEnd = 48;

/**
 * Decides where a list is scrolled to: a pinned list stays at its end, another one holds its place. The user decides by
 * scrolling, and the page by pin and release. The page scrolls by move only. The event of such a scroll comes later,
 * when the user may have done something else, so it decides nothing.
 */
export class ListScroll {
  pinned = $state(true);
  readonly #scroller: () => Scroller | undefined;
  /** Where the list was scrolled to when that was last looked at. */
  #top = 0;

  constructor(scroller: () => Scroller | undefined) {
    this.#scroller = scroller;
  }

  /** Scrolls to the end and stays there. */
  pin(): void {
    this.pinned = true;
    this.follow();
  }

  /** Holds the place from now on. */
  release(): void {
    this.pinned = false;
  }

  /** Scrolls to the end if the list is pinned. It is called when the list has another size. */
  follow(): void {
    if (!this.pinned) return;
    this.move((scroller) => (scroller.scrollTop = scroller.scrollHeight));
  }

  /** Scrolls for the page. */
  move(scroll: (scroller: Scroller) => void): void {
    const scroller = this.#scroller();
    if (!scroller) return;
    scroll(scroller);
    this.#top = scroller.scrollTop;
  }

  /** Pins the list if it ends on the screen. */
  pinAtEnd(): void {
    if (this.below < 2) this.pin();
  }

  /** Handles an event of scrolling. A list whose end is not loaded can't be pinned. */
  scrolled(hasNewer: boolean): void {
    const scroller = this.#scroller();
    if (!scroller) return;
    const moved = scroller.scrollTop - this.#top;
    this.#top = scroller.scrollTop;
    // A list that becomes shorter moves up too, but stays at its end.
    if (hasNewer || (moved < 0 && this.below > 1)) this.pinned = false;
    else if (moved > 0 && this.below < nearEnd) this.pinned = true;
  }

  /** How many pixels of the list are below the screen. */
  get below(): number {
    const scroller = this.#scroller();
    return scroller ? scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight : Infinity;
  }
}
