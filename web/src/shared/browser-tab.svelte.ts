/** The tab of the browser that shows this page. */
class BrowserTab {
  visible = $state(document.visibilityState === "visible");

  constructor() {
    document.addEventListener("visibilitychange", () => (this.visible = document.visibilityState === "visible"));
  }
}

export const browserTab = new BrowserTab();
