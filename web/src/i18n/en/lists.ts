/** The texts of favorites, archived and shared chats. */
export const lists = {
  "favorites.title": "Favorites",
  "favorites.search": "Search favorites",
  "favorites.empty": "Star a message to keep it here.",
  "favorites.nothing": "No favorites contain “{word}”.",
  "favorites.jump": "Go to the message",
  "favorites.aside": "In another version",
  "favorites.more": "Load more",

  "archived.title": "Archived chats",
  "archived.text": "A search finds archived chats too. A new message moves a chat back to the list.",
  "archived.empty": "Chats that you archive are kept here, out of the list.",

  "bulk.begin": "Select",

  "share.action": "Share…",
  "share.title": "Share “{title}”",
  "share.text":
    "Anyone with the link can read the messages as they are now, without an account. Later messages and files are not " +
    "shared.",
  "share.ends": "The link ends",
  "share.day": "After a day",
  "share.week": "After a week",
  "share.month": "After 30 days",
  "share.never": "Never",
  "share.thinking": "Share the model's thinking too",
  "share.create": "Create link",
  "share.link": "Link",
  "share.copy": "Copy link",
  "share.copied": "Copied",
  "share.open": "Open",
  "share.created": "Anyone with this link can read the chat.",
  "share.manage": "Your links are in the settings, where you can withdraw them.",
  "share.from": "Shared from Parley",
  "share.sharedOn": "Shared on {date}",
  "share.endsOn": "Available until {date}",
  "share.gone": "There is nothing here any more",
  "share.goneText": "The link was withdrawn, has expired, or is not complete. Ask whoever gave it to you.",
  "share.question": "Question",
  "share.privateSource": "A page that is not public",
  "share.pictures": {
    one: "{count} picture that went with this is not included.",
    other: "{count} pictures that went with this are not included.",
  },
  "share.stopped": "The reply was stopped here.",
  "share.note": "A copy of a conversation with an AI model, which can be wrong.",
};
