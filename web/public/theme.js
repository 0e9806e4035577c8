// Runs before the first paint, so that a chosen theme does not flash.
try {
  const { theme } = JSON.parse(localStorage.getItem("parley.preferences") ?? "{}");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // Without storage the system's theme is used.
}
