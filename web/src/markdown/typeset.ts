import { maxFormula } from "./math";
import { turn } from "./turn";

type Katex = typeof import("katex").default;

/** How long formulas are typeset without a pause, in milliseconds. */
const timeLimit = 20;

let loading: Promise<Katex> | undefined;
let katex: Katex | undefined;
let waiting: HTMLElement[] = [];

/** Called when no formula waits any more. */
const idle: (() => void)[] = [];

/** The source of each formula that was typeset or waits for it. */
const sources = new WeakMap<HTMLElement, string>();

/** Reports whether an element of the page shows the same formula as one that is not typeset. */
export function isFormulaOf(shown: HTMLElement, formula: HTMLElement): boolean {
  const source = sources.get(shown) ?? shown.textContent;
  return shown.className === formula.className && source === formula.textContent;
}

/**
 * Typesets those formulas that are not yet: at once if there is time, the others later.
 * Until then their source is shown.
 */
export function typeset(formulas: Iterable<HTMLElement>): void {
  const wasWaiting = waiting.length > 0;
  for (const formula of formulas) {
    if (sources.has(formula)) continue;
    sources.set(formula, formula.textContent ?? "");
    waiting.push(formula);
  }
  if (wasWaiting || waiting.length === 0) return;
  if (katex) typesetSome(katex);
  else load().then(typesetSome, () => rest([])); // on failure, the source is shown
}

/** Waits until all formulas are typeset, or until it is known that they can't be. */
export function whenTypeset(): Promise<void> {
  return new Promise((resolve) => {
    idle.push(resolve);
    rest(waiting);
  });
}

/** Takes the formulas that still wait. */
function rest(formulas: HTMLElement[]): void {
  waiting = formulas;
  if (waiting.length === 0) for (const resolve of idle.splice(0)) resolve();
}

function typesetSome(loaded: Katex): void {
  const formulas = waiting;
  let done = 0;
  turn.work(() => {
    while (done < formulas.length && turn.hasTime(timeLimit)) typesetOne(formulas[done++]!, loaded);
  });
  rest(formulas.slice(done));
  if (waiting.length === 0) return;
  setTimeout(() => {
    waiting = waiting.filter((formula) => formula.isConnected);
    typesetSome(loaded);
  });
}

// KaTeX sets the styles of its nodes through the DOM, which the Content Security Policy
// allows. It forbids style attributes in HTML.
function typesetOne(formula: HTMLElement, loaded: Katex): void {
  const tex = sources.get(formula) ?? "";
  if (tex.length > maxFormula) return;
  const displayMode = formula.classList.contains("math-display");
  if (displayMode) formula.tabIndex = 0; // a long one is scrolled, also from the keyboard
  try {
    loaded.render(tex, formula, {
      displayMode,
      throwOnError: true, // its own notice of an error has a style attribute
      strict: "ignore",
      trust: false,
      maxSize: 20,
      maxExpand: 200,
    });
  } catch {
    formula.textContent = tex; // it is wrong, or nested too deep
  }
}

function load(): Promise<Katex> {
  loading ??= Promise.all([import("katex"), import("katex/dist/katex.min.css")]).then(
    ([module]) => (katex = module.default),
  );
  loading.catch(() => (loading = undefined));
  return loading;
}
