const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);
export const modifier = isMac ? "⌘" : "Ctrl";

export interface Binding {
  run: () => void;
  /** Fields in which the key works too. Text typed into any other field is not a shortcut. */
  fields?: "all" | "composer";
}

/** Bindings by key: "mod+k" (Ctrl, on a Mac ⌘), "mod+shift+o", "escape", "?". */
export type Bindings = Record<string, Binding>;

interface Layer {
  bindings: Bindings;
  modal: boolean;
}

/** Runs the shortcuts of the page. All keystrokes arrive here, so each has one effect at most. */
export class Keys {
  #layers: Layer[] = [];

  /**
   * Adds bindings, which precede the earlier ones. While a modal layer is present, the earlier bindings are off.
   * Returns the function that removes the layer.
   */
  add(bindings: Bindings, modal = false): () => void {
    const layer = { bindings, modal };
    this.#layers.push(layer);
    return () => {
      this.#layers = this.#layers.filter((other) => other !== layer);
    };
  }

  /** Runs the binding of a keystroke, unless the element that got it has handled it. */
  handle(event: KeyboardEvent): void {
    if (event.defaultPrevented || isComposing(event)) return;
    const binding = this.#find(nameOf(event), event.target);
    if (!binding) return;
    event.preventDefault();
    binding.run();
  }

  #find(name: string, target: EventTarget | null): Binding | null {
    for (const { bindings, modal } of this.#layers.toReversed()) {
      const binding = bindings[name];
      if (binding && allows(binding, target)) return binding;
      if (modal) return null;
    }
    return null;
  }
}

export const keys = new Keys();

/** Reports whether Enter sends a message. On a touch screen it begins a new line, because there is no Shift+Enter. */
export function isSendKey(event: KeyboardEvent, touch = isTouch()): boolean {
  if (event.key !== "Enter" || event.shiftKey || isComposing(event)) return false;
  return !touch || event.ctrlKey || event.metaKey;
}

const isTouch = () => matchMedia("(hover: none) and (pointer: coarse)").matches;

/** Reports whether a key belongs to an input method. Safari ends the composition before it sends the key, as 229. */
export const isComposing = (event: KeyboardEvent) => event.isComposing || event.keyCode === 229;

function nameOf(event: KeyboardEvent): string {
  const key = event.key.toLowerCase();
  const [command, other] = isMac ? [event.metaKey, event.ctrlKey] : [event.ctrlKey, event.metaKey];
  if (event.altKey || other) return "";
  if (!command) return key;
  return event.shiftKey ? `mod+shift+${key}` : `mod+${key}`;
}

function allows(binding: Binding, target: EventTarget | null): boolean {
  if (binding.fields === "all" || !(target instanceof HTMLElement) || !isField(target)) return true;
  return binding.fields === "composer" && target.id === "composer";
}

function isField(element: HTMLElement): boolean {
  return element.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(element.tagName);
}
