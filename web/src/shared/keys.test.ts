import { describe, expect, it } from "vitest";
import { isSendKey, Keys } from "./keys";

const field = (tag: string, id = "") => Object.assign(document.createElement(tag), { id });

describe("the keys", () => {
  const pressIn = (keys: Keys) => {
    return (key: string, options: KeyboardEventInit = {}, target: HTMLElement = document.body) => {
      const event = new KeyboardEvent("keydown", { key, cancelable: true, ...options });
      Object.defineProperty(event, "target", { value: target });
      keys.handle(event);
      return event.defaultPrevented;
    };
  };
  const setUp = () => {
    const keys = new Keys();
    const ran: string[] = [];
    const run = (name: string) => () => void ran.push(name);
    keys.add({
      "mod+k": { run: run("search"), fields: "all" },
      "mod+shift+o": { run: run("new"), fields: "all" },
      escape: { run: run("stop"), fields: "composer" },
      "?": { run: run("help") },
    });
    return { keys, ran, run, press: pressIn(keys) };
  };

  it("run the binding of a keystroke and prevent its default", () => {
    const { ran, press } = setUp();
    expect(press("k", { ctrlKey: true })).toBe(true);
    expect(press("O", { ctrlKey: true, shiftKey: true })).toBe(true);
    expect(press("?", { shiftKey: true })).toBe(true);
    expect(press("x")).toBe(false);
    expect(press("k", { ctrlKey: true, altKey: true })).toBe(false); // AltGr
    expect(ran).toEqual(["search", "new", "help"]);
  });

  it("leave text typed into a field alone", () => {
    const { ran, press } = setUp();
    expect(press("?", {}, field("textarea"))).toBe(false);
    expect(press("k", { ctrlKey: true }, field("input"))).toBe(true);
    expect(ran).toEqual(["search"]);
  });

  it("stop the reply from the composer and the page, not from another field", () => {
    const { ran, press } = setUp();
    press("Escape", {}, field("input", "session-search"));
    expect(ran).toEqual([]);
    press("Escape", {}, field("textarea", "composer"));
    press("Escape");
    expect(ran).toEqual(["stop", "stop"]);
  });

  it("go to the last layer that has the key, and to no other", () => {
    const { keys, ran, run, press } = setUp();
    const close = keys.add({ escape: { run: run("close the drawer"), fields: "all" } });
    press("Escape");
    press("k", { ctrlKey: true });
    close();
    press("Escape");
    expect(ran).toEqual(["close the drawer", "search", "stop"]);
  });

  it("are off under a modal layer", () => {
    const { keys, ran, press } = setUp();
    const close = keys.add({}, true);
    expect(press("Escape")).toBe(false);
    expect(press("k", { ctrlKey: true })).toBe(false);
    close();
    press("Escape");
    expect(ran).toEqual(["stop"]);
  });

  it("are off while an input method composes, and if an element has handled the key", () => {
    const { keys, ran, press } = setUp();
    press("Escape", { isComposing: true });
    press("Escape", { keyCode: 229 });
    const handled = new KeyboardEvent("keydown", { key: "Escape", cancelable: true });
    handled.preventDefault();
    keys.handle(handled);
    expect(ran).toEqual([]);
  });
});

describe("Enter", () => {
  const sends = (touch: boolean, options: KeyboardEventInit = {}) =>
    isSendKey(new KeyboardEvent("keydown", { key: "Enter", ...options }), touch);

  it("sends with a keyboard, and begins a line on a touch screen", () => {
    expect(sends(false)).toBe(true);
    expect(sends(true)).toBe(false);
    expect(sends(true, { ctrlKey: true })).toBe(true);
    expect(sends(false, { shiftKey: true })).toBe(false);
  });

  it("confirms the suggestion of an input method, in Safari too", () => {
    expect(sends(false, { isComposing: true })).toBe(false);
    expect(sends(false, { keyCode: 229 })).toBe(false);
  });
});
