// An agent program for tests: it plays scenes (test/backends/other-side.ts), and speaks like the program that its first argument
// names. Its memory is the directory FAKE_AGENT_HOME: scenes.json, and what it was asked (turns.jsonl, refusals.jsonl, …).
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';

const home = process.env.FAKE_AGENT_HOME;
const [, , dialect, ...args] = process.argv;
const file = (name) => path.join(home, name);
const option = (name) => (args.includes(name) ? args[args.indexOf(name) + 1] : undefined);
const print = (event) => process.stdout.write(`${JSON.stringify(event)}\n`);
const wait = () => new Promise((resolve) => setTimeout(resolve, 5));

const mark = file(`running-${process.pid}`);
writeFileSync(mark, '');
process.on('exit', () => rmSync(mark, { force: true }));
process.on('SIGTERM', () => {
  if (!existsSync(file('deaf'))) process.exit(143);
});

const prompt = option('--prompt-file')
  ? readFileSync(option('--prompt-file'), 'utf8')
  : readFileSync(0, 'utf8');
const resumed = option('--resume');
const session = resumed ?? randomUUID();
const memory = file(`session-${session}.json`);
if (resumed !== undefined && !existsSync(memory)) {
  process.stderr.write(`No conversation found with session ID: ${resumed}\n`);
  process.exit(1);
}
const earlier = existsSync(memory) ? JSON.parse(readFileSync(memory, 'utf8')) : [];
writeFileSync(memory, JSON.stringify([...earlier, prompt]));

// A turn that only corrects a verdict continues with the scene before.
const isCorrection = /The work itself need not be done again/.test(prompt);
const lines = (name) =>
  existsSync(file(name)) ? readFileSync(file(name), 'utf8').split('\n').slice(0, -1) : [];
const scenes = JSON.parse(readFileSync(file('scenes.json'), 'utf8'));
const turn = lines('turns.jsonl').length - (isCorrection ? 1 : 0);
const scene = scenes[Math.min(turn, scenes.length - 1)];
if (isCorrection) appendFileSync(file('refusals.jsonl'), `${JSON.stringify(prompt)}\n`);
else
  appendFileSync(file('turns.jsonl'), `${JSON.stringify({ prompt, earlier, args, cwd: process.cwd() })}\n`);

/** How each program says the same things. */
const dialects = {
  claude: {
    begin: () => print({ type: 'system', subtype: 'init', session_id: session, model: 'fake-1' }),
    text: (text) => print(assistant([{ type: 'text', text }], 0, 0)),
    tool: (id, name, input, usage) => {
      print(assistant([{ type: 'tool_use', id, name, input }], usage, 0));
      return (content) =>
        print({ type: 'user', message: { content: [{ type: 'tool_result', tool_use_id: id, content }] } });
    },
    end: (text, usage, isCutOff) =>
      print({
        ...{ type: 'result', subtype: 'success', is_error: false, result: text, session_id: session },
        ...{ stop_reason: isCutOff ? 'max_tokens' : 'end_turn', usage },
      }),
    refuse: (status, message) => {
      print({
        type: 'result',
        subtype: 'success',
        is_error: true,
        api_error_status: status,
        result: message,
        usage: {},
      });
      return 1;
    },
  },
  codex: {
    begin: () => print({ type: 'thread.started', thread_id: session }),
    text: (text) => print({ type: 'item.completed', item: { id: 'text', type: 'agent_message', text } }),
    tool: (id, _name, input) => {
      const item = { id, type: 'command_execution', command: JSON.stringify(input), status: 'in_progress' };
      print({ type: 'item.started', item });
      return (output) =>
        print({
          type: 'item.completed',
          item: { ...item, status: 'completed', exit_code: 0, aggregated_output: output },
        });
    },
    end: (_text, usage, isCutOff) =>
      isCutOff
        ? print({
            type: 'turn.failed',
            error: { message: 'Incomplete response returned, reason: max_output_tokens' },
          })
        : print({ type: 'turn.completed', usage: inSession(usage) }),
    refuse: (status, message) => {
      const told = `unexpected status ${status}: ${message}`;
      print({ type: 'error', message: `Reconnecting... 1/1 (${told})` });
      print({ type: 'turn.failed', error: { message: told } });
      return 1;
    },
  },
  pi: {
    begin: () => print({ type: 'session', version: 3, id: session }),
    text: () => undefined,
    tool: (id, name, input, usage) => {
      print(piMessage('', usage, 'toolUse'));
      print({ type: 'tool_execution_start', toolCallId: id, toolName: name, args: input });
      return (text) =>
        print({
          type: 'tool_execution_end',
          toolCallId: id,
          toolName: name,
          result: { content: [{ type: 'text', text }] },
        });
    },
    end: (text, usage, isCutOff) => {
      print(
        piMessage(text, { ...usage, input_tokens: usage.input_tokens - told }, isCutOff ? 'length' : 'stop'),
      );
      print({ type: 'agent_end', messages: [] });
    },
    refuse: (status, message) => {
      print({
        ...piMessage('', {}, 'error'),
        message: {
          role: 'assistant',
          content: [],
          usage: {},
          stopReason: 'error',
          errorMessage: `${status} ${message}`,
        },
      });
      print({ type: 'agent_end', messages: [] });
      return 0;
    },
  },
  text: {
    begin: () => undefined,
    text: (text) => process.stdout.write(`${text}\n`),
    tool: () => () => undefined,
    end: () => undefined,
    refuse: (status, message) => {
      process.stderr.write(`status ${status}: ${message}\n`);
      return 1;
    },
  },
};

let told = 0;

function assistant(content, usage, output) {
  const counted = typeof usage === 'object' ? usage.input_tokens : 0;
  told += counted;
  const message = {
    id: randomUUID(),
    model: 'fake-1',
    content,
    usage: { input_tokens: counted, output_tokens: output },
  };
  return { type: 'assistant', message, session_id: session };
}

function piMessage(text, usage, stopReason) {
  told += usage.input_tokens ?? 0;
  const counts = {
    input: usage.input_tokens ?? 0,
    output: stopReason === 'toolUse' ? 0 : (usage.output_tokens ?? 0),
  };
  return {
    type: 'message_end',
    message: {
      role: 'assistant',
      model: 'fake-1',
      content: [{ type: 'text', text }],
      usage: counts,
      stopReason,
    },
  };
}

/** Codex counts its whole conversation. */
function inSession({ input_tokens, output_tokens }) {
  const turns = earlier.length + 1;
  return { input_tokens: input_tokens * turns, output_tokens: output_tokens * turns };
}

/** Calls tools of the MCP server that it was given. */
async function withServer(server, use) {
  const child = spawn(server.command, server.args, {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, ...server.env },
  });
  const waiting = new Map();
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { id, result } = JSON.parse(line);
    waiting.get(id)?.(result);
  });
  let id = 0;
  const ask = (method, params) =>
    new Promise((resolve) => {
      id += 1;
      waiting.set(id, resolve);
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    });
  await ask('initialize', {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'fake', version: '1' },
  });
  await use((name, input) => ask('tools/call', { name, arguments: input }));
  child.stdin.end();
  await new Promise((resolve) => child.once('exit', resolve));
}

/** Hands verdicts to the tool, until one is accepted. */
async function reportVerdicts(call, verdicts) {
  for (const verdict of verdicts) {
    const { content, isError } = await call('report_outcome', verdict);
    if (!isError) break;
    appendFileSync(file('refusals.jsonl'), `${JSON.stringify(content[0].text)}\n`);
    if (/stage has failed/.test(content[0].text)) break;
  }
}

async function askPerson(call, input) {
  const { content } = await call('ask_person', input);
  appendFileSync(file('heard.jsonl'), `${JSON.stringify(content[0].text)}\n`);
}

function verdictServer() {
  const config = option('--mcp-config');
  if (config !== undefined) return Object.values(JSON.parse(config).mcpServers)[0];
  const values = Object.fromEntries(
    args
      .filter((arg) => arg.startsWith('mcp_servers.'))
      .map((arg) => [arg.split('=')[0].split('.').pop(), arg.slice(arg.indexOf('=') + 1)]),
  );
  if (values.command === undefined) return undefined;
  return { command: JSON.parse(values.command), args: JSON.parse(values.args), env: {} };
}

async function giveVerdicts(verdicts) {
  if (verdicts.length === 0) return;
  const server = verdictServer();
  if (server !== undefined) {
    const given = isCorrection ? verdicts.slice(-1) : verdicts;
    return withServer(server, (call) => reportVerdicts(call, given));
  }
  const corrections = lines('refusals.jsonl').length;
  const verdict = verdicts[Math.min(corrections, verdicts.length - 1)];
  writeFileSync(path.join(process.env.ATTRACTOR_STAGE_DIR, 'status.json'), JSON.stringify(verdict));
}

/**
 * Asks its model, if there is one (FAKE_AGENT_URL): a server that says what it is told to. It waits for an answer as long as there is
 * none, as a real agent does.
 */
async function askModel(order) {
  const { FAKE_AGENT_URL: url, FAKE_AGENT_KEY: key } = process.env;
  if (url === undefined) return;
  const headers = { 'x-api-key': key, 'content-type': 'application/json' };
  const body = JSON.stringify({ model: 'fake-1', ...order });
  await (await fetch(`${url}/v1/messages`, { method: 'POST', headers, body })).text();
}

async function play() {
  const speak = dialects[dialect];
  speak.begin();
  switch (scene.kind) {
    case 'answers': {
      const usage = scene.usage ?? { input_tokens: 1, output_tokens: 1 };
      if (scene.writes !== undefined && !isCorrection) {
        await askModel({ usage: { input_tokens: usage.input_tokens, output_tokens: 0 } });
        const done = speak.tool('call-1', 'Write', { path: scene.writes.name }, usage);
        writeFileSync(scene.writes.name, scene.writes.content);
        done('written');
        // As long as a request takes in which somebody may stop it.
        await wait();
        await askModel({ usage: { input_tokens: 0, output_tokens: usage.output_tokens } });
      } else await askModel({ usage });
      const server = verdictServer();
      if (scene.asks !== undefined && server !== undefined && !isCorrection)
        await withServer(server, (call) => askPerson(call, scene.asks));
      await giveVerdicts(scene.verdicts ?? []);
      speak.text(scene.text);
      speak.end(scene.text, usage, false);
      return 0;
    }
    case 'cut_off':
      speak.text(scene.text);
      speak.end(scene.text, { input_tokens: 1, output_tokens: 1 }, true);
      return 0;
    case 'refuses': {
      await askModel({ refuse: scene.status, retryAfter: scene.retryAfter });
      const retry = scene.retryAfter === undefined ? '' : `, retry after ${scene.retryAfter} seconds`;
      return speak.refuse(scene.status, `refused${retry}`);
    }
    case 'hangs':
      speak.text(scene.text);
      writeFileSync(file('hanging'), String(process.pid));
      return new Promise(() => setInterval(() => undefined, 1000));
    case 'prints':
      process.stdout.write(scene.output);
      process.stderr.write(scene.errors ?? '');
      return scene.status ?? 0;
    default:
      throw new Error(`no scene: ${JSON.stringify(scene)}`);
  }
}

const status = await play();
process.stdout.write('', () => process.exit(status));
