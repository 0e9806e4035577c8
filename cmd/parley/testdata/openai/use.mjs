// Uses the clients of OpenAI, the Vercel AI SDK and LangChain against the server at PARLEY_URL.
import assert from "node:assert/strict";
import { createOpenAI } from "@ai-sdk/openai";
import { HumanMessage, ToolMessage } from "@langchain/core/messages";
import { tool as langTool } from "@langchain/core/tools";
import { ChatOpenAI } from "@langchain/openai";
import { generateObject, generateText, stepCountIs, streamText, tool } from "ai";
import OpenAI from "openai";
import { z } from "zod";

const { PARLEY_URL: baseURL, PARLEY_TOKEN: apiKey, PARLEY_SESSION: session } = process.env;
const client = new OpenAI({ baseURL, apiKey, maxRetries: 0 });
const vercel = createOpenAI({ baseURL, apiKey });
const model = "default";
const user = (content) => [{ role: "user", content }];
const png = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const ferry = { name: "ferry", description: "When a ferry leaves.", parameters: { type: "object", properties: { to: { type: "string" } } } };
const tools = [{ type: "function", function: ferry }];

const fails = (promise, Kind, more) =>
  assert.rejects(promise, (error) => {
    assert.ok(error instanceof Kind, String(error));
    for (const [name, value] of Object.entries(more)) assert.equal(error[name], value, name);
    return true;
  });

const steps = {
  async models() {
    const names = [];
    for await (const { id } of client.models.list()) names.push(id);
    assert.deepEqual(names, ["default", "基础模型", "增强模型"]);
  },

  async "chat completion"() {
    const got = await client.chat.completions.create({ model, messages: user("Hello"), temperature: 0 });
    assert.equal(got.choices[0].message.content, "You said: Hello");
    assert.deepEqual([got.model, got.usage.total_tokens], [model, 10]);
  },

  async "chat stream"() {
    const options = { model, messages: user("Hello"), stream: true };
    const plain = [];
    for await (const chunk of await client.chat.completions.create(options)) plain.push(chunk);
    assert.equal(plain.map(({ choices }) => choices[0].delta.content ?? "").join(""), "You said: Hello");
    assert.ok(plain.every(({ usage }) => !usage));
    const runner = client.chat.completions.stream({ ...options, stream_options: { include_usage: true } });
    assert.equal((await runner.totalUsage()).total_tokens, 10);
    assert.equal(await runner.finalContent(), "You said: Hello");
  },

  async "tools and pictures"() {
    const asked = await client.chat.completions.create({ model, messages: user("When?"), tools });
    const { message, finish_reason } = asked.choices[0];
    assert.equal(finish_reason, "tool_calls");
    assert.equal(message.tool_calls[0].function.arguments, '{"to":"Capri"}');
    const result = { role: "tool", tool_call_id: message.tool_calls[0].id, content: "at noon" };
    const told = await client.chat.completions.create({ model, messages: [...user("When?"), message, result], tools });
    assert.equal(told.choices[0].message.content, "The ferry leaves at noon");
    const runner = client.chat.completions.runTools({
      model, messages: user("When?"), stream: true,
      tools: [{ type: "function", function: { ...ferry, parse: JSON.parse, function: ({ to }) => `to ${to}` } }],
    });
    assert.equal(await runner.finalContent(), "The ferry leaves to Capri");
    const seen = await client.chat.completions.create({
      model, messages: user([{ type: "text", text: "What is it?" }, { type: "image_url", image_url: { url: png } }]),
    });
    assert.equal(seen.choices[0].message.content, "I see a picture.");
  },

  async errors() {
    const create = (more) => client.chat.completions.create({ model, messages: user("Hello"), ...more });
    await fails(create({ model: "gpt-0" }), OpenAI.NotFoundError, { code: "model_not_found", param: "model" });
    await fails(create({ store: true }), OpenAI.BadRequestError, { param: "store" });
    await fails(create({ messages: user("refuse") }), OpenAI.BadRequestError, { type: "invalid_request_error" });
    await fails(create({ messages: user("busy"), stream: true }), OpenAI.RateLimitError, { status: 429 });
    const stranger = new OpenAI({ baseURL, apiKey: "nobody", maxRetries: 0 });
    await fails(stranger.models.list(), OpenAI.AuthenticationError, { code: "invalid_api_key" });
    await fails(client.embeddings.create({ model, input: "Hello" }), OpenAI.NotFoundError, { status: 404 });
  },

  async responses() {
    const first = await client.responses.create({ model, input: "Hello", store: true, instructions: "Be brief." });
    assert.equal(first.output_text, "You said: Hello");
    assert.deepEqual([first.status, first.usage.total_tokens], ["completed", 10]);
    assert.deepEqual((await client.responses.retrieve(first.id)).output, first.output);
    const next = await client.responses.create({ model, input: "Again", previous_response_id: first.id });
    assert.equal(next.output_text, "You said: Again");
    await fails(client.responses.retrieve(next.id), OpenAI.NotFoundError, { status: 404 });
  },

  async "response stream"() {
    const events = [];
    const stream = client.responses.stream({ model, input: "Hello", store: true });
    for await (const event of stream) events.push(event);
    assert.equal((await stream.finalResponse()).output_text, "You said: Hello");
    assert.deepEqual(events.map(({ type }) => type.replace("response.", "")), [
      "created", "in_progress", "output_item.added", "content_part.added", "output_text.delta", "output_text.done",
      "content_part.done", "output_item.done", "completed",
    ]);
    const rest = [];
    const again = await client.responses.retrieve(events[0].response.id, { stream: true, starting_after: 3 });
    for await (const event of again) rest.push(event.sequence_number);
    assert.deepEqual(rest, [4, 5, 6, 7, 8]);
  },

  async "response tools"() {
    const functions = [{ type: "function", strict: false, ...ferry }];
    const asked = await client.responses.create({ model, input: "When?", tools: functions, store: true });
    const { call_id, arguments: given } = asked.output.find(({ type }) => type === "function_call");
    assert.equal(given, '{"to":"Capri"}');
    const told = await client.responses.create({
      model, tools: functions, previous_response_id: asked.id,
      input: [{ type: "function_call_output", call_id, output: "at noon" }],
    });
    assert.equal(told.output_text, "The ferry leaves at noon");
  },

  async "a turn of a session"() {
    const headers = { "Parley-Session": session };
    const got = await client.chat.completions.create({ model, messages: user("Hello") }, { headers });
    assert.equal(got.choices[0].message.content, "You said: Hello");
    const runner = client.chat.completions.stream({ model, messages: user("Again") }, { headers });
    assert.equal(await runner.finalContent(), "You said: Again");
  },

  async "the Vercel AI SDK"() {
    const when = tool({ inputSchema: z.object({ to: z.string() }), execute: ({ to }) => `to ${to}` });
    for (const [api, providerOptions] of [
      [vercel.chat(model), {}],
      [vercel.responses(model), { openai: { store: false } }],
      [vercel.responses(model), { openai: { store: true } }],
    ]) {
      const { text, usage } = await generateText({ model: api, prompt: "Hello", providerOptions });
      assert.deepEqual([text, usage.totalTokens], ["You said: Hello", 10]);
      const stream = streamText({ model: api, prompt: "Hello", providerOptions });
      let streamed = "";
      for await (const piece of stream.textStream) streamed += piece;
      assert.equal(streamed, "You said: Hello");
      const inSteps = await generateText({
        model: api, prompt: "When?", tools: { ferry: when }, stopWhen: stepCountIs(3), providerOptions,
      });
      assert.equal(inSteps.text, "The ferry leaves to Capri");
      const { object } = await generateObject({
        model: api, prompt: "Where?", schema: z.object({ to: z.string() }), providerOptions,
      });
      assert.deepEqual(object, { to: "Capri" });
    }
  },

  async LangChain() {
    const when = langTool(({ to }) => `to ${to}`, { ...ferry, schema: z.object({ to: z.string() }) });
    for (const useResponsesApi of [false, true]) {
      const chat = new ChatOpenAI({ model, apiKey, useResponsesApi, maxRetries: 0, configuration: { baseURL } });
      const { text, usage_metadata } = await chat.invoke("Hello");
      assert.deepEqual([text, usage_metadata.total_tokens], ["You said: Hello", 10]);
      let streamed;
      for await (const chunk of await chat.stream("Hello")) streamed = streamed?.concat(chunk) ?? chunk;
      assert.deepEqual([streamed.text, streamed.usage_metadata.total_tokens], ["You said: Hello", 10]);
      const question = new HumanMessage("When?");
      const able = chat.bindTools([when]);
      const asked = await able.invoke([question]);
      assert.deepEqual(asked.tool_calls[0].args, { to: "Capri" });
      const result = await when.invoke(asked.tool_calls[0]);
      assert.ok(result instanceof ToolMessage);
      assert.equal((await able.invoke([question, asked, result])).text, "The ferry leaves to Capri");
      let called;
      for await (const chunk of await able.stream([question])) called = called?.concat(chunk) ?? chunk;
      assert.deepEqual(called.tool_calls[0].args, { to: "Capri" });
      const shaped = chat.withStructuredOutput(z.object({ to: z.string() }), { method: "jsonSchema" });
      assert.deepEqual(await shaped.invoke("Where?"), { to: "Capri" });
      await assert.rejects(chat.invoke("refuse"), { status: 400 });
      await assert.rejects(chat.invoke("busy"), { status: 429 });
    }
    const chat = new ChatOpenAI({
      model, apiKey, maxRetries: 0, configuration: { baseURL, defaultHeaders: { "Parley-Session": session } },
    });
    assert.equal((await chat.invoke("Hello")).text, "You said: Hello");
  },
};

for (const [name, step] of Object.entries(steps)) {
  await step();
  console.log(`ok: ${name}`);
}
