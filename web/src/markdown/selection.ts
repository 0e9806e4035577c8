/** Changes the children of an element, but not its text. The reader's selection in it stays. */
export function keepSelection(element: HTMLElement, change: () => void): void {
  const selection = getSelection();
  if (!selection?.anchorNode || !selection.focusNode) return change();
  const { anchorNode, anchorOffset, focusNode, focusOffset } = selection;
  const anchor = offsetIn(element, anchorNode, anchorOffset);
  const focus = offsetIn(element, focusNode, focusOffset);
  change();
  if (anchor === null && focus === null) return;
  const start = anchor === null ? { node: anchorNode, offset: anchorOffset } : pointAt(element, anchor);
  const end = focus === null ? { node: focusNode, offset: focusOffset } : pointAt(element, focus);
  selection.setBaseAndExtent(start.node, start.offset, end.node, end.offset);
}

/** Returns how much text of an element is before a point, or null if the point is outside. */
function offsetIn(element: HTMLElement, node: Node, offset: number): number | null {
  if (!element.contains(node)) return null;
  const range = document.createRange();
  range.selectNodeContents(element);
  range.setEnd(node, offset);
  return range.toString().length;
}

function pointAt(element: HTMLElement, offset: number): { node: Node; offset: number } {
  const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  let rest = offset;
  while (texts.nextNode()) {
    const text = texts.currentNode as Text;
    if (rest <= text.length) return { node: text, offset: rest };
    rest -= text.length;
  }
  return { node: element, offset: element.childNodes.length };
}
