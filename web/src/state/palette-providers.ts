import Archive from "@lucide/svelte/icons/archive";
import BookOpen from "@lucide/svelte/icons/book-open";
import Keyboard from "@lucide/svelte/icons/keyboard";
import Languages from "@lucide/svelte/icons/languages";
import LogOut from "@lucide/svelte/icons/log-out";
import MessageSquare from "@lucide/svelte/icons/message-square";
import PanelLeft from "@lucide/svelte/icons/panel-left";
import Settings from "@lucide/svelte/icons/settings";
import SquarePen from "@lucide/svelte/icons/square-pen";
import Star from "@lucide/svelte/icons/star";
import SunMoon from "@lucide/svelte/icons/sun-moon";
import * as operations from "../api/operations";
import type { Session } from "../api/types";
import { formatAge, language, t } from "../i18n/index.svelte";
import { showError, titleOf } from "./actions";
import { auth } from "./auth.svelte";
import { modifier } from "./keys";
import { layout } from "./layout.svelte";
import type { Item, Provider } from "./palette.svelte";
import { preferences } from "./preferences.svelte";
import { chatHash, router } from "./router.svelte";
import { sessions } from "./sessions.svelte";
import { isDark } from "./theme.svelte";

const maxChats = 8;

/** The latest chats, or those with a word in their title or text. */
export const chats: Provider = {
  name: "palette.chats",
  remote: true,
  async find(word, signal) {
    const list = word
      ? (await operations.listSessions(1, maxChats, word, signal)).sessions
      : sessions.list.slice(0, maxChats);
    return list.map(itemOf);
  },
};

const itemOf = (session: Session): Item => ({
  id: session.id,
  label: titleOf(session),
  icon: session.archived ? Archive : MessageSquare,
  snippet: session.snippet,
  hint: hintOf(session),
  run: () => router.go(chatHash(session.id)),
});

function hintOf({ archived, last_message_time }: Session): string {
  if (archived) return t("session.archived");
  return last_message_time ? formatAge(last_message_time) : "";
}

/** The commands that work on every page. showHelp opens the list of shortcuts. */
export const commands = (showHelp: () => void): Provider => ({
  name: "palette.commands",
  remote: false,
  find(word) {
    const wanted = word.toLowerCase();
    return commandItems(showHelp).filter(({ label }) => label.toLowerCase().includes(wanted));
  },
});

function commandItems(showHelp: () => void): Item[] {
  const dark = isDark();
  const go = (hash: string) => () => router.go(hash);
  return [
    { id: "new", label: t("nav.new"), icon: SquarePen, hint: `${modifier} Shift O`, run: go("#/") },
    { id: "favorites", label: t("nav.favorites"), icon: Star, run: go("#/favorites") },
    { id: "archived", label: t("archived.title"), icon: Archive, run: go("#/archived") },
    { id: "settings", label: t("nav.settings"), icon: Settings, run: go("#/settings") },
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
    { id: "logout", label: t("settings.logOut"), icon: LogOut, run: () => void auth.logOut().catch(showError) },
  ];
}
