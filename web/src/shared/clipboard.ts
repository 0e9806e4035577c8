/** Copies a text, and reports whether that worked. Pages served over plain HTTP have no navigator.clipboard. */
export async function copyText(text: string): Promise<boolean> {
  try {
    if (!navigator.clipboard) return copySelection(text);
    await navigator.clipboard.writeText(text);
    return true;
  } catch (error) {
    console.warn("copy", error);
    return false;
  }
}

function copySelection(text: string): boolean {
  const focused = document.activeElement;
  const field = document.createElement("textarea");
  field.value = text;
  field.className = "hidden-text";
  // A modal dialog makes everything outside of it inert.
  (document.querySelector("dialog[open]") ?? document.body).append(field);
  field.select();
  const copied = document.execCommand("copy");
  field.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return copied;
}
