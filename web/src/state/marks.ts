const name = "found";

/** The ranges of an element's text that contain a word, in any case. White space matches any white space. */
export function rangesOf(element: Element, word: string): Range[] {
  const nodes: { node: Text; start: number }[] = [];
  let text = "";
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode as Text;
    if (node.parentElement?.closest(".hidden-text, button")) continue;
    nodes.push({ node, start: text.length });
    text += node.data;
  }
  const pattern = word.trim().split(/\s+/).map(escaped).join("\\s+");
  if (!pattern) return [];
  return [...text.matchAll(new RegExp(pattern, "giu"))].map(({ index, 0: match }) => {
    const range = document.createRange();
    const place = (offset: number) => nodes.findLast(({ start }) => start <= offset)!;
    const first = place(index);
    const last = place(index + match.length - 1);
    range.setStart(first.node, index - first.start);
    range.setEnd(last.node, index + match.length - last.start);
    return range;
  });
}

const escaped = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");

/** Marks ranges on the page instead of those marked before. Browsers that can't do that leave them as they are. */
export function mark(ranges: Range[]): void {
  if (!("highlights" in CSS)) return;
  if (ranges.length > 0) CSS.highlights.set(name, new Highlight(...ranges));
  else CSS.highlights.delete(name);
}
