/** A diagram to draw. */
export interface DrawRequest {
  source: string;
  dark: boolean;
}

/** A drawn diagram: an SVG document and its size in pixels. */
export interface Drawing {
  svg: string;
  width: number;
  height: number;
}

/** The path of the page that draws. The server has a policy of its own for it. */
export const framePath = "/diagram";

/** A longer source is not drawn, and neither is a diagram with more edges. */
export const maxSource = 10_000;
export const maxEdges = 200;

/** A larger drawing is not shown. */
export const maxDrawing = 1_000_000;
