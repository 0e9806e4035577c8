import DOMPurify from "dompurify";

const policy = {
  ALLOWED_TAGS: [
    "a",
    "blockquote",
    "br",
    "code",
    "del",
    "details",
    "em",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "hr",
    "kbd",
    "li",
    "mark",
    "ol",
    "p",
    "pre",
    "span",
    "strong",
    "sub",
    "summary",
    "sup",
    "table",
    "tbody",
    "td",
    "th",
    "thead",
    "tr",
    "u",
    "ul",
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

/** Returns the safe part of some HTML. It needs the DOM, so it runs on the page. parse.ts bounds its input. */
export function toFragment(html: string): DocumentFragment {
  return purifier.sanitize(html, { ...policy, RETURN_DOM_FRAGMENT: true });
}
