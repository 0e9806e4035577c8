/** Texts that take a naive parser quadratic time or worse, each as a function of its length. For tests. */
export const hostileTexts: Record<string, (length: number) => string> = {
  ...Object.fromEntries(
    [
      "$$a", "$a ", "\\[a", "\\(a", "$$a\n\n", "\\[a\n\n", "**a_", "*a **b ", "***a", "*_", "*a", "a_", "~~a",
      "a* ", "!", "\\", "[", "![", "![[", "[a](", "[a](<", "](", "[a][", "[a]", "[^a]", "[a](b)", "((",
      "[a]: <", "[a]: <\n", "[a]: b\n", "[a]: b '\n", "[a]:\n", "[^a]: b\n", "`", "`a``b", "<", "<a ",
      "<a b='", "<!--", "<?", "<![CDATA[", "<a@b", "</a>", "<b>", "&", "&#", "http://a", "www.a", "a@",
      "a@b.", "|", "|a", "|a\n", "|\n|-\n", "|a|b|\n", "-|\n", "--\n", "=\n", "a\n=\n", ">", "> ", "> a\n",
      "> - a\n", ">\n", "> a\n- b\n", "- ", "- a\n", "-\n", "1. ", "1. a\n", "1) a\n2. b\n", "- [ ] a\n",
      "* a\n  * b\n", "- a\n\n", "- a\n  b\n\n  c\n", "- > a\n", "```\n", "~~~\n", "> ```\n", "- ```\n",
      "    a\n", "\t", " ", "\n", "a\n", "a  \n", "a\n\n", "*a*\n\n", "# a\n", "<div>\n\n", "a", "字",
    ].map((part) => [part, (length: number) => part.repeat(Math.ceil(length / part.length)).slice(0, length)]),
  ),
  "runs of backticks that grow": (length) => growing(length, (i) => "`".repeat(i) + "a"),
  "lists that grow deeper": (length) => growing(length, (i) => "  ".repeat(i) + "- a\n"),
  "quotes that grow deeper": (length) => growing(length, (i) => ">".repeat(i) + " a\n"),
  "brackets around brackets": (length) => nested(length, "[", "]"),
  "links in links": (length) => nested(length, "[", "](a)"),
  "emphasis in emphasis": (length) => nested(length, "*a ", " a*"),
  "emphasis in strong emphasis": (length) => nested(length, "**a *b ", " c* d**"),
  "a table that is filled up": (length) => {
    const columns = Math.floor(length / 8);
    return `${"|a".repeat(columns)}|\n${"|-".repeat(columns)}|\n${"|\n".repeat(columns)}`;
  },
  "many tables that are filled up": (length) =>
    `${"|a".repeat(60)}|\n${"|-".repeat(60)}|\n${"|\n".repeat(60)}\n`.repeat(Math.ceil(length / 364)).slice(0, length),
  "definitions and references": (length) =>
    growing(length / 2, (i) => `[a${i}]: b\n`) + "\n" + "[x]".repeat(length / 6),
};

function growing(length: number, part: (index: number) => string): string {
  let text = "";
  for (let i = 1; text.length < length; i++) text += part(i);
  return text.slice(0, length);
}

function nested(length: number, open: string, close: string): string {
  const depth = Math.floor(length / (open.length + close.length));
  return open.repeat(depth) + close.repeat(depth);
}
