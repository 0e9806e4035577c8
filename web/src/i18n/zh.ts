import type { Key } from "./en";
import type { Text } from "./plural";
import { account } from "./zh/account";
import { chat } from "./zh/chat";
import { error } from "./zh/error";
import { file } from "./zh/file";
import { lists } from "./zh/lists";
import { page } from "./zh/page";
import { reply } from "./zh/reply";
import { signIn } from "./zh/sign-in";
import { factor } from "./zh/factor";

export const zh: Record<Key, Text> = {
  ...page,
  ...chat,
  ...reply,
  ...file,
  ...lists,
  ...account,
  ...error,
  ...signIn,
  ...factor,
};
