import { router } from "./router.svelte";

const key = "parley.notices";

/** What the user has chosen: "" if nothing yet, "offered" if the question was shown and not answered. */
type Choice = "" | "offered" | "on" | "off";

/** Notices of the system, for replies that finish while the page is in the background. */
export class Notices {
  /** Browsers have notices only on pages served over HTTPS or from this machine. */
  readonly supported = "Notification" in globalThis && globalThis.isSecureContext;
  permission: NotificationPermission = $state("Notification" in globalThis ? Notification.permission : "denied");
  #choice: Choice = $state((localStorage.getItem(key) ?? "") as Choice);

  get on(): boolean {
    return this.supported && this.#choice === "on" && this.permission === "granted";
  }

  /** Whether the user may be asked once. */
  get canOffer(): boolean {
    return this.supported && this.#choice === "" && this.permission !== "denied";
  }

  markOffered(): void {
    this.#choose("offered");
  }

  /** Asks for permission. Must be called on a click. */
  async turnOn(): Promise<void> {
    this.permission = await Notification.requestPermission();
    this.#choose("on");
  }

  turnOff(): void {
    this.#choose("off");
  }

  /** Shows a notice. A click on it opens the place. */
  async show(title: string, body: string, hash: string): Promise<void> {
    const options: NotificationOptions = { body, tag: hash, icon: "/icon-192.png", data: { hash } };
    const worker = await navigator.serviceWorker?.getRegistration();
    // Phones show notices only from a service worker.
    if (worker?.active) return worker.showNotification(title, options);
    const notice = new Notification(title, options);
    notice.onclick = () => {
      focus();
      router.go(hash);
      notice.close();
    };
  }

  #choose(choice: Choice): void {
    this.#choice = choice;
    localStorage.setItem(key, choice);
  }
}

export const notices = new Notices();
