import "./styles/base.css";
import "./styles/markdown.css";
import { mount } from "svelte";
import { acceptLanguage } from "./api/call";
import App from "./App.svelte";
import { language } from "./i18n/index.svelte";

acceptLanguage(language);
mount(App, { target: document.getElementById("root")! });
