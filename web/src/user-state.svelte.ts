import { getContext, setContext } from "svelte";
import { SetUp } from "./admin/set-up.svelte";
import { Favoriting } from "./chat/favoriting";
import { Replies } from "./chat/replies.svelte";
import { Sharing } from "./chat/sharing.svelte";
import { TitleWatch } from "./chat/title-watch";
import { Models } from "./composer/models.svelte";
import { Quota } from "./composer/quota.svelte";
import { Account } from "./login/account.svelte";
import type { Auth, Follower } from "./login/auth.svelte";
import { Importing } from "./settings/importing.svelte";
import { browserTab } from "./shared/browser-tab.svelte";
import { Changes } from "./shared/changes";
import { UndoableDeletions } from "./shared/deletions";
import { TabTitle } from "./shared/tab-title.svelte";
import { Toasts } from "./shared/toasts.svelte";
import { Activity, openSession } from "./sidebar/activity.svelte";
import { Elsewhere } from "./sidebar/elsewhere.svelte";
import type { SearchResults } from "./search/results.svelte";
import { Layout } from "./sidebar/layout.svelte";
import { SessionActions } from "./sidebar/session-actions";
import { Sessions } from "./sidebar/sessions.svelte";

/**
 * All that a page keeps of the user who is logged in. It is made at login and dropped at logout, so the next user finds
 * nothing of it. Components get it by userState(), and keep the one that they began with.
 */
export class UserState {
  readonly #login = new AbortController();
  /** Ends what the parts do in the background. */
  readonly ended = this.#login.signal;

  readonly account: Account;
  readonly toasts = new Toasts();
  readonly tabTitle = new TabTitle(this.ended);
  readonly layout = new Layout(this.ended);
  readonly changes = new Changes(this.ended);
  readonly deletions = new UndoableDeletions(this.toasts, this.ended);
  readonly models = new Models();
  readonly quota = new Quota(this.ended);
  readonly activity = new Activity(this.ended, (id) => browserTab.visible && openSession() === id);
  readonly elsewhere = new Elsewhere(this.ended);
  readonly favoriting = new Favoriting();
  readonly titleWatch = new TitleWatch((id) => this.changes.announce(id), this.ended);
  readonly sharing = new Sharing();
  readonly importing = new Importing(this.changes, this.ended);
  readonly setUp: SetUp;
  readonly sessions = new Sessions(this, this.ended);
  readonly sessionActions: SessionActions;
  /** The last results of the search page, which makes them, to come back to from a hit. */
  readonly search: { results?: SearchResults } = {};
  readonly replies = new Replies(this);

  constructor(auth: Pick<Auth, "userId" | "identify">) {
    this.account = new Account(auth, this.ended);
    this.setUp = new SetUp(this.account);
    this.sessionActions = new SessionActions(this);
  }

  /** Ends what is under way. Nothing of it changes after that. */
  end(): void {
    this.#login.abort();
  }
}

/** Holds the state of the user who is logged in, if somebody is. */
export class UserStateHolder implements Follower {
  current: UserState | null = $state.raw(null);

  constructor(private readonly auth: Auth) {
    auth.follow(this);
  }

  begin(): void {
    this.current?.end();
    this.current = new UserState(this.auth);
  }

  async settle(): Promise<void> {
    await this.current?.deletions.flushEverywhere();
  }

  end(): void {
    this.current?.end();
    this.current = null;
  }
}

/** The key of a state in the context of components. */
export const userStateKey = Symbol("the state of the user");

/** Gives a state to the component that calls it, and to all below. */
export const provideUserState = (state: UserState): UserState => setContext(userStateKey, state);

/** Returns the state that the components above have given. Must be called while a component is made. */
export const userState = (): UserState => getContext(userStateKey);
