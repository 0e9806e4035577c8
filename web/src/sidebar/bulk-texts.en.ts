/** The texts of what is done to several chats, which the first page does without. */
export const en = {
  label: "Selected chats",
  count: "{count} selected",
  end: "End the selection",
  archived: { one: "{count} chat was archived.", other: "{count} chats were archived." },
  unarchived: { one: "{count} chat is back in the list.", other: "{count} chats are back in the list." },
  deleted: { one: "{count} chat was deleted.", other: "{count} chats were deleted." },
  notArchived: {
    one: "{count} of {total} chats was not archived. {reason}",
    other: "{count} of {total} chats were not archived. {reason}",
  },
  notUnarchived: {
    one: "{count} of {total} chats was not moved back. {reason}",
    other: "{count} of {total} chats were not moved back. {reason}",
  },
  notUndone: {
    one: "This could not be undone for {count} of {total} chats. {reason}",
    other: "This could not be undone for {count} of {total} chats. {reason}",
  },
  notDeleted: {
    one: "{count} of {total} chats was not deleted. {reason}",
    other: "{count} of {total} chats were not deleted. {reason}",
  },
  notExported: {
    one: "{count} of {total} chats was not exported. {reason}",
    other: "{count} of {total} chats were not exported. {reason}",
  },
  deleteAsk: { one: "Delete {count} chat?", other: "Delete {count} chats?" },
  deleteText: "The messages, favorites and files are deleted permanently. This can't be undone.",
  allText: {
    one: "This deletes {count} chat with its messages, favorites and files, permanently.",
    other: "This deletes {count} chats, also the archived ones, with their messages, favorites and files, permanently.",
  },
  allConfirm: { one: "Delete {count} chat", other: "Delete {count} chats" },
  progress: "{done} of {count}",
  none: "You have no chats.",
};
