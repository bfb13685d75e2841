import { cpSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import type { RunEvent } from '../../../src/machine/event.js';
import { type FileSystem, nodeFileSystem } from '../../../src/run-directory/file-system.js';
import { pipeline, resumePipeline, type Setup } from '../../run/harness.js';
import { calls, type MockScript, refuses, says } from '../../support/mock-models.js';
import { type Bench, bench, models } from './bench.js';

/** The models of `bench.ts`, and a server that speaks OpenAI's chat format and wants a key. */
export const wireFormats = [
  ...models,
  { name: 'openai-chat', provider: 'chat', attributes: 'llm_model="chat/gpt-4o"' },
] as const;

export type WireFormat = (typeof wireFormats)[number];

const usage = { prompt_tokens: 3, completion_tokens: 2, input_tokens: 3, output_tokens: 2, total_tokens: 5 };

/** Nine requests: calls of all kinds, a verdict that must be corrected, and a reminder of it. */
const script: MockScript = [
  calls(['list_files', {}]),
  calls(['write_file', { path: 'a.txt', content: 'one\n' }]),
  calls(['run_command', { command: 'echo first >> commands.txt' }], ['read_file', { path: 'a.txt' }]),
  calls(['edit_file', { path: 'a.txt', old: 'absent', new: 'x' }]),
  calls(['report_outcome', { outcome: 'success', preferred_label: 'Maybe' }]),
  calls(['run_command', { command: 'echo second >> commands.txt' }]),
  calls(['run_command', { command: 'echo third >> commands.txt' }], ['grep', { pattern: 'one' }]),
  says('All is done.'),
  calls(['report_outcome', { outcome: 'success', preferred_label: 'Yes', notes: 'Good.' }]),
].map((turn) =>
  typeof turn.response === 'function' ? turn : { ...turn, response: { ...turn.response, usage } },
);

/** The same, with a conversation that is too long in the middle, so that a summary replaces its older turns. */
const tooLongScript: MockScript = [
  ...script.slice(0, 6),
  refuses(400, { message: 'prompt is too long: 212302 tokens > 200000 maximum' }),
  { response: { content: 'SUMMARY: first and second were written.', usage } },
  ...script.slice(6),
];

/** Conversations that are cut. */
export const scripts = [
  { what: 'of nine turns', script },
  { what: 'that becomes too long', script: tooLongScript },
] as const;

export const dot = (attributes: string): string =>
  pipeline(
    `work [prompt="Do the work.", ${attributes}]`,
    'yes [shape=parallelogram, tool_command="true"]',
    'start -> work',
    'work -> yes [label=Yes]',
    'work -> exit [label=No]',
    'yes -> exit',
  );

export interface WholeRun {
  readonly directory: string;
  readonly requests: number;
  /** Messages of each request, without the system's, and without ids. */
  readonly bodies: readonly string[];
  readonly status: string;
  readonly answer: string;
  readonly commands: readonly string[];
  readonly usage: unknown;
  readonly route: readonly string[];
  readonly events: readonly RunEvent[];
  readonly conversation: readonly Readonly<Record<string, unknown>>[];
}

/** What a run is given besides, and what its model says, by default nine turns. */
interface CutSetup extends Setup {
  readonly script?: MockScript;
}

async function benchOf(turns: MockScript = script): Promise<Bench> {
  const it = await bench(turns);
  const address = {
    base_url: `${it.mock.url}/v1`,
    kind: 'openai-compatible',
    api_key_env: 'OPENAI_API_KEY',
  } as const;
  const providers = new Map([...it.settings.providers, ['chat', address]] as const);
  return Object.assign(it, { settings: Object.assign(it.settings, { providers }) });
}

/** Runs it from beginning to end. */
export async function wholeRun(
  { attributes }: WireFormat,
  { script: turns, ...more }: CutSetup = {},
): Promise<WholeRun> {
  const it = await benchOf(turns);
  const { events } = await it.run(dot(attributes), more);
  return described(it, it.runDirectory, events);
}

/**
 * Lets the process end, so to speak, when so many entries of the conversation are written, and resumes the run.
 * @returns undefined if there are fewer entries
 */
export async function cutRun(
  { attributes }: WireFormat,
  entries: number,
  { script: turns, ...more }: CutSetup = {},
): Promise<WholeRun | undefined> {
  const it = await benchOf(turns);
  const copy = path.join(path.dirname(it.runDirectory), 'copy');
  const cut = cutAfter(entries, it.runDirectory, copy);
  const before: RunEvent[] = [];
  const onEvent = (event: RunEvent): void => void before.push(event);
  const ended = await it.run(dot(attributes), { ...more, fileSystem: cut.fileSystem, onEvent }).then(
    () => true,
    () => false,
  );
  if (ended) return undefined;
  const { events } = await resumePipeline(copy, await it.setup({ ...more, runDirectory: undefined }));
  return described(it, copy, events);
}

function described(it: Bench, directory: string, events: readonly RunEvent[]): WholeRun {
  const read = (...parts: readonly string[]): string => readFileSync(path.join(directory, ...parts), 'utf8');
  const lines = (text: string): readonly string[] => text.split('\n').filter((line) => line !== '');
  const result = JSON.parse(read('result.json'));
  return {
    directory,
    requests: it.mock.requests().length,
    bodies: it.mock.requests().map(({ body }) => withoutIds(body.messages)),
    status: result.status,
    answer: read('work', 'response.md'),
    commands: lines(readFileSync(path.join(it.workspace, 'commands.txt'), 'utf8')),
    usage: result.usage,
    route: lines(read('events.jsonl'))
      .map((line) => JSON.parse(line))
      .flatMap(({ type, to }) => (type === 'EdgeSelected' ? [to] : [])),
    events,
    conversation: lines(read('work', 'conversation.jsonl')).map((line) => JSON.parse(line)),
  };
}

function withoutIds(messages: readonly { readonly role: string }[]): string {
  const text = JSON.stringify(messages.filter(({ role }) => role !== 'system'));
  return text.replaceAll(/"(?:tool_call_id|id)":"[^"]*"/g, '"id":""');
}

/** A file system that copies the run, without its lock, when so many entries of these files are written, and fails from then on. */
export function cutAfter(
  entries: number,
  runDirectory: string,
  copy: string,
  names: readonly string[] = ['conversation.jsonl'],
): { readonly fileSystem: FileSystem } {
  const counted = new Set<number>();
  let written = 0;
  let isCut = false;
  const unlessCut = (): void => {
    if (isCut) throw Object.assign(new Error('the process has ended'), { code: 'EIO' });
  };
  const fileSystem: FileSystem = {
    ...nodeFileSystem,
    open(file, flags) {
      if (flags !== 'r' && flags !== 'directory') unlessCut();
      const descriptor = nodeFileSystem.open(file, flags);
      if (names.includes(path.basename(file))) counted.add(descriptor);
      else counted.delete(descriptor);
      return descriptor;
    },
    write(descriptor, bytes, offset) {
      unlessCut();
      const count = nodeFileSystem.write(descriptor, bytes, offset);
      if (counted.has(descriptor)) written += 1;
      if (written < entries) return count;
      cpSync(runDirectory, copy, { recursive: true, filter: (file) => path.basename(file) !== 'lock' });
      isCut = true;
      throw Object.assign(new Error('the process has ended'), { code: 'EIO' });
    },
    writeFile(file, content) {
      unlessCut();
      nodeFileSystem.writeFile(file, content);
    },
    rename(from, to) {
      unlessCut();
      nodeFileSystem.rename(from, to);
    },
  };
  return { fileSystem };
}

/** A run that was cut has asked for each turn once, made each call at most once, and ends as the whole one. */
export function expectSameConversation(resumed: WholeRun, whole: WholeRun): void {
  expect(whole.status).toBe('success');
  const { answer, usage, route, requests } = whole;
  expect(resumed).toMatchObject({ requests, status: 'success', answer, usage, route });
  const interrupted = resumed.conversation.filter((entry) => entry.interrupted === true);
  if (interrupted.length === 0) {
    expect(resumed.commands).toEqual(whole.commands);
    expect(resumed.bodies).toEqual(whole.bodies);
    return;
  }
  expect(interrupted).toHaveLength(1);
  expect(['write_file', 'run_command', 'edit_file']).toContain(interrupted[0]?.tool);
  expect(resumed.bodies.join('\n')).toContain('This call was interrupted');
  expect(new Set(resumed.commands).size).toBe(resumed.commands.length);
}
