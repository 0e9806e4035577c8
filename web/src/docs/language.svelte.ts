import type { SampleLanguage } from "./samples";

/** The language of all samples. */
export const chosen: { language: SampleLanguage } = $state({ language: "curl" });
