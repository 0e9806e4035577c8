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

/**
 * Marks a word in an element, also in text that changes later, such as code that gets its colors. It ends with the
 * function that is returned. Browsers that can't mark text leave it as it is.
 */
export function keepMarked(element: Element, word: string): () => void {
  if (!("highlights" in CSS)) return () => {};
  const update = () => CSS.highlights.set(name, new Highlight(...rangesOf(element, word)));
  const observer = new MutationObserver(update);
  observer.observe(element, { childList: true, characterData: true, subtree: true });
  update();
  return () => {
    observer.disconnect();
    CSS.highlights.delete(name);
  };
}

const doubted = "doubted";

/** Underlines quotes in an element, also in text that changes later. It ends with the function that is returned. */
export function keepDoubted(element: Element, quotes: string[]): () => void {
  if (!("highlights" in CSS)) return () => {};
  const all = CSS.highlights.get(doubted) ?? new Highlight();
  CSS.highlights.set(doubted, all);
  let ranges: Range[] = [];
  const remove = () => ranges.forEach((range) => all.delete(range));
  const update = () => {
    remove();
    ranges = quotes.flatMap((quote) => rangesOf(element, quote.replace(/[*_`]/g, "")).slice(0, 1));
    ranges.forEach((range) => all.add(range));
  };
  const observer = new MutationObserver(update);
  observer.observe(element, { childList: true, characterData: true, subtree: true });
  update();
  return () => {
    observer.disconnect();
    remove();
  };
}
