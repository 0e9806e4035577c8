/** The texts of a chat that the first page does without: of its dialogs, and of what is rare with its messages. */
export const en = {
  "expiry.text": "The chat is deleted with its messages and files after this time.",
  "expiry.now": "It is deleted on {date}.",
  "expiry.never": "Keep the chat",
  "expiry.day": "Delete after 1 day",
  "expiry.week": "Delete after 1 week",
  "expiry.month": "Delete after 30 days",
  "clear.title": "Clear all messages in this chat?",
  "clear.text": "The messages and their favorites are deleted permanently. The chat and its files are kept.",
  "clear.done": "The messages were cleared.",
  fork: "Fork from here",
};
