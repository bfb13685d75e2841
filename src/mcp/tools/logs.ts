import { z } from 'zod';
import { UsageError } from '../../setup/usage-error.js';
import { commandProblem, plainText } from './command-answer.js';
import { defineTool } from './tool.js';

/** Lines of an answer where the call does not say. */
const usualLines = 80;
/** Characters of an answer: a line may be long. */
const mostCharacters = 20_000;

/** Reads the journal of a run, the output of a stage, or its conversation. */
export const logsTool = defineTool({
  name: 'logs',
  title: 'Read the logs of a run',
  description:
    'Shows what happened in a run: its events, or with node and what=output the files that a stage wrote (stdout.log, stderr.log, response.md), or with what=conversation its words with a model. Answers the last lines.',
  effects: 'none',
  input: z.strictObject({
    run: z.string().optional().describe('Id of the run; the newest by default'),
    node: z.string().optional().describe('Only this stage'),
    what: z.enum(['events', 'output', 'conversation']).optional().describe('events by default'),
    lines: z.number().int().min(1).max(1000).optional().describe(`Most lines; ${usualLines} by default`),
  }),
  async call({ run, node, what = 'events', lines = usualLines }, workbench, { signal }) {
    if (what === 'output' && node === undefined)
      throw new UsageError('name the stage whose output is wanted with `node`');
    const directory = workbench.runs.directory(run ?? workbench.runs.newest());
    const flags = {
      events: node === undefined ? [] : [`--node=${node}`],
      output: [`--output=${node}`],
      conversation: ['--conversation', ...(node === undefined ? [] : [`--node=${node}`])],
    };
    const result = await workbench.attractor(['logs', ...flags[what], '--', directory], { signal });
    if (result.status !== 0 && result.stdout === '') throw commandProblem(result);
    return { text: lastLines(plainText(result.stdout), lines) };
  },
});

function lastLines(text: string, most: number): string {
  if (text === '') return 'nothing was written';
  const all = text.split('\n');
  const kept = all.slice(-most).join('\n').slice(-mostCharacters);
  const left = all.length - kept.split('\n').length;
  return left === 0 ? kept : `(${left} earlier lines left out)\n${kept}`;
}
