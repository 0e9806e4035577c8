/** The section that is being read. */
export const spy: { current: string } = $state({ current: "" });

/** Follows the sections, which have data-spy and an id. Returns a function that stops. */
export function follow(root: HTMLElement): () => void {
  const inside = new Set<string>();
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        if (isIntersecting) inside.add(target.id);
        else inside.delete(target.id);
      }
      const first = [...root.querySelectorAll("[data-spy]")].find(({ id }) => inside.has(id));
      if (first) spy.current = first.id;
    },
    // A line a fifth below the top: the section that crosses it is the current one.
    { rootMargin: "-20% 0px -80% 0px" },
  );
  for (const section of root.querySelectorAll("[data-spy]")) observer.observe(section);
  return () => observer.disconnect();
}
