/**
 * Runs a function at once and again after each pause while the page is visible, and when it becomes visible again.
 * A run that takes longer than the pause is waited for. Returns a function that ends it.
 */
export function runWhileVisible(run: () => Promise<void>, pause: number): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let running = false;
  let ended = false;

  async function step() {
    clearTimeout(timer);
    if (running || ended || document.hidden) return;
    running = true;
    await run();
    running = false;
    if (!ended) timer = setTimeout(() => void step(), pause);
  }

  const listener = () => void step();
  document.addEventListener("visibilitychange", listener);
  void step();
  return () => {
    ended = true;
    clearTimeout(timer);
    document.removeEventListener("visibilitychange", listener);
  };
}
