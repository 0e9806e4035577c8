import Archive from "@lucide/svelte/icons/archive";
import BookOpen from "@lucide/svelte/icons/book-open";
import FileText from "@lucide/svelte/icons/file-text";
import Keyboard from "@lucide/svelte/icons/keyboard";
import Languages from "@lucide/svelte/icons/languages";
import LogOut from "@lucide/svelte/icons/log-out";
import MessageSquare from "@lucide/svelte/icons/message-square";
import MessageSquareText from "@lucide/svelte/icons/message-square-text";
import PanelLeft from "@lucide/svelte/icons/panel-left";
import Search from "@lucide/svelte/icons/search";
import Settings from "@lucide/svelte/icons/settings";
import ShieldUser from "@lucide/svelte/icons/shield-user";
import SquarePen from "@lucide/svelte/icons/square-pen";
import Star from "@lucide/svelte/icons/star";
import SunMoon from "@lucide/svelte/icons/sun-moon";
import * as operations from "../api/operations";
import type { Hit, Session } from "../api/types";
import { searchHash } from "../search/address";
import { formatAge, language, t } from "../i18n/index.svelte";
import { titleOf } from "../shared/session-title";
import type { UserState } from "../user-state.svelte";
import { auth } from "../login/auth.svelte";
import { modifier } from "../shared/keys";
import type { Found, Item, Provider } from "./palette.svelte";
import { say } from "./palette-texts";
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
    if (!word) return { items: user.sessions.all.list.slice(0, maxChats).map(itemOf) };
    const { hits, total } = await operations.search(word, "titles", maxHits, signal);
    const items = hits.map((hit) => ({
      id: hit.session_id,
      label: hit.session_title,
      icon: MessageSquare,
      hint: hintOf(hit),
      run: () => router.go(chatHash(hit.session_id)),
    }));
    return { items, total };
  },
});

const openSession = () => (router.place.page === "chat" ? router.place.sessionId : null);

const nothing: Found = { items: [], total: 0 };

/** The messages with a word in them: those of the open chat, and those of other chats. */
export function messages(): [here: Provider, elsewhere: Provider] {
  // The second provider counts without what the first one finds. Each word is given to the first one first.
  let here: Promise<Found> = Promise.resolve(nothing);
  const findHere = async (word: string, signal: AbortSignal): Promise<Found> => {
    const sessionId = openSession();
    if (!word || !sessionId) return nothing;
    const { hits, total } = await operations.searchSession(word, sessionId, maxHits, signal);
    return { items: await messageItems(hits, word), total };
  };
  const findElsewhere = async (word: string, signal: AbortSignal): Promise<Found> => {
    if (!word) return nothing;
    const [{ hits, total }, own] = await Promise.all([operations.search(word, "messages", 2 * maxHits, signal), here]);
    const others = hits.filter(({ session_id }) => session_id !== openSession());
    return { items: await messageItems(others.slice(0, maxHits), word), total: total - own.total! };
  };
  return [
    { name: "palette.here", remote: true, find: (word, signal) => (here = findHere(word, signal)) },
    { name: "palette.messages", remote: true, find: findElsewhere },
  ];
}

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
    if (!word) return nothing;
    const { hits, total } = await operations.search(word, "files", maxHits, signal);
    return { items: hits.map(fileItem), total };
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

/** Opens the page of all results. */
export const allResults = (word: string, total: number): Item => ({
  id: "all",
  label: say("palette.all", { count: total }),
  icon: Search,
  hint: `${modifier} Enter`,
  run: () => router.go(searchHash({ q: word })),
});

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
    return { items: commandItems(user, showHelp).filter(({ label }) => label.toLowerCase().includes(wanted)) };
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
      label: say(dark ? "palette.light" : "palette.dark"),
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
