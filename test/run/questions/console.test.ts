import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { type ConsoleInterviewer, consoleInterviewer } from '../../../src/run/questions/console.js';
import { questionSettled } from '../../../src/run/questions/interviewer.js';
import { turns, typedAnswers } from '../../support/interviewers.js';
import { interviewerContract, questionOf } from './interviewer.contract.js';

interviewerContract('a console', ({ type }) => {
  const screen = new Screen(false);
  screen.type(`${typedAnswers[type]}\n${typedAnswers[type]}\n`);
  return screen.interviewer;
});

/** A console without a person. */
class Screen {
  readonly #input: PassThrough & { isTTY?: boolean } = new PassThrough();
  readonly interviewer: ConsoleInterviewer;
  text = '';

  constructor(isTerminal: boolean) {
    this.#input.isTTY = isTerminal;
    this.interviewer = consoleInterviewer({
      input: this.#input,
      write: (text) => {
        this.text += text;
      },
    });
  }

  type(text: string): void {
    this.#input.write(text);
  }

  /** The end of a pipe, or Ctrl-D. */
  end(): void {
    this.#input.end();
  }
}

const { signal } = new AbortController();
const choice = questionOf('MULTIPLE_CHOICE');
const yesNo = { ...questionOf('YES_NO'), text: 'Sure?' };
const free = { ...questionOf('FREEFORM'), text: 'Why?' };

describe('6.4, 11.8: a console', () => {
  test('shows the question with its details and choices', async () => {
    const screen = new Screen(true);
    const asked = {
      ...choice,
      metadata: { prompt: 'Look at\nthe diff' },
      timeout_seconds: 90,
      default: { value: 'F' },
    };
    const answer = screen.interviewer.ask(asked, signal);
    await turns();
    expect(screen.text).toBe(
      '[?] Ship it?\n    Look at\n    the diff\n    [A] Approve\n    [F] Fix it\n    Select (90 s, then F): ',
    );
    screen.type('a\n');
    expect(await answer).toEqual({ value: 'A', selected_option: { key: 'A', label: '[A] Approve' } });
  });

  test.each([
    ['MULTIPLE_CHOICE', 'Q', 'A', '"Q" is not one of the choices; answer with A, F'],
    ['YES_NO', 'maybe', 'n', '"maybe" is not one of the choices; answer with Y or N'],
    ['CONFIRMATION', '', 'yes', '"" is not one of the choices; answer with Y or N'],
  ] as const)('55c: asks a %s again after %j', async (type, wrong, right, hint) => {
    const screen = new Screen(true);
    const answer = screen.interviewer.ask(questionOf(type), signal);
    await turns();
    screen.type(`${wrong}\n`);
    await turns();
    screen.type(`${right}\n`);
    expect((await answer)?.value).toBe(right === 'A' ? 'A' : right.startsWith('y') ? 'YES' : 'NO');
    expect(screen.text).toContain(`    ${hint}\n    `);
  });

  test('87: reads a pipe line by line; at its end nobody answers', async () => {
    const screen = new Screen(false);
    screen.type('Q\nA\nbecause');
    screen.end();
    const answers = await Promise.all(
      [choice, free, yesNo].map((asked) => screen.interviewer.ask(asked, signal)),
    );
    expect(answers.map((answer) => answer?.value)).toEqual(['A', 'because', undefined]);
  });
});

describe('a console with several questions at once', () => {
  test('puts them one after the other, in their order', async () => {
    const screen = new Screen(true);
    const answers = [choice, yesNo].map((asked) => screen.interviewer.ask(asked, signal));
    await turns();
    expect(screen.text).not.toContain('Sure?');
    screen.type('F\n');
    expect((await answers[0])?.value).toBe('F');
    await turns();
    expect(screen.text).toMatch(/\[\?\] Sure\?\n {4}\[Y\/N\]: $/);
    screen.type('y\n');
    expect(await answers[1]).toEqual({ value: 'YES' });
  });

  test('never shows one that was settled while it stood in line', async () => {
    const screen = new Screen(true);
    const settled = new AbortController();
    const first = screen.interviewer.ask(choice, signal);
    const second = screen.interviewer.ask(yesNo, settled.signal);
    await turns();
    settled.abort(questionSettled);
    expect(await second).toBeUndefined();
    screen.type('A\n');
    await first;
    await turns();
    expect(screen.text).not.toContain('Sure?');
  });

  test('lets one that is settled give way; what was begun for it does not answer the next', async () => {
    const screen = new Screen(true);
    const settled = new AbortController();
    const first = screen.interviewer.ask(yesNo, settled.signal);
    const second = screen.interviewer.ask(choice, signal);
    await turns();
    screen.type('a');
    settled.abort(questionSettled);
    expect(await first).toBeUndefined();
    await turns();
    expect(screen.text).toMatch(/Answered elsewhere\.\n {4}Press Enter for the next question: $/);
    screen.type('\n');
    await turns();
    expect(screen.text).toMatch(/Fix it\n {4}Select: $/);
    screen.type('F\n');
    expect((await second)?.value).toBe('F');
  });

  test('continues at once after a pipe, which nobody types into', async () => {
    const screen = new Screen(false);
    const settled = new AbortController();
    const first = screen.interviewer.ask(yesNo, settled.signal);
    const second = screen.interviewer.ask(choice, signal);
    await turns();
    settled.abort(questionSettled);
    screen.type('F\n');
    expect(await Promise.all([first, second])).toMatchObject([undefined, { value: 'F' }]);
  });

  test('does not take what was typed while nothing was asked', async () => {
    const screen = new Screen(true);
    const settled = new AbortController();
    const first = screen.interviewer.ask(choice, settled.signal);
    await turns();
    settled.abort(questionSettled);
    await first;
    screen.type('A\n');
    await turns();
    const second = screen.interviewer.ask(choice, signal);
    await turns();
    screen.type('F\n');
    expect((await second)?.value).toBe('F');
  });

  test('shows nothing where another interviewer has the answer at hand', async () => {
    const screen = new Screen(true);
    const settled = new AbortController();
    const asked = screen.interviewer.ask(choice, settled.signal);
    settled.abort(questionSettled);
    await asked;
    await turns();
    expect(screen.text).toBe('');
  });
});

test('the prompt makes room for what is said meanwhile, and comes back', async () => {
  const screen = new Screen(true);
  screen.interviewer.print('before\n');
  const answer = screen.interviewer.ask(yesNo, signal);
  await turns();
  expect(screen.interviewer.isAsking).toBe(true);
  screen.interviewer.print('✔ work\n');
  screen.interviewer.inform?.('half done', 'work');
  expect(screen.text).toBe(
    'before\n[?] Sure?\n    [Y/N]: \n✔ work\n    [Y/N]: \n[i] work: half done\n    [Y/N]: ',
  );
  screen.type('y\n');
  await answer;
  expect(screen.interviewer.isAsking).toBe(false);
});
