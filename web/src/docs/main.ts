import "../styles/base.css";
import "../styles/markdown.css";
import { mount } from "svelte";
import { auth } from "../login/auth.svelte";
import { DeletionTabs } from "../shared/deletion-tabs";
import Reference from "./Reference.svelte";

// Nothing is deleted here, but tabs of the client may have deletions that can still be undone.
const tabs = new DeletionTabs(new BroadcastChannel("parley.deletions"), () => Promise.resolve());
auth.follow({ begin: () => {}, settle: () => tabs.flushOthers(), end: () => {} });

mount(Reference, { target: document.getElementById("root")! });
