import { Caller, path } from "./caller.js";
import type { Download } from "./download.js";
import type { CallOptions } from "./transport.js";
import type * as wire from "./types.js";

/** Accounts, their logins and their keys. */
export abstract class Accounts extends Caller {
  /** Creates an account. The client uses its token from now on. */
  async register(input: wire.RegisterInput, options?: CallOptions): Promise<wire.RegisterOutput> {
    const output = await this.post<wire.RegisterOutput>("/api/auth/register", input, options);
    this.token = output.token;
    return output;
  }

  /** Issues a new token. The client uses it from now on. */
  async login(input: wire.LoginInput, options?: CallOptions): Promise<wire.LoginOutput> {
    const output = await this.post<wire.LoginOutput>("/api/auth/login", input, options);
    this.token = output.token;
    return output;
  }

  /** Returns the provider of single sign-on. A server without one responds with HTTP 404. */
  signOn(options?: CallOptions): Promise<wire.SignOn> {
    return this.get("/api/auth/oidc", options);
  }

  /** Issues a new token for the code that a browser came back with from the provider. The client uses it from now on. */
  async signIn(input: wire.SignInInput, options?: CallOptions): Promise<wire.LoginOutput> {
    const output = await this.post<wire.LoginOutput>("/api/auth/oidc/exchange", input, options);
    this.token = output.token;
    return output;
  }

  /** Ends the token in use. The client keeps it: the server refuses further calls until the next login. */
  logout(options?: CallOptions): Promise<void> {
    return this.post("/api/auth/logout", undefined, options);
  }

  /** Returns the current account. */
  user(options?: CallOptions): Promise<wire.UserInfo> {
    return this.get("/api/user/info", options);
  }

  /** Changes the given fields and returns the updated account. */
  updateProfile(input: wire.ProfileInput, options?: CallOptions): Promise<wire.UserInfo> {
    return this.call("PATCH", "/api/user/info", { ...options, body: input });
  }

  /** Changes the password and ends every token but the one in use. Keys stay. */
  changePassword(input: wire.PasswordInput, options?: CallOptions): Promise<void> {
    return this.post("/api/user/password", input, options);
  }

  /** Deletes the account and all it owns. */
  deleteUser(input: wire.DeleteUserInput, options?: CallOptions): Promise<void> {
    return this.call("DELETE", "/api/user", { ...options, body: input });
  }

  /** Makes the secret of a new second factor. confirmSecondFactor turns it on. */
  setUpSecondFactor(options?: CallOptions): Promise<wire.SecondFactorOutput> {
    return this.post("/api/user/totp", undefined, options);
  }

  /** Turns on the second factor that was set up. From now on a login needs a code. */
  confirmSecondFactor(input: wire.ConfirmSecondFactorInput, options?: CallOptions): Promise<wire.RecoveryCodesOutput> {
    return this.post("/api/user/totp/confirm", input, options);
  }

  /** Turns the second factor off. */
  removeSecondFactor(input: wire.RemoveSecondFactorInput, options?: CallOptions): Promise<void> {
    return this.call("DELETE", "/api/user/totp", { ...options, body: input });
  }

  /** Returns how the server helps with forgotten passwords. It needs no token. */
  resetStatus(options?: CallOptions): Promise<wire.ResetStatus> {
    return this.get("/api/auth/reset", options);
  }

  /** Asks for a mail with a link to set a new password. It needs no token. */
  requestReset(input: wire.ResetInput, options?: CallOptions): Promise<void> {
    return this.post("/api/auth/reset", input, options);
  }

  /** Sets a new password by the code of a link and ends every token of the account. It needs no token. */
  confirmReset(input: wire.ConfirmResetInput, options?: CallOptions): Promise<void> {
    return this.post("/api/auth/reset/confirm", input, options);
  }

  /** Opens a zip archive of all that the account owns. */
  exportAccount(options?: CallOptions): Promise<Download> {
    return this.open("/api/user/export", options);
  }

  /** Returns the account's usage by day or by model, and its quota if it has one. */
  usage(query: wire.UsageQuery = {}, options?: CallOptions): Promise<wire.UsageOutput> {
    return this.get("/api/user/usage", { ...options, query });
  }

  /** Lists the account's logins, newest first. */
  tokens(options?: CallOptions): Promise<wire.TokensOutput> {
    return this.get("/api/user/tokens", options);
  }

  /** Ends one of the account's logins. */
  endToken(tokenId: string, options?: CallOptions): Promise<void> {
    return this.call("DELETE", path`/api/user/tokens/${tokenId}`, options);
  }

  /** Creates a key. The client goes on with its token: give the key to withToken. */
  createKey(input: wire.KeyInput, options?: CallOptions): Promise<wire.KeyOutput> {
    return this.post("/api/user/keys", input, options);
  }

  /** Lists the account's keys, newest first. */
  keys(options?: CallOptions): Promise<wire.KeysOutput> {
    return this.get("/api/user/keys", options);
  }

  /** Ends one of the account's keys. */
  deleteKey(keyId: string, options?: CallOptions): Promise<void> {
    return this.call("DELETE", path`/api/user/keys/${keyId}`, options);
  }
}
