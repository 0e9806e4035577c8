/** The texts of originals. original.zh.ts has the same. They are not in ../i18n because the first page needs none. */
export const en = {
  views: "What to show of the file",
  text: "Text",
  original: "Original",
  loading: "Loading the original…",
  tooLarge: "The original is too large to be shown here ({size}).",
  noViewer: "This browser does not show PDFs in a page.",
  failed: "The original can't be shown.",
  download: "Download {name}",
};
