import { plain, split, toHtml } from "./render";

/** Text after this length is shown plain, so that the page stays responsive. */
const maxLength = 120_000;

/**
 * Renders a text that grows at its end. Only the last block can still change, so only
 * that one is parsed and rendered again.
 */
export class BlockRenderer {
  #text = "";
  #done: string[] = [];
  #doneLength = 0;
  #highlighted = false;

  /** Returns the blocks of the text as safe HTML. A change of `highlighted` renders all of them again. */
  render(text: string, highlighted = false): string[] {
    if (!text.startsWith(this.#text) || highlighted !== this.#highlighted) this.#reset();
    this.#text = text;
    this.#highlighted = highlighted;
    const body = text.slice(this.#doneLength, maxLength);
    const tokens = split(body);
    const tail = text.length > maxLength ? [plain(text.slice(maxLength))] : [];
    if (!tokens) return [...this.#done, plain(body), ...tail];
    const last = tokens.findLastIndex((token) => token.type !== "space");
    for (const [index, token] of tokens.entries()) {
      if (index >= last) break;
      this.#doneLength += token.raw.length;
      if (token.type !== "space") this.#done.push(toHtml(token));
    }
    const open = tokens[last];
    return [...this.#done, ...(open ? [toHtml(open)] : []), ...tail];
  }

  #reset(): void {
    this.#done = [];
    this.#doneLength = 0;
  }
}
