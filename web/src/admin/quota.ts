const largest = 1e15;
const factors: Record<string, number> = { "": 1, k: 1e3, K: 1e3, M: 1e6, G: 1e9 };

/**
 * Reports whether a text is a quota with limits, such as tokens=1M/d,messages=200/d, as the server parses it.
 * "none" and "default" are not.
 */
export function isQuota(text: string): boolean {
  const seen = new Set<string>();
  return text.split(",").every((part) => {
    const match = /^(tokens|messages)=(\d+)([kKMG]?)\/d$/.exec(part.trim());
    if (!match || seen.has(match[1]!)) return false;
    seen.add(match[1]!);
    const amount = Number(match[2]) * factors[match[3]!]!;
    return amount >= 1 && amount <= largest;
  });
}

/** Reports whether a text is a length of time such as 90d, 1d12h or 720h, and at least an hour. */
export function isRetention(text: string): boolean {
  const match = /^(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?$/.exec(text.trim());
  if (!match || match[0] === "") return false;
  const [days, hours, minutes] = match.slice(1).map((part) => Number(part ?? 0)) as [number, number, number];
  return days * 24 * 60 + hours * 60 + minutes >= 60;
}
