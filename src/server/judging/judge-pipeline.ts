import type { ChosenExtensions } from '../../plugins/load-extensions.js';
import { compileOptionsOf } from '../../setup/extensions.js';
import { ThreadEndedError } from '../../threads/thread-pool.js';
import { ProblemError } from '../problem-error.js';
import type { JudgedText, TextToJudge } from './judge-text.js';

/** A posted text, and the extensions by which it is judged. */
export type JudgeRequest = Omit<TextToJudge, 'handlerTypes' | 'ruleSettings'> & {
  readonly extensions: ChosenExtensions;
};

export type Judged = Extract<JudgedText, { readonly kind: 'judged' }>;

/**
 * Judges a posted text by lint.
 * @throws ProblemError `bad_request` for a text that is too large, or takes too much time or memory
 */
export type JudgePipeline = (request: JudgeRequest) => Promise<Judged>;

/**
 * Judges texts, which may be hostile, on another thread. Rules and transforms of plugins are functions of this thread, so that
 * with them texts are judged here.
 * @param onThread judges by the built-in rules; if undefined, all is judged here
 */
export function judgeBy(onThread?: (text: TextToJudge) => Promise<JudgedText>): JudgePipeline {
  return async ({ extensions, ...request }) => {
    const {
      transforms = [],
      rules = [],
      handlerTypes,
      ruleSettings = new Map(),
    } = compileOptionsOf(extensions);
    const text: TextToJudge = { ...request, handlerTypes, ruleSettings };
    const isPlain = request.checks === 'syntax' || (transforms.length === 0 && rules.length === 0);
    const judged =
      onThread !== undefined && isPlain
        ? await onThread(text).catch(refuseOn('attractor lint'))
        : (await import('./judge-text.js')).judgeText(text, { transforms, rules });
    if (judged.kind === 'judged') return judged;
    const found = `the pipeline has ${judged.size} nodes, edges and subgraphs`;
    throw new ProblemError(
      'bad_request',
      `${found}; a server checks at most ${text.mostJudged}. Check it with \`attractor lint\``,
    );
  };
}

/** Makes a refusal of a text that a thread gave up. @param command for people who have the text */
export function refuseOn(command: string): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof ThreadEndedError)) throw error;
    const message = `the server gave up checking the pipeline: ${error.message}. Check it with \`${command}\``;
    throw new ProblemError('bad_request', message, { cause: error });
  };
}
