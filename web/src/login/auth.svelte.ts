import { authorize } from "../api/call";
import * as operations from "../api/operations";
import { router } from "../shared/router.svelte";

const key = "parley.token";
const userKey = "parley.user";
const emailKey = "parley.email";

/** What a page does with a login. */
export interface Follower {
  /** Called when a login begins, and at once if there is one. */
  begin(): void;
  /** Does what the user has asked for and what can only be done while the login lasts. */
  settle(): Promise<void>;
  /** Called when the login ends. */
  end(): void;
}

/** The login, shared by all tabs of this browser. What a page keeps of its user is not here: see UserState. */
export class Auth {
  token: string | null = $state(localStorage.getItem(key));
  /** The id of the user, also after the login has expired. 0 if it is not known. */
  userId: number = $state(Number(localStorage.getItem(userKey)));
  /** The e-mail address of the user, also after the login has expired. Empty if it is not known. */
  email: string = $state(localStorage.getItem(emailKey) ?? "");
  /** Whether the server ended the login. */
  expired = $state(false);
  #follower: Follower | null = null;
  /** Whether the user is ending the login. Other requests may be refused before that is answered. */
  #leaving = false;

  constructor() {
    authorize(this.token, () => this.#refused());
    addEventListener("storage", (event) => {
      if (event.key === key) location.reload();
    });
  }

  /** Sets what the page does with logins. */
  follow(follower: Follower): void {
    this.#follower = follower;
    if (this.token) follower.begin();
  }

  async logIn(email: string, password: string, code: string): Promise<void> {
    const { token, user } = await operations.logIn(email, password, code);
    this.#begin(token, user.id, user.email);
  }

  /** Logs in with a code of the provider of single sign-on, and with the password of the account to link. */
  async signIn(code: string, password: string, totp: string): Promise<void> {
    const { token, user } = await operations.signIn(code, password, totp);
    this.#begin(token, user.id, user.email);
  }

  async register(email: string, password: string, nickname: string): Promise<void> {
    const { token, user_id } = await operations.register(email, password, nickname);
    this.#begin(token, user_id, email);
  }

  async logOut(): Promise<void> {
    await this.#follower?.settle();
    await this.#leave(operations.logOut());
  }

  /** Forgets a login that the server has ended, if there is one. */
  forget(): void {
    this.#end(false);
  }

  async deleteAccount(password: string): Promise<void> {
    await this.#leave(operations.deleteAccount(password));
  }

  /** Notes who is logged in. */
  identify(userId: number, email: string): void {
    this.userId = userId;
    this.email = email;
    localStorage.setItem(userKey, String(userId));
    localStorage.setItem(emailKey, email);
  }

  #begin(token: string, userId: number, email: string): void {
    // The same user goes on where the login expired.
    if (this.userId && this.userId !== userId) router.replace("#/");
    this.identify(userId, email);
    localStorage.setItem(key, token);
    authorize(token, () => this.#refused());
    this.expired = false;
    this.token = token;
    this.#follower?.begin();
  }

  /** Waits until the server has ended the login. */
  async #leave(ended: Promise<void>): Promise<void> {
    this.#leaving = true;
    try {
      await ended;
      this.#end(false);
    } finally {
      this.#leaving = false;
    }
  }

  /** The server has refused the token. */
  #refused(): void {
    this.#end(!this.#leaving);
  }

  #end(expired: boolean): void {
    if (!this.token) return;
    localStorage.removeItem(key);
    authorize(null, () => {});
    this.expired = expired;
    this.token = null;
    this.#follower?.end();
    if (expired) return;
    forgetStored(this.userId);
    localStorage.removeItem(userKey);
    localStorage.removeItem(emailKey);
    this.userId = 0;
    this.email = "";
    router.replace("#/");
  }
}

export const auth = new Auth();

/** Removes what this browser stores of a user, such as drafts: the keys that have the user's number after a name. */
function forgetStored(userId: number): void {
  const ofUser = new RegExp(`^parley\\.\\w+\\.${userId}(\\.|$)`);
  for (const name of Object.keys(localStorage)) {
    if (ofUser.test(name)) localStorage.removeItem(name);
  }
}
