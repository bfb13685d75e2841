import { describe, expect, test } from 'vitest';
import type { AgentSettings } from '../../../src/backends/settings.js';
import { compile } from '../../../src/compiler/compile.js';
import { customHandlerType, type HandlerType } from '../../../src/graph/handler-types.js';
import { allowedBackends } from '../../../src/setup/policy/allowed-backends.js';
import { checkPolicy } from '../../../src/setup/policy/check-policy.js';
import { policed } from './policed.js';

const wrapped = (inside: string): string =>
  `digraph posted {\n  start [shape=Mdiamond]\n  done [shape=Msquare]\n  ${inside}\n}\n`;

/** A pipeline with one stage between start and exit. */
const stage = (attributes: string, graph = ''): string =>
  wrapped(`${graph}work [label="Work", ${attributes}]\n  start -> work -> done`);

function compiled(text: string, handlerTypes: readonly (string | HandlerType)[] = []) {
  const compilation = compile(text, { handlerTypes });
  const { program, diagnostics } = compilation;
  if (program === undefined) throw new Error(JSON.stringify(diagnostics));
  return { ...compilation, program };
}

/** The places that are refused, as they are written, each with the node it is said of. */
async function refused(
  text: string,
  given: Parameters<typeof policed>[0] = {},
  types?: readonly (string | HandlerType)[],
): Promise<readonly string[]> {
  return checkPolicy(compiled(text, types), await policed(given)).map(
    ({ span, nodeId, rule, severity, message }) => {
      expect([rule, severity]).toEqual(['not_allowed', 'error']);
      expect(message).toContain('--allow-tools');
      return `${nodeId ?? 'graph'}: ${text.slice(span.start, span.end)}`;
    },
  );
}

const agents = new Map<string, AgentSettings>([
  ['mine', { protocol: 'command', command: ['mine'] }],
  ['ours', { protocol: 'acp', command: ['ours'] }],
]);

describe('§9.5 a submitted pipeline may not have', () => {
  test.each([
    ['a tool stage', stage('shape=parallelogram, tool_command="rm -rf x"'), ['work: "rm -rf x"']],
    ['one by its type', stage('type=tool, tool_command="ls"'), ['work: "ls"']],
    [
      'one by its type, in another shape',
      stage('shape=hexagon, type="tool", tool_command="ls"'),
      ['work: "ls"'],
    ],
    [
      'one by the defaults of the nodes',
      wrapped(
        'node [shape=parallelogram, tool_command="ls"]\n  a; b [shape=box, prompt="x"]\n  start -> a -> b -> done',
      ),
      ['a: "ls"'],
    ],
    ['a hook of a stage', stage('prompt="x", "tool_hooks.pre"="id"'), ['work: "id"']],
    ['a hook after it', stage('prompt="x", tool_hooks.post="id"'), ['work: "id"']],
    ['a hook of the pipeline', stage('prompt="x"', 'graph ["tool_hooks.pre"="id"]\n  '), ['graph: "id"']],
    [
      'both of them',
      stage('prompt="x"', 'tool_hooks.pre="a"\n  tool_hooks.post="b"\n  '),
      ['graph: "a"', 'graph: "b"'],
    ],
    ['a coding agent', stage('prompt="x", llm_provider="claude-code"'), ['work: "claude-code"']],
    ['one by another name of it', stage('prompt="x", llm_provider=codex'), ['work: codex']],
    ['one for all stages', stage('prompt="x"', 'graph [llm_provider="codex"]\n  '), ['work: "codex"']],
    ['a command line of the configuration', stage('prompt="x", llm_provider=mine'), ['work: mine']],
    ['an agent of the configuration', stage('prompt="x", llm_provider=ours'), ['work: ours']],
    [
      'one by the stylesheet',
      stage('prompt="x"', 'graph [model_stylesheet="* { llm_provider: codex; }"]\n  '),
      ['work: codex'],
    ],
    [
      'one in a branch',
      wrapped(
        'fan [shape=component]\n  a [prompt="x"]\n  b [prompt="x", llm_provider=codex]\n  in [shape=tripleoctagon]\n  start -> fan -> a -> in -> done\n  fan -> b -> in',
      ),
      ['b: codex'],
    ],
    [
      'one that judges branches',
      wrapped(
        'fan [shape=component]\n  a [prompt="x"]\n  b [prompt="x"]\n  in [shape=tripleoctagon, prompt="best?", llm_provider=codex]\n  start -> fan -> a -> in -> done\n  fan -> b -> in',
      ),
      ['in: codex'],
    ],
    [
      'one that steers the child of a manager',
      stage('shape=house, child="other.dot", prompt="how?", llm_provider=codex'),
      ['work: codex'],
    ],
    ['a hook, even where nothing would call it', stage('shape=hexagon, tool_hooks.pre="id"'), ['work: "id"']],
    [
      'the tool of models that runs commands',
      stage('prompt="x", tools="read_file, run_command"'),
      ['work: "read_file, run_command"'],
    ],
    ['git', stage('prompt="x"', 'graph [git=true]\n  '), ['graph: true']],
  ])('%s', async (_what, text, places) => {
    expect(await refused(text, { settings: { agents } })).toEqual(places);
  });

  test('several of them, each of which is named', async () => {
    const text = wrapped(
      'a [type=tool, tool_command="x"]\n  b [prompt="x", tools=run_command, llm_provider=codex, tool_hooks.pre="y"]\n  start -> a -> b -> done',
    );
    expect(await refused(text)).toEqual(['a: "x"', 'b: "y"', 'b: run_command', 'b: codex']);
  });
});

describe('§9.5 a submitted pipeline may have', () => {
  test.each([
    ['stages of models', stage('prompt="x", llm_provider=anthropic, llm_model="claude-sonnet-4-5"')],
    ['no model at all', stage('prompt="x"')],
    ['a provider that nobody knows', stage('prompt="x", llm_provider=nobody')],
    ['the other tools of models', stage('prompt="x", tools="read_file,write_file"')],
    ['empty hooks', stage('prompt="x", tool_hooks.pre=" "')],
    ['a command that nobody runs', stage('prompt="x", tool_command="ls"')],
    ['no git', stage('prompt="x"', 'graph [git=false]\n  ')],
    ['a pipeline as a stage', stage('type=pipeline, child="other.dot"')],
    [
      'one that would name an agent if it asked a model itself',
      stage('type=pipeline, child="other.dot", llm_provider=codex, tools=run_command'),
    ],
    ['an agent that no model stage names', stage('shape=hexagon, llm_provider=codex')],
  ])('%s', async (_what, text) => {
    expect(await refused(text)).toEqual([]);
  });

  test('a handler that the operator brings', async () => {
    const extensions = { handlers: [{ type: 'deploy', handler: { execute: () => undefined } }] };
    expect(await refused(stage('type="deploy"'), { extensions }, ['deploy'])).toEqual([]);
  });

  test('anything under --allow-tools, and where nothing is run', async () => {
    const text = stage('shape=parallelogram, tool_command="ls"', 'graph [git=true]\n  ');
    expect(await refused(text, { allowTools: true })).toEqual([]);
    expect(await refused(text, { simulate: true })).toEqual([]);
  });
});

describe('§9.5 a handler type is judged by its columns', () => {
  const unknown = customHandlerType('deploy');
  const idle = { mayAskModel: false, runsChild: false, runsCommand: false };
  test.each<readonly [what: string, row: HandlerType, places: readonly string[]]>([
    ['one of which nobody knows anything', unknown, ['work: "deploy"']],
    ['one that is not harmless, whatever it does', { ...unknown, ...idle }, ['work: "deploy"']],
    ['one that is harmless', { ...unknown, ...idle, harmless: true }, []],
    ['one that does nothing but ask a model', { ...unknown, ...idle, mayAskModel: true }, []],
    ['one that does nothing but run a pipeline', { ...unknown, ...idle, runsChild: true }, []],
    ['one that asks a model and runs a command', { ...unknown, mayAskModel: true }, ['work: "deploy"']],
  ])('%s', async (_what, row, places) => {
    expect(await refused(stage('type="deploy", prompt="x"'), {}, [row])).toEqual(places);
  });

  test('and its model by the agent that the stage names', async () => {
    const row = { ...unknown, ...idle, mayAskModel: true };
    expect(await refused(stage('type="deploy", llm_provider=codex'), {}, [row])).toEqual(['work: codex']);
  });

  test('a built-in type that a plugin replaces is judged as what it replaces', async () => {
    const extensions = { handlers: [{ type: 'tool', handler: { execute: () => undefined } }] };
    expect(await refused(stage('type=tool, tool_command="ls"'), { extensions })).toEqual(['work: "ls"']);
  });
});

describe('§9.5 the backend of a submitted pipeline', () => {
  const model = stage('prompt="x"');
  test.each([
    ['acp', ['graph: posted']],
    ['command', ['graph: posted']],
    ['ai', []],
    ['auto', []],
    ['simulate', []],
    ['own', []],
  ])('%s: %j', async (backend, places) => {
    const backends = new Map([['own', { name: 'own', create: () => ({ run: async () => 'x' }) }]]);
    expect(await refused(model, { extensions: { backend, backends } })).toEqual(places);
  });

  test('is not an agent either where the configuration, or the submission, names one for all', async () => {
    expect(await refused(model, { settings: { provider: 'claude-code' } })).toEqual(['work: work']);
    expect(
      await refused(stage('prompt="x", llm_provider=anthropic'), { settings: { provider: 'codex' } }),
    ).toEqual([]);
  });

  test('is the business of a plugin where that is the backend', async () => {
    const backends = new Map([['own', { name: 'own', create: () => ({ run: async () => 'x' }) }]]);
    const text = stage('prompt="x", llm_provider=codex');
    expect(await refused(text, { extensions: { backend: 'own', backends } })).toEqual([]);
  });

  test('is one of those that the server tells of', () => {
    expect(allowedBackends({ allowTools: false }, ['own'])).toEqual(['auto', 'ai', 'simulate', 'own']);
    expect(allowedBackends({ allowTools: true })).toEqual(['auto', 'ai', 'acp', 'command', 'simulate']);
  });
});
