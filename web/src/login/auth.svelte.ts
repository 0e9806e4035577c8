import { authorize } from "../api/call";
import * as operations from "../api/operations";
import type { UserInfo } from "../api/types";
import { forgetLogin, forgetUser, settleLogin } from "./login";
import { router } from "../shared/router.svelte";

const key = "parley.token";
const userKey = "parley.user";

/** The login, shared by all tabs of this browser. */
class Auth {
  token: string | null = $state(localStorage.getItem(key));
  user: UserInfo | null = $state(null);
  /** The id of the user, also before the user is loaded and after the login has expired. 0 if it is not known. */
  userId: number = $state(Number(localStorage.getItem(userKey)));
  /** Whether the server ended the login. */
  expired = $state(false);

  constructor() {
    authorize(this.token, () => this.#end(true));
    addEventListener("storage", (event) => {
      if (event.key === key) location.reload();
    });
  }

  async logIn(email: string, password: string, code: string): Promise<void> {
    const { token, user } = await operations.logIn(email, password, code);
    this.#begin(token, user.id);
  }

  /** Logs in with a code of the provider of single sign-on, and with the password of the account to link. */
  async signIn(code: string, password: string, totp: string): Promise<void> {
    const { token, user } = await operations.signIn(code, password, totp);
    this.#begin(token, user.id);
  }

  async register(email: string, password: string, nickname: string): Promise<void> {
    const { token, user_id } = await operations.register(email, password, nickname);
    this.#begin(token, user_id);
  }

  async logOut(): Promise<void> {
    await settleLogin();
    await operations.logOut();
    this.#end(false);
  }

  /** Forgets a login that the server has ended, if there is one. */
  forget(): void {
    this.#end(false);
  }

  async deleteAccount(password: string): Promise<void> {
    await operations.deleteAccount(password);
    this.#end(false);
  }

  async loadUser(): Promise<void> {
    this.user = await operations.userInfo();
    this.#setUserId(this.user.user_id);
  }

  #begin(token: string, userId: number): void {
    // The same user goes on where the login expired.
    if (this.userId && this.userId !== userId) router.replace("#/");
    this.#setUserId(userId);
    localStorage.setItem(key, token);
    authorize(token, () => this.#end(true));
    this.expired = false;
    this.token = token;
  }

  #setUserId(id: number): void {
    this.userId = id;
    localStorage.setItem(userKey, String(id));
  }

  #end(expired: boolean): void {
    if (!this.token) return;
    localStorage.removeItem(key);
    authorize(null, () => {});
    this.expired = expired;
    this.token = null;
    this.user = null;
    forgetLogin();
    if (expired) return;
    forgetUser(this.userId);
    localStorage.removeItem(userKey);
    this.userId = 0;
  }
}

export const auth = new Auth();
