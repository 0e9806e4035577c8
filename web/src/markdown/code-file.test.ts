import { describe, expect, it } from "vitest";
import { codeFileName } from "./code-file";
import { decorate } from "./decorate";
import { MarkdownView } from "./view";

const code = { wrap: "Wrap lines", download: "Download", copy: "Copy" };
const labels = { diagram: "", source: "", failed: "" };
const decoration = { code, sources: [], mentions: [], labels };

it.each([
  ["python", "code.py"],
  ["TypeScript", "code.ts"],
  ["go", "code.go"],
  ["Dockerfile", "Dockerfile"],
  ["text", "code.txt"],
  ["constructor", "code.txt"],
  ["../../exe", "code.txt"],
  ["hta", "code.txt"],
])("code in %s is saved as %s", (language, name) => {
  expect(codeFileName(language)).toBe(name);
});

describe("the buttons of code", () => {
  it("have names, and follow the language", () => {
    const template = document.createElement("template");
    template.innerHTML = '<pre data-language="go"><code>func</code></pre>';
    decorate(template.content, decoration);
    const buttons = [...template.content.querySelectorAll(".code-bar button")];
    expect(buttons.map(({ textContent }) => textContent)).toEqual(["Wrap lines", "Download", "Copy"]);
    expect(template.content.querySelector(".code-bar")!.firstElementChild!.textContent).toBe("go");
  });

  it("tell whether lines are wrapped, also those that come later", () => {
    const root = document.createElement("div");
    const background = { parse: () => {}, highlight: () => {}, typeset: () => {}, cancel: () => {} };
    const hooks = { late: () => {}, shown: () => {}, ready: () => {} };
    const view = new MarkdownView(root, background as never, { cancel: () => {} } as never, hooks);
    const pressed = () => [...root.querySelectorAll("[data-wrap-code]")].map((e) => e.getAttribute("aria-pressed"));
    view.setWraps(false);
    view.update("```\none\n```", false, decoration);
    expect([pressed(), root.classList.contains("wraps")]).toEqual([["false"], false]);
    view.setWraps(true);
    expect([pressed(), root.classList.contains("wraps")]).toEqual([["true"], true]);
    view.update("```\none\n```\n\nThen\n\n```\ntwo\n```", false, decoration);
    expect(pressed()).toEqual(["true", "true"]);
    view.close();
  });
});
