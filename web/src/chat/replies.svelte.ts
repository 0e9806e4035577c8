import { untrack } from "svelte";
import { t } from "../i18n/index.svelte";
import { showError, titleOf } from "../sidebar/actions";
import { activity, type Finished, openSession } from "../sidebar/activity.svelte";
import { auth } from "../login/auth.svelte";
import { browserTab } from "../shared/browser-tab.svelte";
import { changes } from "../shared/changes";
import type { Conversation } from "./conversation.svelte";
import { elsewhere } from "../sidebar/elsewhere.svelte";
import { layout } from "../sidebar/layout.svelte";
import { notices } from "../shared/notices.svelte";
import { chatHash, router } from "../shared/router.svelte";
import { sessions } from "../sidebar/sessions.svelte";
import { toasts } from "../shared/toasts.svelte";

/** A reply that takes longer is worth a notice, in milliseconds. */
const longReply = 20_000;

activity.onfinished = announce;
activity.onadded = (id) => void elsewhere.check(id);
changes.listen((id, isElsewhere) => {
  if (isElsewhere && id !== openSession() && !activity.isWorking(id)) void elsewhere.check(id);
});

function announce(reply: Finished): void {
  const session = sessions.find(reply.sessionId);
  const hash = chatHash(reply.sessionId);
  void sessions.refresh();
  if (browserTab.visible) {
    if (!layout.docked) {
      const action = { label: t("notice.open"), run: () => router.go(hash) };
      toasts.show(t("notice.finishedIn", { title: titleOf(session) }), { action });
    }
  } else if (notices.on) {
    void notices.show(titleOf(session), t("notice.finished"), hash).catch(() => {}); // the title shows it too
  }
  if (reply.duration >= longReply && notices.canOffer) offer = true;
}

let offer = $state(false);

/** Tells activity about the replies of the open chat. Must be called where $effect is allowed. */
export function watchReplies(open: () => Conversation): void {
  $effect(() => {
    const { sessionId, live } = open();
    if (!sessionId || !live) return;
    untrack(() => activity.begin(sessionId));
    return () => {
      if (!auth.token) return; // the login has ended
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
export function showActivity(): void {
  $effect(() => browserTab.show(activity.unread.size));
  $effect(() => {
    const id = openSession();
    if (id && browserTab.visible) activity.see(id);
  });
  $effect(() => {
    if (offer && browserTab.visible) untrack(offerNotices);
  });
}

function offerNotices(): void {
  offer = false;
  notices.markOffered();
  const action = { label: t("notice.turnOn"), run: () => void notices.turnOn().catch(showError) };
  toasts.show(t("notice.offer"), { action, seconds: 12 });
}
