/** What the tab of the browser is called. */
export class TabTitle {
  /** What the page shows. */
  subject = $state("");

  constructor(ended: AbortSignal) {
    ended.addEventListener("abort", () => show("", 0));
  }

  /** Shows the subject and the number of unread chats in the title, and the number on the icon of an installed app. */
  show(unread: number): void {
    show(this.subject, unread);
  }
}

function show(subject: string, unread: number): void {
  const name = subject ? `${subject} · Parley` : "Parley";
  document.title = unread > 0 ? `(${unread}) ${name}` : name;
  if (!("setAppBadge" in navigator)) return;
  // It fails if the app is not installed.
  (unread > 0 ? navigator.setAppBadge(unread) : navigator.clearAppBadge()).catch(() => {});
}
