import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { aiBackend } from '../../../src/backends/ai/ai-backend.js';
import type { ClosableBackend } from '../../../src/backends/backend.js';
import { noBackendSettings } from '../../../src/backends/no-settings.js';
import {
  calls,
  crawls,
  type MockRequest,
  type MockTurn,
  mockModels,
  refuses,
  says,
} from '../../support/mock-models.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { backendContract } from '../backend.contract.js';
import type { Answer, OtherSide, Scene, Turn } from '../other-side.js';

for (const { name, attributes, usageNames } of [
  {
    name: 'Anthropic',
    attributes: 'llm_model="claude-sonnet-4-5"',
    usageNames: ['input_tokens', 'output_tokens'],
  },
  {
    name: 'an OpenAI-compatible server',
    attributes: 'llm_model="local/llama"',
    usageNames: ['prompt_tokens', 'completion_tokens'],
  },
] as const) {
  backendContract(`ai with ${name}`, {
    make: (scenes) => otherSide(scenes, usageNames),
    attributes,
  });
}

/** The last scene repeats, more often than any test asks. */
const repetitions = 12;

type UsageNames = readonly [input: string, output: string];

async function otherSide(scenes: readonly Scene[], usageNames: UsageNames): Promise<OtherSide> {
  let begun = 0;
  let hanging = 0;
  const last = scenes.slice(-1);
  const all = [...scenes, ...Array.from({ length: repetitions }, () => last).flat()];
  const mock = await mockModels(all.flatMap((scene) => turnsOf(scene, usageNames, () => (hanging = begun))));
  const settings = { ...noBackendSettings, providers: new Map([['local', { base_url: `${mock.url}/v1` }]]) };
  const workingDirectory = path.join(temporaryDirectory(), 'start');
  mkdirSync(workingDirectory);
  let atWork = 0;
  const backend = async (): Promise<ClosableBackend> => {
    const made = await aiBackend.create({ workingDirectory, settings, variables: mock.variables });
    return {
      ...made,
      async run(...given) {
        atWork += 1;
        begun += 1;
        return Promise.resolve(made.run(...given)).finally(() => {
          atWork -= 1;
        });
      },
    };
  };
  return {
    backend,
    turns: () => mock.requests().filter(isTurn).map(turnOf),
    refusals: () => mock.requests().flatMap(refusalsIn),
    heard: () =>
      mock.requests().flatMap(({ body }) => {
        const last = body.messages.at(-1);
        return last?.role === 'tool' ? [textOf(last)] : [];
      }),
    isHanging: () => atWork > 0 && hanging === begun,
    isAtWork: () => atWork > 0,
  };
}

function turnsOf(scene: Scene, usageNames: UsageNames, onHanging: () => void): readonly MockTurn[] {
  switch (scene.kind) {
    case 'answers':
      return answerTurns(scene, usageNames);
    case 'cut_off':
      return [says(scene.text, { finishReason: 'length' })];
    case 'refuses':
      return [refuses(scene.status, scene.retryAfter === undefined ? {} : { retryAfter: scene.retryAfter })];
    case 'hangs': {
      const { wire } = crawls('', 20);
      const response = (): { content: string } => {
        onHanging();
        return { content: scene.text.repeat(10_000) };
      };
      return [{ response, ...(wire && { wire }) }];
    }
  }
}

/** All of the usage is that of the first request. A verdict stands next to the text, and nothing is asked after it. */
function answerTurns(
  { text, writes, asks, verdicts, usage }: Answer,
  [input, output]: UsageNames,
): readonly MockTurn[] {
  const turns: MockTurn[] = [];
  if (writes !== undefined) turns.push(calls(['write_file', { path: writes.name, content: writes.content }]));
  if (asks !== undefined) turns.push(calls(['ask_person', asks]));
  for (const verdict of verdicts ?? []) {
    const toolCalls = [{ name: 'report_outcome', arguments: JSON.stringify(verdict) }];
    turns.push({ response: { content: text, toolCalls } });
  }
  if (verdicts === undefined) turns.push(says(text));
  const [first, ...rest] = turns;
  if (first === undefined || typeof first.response === 'function' || usage === undefined) return turns;
  const counted = { usage: { [input]: usage.input_tokens, [output]: usage.output_tokens } };
  return [{ ...first, response: { ...first.response, ...counted } }, ...rest];
}

type Message = MockRequest['body']['messages'][number];

/** A request with a prompt at its end; what the backend says itself when a reply is cut off is none. */
function isTurn({ body }: MockRequest): boolean {
  const last = body.messages.at(-1);
  return last?.role === 'user' && !textOf(last).startsWith('Your reply was cut off');
}

function turnOf({ body }: MockRequest): Turn {
  const prompts = body.messages.filter(({ role }) => role === 'user').map(textOf);
  const system = body.messages.filter(({ role }) => role === 'system').map(textOf);
  return { prompt: prompts.at(-1) ?? '', system: system.join('\n'), earlier: prompts.slice(0, -1) };
}

function refusalsIn({ body }: MockRequest): readonly string[] {
  const last = body.messages.at(-1);
  const text = last?.role === 'tool' ? textOf(last) : '';
  return text.includes('was not recorded') ? [text] : [];
}

function textOf({ content }: Message): string {
  return typeof content === 'string' ? content : (content ?? []).map(({ text = '' }) => text).join('');
}
