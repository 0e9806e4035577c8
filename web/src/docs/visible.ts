/** Returns an attachment that calls a function once the element is on the screen, or almost. */
export function whenVisible(run: () => void): (node: Element) => () => void {
  return (node) => {
    const observer = new IntersectionObserver(
      (entries) => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
        observer.disconnect();
        run();
      },
      { rootMargin: "600px" },
    );
    observer.observe(node);
    return () => observer.disconnect();
  };
}
