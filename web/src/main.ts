import "./styles/base.css";
import "./styles/markdown.css";
import { mount } from "svelte";
import App from "./App.svelte";
import { registerWorker } from "./offline/register";

mount(App, { target: document.getElementById("root")! });
registerWorker();
