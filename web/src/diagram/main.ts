// Draws diagrams in a sandboxed frame. Nothing of the user can be reached from here: the frame has an origin of its
// own, and its policy allows no request but those for the scripts of this client.
import mermaid from "mermaid";
import { type Drawing, type DrawRequest, maxEdges, maxSource } from "./request";
import { themeOf } from "./theme";

/** What a diagram can't set for itself. */
const fixed = [
  "secure",
  "securityLevel",
  "startOnLoad",
  "suppressErrorRendering",
  "maxTextSize",
  "maxEdges",
  "htmlLabels",
  "layout",
  "fontFamily",
  "dompurifyConfig",
];

async function draw({ source, dark }: DrawRequest): Promise<Drawing | null> {
  mermaid.initialize({
    ...themeOf(dark),
    securityLevel: "strict",
    startOnLoad: false,
    suppressErrorRendering: true,
    maxTextSize: maxSource,
    maxEdges,
    layout: "dagre",
    htmlLabels: false, // labels are SVG, so that the drawing is an image like any other
    secure: fixed,
  });
  try {
    return measure((await mermaid.render("diagram", source)).svg);
  } catch {
    return null; // the source is wrong, too large, or of a kind that is left out of this client
  } finally {
    document.body.replaceChildren();
  }
}

/** Returns a drawing with its size, as well-formed XML. */
function measure(html: string): Drawing | null {
  const host = document.createElement("div");
  host.innerHTML = html;
  const svg = host.querySelector("svg");
  if (!svg) return null;
  const { width, height } = svg.viewBox.baseVal;
  if (!(width > 0 && height > 0)) return null;
  svg.setAttribute("width", String(width));
  svg.setAttribute("height", String(height));
  svg.removeAttribute("style");
  return { svg: new XMLSerializer().serializeToString(svg), width, height };
}

addEventListener("message", ({ source, data }: MessageEvent<DrawRequest>) => {
  if (source !== parent) return;
  void draw(data).then((drawing) => parent.postMessage(drawing, location.origin));
});
parent.postMessage("ready", location.origin);
