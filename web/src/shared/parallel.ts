/** How many requests are under way at once. A browser opens only six connections to a server. */
const width = 4;

/** The items for which something failed, and the first error. */
export interface Failures<T> {
  items: T[];
  error: unknown;
}

/** Runs something for each item, a few at a time, also after failures. progressed is called after each of them. */
export async function runForEach<T>(
  items: T[],
  run: (item: T) => Promise<void>,
  progressed: (done: number) => void = () => {},
): Promise<Failures<T>> {
  const failures: Failures<T> = { items: [], error: null };
  const left = items.values();
  let done = 0;
  const work = async () => {
    for (const item of left) {
      try {
        await run(item);
      } catch (error) {
        failures.error ??= error;
        failures.items.push(item);
      }
      progressed(++done);
    }
  };
  await Promise.all(Array.from({ length: width }, work));
  return failures;
}
