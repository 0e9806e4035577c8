import type { MermaidConfig } from "mermaid";

/** The colors of tokens.css that diagrams have. The frame does not load that file. */
const light = {
  background: "#f3f1ec",
  primaryColor: "#ffffff",
  primaryBorderColor: "#0f6f66",
  secondaryColor: "#e1f0ed",
  tertiaryColor: "#fbfaf7",
  textColor: "#1d1b18",
  lineColor: "#5c574f",
  noteBkgColor: "#e1f0ed",
  noteBorderColor: "#a9a398",
};

const dark: typeof light = {
  background: "#111110",
  primaryColor: "#262523",
  primaryBorderColor: "#5ccfbf",
  secondaryColor: "#16322e",
  tertiaryColor: "#1f1e1d",
  textColor: "#ecebe8",
  lineColor: "#aca79e",
  noteBkgColor: "#16322e",
  noteBorderColor: "#5d5953",
};

/** The colors of parts that stand side by side, such as the slices of a pie. */
const lightParts = ["#cfe6e1", "#f0dcc4", "#d9dcf0", "#f0d3d8", "#dbe8c9", "#e6dcea"];
const darkParts = ["#1f4f49", "#5a4326", "#363c63", "#5c3039", "#3b4d24", "#4c3a55"];

/** How many parts Mermaid has names of colors for. */
const maxParts = 12;

function colorsOfParts(palette: string[], textColor: string): Record<string, string> {
  const colors: Record<string, string> = {};
  for (let i = 0; i < maxParts; i++) {
    const color = palette[i % palette.length]!;
    Object.assign(colors, { [`cScale${i}`]: color, [`cScaleLabel${i}`]: textColor, [`pie${i + 1}`]: color });
    Object.assign(colors, { [`git${i}`]: color, [`gitBranchLabel${i}`]: textColor });
  }
  return colors;
}

/** Returns how diagrams look. An image has only the fonts of the system. */
export function themeOf(isDark: boolean): MermaidConfig {
  const colors = isDark ? dark : light;
  const parts = isDark ? darkParts : lightParts;
  const { textColor } = colors;
  return {
    theme: "base",
    look: "classic",
    darkMode: isDark,
    fontFamily: "system-ui, sans-serif",
    themeVariables: {
      ...colors,
      ...colorsOfParts(parts, textColor),
      xyChart: { plotColorPalette: parts.join() },
      darkMode: isDark,
      fontSize: "14px",
      primaryTextColor: textColor,
      secondaryTextColor: textColor,
      tertiaryTextColor: textColor,
      noteTextColor: textColor,
      titleColor: textColor,
      pieStrokeColor: colors.background,
      pieOuterStrokeColor: colors.background,
      edgeLabelBackground: colors.background,
    },
  };
}
