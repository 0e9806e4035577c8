/**
 * Reports whether a keystroke belongs to an input method. Enter then confirms its suggestion. Safari ends the
 * composition before that keystroke, and marks it only by its key code.
 */
export function isComposing(event: KeyboardEvent): boolean {
  return event.isComposing || event.keyCode === 229;
}
