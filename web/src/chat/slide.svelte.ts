import { tick, untrack } from "svelte";

const duration = 280;

/**
 * Lets an element slide to its new place when place() changes. It does not slide if owner()
 * changes too, because then another page is shown. Must be called where $effect is allowed.
 */
export function slides(element: () => HTMLElement | undefined, place: () => unknown, owner: () => unknown): void {
  let last = untrack(() => ({ place: place(), owner: owner() }));
  $effect.pre(() => {
    const now = { place: place(), owner: owner() };
    const moves = now.place !== last.place && now.owner === last.owner;
    last = now;
    const node = untrack(element);
    if (!moves || !node) return;
    const before = node.getBoundingClientRect().top;
    void tick().then(() => slide(node, before));
  });
}

function slide(node: HTMLElement, before: number): void {
  const distance = before - node.getBoundingClientRect().top;
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  node.animate([{ translate: `0 ${distance}px` }, { translate: "none" }], {
    duration,
    easing: "cubic-bezier(0.2, 0.8, 0.2, 1)",
  });
}
