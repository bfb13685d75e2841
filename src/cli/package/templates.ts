import type { Question } from '../../machine/interview.js';
import { consoleInterviewer } from '../../run/questions/console.js';
import { UsageError } from '../../setup/usage-error.js';
import type { Io } from '../io.js';
import { type Example, examples } from './examples.js';
import { entryList, entryNamed } from './package-files.js';

/** Example that `attractor init` can write; its name is that of the template. */
export interface Template {
  readonly name: string;
  readonly summary: string;
  readonly example: Example;
}

const templates: readonly Template[] = examples.flatMap((example) =>
  example.template === undefined ? [] : [{ name: example.template, summary: example.summary, example }],
);

/** @throws UsageError with all templates */
export function findTemplate(name: string): Template {
  return entryNamed('template', name, templates);
}

/**
 * Asks a person at a terminal.
 * @returns undefined if nobody chose one
 * @throws UsageError with all templates if there is no terminal
 */
export async function chooseTemplate(io: Io): Promise<Template | undefined> {
  const { stdin, stderr } = io;
  if (!stdin.isTTY || !stderr.isTTY)
    throw new UsageError(`name a template with --template:\n${entryList(templates)}`.trimEnd());
  const console = consoleInterviewer({ input: stdin, write: (text) => stderr.write(text) });
  try {
    const answer = await console.ask(question, new AbortController().signal);
    return templates.find((_, index) => keyOf(index) === answer?.selected_option?.key);
  } finally {
    console.close();
  }
}

const question: Question = {
  id: 'template',
  stage: 'init',
  text: 'Which pipeline do you want to begin with?',
  type: 'MULTIPLE_CHOICE',
  options: templates.map(({ name, summary }, index) => ({ key: keyOf(index), label: `${name}: ${summary}` })),
};

function keyOf(index: number): string {
  return String(index + 1);
}
