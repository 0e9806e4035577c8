/** Returns the host of an HTTP or HTTPS URL, or "" if it is neither. */
export function hostOf(address: string): string {
  try {
    const url = new URL(address);
    return url.protocol === "https:" || url.protocol === "http:" ? url.host.replace(/^www\./, "") : "";
  } catch {
    return "";
  }
}
