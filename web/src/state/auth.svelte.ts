import { authorize } from "../api/call";
import * as operations from "../api/operations";
import type { UserInfo } from "../api/types";

const key = "parley.token";

/** The login, shared by all tabs of this browser. */
class Auth {
  token: string | null = $state(localStorage.getItem(key));
  user: UserInfo | null = $state(null);
  /** Whether the server ended the login. */
  expired = $state(false);

  constructor() {
    authorize(this.token, () => this.#end(true));
    addEventListener("storage", (event) => {
      if (event.key === key) location.reload();
    });
  }

  async logIn(email: string, password: string): Promise<void> {
    this.#begin((await operations.logIn(email, password)).token);
  }

  async register(email: string, password: string, nickname: string): Promise<void> {
    this.#begin((await operations.register(email, password, nickname)).token);
  }

  async logOut(): Promise<void> {
    await operations.logOut();
    this.#end(false);
  }

  async deleteAccount(password: string): Promise<void> {
    await operations.deleteAccount(password);
    this.#end(false);
  }

  async loadUser(): Promise<void> {
    this.user = await operations.userInfo();
  }

  #begin(token: string): void {
    localStorage.setItem(key, token);
    authorize(token, () => this.#end(true));
    this.expired = false;
    this.token = token;
  }

  #end(expired: boolean): void {
    if (!this.token) return;
    localStorage.removeItem(key);
    authorize(null, () => {});
    this.expired = expired;
    this.token = null;
    this.user = null;
    location.hash = "";
  }
}

export const auth = new Auth();
