import DOMPurify from "dompurify";
import { Marked, type Token, type Tokens, type TokensList } from "marked";
import { escapeHtml } from "./escape";
import { highlight } from "./highlight.svelte";
import { mathBlock, mathInline } from "./math";

/** The HTML tags that a reply may contain, without attributes. */
const allowedTag = /&lt;(\/?(?:br|sub|sup|kbd|mark|u))\s*\/?&gt;/gi;

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
  code({ text, lang }: Tokens.Code): string {
    const language = /^[\w+#.-]*/.exec(lang ?? "")?.[0].toLowerCase() ?? "";
    const label = escapeHtml(language || "text");
    return `<pre data-language="${label}" tabindex="0"><code>${highlight(text, language)}\n</code></pre>`;
  },
};

const marked = new Marked({ gfm: true, breaks: false, renderer, extensions: [mathBlock, mathInline] });

const policy = {
  ALLOWED_TAGS: [
    "a", "blockquote", "br", "code", "del", "em", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "kbd", "li", "mark",
    "ol", "p", "pre", "span", "strong", "sub", "sup", "table", "tbody", "td", "th", "thead", "tr", "u", "ul",
  ],
  ALLOWED_ATTR: ["align", "class", "data-language", "href", "start", "tabindex", "title"],
  ALLOWED_URI_REGEXP: /^(?:https?|mailto):/i,
  // Values of attributes that are not listed here are checked as URLs.
  ADD_URI_SAFE_ATTR: ["align", "data-language", "start", "tabindex"],
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
};

const purifier = DOMPurify(window);
purifier.addHook("afterSanitizeAttributes", (node) => {
  if (node.tagName !== "A" || !node.hasAttribute("href")) return;
  node.setAttribute("target", "_blank");
  node.setAttribute("rel", "noopener noreferrer nofollow");
});

/** Deeper nesting is shown plain, because it takes too long to parse. */
const deepNesting = /^(?:[ \t]*(?:>|[-*+]|\d+\.)){24,}/m;
const deepBrackets = /[[(]{200,}/;

/** Splits Markdown into top-level blocks. Returns null if the text should be shown plain. */
export function split(text: string): TokensList | null {
  if (deepNesting.test(text) || deepBrackets.test(text)) return null;
  try {
    return marked.lexer(text);
  } catch {
    return null;
  }
}

/** A longer block is shown plain, unless it is code. */
const maxBlockLength = 20_000;

/** Returns a block as safe HTML. */
export function toHtml(token: Token): string {
  if (token.raw.length > maxBlockLength && token.type !== "code") return plain(token.raw);
  try {
    return purifier.sanitize(marked.parser([token]), policy);
  } catch {
    return plain(token.raw);
  }
}

/** Returns a text as a plain paragraph. */
export function plain(text: string): string {
  return `<p class="plain">${escapeHtml(text)}</p>`;
}
