/** The host of a web address; empty where it is none that a reader should be sent to. */
export function hostOf(address: string): string {
  try {
    const url = new URL(address);
    return url.protocol === "https:" || url.protocol === "http:" ? url.host.replace(/^www\./, "") : "";
  } catch {
    return "";
  }
}
