/** The tab of the browser that shows this page. */
class BrowserTab {
  visible = $state(document.visibilityState === "visible");
  /** What the page shows, for the tab's title. */
  subject = $state("");

  constructor() {
    document.addEventListener("visibilitychange", () => (this.visible = document.visibilityState === "visible"));
  }

  /** Shows the subject and the number of unread chats in the title, and the number on the icon of an installed app. */
  show(unread: number): void {
    const name = this.subject ? `${this.subject} · Parley` : "Parley";
    document.title = unread > 0 ? `(${unread}) ${name}` : name;
    if (!("setAppBadge" in navigator)) return;
    // It fails if the app is not installed.
    (unread > 0 ? navigator.setAppBadge(unread) : navigator.clearAppBadge()).catch(() => {});
  }
}

export const browserTab = new BrowserTab();
