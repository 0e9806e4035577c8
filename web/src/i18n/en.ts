import { account } from "./en/account";
import { chat } from "./en/chat";
import { error } from "./en/error";
import { file } from "./en/file";
import { lists } from "./en/lists";
import { page } from "./en/page";
import { reply } from "./en/reply";
import { signIn } from "./en/sign-in";
import { factor } from "./en/factor";

/**
 * All texts of the client, by page in en/. zh.ts has the same keys. A text that depends on {count} has one form for
 * each plural.
 */
export const en = { ...page, ...chat, ...reply, ...file, ...lists, ...account, ...error, ...signIn, ...factor };

export type Key = keyof typeof en;
