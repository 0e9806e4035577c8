import { Marked, type Token, type Tokens } from "marked";
import { details } from "./details";
import { divide, type Part, undivided } from "./divide";
import { emphasis, maskEastAsian } from "./emphasis";
import { escapeHtml } from "./escape";
import { footnote, footnoteReference } from "./footnote";
import { BoundedLexer, countCells, maxBlockLength } from "./lexer";
import { mathBlock, mathInline } from "./math";
import { plain } from "./plain";

/** A part of a text: a block, or a part of a list, a table or code that continues the block before it. */
export interface Block {
  /** HTML that is not safe yet: sanitize.ts makes it so. It is "" if there is nothing to show. */
  html: string;
  /** The length of the block's source. */
  length: number;
  /** How much of the budget of elements it takes. */
  elements: number;
  /** For a part: what must stand before the source of the next part, so that it can be parsed alone. */
  prefix?: string;
  /** Whether it is a part that is not the first. */
  continues?: boolean;
}

export interface Parsed {
  blocks: Block[];
  /** Whether some text is shown plain because it was over a limit. */
  skipped: boolean;
}

export interface Limits {
  /** A longer text is not parsed. */
  length: number;
  /** How much work may be done, in nanoseconds of a usual machine. */
  work: number;
  /** How many elements the blocks may have. */
  elements: number;
}

/** The HTML tags that a reply may contain, without attributes. */
const allowedTag = /&lt;(\/?(?:br|sub|sup|kbd|mark|u))\s*\/?&gt;/gi;

/** What a block takes of the budget of elements besides its own. */
const blockElements = 4;

/** A block, and whether it shows its source because it is too long or too deep. */
type Rendered = Block & { isPlain: boolean };

/** Turns Markdown into HTML. It needs no DOM, so that it can run in a worker. */
export class MarkdownParser {
  readonly #marked: Marked;

  constructor() {
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
      code: renderCode,
    };
    const extensions = [mathBlock, mathInline, details, footnote, footnoteReference];
    this.#marked = new Marked({ gfm: true, breaks: false, renderer, extensions });
    this.#marked.use({
      hooks: { emStrongMask: maskEastAsian },
      tokenizer: {
        ...emphasis,
        table(source: string): Tokens.Table | false | undefined {
          const cells = countCells(source);
          return cells === 0 || (this.lexer as BoundedLexer).takeCells(cells) ? false : undefined;
        },
      },
    });
  }

  /** Returns the blocks of a text and their parts. Joined, they cover all of it. */
  parse(text: string, limits: Limits): Parsed {
    // Marked changes spaces at the end, and with them the length of the last block.
    let end = text.length;
    while (text[end - 1] === " " || text[end - 1] === "\t") end--;
    const parsed = this.#parse(text.slice(0, end), limits);
    if (end < text.length) parsed.blocks.push({ html: "", length: text.length - end, elements: 0 });
    return parsed;
  }

  #parse(text: string, limits: Limits): Parsed {
    const tokens = this.#lex(text, limits);
    if (!tokens) return { blocks: [plainBlock(text)], skipped: true };
    let { skipped } = tokens;
    const blocks: Block[] = [];
    let left = limits.elements;
    let at = 0;
    for (const parts of this.#blocks(tokens.list, text)) {
      for (const { isPlain, ...block } of parts) {
        if (block.elements > left) return { blocks: [...blocks, plainBlock(text.slice(at))], skipped: true };
        skipped ||= isPlain;
        left -= block.elements;
        at += block.length;
        blocks.push(block);
      }
    }
    return { blocks, skipped };
  }

  /**
   * Yields the parts of each token. Marked changes the line breaks of a few blocks, so that
   * their length is unknown. From there on it is one block.
   */
  *#blocks(tokens: Token[], text: string): Generator<Rendered[]> {
    let at = 0;
    let known = 0;
    while (known < tokens.length && text.startsWith(tokens[known]!.raw, at)) at += tokens[known++]!.raw.length;
    const aligned = at === text.length ? tokens : tokens.slice(0, known);
    for (const token of aligned) yield this.#parts(token);
    if (aligned === tokens) return;
    const rest = tokens.slice(known).map((token) => this.#part(undivided(token)));
    yield [
      {
        html: rest.map((block) => block.html).join(""),
        length: text.length - at,
        elements: rest.reduce((sum, block) => sum + block.elements, 0),
        prefix: rest.length === 1 ? rest[0]!.prefix : undefined,
        isPlain: rest.some((block) => block.isPlain),
      },
    ];
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

  #parts(token: Token): Rendered[] {
    const parts = divide(token).map((part, index) => this.#part(part, index > 0));
    return parts.some((part) => part.isPlain) ? [{ ...plainBlock(token.raw), isPlain: true }] : parts;
  }

  #part({ token, length, prefix }: Part, continues = false): Rendered {
    if (token.type === "space") return { html: "", length, elements: 0, isPlain: false };
    if (token.raw.length <= maxBlockLength || token.type === "code") {
      try {
        const html = this.#marked.parser([token]);
        return { html, length, elements: countElements(html, continues), prefix, continues, isPlain: false };
      } catch {
        // It is nested too deep.
      }
    }
    return { ...plainBlock(token.raw), isPlain: true };
  }
}

function renderCode({ text, lang }: Tokens.Code): string {
  const language = /^[\w+#.-]*/.exec(lang ?? "")?.[0].toLowerCase() ?? "";
  const lines = `<span class="lines">${escapeHtml(text)}\n</span>`;
  return `<pre data-language="${escapeHtml(language || "text")}" tabindex="0"><code>${lines}</code></pre>`;
}

/**
 * Counts the elements of a block, with those that decorate.ts adds for citations and
 * formulas. A part that continues a block is counted without what is around it.
 */
export function countElements(html: string, continues: boolean): number {
  let elements = continues ? 0 : blockElements;
  const part = continues ? html.slice(html.search(/<li|<tbody>|<code>/)) : html;
  for (const [, tex = ""] of part.matchAll(/<span class="math[^>]*>([^<]*)|<[a-z]|\[\d\d?\]/g)) {
    elements += 1 + tex.length;
  }
  return elements;
}

/** Returns a block that shows its source. */
function plainBlock(text: string): Block {
  return { html: plain(text), length: text.length, elements: blockElements };
}
