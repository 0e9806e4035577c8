import { untrack } from "svelte";
import * as operations from "../api/operations";
import type { Session } from "../api/types";
import { t } from "../i18n/index.svelte";
import { browserTab } from "../shared/browser-tab.svelte";
import { notices } from "../shared/notices.svelte";
import { chatHash, router } from "../shared/router.svelte";
import { titleOf } from "../shared/session-title";
import { type Finished, openSession } from "../sidebar/activity.svelte";
import type { UserState } from "../user-state.svelte";
import type { Conversation } from "./conversation.svelte";

/** A reply that takes longer is worth a notice, in milliseconds. */
const longReply = 20_000;

type User = Pick<
  UserState,
  "activity" | "changes" | "elsewhere" | "ended" | "layout" | "sessions" | "tabTitle" | "toasts"
>;

/** Tells the user about replies that finish unseen, or that were asked for elsewhere. */
export class Replies {
  /** Whether to offer notices. */
  #offer = $state(false);
  readonly #user: User;

  constructor(
    user: User,
    private readonly read: (id: string, signal: AbortSignal) => Promise<Session> = operations.getSession,
  ) {
    this.#user = user;
    const { activity, changes, elsewhere } = user;
    activity.onfinished = (reply) => void this.#announce(reply);
    activity.onadded = (id) => void elsewhere.check(id);
    changes.listen((id, isElsewhere) => {
      if (isElsewhere && id !== openSession() && !activity.isWorking(id)) void elsewhere.check(id);
    });
  }

  async #announce(reply: Finished): Promise<void> {
    const { ended, layout, sessions, toasts } = this.#user;
    const hash = chatHash(reply.sessionId);
    void sessions.all.refresh();
    if (reply.duration >= longReply && notices.canOffer) this.#offer = true;
    const title = await this.#titleOf(reply.sessionId);
    if (ended.aborted) return;
    if (browserTab.visible) {
      if (!layout.docked) {
        const action = { label: t("notice.open"), run: () => router.go(hash) };
        toasts.show(t("notice.finishedIn", { title }), { action });
      }
    } else if (notices.on) {
      void notices.show(title, t("notice.finished"), hash).catch(() => {}); // the title shows it too
    }
  }

  /** The title of a session. A new or an old one may not be in the list yet. */
  async #titleOf(id: string): Promise<string> {
    const { ended, sessions } = this.#user;
    const listed = sessions.all.find(id);
    const session = listed && !listed.untitled ? listed : await this.read(id, ended).catch(() => listed);
    return titleOf(session);
  }

  /** Tells activity about the replies of the open chat. Must be called where $effect is allowed. */
  watch(open: () => Conversation): void {
    const { activity, ended } = this.#user;
    $effect(() => {
      const { sessionId, live } = open();
      if (!sessionId || !live) return;
      untrack(() => activity.begin(sessionId));
      return () => {
        if (ended.aborted) return;
        // A reply that is still pending was left. The server goes on with it.
        if (live.state === "pending" && live.message.id) activity.leave(sessionId, live.message.id);
        else activity.end(sessionId, live.state === "stored" ? live.message.content : "");
      };
    });
  }

  /**
   * Keeps the tab's title, the marks of unread chats and the offer of notices.
   * Must be called where $effect is allowed.
   */
  show(): void {
    const { activity, tabTitle } = this.#user;
    $effect(() => tabTitle.show(activity.unread.size));
    $effect(() => {
      const id = openSession();
      if (id && browserTab.visible) activity.see(id);
    });
    $effect(() => {
      if (this.#offer && browserTab.visible) untrack(() => this.#offerNotices());
    });
  }

  #offerNotices(): void {
    const { toasts } = this.#user;
    this.#offer = false;
    notices.markOffered();
    const action = { label: t("notice.turnOn"), run: () => void notices.turnOn().catch(toasts.showError) };
    toasts.show(t("notice.offer"), { action, seconds: 12 });
  }
}
