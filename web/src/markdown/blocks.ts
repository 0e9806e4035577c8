import { plain, split, toHtml } from "./render";

/** Markdown beyond this is shown as plain text, so that the page stays usable. */
const longest = 120_000;

/**
 * Renders a text that grows at its end. Only the last block can still change, so only
 * it is read and rendered again: a long reply costs no more a word than a short one.
 */
export class BlockRenderer {
  #text = "";
  #settled: string[] = [];
  #settledLength = 0;
  #colours = false;

  /** The blocks of the text as safe HTML. Pass another `colours` to render all anew. */
  render(text: string, colours = false): string[] {
    if (!text.startsWith(this.#text) || colours !== this.#colours) this.#reset();
    this.#text = text;
    this.#colours = colours;
    const body = text.slice(this.#settledLength, longest);
    const tokens = split(body);
    const tail = text.length > longest ? [plain(text.slice(longest))] : [];
    if (!tokens) return [...this.#settled, plain(body), ...tail];
    const last = tokens.findLastIndex((token) => token.type !== "space");
    for (const [index, token] of tokens.entries()) {
      if (index >= last) break;
      this.#settledLength += token.raw.length;
      if (token.type !== "space") this.#settled.push(toHtml(token));
    }
    const open = tokens[last];
    return [...this.#settled, ...(open ? [toHtml(open)] : []), ...tail];
  }

  #reset(): void {
    this.#settled = [];
    this.#settledLength = 0;
  }
}
