/** Returns 128 random bits. crypto.randomUUID exists only on pages served over HTTPS or from this machine. */
export function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
