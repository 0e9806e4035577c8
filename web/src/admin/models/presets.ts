import type { SearchServiceInput } from "../types";

/** A model server that many use. Names of products are the same in every language. */
export interface Preset {
  name: string;
  address: string;
  /** Whether it needs a key. */
  key: boolean;
}

export const presets: Preset[] = [
  { name: "OpenAI", address: "https://api.openai.com/v1", key: true },
  { name: "Anthropic", address: "https://api.anthropic.com/v1", key: true },
  { name: "Azure OpenAI", address: "https://RESOURCE.openai.azure.com/openai/v1", key: true },
  { name: "DeepSeek", address: "https://api.deepseek.com/v1", key: true },
  { name: "Gemini", address: "https://generativelanguage.googleapis.com/v1beta/openai", key: true },
  { name: "GLM (智谱)", address: "https://open.bigmodel.cn/api/paas/v4", key: true },
  { name: "Mistral", address: "https://api.mistral.ai/v1", key: true },
  { name: "Moonshot (Kimi)", address: "https://api.moonshot.cn/v1", key: true },
  { name: "OpenRouter", address: "https://openrouter.ai/api/v1", key: true },
  { name: "Qwen (通义千问)", address: "https://dashscope.aliyuncs.com/compatible-mode/v1", key: true },
  { name: "Ollama", address: "http://127.0.0.1:11434/v1", key: false },
  { name: "llama.cpp", address: "http://127.0.0.1:8080/v1", key: false },
  { name: "vLLM", address: "http://127.0.0.1:8000/v1", key: false },
];

/** The services for web searches. */
export const searchProviders: { value: SearchServiceInput["provider"]; name: string; key: boolean }[] = [
  { value: "searxng", name: "SearXNG", key: false },
  { value: "tavily", name: "Tavily", key: true },
  { value: "brave", name: "Brave Search", key: true },
  { value: "bocha", name: "Bocha (博查)", key: true },
];

/** Whether two addresses have the same host: a stored key is kept for it. */
export function sameHost(one: string, other: string): boolean {
  const [a, b] = [one, other].map((address) => (URL.canParse(address) ? new URL(address).origin : ""));
  return a !== "" && a === b;
}
