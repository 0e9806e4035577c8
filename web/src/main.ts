import "./styles/base.css";
import "./styles/markdown.css";
import { mount } from "svelte";
import { acceptLanguage } from "./api/call";
import App from "./App.svelte";
import { language } from "./i18n/index.svelte";
import { registerWorker } from "./offline/register";
import { network } from "./shared/network.svelte";

acceptLanguage(language);
// A server that was upgraded no longer has the rest of this page's code. Reload once to get the new page. Without a
// connection there is none to get.
const reloaded = "parley.reloaded";
addEventListener("vite:preloadError", () => {
  if (sessionStorage.getItem(reloaded) === import.meta.url) return;
  void network.check().then((reachable) => {
    if (!reachable) return;
    sessionStorage.setItem(reloaded, import.meta.url);
    location.reload();
  });
});

mount(App, { target: document.getElementById("root")! });
registerWorker();
