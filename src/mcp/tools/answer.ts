import { z } from 'zod';
import { commandProblem, plainText } from './command-answer.js';
import { defineTool } from './tool.js';

/** Answers a question of a run. */
export const answerTool = defineTool({
  name: 'answer',
  title: 'Answer a question of a run',
  description:
    'Answers a human gate of a run, with a choice that status shows, or with free text. Ask the person you work for first: the gate is meant for people.',
  effects: 'run',
  input: z.strictObject({
    run: z.string().describe('Id of the run'),
    question: z
      .string()
      .optional()
      .describe('Name of the question, as status gives it; needed if several are open'),
    answer: z.string().max(100_000).describe('Key or label of a choice, or the text that is asked for'),
    text: z
      .string()
      .max(100_000)
      .optional()
      .describe('Text besides the choice, for a gate that asks for one'),
  }),
  async call({ run, question, answer, text }, workbench, { signal }) {
    const directory = workbench.runs.directory(run);
    const choice = question === undefined ? answer : `${question}=${answer}`;
    const words = text === undefined ? [] : [`--text=${text}`];
    const result = await workbench.attractor(['answer', ...words, '--', directory, choice], { signal });
    if (result.status !== 0) throw commandProblem(result);
    const isKept = result.stdout.includes('attractor resume');
    const next = isKept ? `kept; call resume with run=${run} to continue` : 'call status to see what follows';
    const [said = ''] = plainText(result.stdout).split('\n');
    return { text: `answered ${said}\n${next}`, data: { run, answered: said, next } };
  },
});
