import { Marked, type Token, type Tokens } from "marked";
import { escapeHtml } from "./escape";
import { BoundedLexer, countCells, maxBlockLength } from "./lexer";
import { mathBlock, mathInline } from "./math";
import { plain } from "./plain";

/** A part of a text, from the beginning of a block to that of the next. */
export interface Block {
  /** HTML that is not safe yet: sanitize.ts makes it so. It is "" if there is nothing to show. */
  html: string;
  /** The length of the block's source. */
  length: number;
  /** How much of the budget of elements it takes. */
  elements: number;
}

export interface Parsed {
  blocks: Block[];
  /** Whether some text is shown plain because it was over a limit. */
  skipped: boolean;
  /** Whether some code was not highlighted because it was over a limit. */
  plainCode: boolean;
}

export interface Limits {
  /** A longer text is not parsed. */
  length: number;
  /** How much work may be done, in nanoseconds of a usual machine. */
  work: number;
  /** How many elements the blocks may have. */
  elements: number;
  /** Longer code is not highlighted. */
  code: number;
}

/** Returns code as HTML, or null if it is longer than maxLength or takes too long to highlight. */
export type Highlight = (code: string, language: string, maxLength: number) => string | null;

/** The HTML tags that a reply may contain, without attributes. */
const allowedTag = /&lt;(\/?(?:br|sub|sup|kbd|mark|u))\s*\/?&gt;/gi;

/** What a block takes of the budget of elements besides its own. */
const blockElements = 4;

/** Turns Markdown into HTML. It needs no DOM, so that it can run in a worker. */
export class MarkdownParser {
  readonly #marked: Marked;
  /** Longer code is not highlighted. */
  #maxCode = 0;
  /** Whether some code was not highlighted. */
  #plainCode = false;

  constructor(highlight: Highlight) {
    const renderer = {
      html({ text }: Tokens.HTML | Tokens.Tag): string {
        return escapeHtml(text).replace(allowedTag, "<$1>");
      },
      // Images become links, because the browser would fetch them from other hosts.
      image({ href, text }: Tokens.Image): string {
        return `<a class="picture" href="${escapeHtml(href)}">${escapeHtml(text || href)}</a>`;
      },
      checkbox({ checked }: Tokens.Checkbox): string {
        return `<span class="task">${checked ? "☑" : "☐"}</span> `;
      },
      code: (token: Tokens.Code): string => this.#code(token, highlight),
    };
    const extensions = [mathBlock, mathInline];
    this.#marked = new Marked({ gfm: true, breaks: false, renderer, extensions });
    this.#marked.use({
      tokenizer: {
        table(source: string): Tokens.Table | false | undefined {
          const cells = countCells(source);
          return cells === 0 || (this.lexer as BoundedLexer).takeCells(cells) ? false : undefined;
        },
      },
    });
  }

  /** Returns the top-level blocks of a text. Joined, they cover all of it. */
  parse(text: string, limits: Limits): Parsed {
    this.#maxCode = limits.code;
    this.#plainCode = false;
    const tokens = this.#lex(text, limits);
    if (!tokens) return { blocks: [plainBlock(text)], skipped: true, plainCode: false };
    let { skipped } = tokens;
    const blocks: Block[] = [];
    let left = limits.elements;
    let at = 0;
    for (const token of tokens.list) {
      const block = this.#block(token, left);
      if (block.elements > left) {
        blocks.push(plainBlock(text.slice(at)));
        return { blocks, skipped: true, plainCode: this.#plainCode };
      }
      skipped ||= block.plain;
      left -= block.elements;
      at += block.length;
      blocks.push({ html: block.html, length: block.length, elements: block.elements });
    }
    return { blocks: align(blocks, tokens.list, text), skipped, plainCode: this.#plainCode };
  }

  #lex(text: string, limits: Limits): { list: Token[]; skipped: boolean } | null {
    if (text.length > limits.length) return null;
    try {
      const lexer = new BoundedLexer(this.#marked.defaults, limits.work);
      const list = lexer.lex(text);
      return { list, skipped: lexer.skipped };
    } catch {
      return null; // too much work, or too deep for the stack
    }
  }

  #block(token: Token, left: number): Block & { plain: boolean } {
    const { raw } = token;
    if (token.type === "space") return { html: "", length: raw.length, elements: 0, plain: false };
    if (raw.length > maxBlockLength && token.type !== "code") return { ...plainBlock(raw), plain: true };
    try {
      let html = this.#marked.parser([token]);
      if (token.type === "code" && countElements(html) > left) html = this.#code(token as Tokens.Code, null);
      return { html, length: raw.length, elements: countElements(html), plain: false };
    } catch {
      return { ...plainBlock(raw), plain: true };
    }
  }

  #code({ text, lang }: Tokens.Code, highlight: Highlight | null): string {
    const language = /^[\w+#.-]*/.exec(lang ?? "")?.[0].toLowerCase() ?? "";
    const label = escapeHtml(language || "text");
    const highlighted = highlight?.(text, language, this.#maxCode) ?? null;
    if (highlighted === null) this.#plainCode = true;
    return `<pre data-language="${label}" tabindex="0"><code>${highlighted ?? escapeHtml(text)}\n</code></pre>`;
  }
}

/**
 * Returns blocks whose lengths add up to that of the text. Marked changes the line breaks
 * of a few blocks, so that their length is unknown. From there on it is one block.
 */
function align(blocks: Block[], tokens: Token[], text: string): Block[] {
  let at = 0;
  let known = 0;
  while (known < tokens.length && text.startsWith(tokens[known]!.raw, at)) at += tokens[known++]!.raw.length;
  if (known === tokens.length && at === text.length) return blocks;
  const rest = blocks.slice(known);
  const elements = rest.reduce((sum, block) => sum + block.elements, 0);
  const html = rest.map((block) => block.html).join("");
  return [...blocks.slice(0, known), { html, length: text.length - at, elements }];
}

/** Counts the elements of a block, with those that decorate.ts adds for citations and formulas. */
function countElements(html: string): number {
  let elements = blockElements;
  for (const [, tex = ""] of html.matchAll(/<span class="math[^>]*>([^<]*)|<[a-z]|\[\d\d?\]/g)) {
    elements += 1 + tex.length;
  }
  return elements;
}

/** Returns a block that shows its source. */
function plainBlock(text: string): Block {
  return { html: plain(text), length: text.length, elements: blockElements };
}
