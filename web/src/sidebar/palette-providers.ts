import Archive from "@lucide/svelte/icons/archive";
import BookOpen from "@lucide/svelte/icons/book-open";
import FileText from "@lucide/svelte/icons/file-text";
import Keyboard from "@lucide/svelte/icons/keyboard";
import Languages from "@lucide/svelte/icons/languages";
import LogOut from "@lucide/svelte/icons/log-out";
import MessageSquare from "@lucide/svelte/icons/message-square";
import MessageSquareText from "@lucide/svelte/icons/message-square-text";
import PanelLeft from "@lucide/svelte/icons/panel-left";
import Settings from "@lucide/svelte/icons/settings";
import ShieldUser from "@lucide/svelte/icons/shield-user";
import SquarePen from "@lucide/svelte/icons/square-pen";
import Star from "@lucide/svelte/icons/star";
import SunMoon from "@lucide/svelte/icons/sun-moon";
import * as operations from "../api/operations";
import type { Hit, Session } from "../api/types";
import { formatAge, language, t } from "../i18n/index.svelte";
import { titleOf } from "../shared/session-title";
import type { UserState } from "../user-state.svelte";
import { auth } from "../login/auth.svelte";
import { modifier } from "../shared/keys";
import type { Item, Provider } from "./palette.svelte";
import { preferences } from "../shared/preferences.svelte";
import { chatHash, fileHash, router } from "../shared/router.svelte";
import { isDark } from "../shared/theme.svelte";

const maxChats = 8;
const maxHits = 6;

/** The latest chats, or those with a word in their title. */
export const chats = (user: Pick<UserState, "sessions">): Provider => ({
  name: "palette.chats",
  remote: true,
  async find(word, signal) {
    if (!word) return user.sessions.all.list.slice(0, maxChats).map(itemOf);
    const { hits } = await operations.search(word, "titles", maxHits, signal);
    return hits.map((hit) => ({
      id: hit.session_id,
      label: hit.session_title,
      icon: MessageSquare,
      hint: hintOf(hit),
      run: () => router.go(chatHash(hit.session_id)),
    }));
  },
});

const openSession = () => (router.place.page === "chat" ? router.place.sessionId : null);

/** The messages of the open chat with a word in them. */
export const messagesHere: Provider = {
  name: "palette.here",
  remote: true,
  async find(word, signal) {
    const sessionId = openSession();
    if (!word || !sessionId) return [];
    const { hits } = await operations.searchSession(word, sessionId, maxHits, signal);
    return messageItems(hits, word);
  },
};

/** The messages of other chats with a word in them. */
export const messages: Provider = {
  name: "palette.messages",
  remote: true,
  async find(word, signal) {
    if (!word) return [];
    const { hits } = await operations.search(word, "messages", 2 * maxHits, signal);
    const others = hits.filter(({ session_id }) => session_id !== openSession());
    return messageItems(others.slice(0, maxHits), word);
  },
};

async function messageItems(hits: Hit[], word: string): Promise<Item[]> {
  const { plainSnippet } = await import("./plain-snippet"); // not needed before the first search
  return hits.map((hit) => ({
    id: `${hit.session_id}-${hit.number}`,
    label: hit.session_title,
    icon: MessageSquareText,
    ...plainSnippet(hit.snippet, hit.match),
    hint: hintOf(hit),
    run: () => router.go(chatHash(hit.session_id, hit.number, word)),
  }));
}

/** The files with a word in their name or text. They open at the match. */
export const files: Provider = {
  name: "palette.files",
  remote: true,
  async find(word, signal) {
    if (!word) return [];
    const { hits } = await operations.search(word, "files", maxHits, signal);
    return hits.map(fileItem);
  },
};

function fileItem(hit: Hit): Item {
  const named = hit.snippet === hit.filename;
  return {
    id: hit.file_id!,
    label: hit.filename!,
    icon: FileText,
    snippet: named ? hit.session_title : hit.snippet,
    match: named ? undefined : hit.match,
    hint: hintOf(hit),
    run: () => {
      const passage = named ? null : { text: hit.snippet, filename: hit.filename! };
      router.go(fileHash(hit.file_id!, { passage, sessionId: hit.session_id }));
    },
  };
}

/** The place in a file, or the age of the hit, and whether its chat is archived. */
function hintOf(hit: Hit): string {
  const place = hit.anchor ?? formatAge(hit.timestamp);
  return hit.archived ? `${t("session.archived")} · ${place}` : place;
}

const itemOf = (session: Session): Item => ({
  id: session.id,
  label: titleOf(session),
  icon: MessageSquare,
  hint: session.last_message_time ? formatAge(session.last_message_time) : "",
  run: () => router.go(chatHash(session.id)),
});

type CommandUser = Pick<UserState, "account" | "layout" | "toasts">;

/** The commands that work on every page. showHelp opens the list of shortcuts. */
export const commands = (user: CommandUser, showHelp: () => void): Provider => ({
  name: "palette.commands",
  remote: false,
  find(word) {
    const wanted = word.toLowerCase();
    return commandItems(user, showHelp).filter(({ label }) => label.toLowerCase().includes(wanted));
  },
});

function commandItems({ account, layout, toasts }: CommandUser, showHelp: () => void): Item[] {
  const dark = isDark();
  const go = (hash: string) => () => router.go(hash);
  return [
    { id: "new", label: t("nav.new"), icon: SquarePen, hint: `${modifier} Shift O`, run: go("#/") },
    { id: "favorites", label: t("nav.favorites"), icon: Star, run: go("#/favorites") },
    { id: "archived", label: t("archived.title"), icon: Archive, run: go("#/archived") },
    { id: "settings", label: t("nav.settings"), icon: Settings, run: go("#/settings") },
    ...(account.user?.admin ? [{ id: "admin", label: t("nav.admin"), icon: ShieldUser, run: go("#/admin") }] : []),
    {
      id: "theme",
      label: t(dark ? "palette.light" : "palette.dark"),
      icon: SunMoon,
      run: () => (preferences.theme = dark ? "light" : "dark"),
    },
    {
      id: "language",
      label: language() === "zh" ? "English" : "中文",
      icon: Languages,
      run: () => (preferences.language = language() === "zh" ? "en" : "zh"),
    },
    {
      id: "sidebar",
      label: t("shortcuts.sidebar"),
      icon: PanelLeft,
      hint: `${modifier} B`,
      run: () => layout.toggleSidebar(),
    },
    { id: "help", label: t("shortcuts.title"), icon: Keyboard, hint: "?", run: showHelp },
    { id: "reference", label: t("app.reference"), icon: BookOpen, run: () => location.assign("/docs") },
    { id: "logout", label: t("settings.logOut"), icon: LogOut, run: () => void auth.logOut().catch(toasts.showError) },
  ];
}
