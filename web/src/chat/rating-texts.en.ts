/** The texts of ratings. rating-texts.zh.ts has the same. They are not in ../i18n because the first page does not need them. */
export const en = {
  up: "Good reply",
  down: "Bad reply",
};
