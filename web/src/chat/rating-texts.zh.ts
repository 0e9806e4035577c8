import type { TextsOf } from "../i18n/plural";
import type { en } from "./rating-texts.en";

export const zh: TextsOf<typeof en> = {
  up: "回复得好",
  down: "回复得不好",
};
