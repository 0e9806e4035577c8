import { say, type TextKey } from "./texts";

/** The events of the audit log in the order of the filter. The server may know more. */
export const events = {
  login: "event.login",
  "login-failed": "event.loginFailed",
  "sign-in-failed": "event.signInFailed",
  logout: "event.logout",
  "login-ended": "event.loginEnded",
  register: "event.register",
  "password-change": "event.passwordChange",
  "password-change-failed": "event.passwordChangeFailed",
  "password-reset-sent": "event.resetSent",
  "password-reset": "event.resetByMail",
  "password-reset-failed": "event.resetByMailFailed",
  invitation: "event.invitation",
  "totp-on": "event.totpOn",
  "totp-on-failed": "event.totpOnFailed",
  "totp-off": "event.totpOff",
  "totp-off-failed": "event.totpOffFailed",
  "recovery-code": "event.recoveryCode",
  "identity-link": "event.identityLink",
  "account-delete": "event.accountDelete",
  "account-delete-failed": "event.accountDeleteFailed",
  "key-create": "event.keyCreate",
  "key-delete": "event.keyDelete",
  "session-delete": "event.sessionDelete",
  "session-clear": "event.sessionClear",
  "file-delete": "event.fileDelete",
  share: "event.share",
  "share-delete": "event.shareDelete",
  "operator-invite": "event.invite",
  "operator-disable": "event.disable",
  "operator-enable": "event.enable",
  "operator-reset-password": "event.reset",
  "operator-quota": "event.quota",
  "operator-totp-off": "event.totpTaken",
  "operator-promote": "event.promote",
  "operator-demote": "event.demote",
  "operator-delete": "event.delete",
  setting: "event.setting",
  "operator-setting": "event.setting",
  "admin-claim": "event.claim",
  "admin-claim-failed": "event.claimFailed",
} as const satisfies Record<string, TextKey>;

/** Returns an event in words, or its name if it is a new one. */
export function describeEvent(event: string): string {
  return event in events ? say(events[event as keyof typeof events]) : event;
}
