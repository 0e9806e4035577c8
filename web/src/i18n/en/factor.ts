/** The texts of the second factor and of forgotten passwords. */
export const factor = {
  "factor.code": "Code of the app",
  "factor.codeHint": "Six digits, a new code every 30 seconds",
  "factor.ask": "The password is right. This account has a second factor: enter a code.",
  "factor.recoveryCode": "Recovery code",
  "factor.recoveryHint": "One of the ten codes that you have kept",
  "factor.useRecovery": "Use a recovery code",
  "factor.useApp": "Use the authenticator app",

  "reset.forgot": "Forgot your password?",
  "reset.text": "We send you a link to set a new password.",
  "reset.send": "Send the link",
  "reset.sent": "If an account has this address, a mail with a link is on its way. The link is good for 30 minutes.",
  "reset.ask": "This server sends no mail. Ask its administrator for a new password.",
  "reset.back": "Back to the login",
  "reset.title": "Set a new password",
  "reset.for": "For the account of",
  "reset.ends": "All logins and keys of the account will end.",
  "reset.bad": "This link is wrong, was used before or has expired. Ask for a new one.",
  "invite.title": "Welcome to Parley",
  "invite.for": "You are invited as",
  "invite.choose": "Choose a password to begin.",
  "invite.begin": "Set the password and log in",
  "invite.bad":
    "This invitation was used before or has expired. If you have chosen a password, log in with it. Otherwise ask your " +
    "administrator for a new link.",
  "invite.leave": "Back to Parley",
  "reset.done": "The password was changed. All logins and keys have been ended. Log in with the new one.",

  "error.1003.totp": "The code is wrong or was used before. Wait for the next one.",
};
