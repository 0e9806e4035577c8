import { call } from "./api";

/** An account that is made when a reader without a login tries an operation, and deleted when the page is left. */
class Trial {
  token: string | null = $state(null);
  email = $state("");
  password = "";

  /** Returns an address and a password that nobody uses. */
  suggest(): { email: string; password: string } {
    return { email: `trial-${random(5)}@example.com`, password: random(12) };
  }

  /** Returns the token of the account, and makes the account if there is none. */
  async start(): Promise<string> {
    if (this.token) return this.token;
    const account = this.suggest();
    const { token } = await call<{ token: string }>("POST", "/api/auth/register", null, account);
    Object.assign(this, account, { token });
    return token;
  }

  /** Forgets the account after it was deleted or logged out. */
  forget(): void {
    this.token = null;
    this.email = "";
  }

  /** Deletes the account. The request continues after the page is left. */
  end(): void {
    const { token, password } = this;
    if (!token) return;
    this.forget();
    const headers = { Authorization: `Bearer ${token}` };
    const body = JSON.stringify({ password });
    void fetch("/api/user", { method: "DELETE", headers, body, keepalive: true }).catch(() => {});
  }
}

/** Pages over plain HTTP have no crypto.randomUUID. */
function random(bytes: number): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(bytes)), (byte) => byte.toString(16).padStart(2, "0")).join(
    "",
  );
}

export const trial = new Trial();
