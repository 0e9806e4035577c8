import { say, type TextKey } from "./texts";

/** The events of the audit log in the order of the filter. The server may know more. */
export const events = {
  login: "event.login",
  "login-failed": "event.loginFailed",
  logout: "event.logout",
  "login-ended": "event.loginEnded",
  register: "event.register",
  "password-change": "event.passwordChange",
  "password-change-failed": "event.passwordChangeFailed",
  "account-delete": "event.accountDelete",
  "account-delete-failed": "event.accountDeleteFailed",
  "key-create": "event.keyCreate",
  "key-delete": "event.keyDelete",
  "session-delete": "event.sessionDelete",
  "session-clear": "event.sessionClear",
  "file-delete": "event.fileDelete",
  share: "event.share",
  "share-delete": "event.shareDelete",
  "operator-disable": "event.disable",
  "operator-enable": "event.enable",
  "operator-reset-password": "event.reset",
  "operator-quota": "event.quota",
  "operator-promote": "event.promote",
  "operator-demote": "event.demote",
  "operator-delete": "event.delete",
  "admin-claim": "event.claim",
  "admin-claim-failed": "event.claimFailed",
} as const satisfies Record<string, TextKey>;

/** Returns an event in words, or its name if it is a new one. */
export function describeEvent(event: string): string {
  return event in events ? say(events[event as keyof typeof events]) : event;
}
