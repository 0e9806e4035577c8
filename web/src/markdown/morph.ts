import { isFormulaOf } from "./typeset";

/**
 * Makes the children of a live element equal to those of another one. Nodes that are the
 * same stay, and texts that have grown are appended to. So a selection of them stays too.
 */
export function morph(live: Element | DocumentFragment, next: Element | DocumentFragment): void {
  let old = live.firstChild;
  for (const fresh of [...next.childNodes]) {
    const following: ChildNode | null = old?.nextSibling ?? null;
    if (!old) live.append(fresh);
    else if (!morphNode(old, fresh)) old.replaceWith(fresh);
    old = following;
  }
  while (old) {
    const following: ChildNode | null = old.nextSibling;
    old.remove();
    old = following;
  }
}

/** Makes a live node equal to another one, if it is of the same kind. Reports whether it is. */
export function morphNode(old: ChildNode, fresh: ChildNode): boolean {
  if (old instanceof Text && fresh instanceof Text) {
    morphText(old, fresh.data);
    return true;
  }
  if (!(old instanceof HTMLElement && fresh instanceof HTMLElement) || old.tagName !== fresh.tagName) return false;
  if (fresh.classList.contains("math")) return isFormulaOf(old, fresh);
  morphAttributes(old, fresh);
  morph(old, fresh);
  return true;
}

/** Changes only what differs, because that is what a selection loses. */
function morphText(old: Text, data: string): void {
  let same = 0;
  while (same < data.length && old.data[same] === data[same]) same++;
  if (same < old.length || same < data.length) old.replaceData(same, old.length - same, data.slice(same));
}

function morphAttributes(old: HTMLElement, fresh: HTMLElement): void {
  for (const { name } of [...old.attributes]) {
    // The reader opens and closes details.
    if (!fresh.hasAttribute(name) && name !== "open") old.removeAttribute(name);
  }
  for (const { name, value } of fresh.attributes) {
    if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
}
