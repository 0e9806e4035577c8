/** The texts of the palette, which loads after the first page. */
export const en = {
  "palette.label": "Search chats, messages, files and commands",
  "palette.placeholder": "Search chats, messages, files and commands",
  "palette.chats": "Chats",
  "palette.here": "In this chat",
  "palette.messages": "Messages",
  "palette.files": "Files",
  "palette.commands": "Commands",
  "palette.nothing": "Nothing has “{word}” in its name or text.",
  "palette.light": "Use the light theme",
  "palette.dark": "Use the dark theme",
  "palette.all": { one: "Show {count} result", other: "Show all {count} results" },
  "palette.part": "{shown} of {total}",
};
