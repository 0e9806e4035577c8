/** The texts of questions that wait for a reply. queue.zh.ts has the same. The first page does not need them. */
export const en = {
  waiting: "Will be sent when the reply is finished",
  back: "Take back to edit",
  now: "Stop the reply and send now",
  kept: {
    one: "The reply has ended early, so your next question was not sent. It is in the message field again.",
    other: "The reply has ended early, so your next questions were not sent. They are in the message field again.",
  },
  left: "What was to be sent after the reply was not sent. It is a draft in that chat.",
};
