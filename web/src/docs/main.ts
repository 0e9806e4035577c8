import "../styles/base.css";
import "../styles/markdown.css";
import { mount } from "svelte";
import Reference from "./Reference.svelte";

mount(Reference, { target: document.getElementById("root")! });
