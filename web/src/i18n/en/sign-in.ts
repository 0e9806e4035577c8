/** The texts of single sign-on. */
export const signIn = {
  "signIn.or": "or",
  "signIn.with": "Sign in with {name}",
  "signIn.title": "Sign in",
  "signIn.busy": "One moment …",
  "signIn.back": "Back",
  "signIn.provider": "your provider",
  "signIn.link": "Connect your account",
  "signIn.linkText":
    "There is already an account with the e-mail address that {name} gave. Enter its password once to use both.",
  "signIn.linkConfirm": "Connect",
  "signIn.unavailable": "The sign-in service can't be reached at the moment. Try again later.",
  "signIn.denied": "You were not signed in: the sign-in was canceled.",
  "signIn.expired": "This sign-in has expired or was begun in another browser. Sign in again.",
  "signIn.elsewhere": "This sign-in was not begun in this tab. Sign in again.",
  "signIn.refused": "You were not signed in: the response of the sign-in service is not valid. Tell the administrator.",
  "signIn.unverified": "You were not signed in: the sign-in service has no verified e-mail address of yours.",
  "signIn.closed": "There is no account for you, and registration is closed. Ask the administrator.",
  "signIn.disabled": "This account is disabled. Ask the administrator.",
  "signIn.tooMany": "Too many attempts in a short time. Try again later.",
  "signIn.failed": "You were not signed in because of an error. Try again.",
};
