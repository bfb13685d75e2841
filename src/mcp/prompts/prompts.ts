import { didYouMean } from '../../diagnostic/did-you-mean.js';
import { UsageError } from '../../setup/usage-error.js';
import type { Prompt } from './prompt.js';

const file = {
  name: 'file',
  description: 'Path of the pipeline, inside the working directory',
  required: true,
};

/** Prompts in the order in which a client lists them. */
export const prompts: readonly Prompt[] = [
  {
    name: 'write',
    title: 'Write a pipeline',
    description: 'Write a pipeline for a goal, check it, and test it in the simulator',
    arguments: [
      { name: 'goal', description: 'What the pipeline should do, in your words', required: true },
      { name: 'file', description: 'File to write, such as flows/review.dot', required: false },
    ],
    text: ({ goal = '', file: where = '' }) =>
      `Write an attractor pipeline that does this:

${goal}

1. Read the resource attractor://docs/pipelines, and an example that is close (attractor://examples/…).
2. Write the pipeline${where === '' ? ' to a .dot file' : ` to ${where}`}: one start (shape=Mdiamond), one exit (shape=Msquare), small stages with clear prompts, an edge for failures as well, and a human gate (shape=hexagon) before anything that cannot be undone.
3. Call check, then fix. Repeat until nothing is left; use explain for a finding that you do not understand.
4. Call simulate for the usual way, and again with a script in which a stage fails.
5. Call format, and estimate with bound=true. Report the file, the ways that you tried, and the largest cost.`,
  },
  {
    name: 'repair',
    title: 'Repair a pipeline',
    description: 'Find what is wrong with a pipeline and repair it without changing what it does',
    arguments: [file, { name: 'problem', description: 'What goes wrong, if you know it', required: false }],
    text: ({ file: where = '', problem = '' }) =>
      `Repair the attractor pipeline ${where}.${problem === '' ? '' : `\n\nWhat goes wrong: ${problem}`}

1. Call check on it, then fix, which applies the safe fixes.
2. For each finding that remains, call explain with its number. Where its fix is marked as a guess and fits the purpose of the pipeline, call fix with that number; otherwise change the text at the line and column of the finding.
3. Call check again after each change. Do not suppress a rule to get rid of a finding.
4. Call simulate until it succeeds, and once with a script in which each stage that can fail does.
5. Report what was wrong and what you changed.`,
  },
  {
    name: 'review',
    title: 'Review a pipeline',
    description: 'Say what a pipeline does, where it can go wrong, and what it can cost at most',
    arguments: [file],
    text: ({ file: where = '' }) =>
      `Review the attractor pipeline ${where}; do not change it.

1. Call check, draw and estimate with bound=true on it, and explain for its inputs and stages.
2. Call simulate with scripts in which stages fail, and see where control goes.
3. Report in this order: what it does in two sentences; defects, each with its line; risks (loops without a limit, commands with values of models in them, steps without a human gate that cannot be undone); the largest cost.`,
  },
  {
    name: 'test',
    title: 'Write tests for a pipeline',
    description: 'Write cases for a pipeline that cover each of its ways',
    arguments: [file],
    text: ({ file: where = '' }) =>
      `Write test cases for the attractor pipeline ${where}.

1. Read the resource attractor://docs/testing and the schema attractor://schemas/test.
2. Write ${where.replace(/\\.(?:dot|gv)$/, '')}.test.yaml: a case for the usual way, one for each failure that has an edge, and one for each choice of a human gate.
3. Call test until all cases pass. Where a case shows a defect of the pipeline, report it instead of expecting the wrong path.`,
  },
];

/** @throws UsageError for an unknown prompt, and a missing argument */
export function promptText(name: string, values: Readonly<Record<string, string>>): string {
  const prompt = prompts.find((one) => one.name === name);
  if (prompt === undefined) {
    const names = prompts.map((one) => one.name);
    throw new UsageError(
      `there is no prompt "${name}"${didYouMean(name, names)}. Available: ${names.join(', ')}`,
    );
  }
  const missing = prompt.arguments.find(
    (argument) => argument.required && (values[argument.name] ?? '').trim() === '',
  );
  if (missing !== undefined) throw new UsageError(`the prompt "${name}" needs "${missing.name}"`);
  return prompt.text(values);
}
