import "../styles/base.css";
import "../styles/markdown.css";
import { mount } from "svelte";
import { acceptLanguage } from "../api/call";
import { language } from "../i18n/index.svelte";
import SharePage from "./SharePage.svelte";

acceptLanguage(language);
const shareId = decodeURIComponent(location.pathname.split("/")[2] ?? "");
mount(SharePage, { target: document.getElementById("root")!, props: { shareId } });
