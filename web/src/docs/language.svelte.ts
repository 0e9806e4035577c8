import type { SampleLanguage } from "./samples";

/** The language of all samples: choosing it once is enough. */
export const chosen: { language: SampleLanguage } = $state({ language: "curl" });
