// A coding agent that speaks the Agent Client Protocol and does what a script says:
//
//   node fake-acp-agent.mjs DIRECTORY
//
// DIRECTORY/script.json has the abilities of the agent and its turns, one for each prompt whichever process answers it; the last one repeats.
// What happens is noted in DIRECTORY/log.jsonl, and what was said in a session in DIRECTORY/sessions/.

import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Readable, Writable } from 'node:stream';
import { agent, methods, ndJsonStream, RequestError } from '@agentclientprotocol/sdk';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

const [, , directory] = process.argv;
const script = JSON.parse(readFileSync(path.join(directory, 'script.json'), 'utf8'));
const sessions = new Map();
let callNumber = 0;
let isSignedIn = false;

note({ kind: 'started', pid: process.pid, args: process.argv.slice(3), environment: process.env });
if (script.deaf) process.on('SIGTERM', () => note({ kind: 'deaf' }));
if (script.banner !== undefined) process.stdout.write(`${script.banner}\n`);
if (script.words !== undefined) process.stderr.write(script.words);
if (script.diesAtOnce !== undefined) process.exit(script.diesAtOnce);

const connection = agent({ name: 'fake' })
  .onRequest(methods.agent.initialize, ({ params }) => {
    note({ kind: 'initialized', capabilities: params.clientCapabilities });
    return {
      protocolVersion: script.version ?? 1,
      agentCapabilities: script.abilities ?? { loadSession: true },
      authMethods: script.authMethods ?? [],
    };
  })
  .onRequest(methods.agent.authenticate, ({ params }) => {
    note({ kind: 'signed_in', method: params.methodId });
    isSignedIn = true;
    return {};
  })
  .onRequest(methods.agent.session.new, ({ params }) => open(randomUUID(), params, []))
  .onRequest(methods.agent.session.load, async ({ params, client }) => {
    const earlier = earlierOf(params.sessionId);
    for (const text of earlier) await say(client, params.sessionId, `(earlier: ${text})`);
    for (const one of script.replays ?? []) await update(client, params.sessionId, one);
    return open(params.sessionId, params, earlier);
  })
  .onRequest(methods.agent.session.resume, ({ params }) =>
    open(params.sessionId, params, earlierOf(params.sessionId)),
  )
  .onRequest(methods.agent.session.setConfigOption, ({ params }) => {
    note({ kind: 'configured', option: params.configId, value: params.value });
    return { configOptions: script.options ?? [] };
  })
  .onRequest(
    'session/set_model',
    (params) => params,
    ({ params }) => {
      note({ kind: 'configured', option: 'model', value: params.modelId });
      return {};
    },
  )
  .onRequest(methods.agent.session.prompt, ({ params, client }) => answer(params, client))
  .onNotification(methods.agent.session.cancel, ({ params }) => {
    note({ kind: 'cancelled' });
    sessions.get(params.sessionId)?.cancel();
  })
  .connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));

if (!script.deaf) connection.closed.then(() => process.exit());

function open(sessionId, { mcpServers, cwd }, earlier) {
  if (script.needsKey && !isSignedIn) throw RequestError.authRequired();
  note({ kind: 'opened', session: sessionId, cwd, servers: mcpServers.map(({ name }) => name) });
  sessions.set(sessionId, { mcpServers, cwd, earlier, cancel: () => undefined });
  return { sessionId, configOptions: script.options ?? [], ...script.begun };
}

function sessionFile(id) {
  return path.join(directory, 'sessions', `${id}.json`);
}

function earlierOf(id) {
  if (script.forgets || !existsSync(sessionFile(id))) throw RequestError.resourceNotFound(id);
  return JSON.parse(readFileSync(sessionFile(id), 'utf8'));
}

async function answer({ sessionId, prompt }, client) {
  const session = sessions.get(sessionId);
  const text = prompt.map((block) => block.text).join('');
  note({ kind: 'prompt', text, earlier: session.earlier });
  session.earlier = [...session.earlier, text];
  mkdirSync(path.join(directory, 'sessions'), { recursive: true });
  writeFileSync(sessionFile(sessionId), JSON.stringify(session.earlier));
  const cancelled = new Promise((resolve) => {
    session.cancel = () => resolve({ stopReason: 'cancelled' });
  });
  return Promise.race([act(turnOf(), { ...session, sessionId, client }), cancelled]);
}

function turnOf() {
  const prompts = readFileSync(path.join(directory, 'log.jsonl'), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('{"kind":"prompt"')).length;
  return script.turns[Math.min(prompts, script.turns.length) - 1];
}

async function act(turn, place) {
  let end = { stopReason: 'end_turn' };
  for (const step of turn) end = (await perform(step, place)) ?? end;
  return end;
}

async function perform(step, place) {
  const { client, sessionId, cwd } = place;
  switch (step.do) {
    case 'say':
      return say(client, sessionId, step.text);
    case 'update':
      return update(client, sessionId, step.update);
    case 'notify':
      return client.notify(step.method, step.params);
    case 'write': {
      const file = path.join(cwd, step.name);
      const done = await tool(place, { title: `Write ${step.name}`, kind: 'edit', rawInput: { file } });
      writeFileSync(file, step.content);
      return done('written');
    }
    case 'status':
      mkdirSync(process.env.ATTRACTOR_STAGE_DIR, { recursive: true });
      return writeFileSync(path.join(process.env.ATTRACTOR_STAGE_DIR, 'status.json'), step.content);
    case 'ask':
      return ask(step, place);
    case 'fs':
      return note({
        kind: 'fs',
        reply: await client.request(step.method, { sessionId, ...step.params }).catch(told),
      });
    case 'ask_person':
      return askPerson(step.input, place);
    case 'verdicts':
      return verdicts(step.inputs, place);
    case 'spawn':
      return note({ kind: 'child', pid: spawn('sleep', ['600'], { stdio: 'ignore' }).pid });
    case 'flood':
      for (let index = 0; index < step.count; index += 1) await say(client, sessionId, `${index} `);
      return undefined;
    case 'garbage':
      return void process.stdout.write(step.text);
    case 'hang':
      note({ kind: 'hanging' });
      return new Promise(() => setInterval(() => undefined, 1000));
    case 'die':
      process.stderr.write(step.words ?? '');
      return process.exit(step.code);
    case 'refuse':
      throw new RequestError(step.code, step.message, step.data);
    case 'end':
      return step.response;
    default:
      throw new Error(`no such step: ${JSON.stringify(step)}`);
  }
}

function say(client, sessionId, text) {
  return update(client, sessionId, { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });
}

async function update(client, sessionId, fields) {
  await client.notify('session/update', { sessionId, update: fields });
}

async function tool({ client, sessionId }, fields) {
  callNumber += 1;
  const toolCallId = `call-${process.pid}-${callNumber}`;
  await update(client, sessionId, { sessionUpdate: 'tool_call', toolCallId, status: 'pending', ...fields });
  return async (text, status = 'completed') => {
    const content = [{ type: 'content', content: { type: 'text', text } }];
    await update(client, sessionId, { sessionUpdate: 'tool_call_update', toolCallId, status, content });
  };
}

async function ask({ toolCall, options }, { client, sessionId }) {
  const known = [
    { optionId: 'always', name: 'Always', kind: 'allow_always' },
    { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
    { optionId: 'no', name: 'No', kind: 'reject_once' },
  ];
  callNumber += 1;
  const reply = await client.request(methods.client.session.requestPermission, {
    sessionId,
    toolCall: { toolCallId: `call-${process.pid}-${callNumber}`, ...toolCall },
    options: options ?? known,
  });
  note({ kind: 'permission', outcome: reply.outcome });
}

async function connected(server) {
  const env = Object.fromEntries(server.env.map(({ name, value }) => [name, value]));
  const mcp = new Client({ name: 'fake', version: '1' });
  await mcp.connect(new StdioClientTransport({ command: server.command, args: server.args, env }));
  return mcp;
}

async function askPerson(input, place) {
  const [server] = place.mcpServers;
  if (server === undefined) return note({ kind: 'heard', text: 'no server' });
  const mcp = await connected(server);
  const done = await tool(place, { title: 'ask_person', kind: 'other', rawInput: input });
  const { content, isError = false } = await mcp.callTool({ name: 'ask_person', arguments: input });
  await done(content[0].text, isError ? 'failed' : 'completed');
  note({ kind: 'heard', text: content[0].text });
  await mcp.close();
}

/** One after the other, until one is accepted. */
async function verdicts(inputs, place) {
  const [server] = place.mcpServers;
  if (server === undefined) return note({ kind: 'verdict', reply: 'no server' });
  const mcp = await connected(server);
  for (const input of inputs) {
    const done = await tool(place, { title: 'report_outcome', kind: 'other', rawInput: input });
    const { content, isError = false } = await mcp.callTool({ name: 'report_outcome', arguments: input });
    await done(content[0].text, isError ? 'failed' : 'completed');
    note({ kind: 'verdict', isError, reply: content[0].text });
    if (!isError) break;
  }
  await mcp.close();
}

function told(error) {
  return { error: error.message, code: error.code };
}

function note(entry) {
  appendFileSync(path.join(directory, 'log.jsonl'), `${JSON.stringify(entry)}\n`);
}
